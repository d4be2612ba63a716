//! Keys of models: what is said of them, and texts of `--help`. No text here has room for a value.

use crate::catalog::{AuthHelp, AuthLine};

pub fn auth_line(what: &AuthLine<'_>) -> String {
    match what {
        AuthLine::Ask { name } => format!("{name}: "),
        AuthLine::Kept { name, hidden_by_variable: false } => format!("{name} is kept"),
        AuthLine::Kept { name, hidden_by_variable: true } => {
            format!("{name} is kept; the variable {name} of your environment is used instead while it is set")
        }
        AuthLine::Forgotten { name } => format!("{name} is forgotten"),
        AuthLine::Key { name, in_file: true } => format!("{name}  kept in the file of secrets"),
        AuthLine::Key { name, in_file: false } => format!("{name}  set in the environment"),
        AuthLine::NoKeys => "no key is kept or set; `thru auth set NAME` keeps one".to_owned(),
    }
}

pub fn auth_help(text: AuthHelp) -> &'static str {
    match text {
        AuthHelp::Auth => "Keep keys of models, by name",
        AuthHelp::After => {
            "A key is used by its name: OPENAI_API_KEY, ANTHROPIC_API_KEY and their like, or what api_key_env of a model\n\
             says. A variable of the environment comes first, then the file secrets.toml of the data folder, which only\n\
             you may read. No key is ever written to the log.\n\n\
             Examples:\n  thru auth set OPENAI_API_KEY                 # asks for it, and does not show it\n  \
             thru auth set OPENAI_API_KEY < key.txt\n  thru auth list"
        }
        AuthHelp::Set => "Keep a key; its value is read from standard input",
        AuthHelp::List => "Names of the keys that are kept or set, and where",
        AuthHelp::Remove => "Forget a key",
        AuthHelp::Name => "Name of the key, as a variable of the environment has it",
    }
}
