//! The scripted model: plays a file of JSON lines, for tests and demonstrations.
//!
//! It holds no state between calls. Each reply carries the line it came from as an opaque part, and the next line is
//! found from the transcript alone, so a restarted process goes on where the log is.

mod choose;
mod convert;
mod error;
mod place;
mod play;
mod wire;

pub use error::{BadLine, ScriptError};

use choose::choose;
use contract::port::{BoxFuture, Model, ModelCall, ModelFailure, RawReply};
use convert::Line;
use std::path::Path;

#[derive(Debug)]
pub struct ScriptedModel {
    /// The file as the person named it, for errors.
    name: String,
    lines: Vec<Line>,
}

impl ScriptedModel {
    pub fn load(path: impl AsRef<Path>) -> Result<ScriptedModel, ScriptError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => ScriptedModel::parse(&name, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ScriptError::Missing { file: name }),
            Err(source) => Err(ScriptError::Unreadable { file: name, source }),
        }
    }

    /// Reads a script that is at hand; `name` stands for the file in errors.
    pub fn parse(name: &str, text: &str) -> Result<ScriptedModel, ScriptError> {
        let mut lines = Vec::new();
        for (number, source) in (1..).zip(text.lines()) {
            let source = source.trim();
            if source.is_empty() || source.starts_with('#') {
                continue;
            }
            let line = convert::line(number, source).map_err(|reason| ScriptError::Line { file: name.to_owned(), line: number, reason })?;
            lines.push(line);
        }
        Ok(ScriptedModel { name: name.to_owned(), lines })
    }

    async fn play(&self, call: ModelCall) -> Result<RawReply, ModelFailure> {
        let turn = choose(&self.name, &self.lines, &call).map_err(play::unplayable)?;
        play::play(&self.name, turn, &call).await
    }
}

impl Model for ScriptedModel {
    fn reply(&self, call: ModelCall) -> BoxFuture<'_, Result<RawReply, ModelFailure>> {
        Box::pin(self.play(call))
    }
}
