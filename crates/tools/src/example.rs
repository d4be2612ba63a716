//! A call as a person writes it down in one line, to try rules on.

use crate::tool;
use contract::call::{Prepared, Risk};

/// What preparing such a call would find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub prepared: Prepared,
    pub risk: Risk,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoExample {
    #[error("there is no tool `{0}`")]
    UnknownTool(String),
    #[error("a call of {0} has nothing that a pattern could match")]
    NothingToMatch(&'static str),
}

/// What the line of an example is, by tool.
enum Kind {
    Command,
    Line,
    Path,
    Url,
    Nothing,
}

/// The call of this tool that a line stands for: a command line, a path, an address.
pub fn example(name: &str, line: &str) -> Result<Example, NoExample> {
    let tool = tool::named(name).ok_or_else(|| NoExample::UnknownTool(name.to_owned()))?;
    let only = |line: &str| vec![line.to_owned()];
    let prepared = match kind(tool.name) {
        Kind::Command => commandline::prepared(line),
        Kind::Line => Prepared { commands: only(line), ..Prepared::default() },
        Kind::Path => Prepared { paths: only(line), ..Prepared::default() },
        Kind::Url => Prepared { hosts: only(host(line)), ..Prepared::default() },
        Kind::Nothing => return Err(NoExample::NothingToMatch(tool.name)),
    };
    let risk = match kind(tool.name) {
        // Whatever is outside the workspace or cannot be seen through is asked about.
        _ if prepared.opaque || prepared.paths.iter().any(|path| path.starts_with('/')) => Risk::High,
        // As in a sandbox that holds it.
        Kind::Command => Risk::Medium,
        Kind::Line | Kind::Path | Kind::Url | Kind::Nothing => tool.risk,
    };
    Ok(Example { prepared, risk })
}

fn kind(tool: &str) -> Kind {
    match tool {
        "shell" => Kind::Command,
        "process_input" => Kind::Line,
        "fetch_url" => Kind::Url,
        "read_file" | "write_file" | "edit_file" | "list_files" | "search_text" => Kind::Path,
        _ => Kind::Nothing,
    }
}

/// The host of an address, or what is one already.
fn host(line: &str) -> &str {
    let rest = line.split_once("://").map_or(line, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_for_what_its_tool_would_touch() {
        assert_eq!(example("shell", "a; b").unwrap().prepared.commands, ["a", "b"]);
        assert_eq!(example("write_file", "src/a.rs").unwrap().prepared.paths, ["src/a.rs"]);
        assert_eq!(example("write_file", "/etc/passwd").unwrap().risk, Risk::High);
        assert_eq!(host("https://docs.rs:443/serde?x#y"), "docs.rs");
        assert_eq!(host("docs.rs"), "docs.rs");
        assert_eq!(host("http://[::1]:80/"), "[::1]");
        assert_eq!(example("wait_for", "x"), Err(NoExample::NothingToMatch("wait_for")));
        assert_eq!(example("fly", "x"), Err(NoExample::UnknownTool("fly".to_owned())));
    }
}
