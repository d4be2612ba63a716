//! From lines to a reply.

use super::wire::{Kept, Line, Said as Message};
use crate::failure::Said;
use crate::live::Shown;
use crate::reply::{Fault, Naming, Reading, Whole, raw_call};
use crate::stream::Event;
use contract::body::Usage;
use contract::config::Protocol;
use contract::port::RawPart;
use serde_json::Value;

#[derive(Debug)]
pub struct Reply {
    naming: Naming,
    text: String,
    thinking: String,
    calls: Vec<RawPart>,
    /// The line that ends the answer.
    last: Option<Line>,
}

impl Reply {
    pub fn new(naming: Naming) -> Reply {
        Reply { naming, text: String::new(), thinking: String::new(), calls: Vec::new(), last: None }
    }

    fn hear(&mut self, message: Message, shown: &mut Shown<'_>) {
        let (content, thinking) = (message.content.unwrap_or_default(), message.thinking.unwrap_or_default());
        shown.thinking(&thinking);
        shown.text(&content);
        self.thinking.push_str(&thinking);
        self.text.push_str(&content);
        for call in message.tool_calls.into_iter().flatten() {
            let id = call.id.filter(|id| !id.is_empty()).unwrap_or_else(|| self.naming.call(self.calls.len()));
            let args = match call.function.arguments {
                Value::String(text) => text,
                Value::Null => String::new(),
                value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => value.to_string(),
            };
            self.calls.push(raw_call(id, call.function.name, args));
        }
    }
}

impl Reading for Reply {
    fn take(&mut self, event: &Event, shown: &mut Shown<'_>) -> Result<(), Fault> {
        let mut line: Line = serde_json::from_str(&event.data)?;
        if line.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err(Fault::Said(Said::read(None, event.data.as_bytes())));
        }
        if let Some(message) = line.message.take() {
            self.hear(message, shown);
        }
        if line.done {
            self.last = Some(line);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.last.is_some()
    }

    fn is_whole(&self) -> bool {
        self.last.is_some()
    }

    fn end(self: Box<Self>) -> Result<Whole, Fault> {
        let Reply { naming, text, thinking, calls, last } = *self;
        let last = last.unwrap_or_default();
        match last.done_reason.as_deref() {
            Some("length") => return Err(Fault::OutputLimit),
            // Said to a request without messages, which only loads the model.
            Some("load" | "unload") => return Err(Fault::Empty),
            Some(_) | None => {}
        }
        let mut parts = Vec::new();
        if !thinking.is_empty() {
            let (protocol, model) = (Protocol::Ollama.name().to_owned(), naming.model);
            parts.push(RawPart::Opaque { protocol, model, bytes: serde_json::to_string(&Kept { thinking })? });
        }
        parts.extend((!text.is_empty()).then_some(RawPart::Text(text)));
        parts.extend(calls);
        let is_uncounted = last.prompt_eval_count.is_none() && last.eval_count.is_none();
        let (input, output) = (last.prompt_eval_count.unwrap_or(0), last.eval_count.unwrap_or(0));
        Ok(Whole { parts, usage: Usage { input, output, ..Usage::default() }, is_uncounted, cost_micros: None, paused: false })
    }
}
