//! From chunks to a reply.

use super::wire::{CallDelta, Chunk, Delta, Reasoning, WireUsage};
use crate::failure::Said;
use crate::live::Shown;
use crate::reply::{Fault, Naming, Reading, Whole, raw_call};
use crate::stream::Event;
use contract::body::Usage;
use contract::config::Protocol;
use contract::port::RawPart;
use serde_json::Value;
use std::collections::BTreeSet;

const DONE: &str = "[DONE]";
const MICROS_PER_UNIT: f64 = 1_000_000.0;

#[derive(Debug)]
pub struct Reply {
    naming: Naming,
    text: String,
    /// The words of a refusal are not an answer.
    refusal: String,
    reasoning: Reasoning,
    calls: Vec<Call>,
    usage: Option<WireUsage>,
    finish: Option<String>,
    is_done: bool,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    tool: String,
    args: String,
}

impl Reply {
    pub fn new(naming: Naming) -> Reply {
        let (text, refusal, reasoning) = (String::new(), String::new(), Reasoning::default());
        Reply { naming, text, refusal, reasoning, calls: Vec::new(), usage: None, finish: None, is_done: false }
    }

    fn delta(&mut self, delta: Delta, shown: &mut Shown<'_>) {
        let fields = [(delta.reasoning_content, &mut self.reasoning.reasoning_content), (delta.reasoning, &mut self.reasoning.reasoning)];
        let mut is_shown = false;
        for (field, kept) in fields {
            if let Some(value) = field {
                let piece = value.as_str().unwrap_or_default();
                kept.get_or_insert_default().push_str(piece);
                // Some servers say the same under both names.
                if !is_shown {
                    shown.thinking(piece);
                }
                is_shown |= !piece.is_empty();
            }
        }
        for detail in delta.reasoning_details.into_iter().flatten() {
            add_detail(&mut self.reasoning.reasoning_details, detail);
        }
        let content = delta.content.map(content).unwrap_or_default();
        shown.text(&content);
        self.text.push_str(&content);
        self.refusal.push_str(delta.refusal.as_deref().unwrap_or_default());
        for call in delta.tool_calls.into_iter().flatten() {
            self.call(call);
        }
    }

