//! Why a command could not do its work, or did it and found fault.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{0}")]
    Usage(&'static str),
    #[error("{path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
    #[error("`{command}` failed: {reason}")]
    Command { command: String, reason: String },
    #[error("{what} cannot be understood: {reason}")]
    Malformed { what: String, reason: String },
    #[error("{command}: offences {count}")]
    Offences { command: &'static str, count: usize },
    #[error("{path} is not current: run `cargo xtask {command}` and look at the difference")]
    Stale { path: PathBuf, command: &'static str },
    #[error("two shapes in the schema share the name `{0}`")]
    SharedName(String),
}

impl Problem {
    pub fn malformed(what: &str, reason: impl std::fmt::Display) -> Problem {
        Problem::Malformed { what: what.to_owned(), reason: reason.to_string() }
    }
}

pub fn read(path: &std::path::Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|source| Problem::File { path: path.to_owned(), source })
}

/// The standard output of a command that must succeed.
pub fn output(program: &str, arguments: &[&str]) -> Result<String, Problem> {
    let command = || format!("{program} {}", arguments.join(" "));
    let output = std::process::Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| Problem::Command { command: command(), reason: error.to_string() })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Problem::Command { command: command(), reason });
    }
    String::from_utf8(output.stdout).map_err(|error| Problem::malformed(&command(), error))
}
