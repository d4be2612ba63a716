//! What can be wrong with a script, in words for the person who wrote it.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("script {file} does not exist")]
    Missing { file: String },
    #[error("script {file} cannot be read: {source}")]
    Unreadable { file: String, source: io::Error },
    #[error("script {file}, line {line}: {reason}")]
    Line { file: String, line: u32, reason: BadLine },
    /// Not a mistake: the line asks for this failure.
    #[error("script {file}, line {line} fails on purpose")]
    OnPurpose { file: String, line: u32 },
    /// The log holds a place that no version of this program wrote.
    #[error("script {file}: the conversation carries the unreadable place `{place}`")]
    Place { file: String, place: String },
}

/// Why a line is refused.
#[derive(Debug, thiserror::Error)]
pub enum BadLine {
    #[error("{0}")]
    Json(String),
    #[error("the line says nothing: it needs one of text, thinking, calls or fail")]
    SaysNothing,
    #[error("`when` is not a regular expression: {0}")]
    When(regex::Error),
    #[error("`when` answers each time it matches and cannot have `repeat`")]
    WhenRepeated,
    #[error("`{0}` must be at least 1")]
    Zero(&'static str),
    #[error("`cost` must not be negative")]
    NegativeCost,
    #[error("a failing line gives no reply, so `{0}` belongs on the next line")]
    FailWithReply(&'static str),
    #[error("`after_bytes` needs a `text` to break off")]
    NothingToBreakOff,
}

impl From<serde_json::Error> for BadLine {
    fn from(error: serde_json::Error) -> BadLine {
        let whole = error.to_string();
        // The parser saw one line only: its line number would contradict ours.
        let reason = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(reason, _)| reason);
        BadLine::Json(match error.column() {
            0 => reason.to_owned(),
            column => format!("{reason} (column {column})"),
        })
    }
}