    /// Adds to the call that is meant: by its index; by its id where servers give all the same index or none; else to
    /// the last one, unless a name begins another.
    fn call(&mut self, delta: CallDelta) {
        let id = delta.id.unwrap_or_default();
        let function = delta.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let same_id = |call: &Call| name.is_empty() || id.is_empty() || call.id.is_empty() || call.id == id;
        let place = match delta.index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index) && same_id(call)),
            None if !id.is_empty() => self.calls.iter().rposition(|call| call.id == id),
            None if name.is_empty() => self.calls.len().checked_sub(1),
            None => None,
        };
        let place = place.unwrap_or_else(|| {
            self.calls.push(Call { index: delta.index, ..Call::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[place];
        if call.id.is_empty() {
            call.id = id;
        }
        if call.tool.is_empty() {
            call.tool = name;
        }
        match function.arguments {
            Some(Value::String(piece)) => call.args.push_str(&piece),
            Some(Value::Null) | None => {}
            Some(whole @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => call.args = whole.to_string(),
        }
    }

    fn reasoning_part(&self) -> Result<Option<RawPart>, serde_json::Error> {
        let Reasoning { reasoning_content, reasoning, reasoning_details } = &self.reasoning;
        let says_something =
            [reasoning_content, reasoning].into_iter().flatten().any(|text| !text.is_empty()) || !reasoning_details.is_empty();
        let is_named = reasoning_content.is_some() || reasoning.is_some();
        if !says_something && (!is_named || self.calls.is_empty()) {
            return Ok(None);
        }
        let bytes = serde_json::to_string(&self.reasoning)?;
        Ok(Some(RawPart::Opaque { protocol: Protocol::OpenaiChat.name().to_owned(), model: self.naming.model.clone(), bytes }))
    }
}

impl Reading for Reply {
    fn take(&mut self, event: &Event, shown: &mut Shown<'_>) -> Result<(), Fault> {
        if event.data.trim() == DONE {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_str(&event.data)?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(Fault::Said(Said::of(None, &error)));
        }
        // On the last chunk, on one after it, or on every one: the latest counts.
        self.usage = chunk.usage.or(self.usage);
        // Only one answer was asked for.
        for choice in chunk.choices.into_iter().flatten().filter(|choice| choice.index.unwrap_or(0) == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, shown);
            }
            // Some servers send an empty one with every chunk.
            self.finish = choice.finish_reason.filter(|reason| !reason.is_empty()).or(self.finish.take());
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_done
    }

    fn is_whole(&self) -> bool {
        self.finish.is_some()
    }

    fn end(self: Box<Self>) -> Result<Whole, Fault> {
        match self.finish.as_deref() {
            Some("length") => return Err(Fault::OutputLimit),
            Some("model_context_window_exceeded") => return Err(Fault::ContextLimit),
            Some("content_filter") => return Err(Fault::Refused("content_filter".to_owned())),
            // Said by servers that ran out of themselves; the words before it are half an answer.
            Some(word @ ("error" | "insufficient_system_resource" | "abort")) => {
                return Err(Fault::Said(Said { status: None, kinds: vec!["overloaded".to_owned()], message: word.to_owned() }));
            }
            // The words for an end differ, and `stop` comes with calls too.
            Some(_) | None => {}
        }
        if !self.refusal.is_empty() && self.text.is_empty() && self.calls.is_empty() {
            return Err(Fault::Refused(self.refusal));
        }
        let reasoning = self.reasoning_part()?;
        let Reply { naming, text, calls, usage, .. } = *self;
        let usage = usage.unwrap_or_default();
        let is_uncounted = usage.prompt_tokens.is_none() && usage.completion_tokens.is_none();
        let text = (!text.is_empty()).then_some(RawPart::Text(text));
        let mut ids = BTreeSet::new();
        let calls = calls.into_iter().enumerate().map(|(place, call)| {
            // No id, or that of another call: results could not be told apart.
            let is_usable = !call.id.is_empty() && ids.insert(call.id.clone());
            raw_call(if is_usable { call.id } else { naming.call(place) }, call.tool, call.args)
        });
        let parts = reasoning.into_iter().chain(text).chain(calls).collect();
        Ok(Whole { parts, usage: usage_of(usage), is_uncounted, cost_micros: usage.cost.and_then(micros), paused: false })
    }
}

/// Text, or a list of parts with text, as some servers send it.
fn content(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// Pieces of one detail have its index; their texts belong together, everything else came whole.
fn add_detail(details: &mut Vec<Value>, detail: Value) {
    let same = |other: &Value| ["type", "index"].iter().all(|field| other.get(field) == detail.get(field)) && detail.get("index").is_some();
    let (Some(last), Value::Object(piece)) = (details.last_mut().filter(|last| same(last)), &detail) else {
        return details.push(detail);
    };
    for (field, value) in piece {
        match (last.get_mut(field), value) {
            (Some(Value::String(begun)), Value::String(more)) if ["text", "summary", "data"].contains(&field.as_str()) => {
                begun.push_str(more)
            }
            (_, Value::Null) => {}
            (_, value) => last[field.as_str()] = value.clone(),
        }
    }
}

fn usage_of(usage: WireUsage) -> Usage {
    let details = usage.prompt_tokens_details.unwrap_or_default();
    let cache_read = details.cached_tokens.or(usage.prompt_cache_hit_tokens).unwrap_or(0);
    let cache_write = details.cache_write_tokens.unwrap_or(0);
    Usage {
        input: usage.prompt_tokens.unwrap_or(0).saturating_sub(cache_read).saturating_sub(cache_write),
        output: usage.completion_tokens.unwrap_or(0),
        cache_read,
        cache_write,
        reasoning: usage.completion_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0),
    }
}

fn micros(cost: f64) -> Option<u64> {
    (cost.is_finite() && cost >= 0.0).then(|| (cost * MICROS_PER_UNIT).round() as u64)
}
