//! Models: what is said of them, and texts of `--help`.

use crate::catalog::{ModelsHelp, ModelsLine, Setup};
use throughline::settings::{Because, Candidate, Why, Wish};
use throughline::{Unfit, Vain};

pub fn models_line(what: &ModelsLine<'_>) -> String {
    match what {
        ModelsLine::Entry { name, file, is_default: false } => format!("{name}  from {file}"),
        ModelsLine::Entry { name, file, is_default: true } => format!("{name}  from {file}, asked when no model is named"),
        ModelsLine::Provider { name, key: None, .. } => format!("{name}/MODEL  needs no key"),
        ModelsLine::Provider { name, key: Some(key), has_key: true } => format!("{name}/MODEL  has its key {key}"),
        ModelsLine::Provider { name, key: Some(key), has_key: false } => format!("{name}/MODEL  needs {key}: thru auth set {key}"),
        ModelsLine::Answered { name, text, millis, tokens } => {
            format!("{name} answered in {millis} ms with {tokens} tokens: {text}")
        }
        ModelsLine::Named { model, why } => named(model, why),
        ModelsLine::Found { model, because, millis } => format!(
            "the model is {model}: {}, and it answered in {millis} ms; choose another with --model, THRU_MODEL or config.toml",
            reason(*because)
        ),
        ModelsLine::PassedOver { name, why } => format!("{name} was passed over: {}", vain(why)),
        ModelsLine::Unnamed { wish, candidates } => format!("without --model: {}", unnamed(wish, candidates)),
    }
}

/// Why what was tried did not do.
pub fn vain(why: &Vain) -> String {
    match why {
        Vain::Failed(reason) => reason.clone(),
        Vain::Late { ms } => format!("no answer within {} s", ms / 1_000),
        Vain::Unfit(Unfit::Empty) => "it has no models".to_owned(),
        Vain::Unfit(Unfit::NoTools) => "none of its models calls tools".to_owned(),
        Vain::Unfit(Unfit::Unknown(count)) => format!("none of its {count} models is known to be a general one; name one with --model"),
    }
}

fn reason(because: Because) -> String {
    match because {
        Because::Variable(name) => format!("{name} is set"),
        Because::Kept(name) => format!("{name} is kept"),
        Because::NoKey => "it needs no key".to_owned(),
    }
}

fn named(model: &str, why: &Why) -> String {
    match why {
        Why::Variable(variable) => format!("the model is {model}, as {variable} says"),
        Why::File(file) => format!("the model is {model}, as {} says", file.display()),
        Why::Only(file) => format!("the model is {model}, the only one in {}", file.display()),
    }
}

/// What a run does that names no model.
fn unnamed(wish: &Wish, candidates: &[Candidate]) -> String {
    match wish {
        Wish::Named(chosen) => named(&chosen.name, &chosen.why),
        Wish::Several(names) => format!("nothing, because none of these is the default: {}", names.join(", ")),
        Wish::Nothing => would_look(candidates),
    }
}

fn would_look(candidates: &[Candidate]) -> String {
    let each: Vec<String> = candidates.iter().map(|one| format!("{} ({})", one.preset.name, reason(one.because))).collect();
    format!("the first that answers, of {}; `thru models test` asks", each.join(", "))
}

/// What is wrong with models or their keys.
pub fn setup_problem(what: &Setup<'_>) -> String {
    match what {
        Setup::NoModel { tried } => format!("no model was named, and none was found: {tried}"),
        Setup::SeveralModels(names) => format!("no model was named, and several are described: {names}"),
        Setup::AddressOnly(address) => format!("no model was named for {address}"),
        Setup::UnknownModel(name) => format!("the model `{name}` is not known"),
        Setup::ProviderOnly(name) => format!("`{name}` names a provider and no model of it"),
        Setup::BadAddress(address) => format!("`{address}` is no http or https address"),
        Setup::Settings(reason) => format!("the settings cannot be used: {reason}"),
        Setup::NotTrusted { file, key, .. } => format!("{file} sets {key}, and its folder is not trusted"),
        Setup::NoProject(folder) => format!("{folder} has no settings and no rules that could be trusted"),
        Setup::NotTrustedYet(folder) => format!("{folder} is not trusted"),
        Setup::Trial(reason) => (*reason).to_owned(),
        Setup::NoAnswer(reason) => format!("the model did not answer: {reason}"),
        Setup::Secret(reason) => (*reason).to_owned(),
        Setup::NoSecret(name) => format!("no key `{name}` is kept"),
    }
}

pub fn setup_hint(what: &Setup<'_>) -> String {
    let hint = match what {
        Setup::NoModel { .. } => {
            "nothing was started; set a key, such as with `thru auth set ANTHROPIC_API_KEY`, start an Ollama that has a model \
             which calls tools, or say --model PROVIDER/MODEL or --model script:FILE"
        }
        Setup::SeveralModels(_) => {
            "nothing was started; say --model NAME or THRU_MODEL=NAME, or set it once in config.toml: [defaults] model = \"NAME\""
        }
        Setup::AddressOnly(_) => "nothing was started; say --model with the name that the server has for it",
        Setup::UnknownModel(_) => {
            "nothing was started; say PROVIDER/MODEL, the name of an entry [models.NAME] in config.toml, or script:FILE"
        }
        Setup::ProviderOnly(name) => return format!("nothing was started; say --model {name}/MODEL"),
        Setup::BadAddress(_) => "nothing was started; say for example http://127.0.0.1:8000/v1",
        Setup::Settings(_) => "nothing was started; mend the file and run again",
        Setup::NotTrusted { project, .. } => {
            return format!("nothing was started; look at the file, and say `thru trust {project}` if you want what it sets");
        }
        Setup::NoProject(_) => "nothing was changed; a project has its settings in .throughline/config.toml and its rules in AGENTS.md",
        Setup::NotTrustedYet(_) => "nothing was changed; `thru trust --list` names the folders that are",
        Setup::Trial(_) => "nothing was run; say `thru policy test --help` for examples",
        Setup::NoAnswer(_) => "nothing was stored; `thru models` shows what each provider needs",
        Setup::Secret(_) => "nothing was changed; mend it and say it again",
        Setup::NoSecret(_) => "nothing was changed; `thru auth list` names those that are",
    };
    hint.to_owned()
}

pub fn models_help(text: ModelsHelp) -> &'static str {
    match text {
        ModelsHelp::Models => "Which models can be asked, and whether one answers",
        ModelsHelp::After => {
            "A model is named PROVIDER/MODEL, or has an entry in config.toml:\n\n  \
             [models.work]\n  protocol = \"openai-chat\"      # openai-chat, openai-responses, anthropic, ollama\n  \
             base_url = \"https://models.example/v1\"\n  api_key_env = \"WORK_KEY\"\n  model = \"large\"\n  \
             price = { input = 3.0, output = 15.0 }   # of a million tokens\n\n  \
             [defaults]\n  model = \"work\"\n  fallback = [\"ollama/small\"]\n\n\
             With none set, the newest general model is taken of the first provider that has a key and answers, else of a\n\
             local Ollama.\n\n\
             Examples:\n  thru models\n  thru models test\n  thru models test openai/MODEL\n  \
             thru models test qwen --base-url http://127.0.0.1:8000/v1"
        }
        ModelsHelp::Test => "Ask a model one real question; it may cost a little",
        ModelsHelp::Name => "Model to ask [default: the one that a run would ask]",
        ModelsHelp::BaseUrl => "Where that model is, if not where its provider usually is",
    }
}
