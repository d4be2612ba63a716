//! From events to a reply: pieces are only shown, what counts are the items that came whole.

use super::wire::{Event as Wire, Item, Response, Said as Content, WireUsage};
use crate::failure::Said;
use crate::live::Shown;
use crate::reply::{Fault, Naming, Reading, Whole, raw_call};
use crate::stream::Event;
use contract::body::Usage;
use contract::config::Protocol;
use contract::port::RawPart;
use serde_json::Value;
use std::collections::BTreeMap;

/// Between the parts of a summary, which have no end of their own.
const BETWEEN_PARTS: &str = "\n\n";

#[derive(Debug)]
pub struct Reply {
    naming: Naming,
    /// By their place in the output.
    items: BTreeMap<u64, Value>,
    response: Option<Response>,
}

impl Reply {
    pub fn new(naming: Naming) -> Reply {
        Reply { naming, items: BTreeMap::new(), response: None }
    }
}

impl Reading for Reply {
    fn take(&mut self, event: &Event, shown: &mut Shown<'_>) -> Result<(), Fault> {
        // Some gateways end every stream like one of chat completions.
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        match serde_json::from_str(&event.data)? {
            Wire::Text { delta } => shown.text(&delta),
            Wire::Thinking { delta } => shown.thinking(&delta),
            Wire::ThinkingPart { summary_index } => shown.thinking(if summary_index == 0 { "" } else { BETWEEN_PARTS }),
            Wire::Item { output_index, item } => drop(self.items.insert(output_index, item)),
            Wire::End { response } => self.response = Some(response),
            Wire::Error => return Err(Fault::Said(of_event(&event.data)?)),
            Wire::Other => {}
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.response.is_some()
    }

    fn is_whole(&self) -> bool {
        self.response.is_some()
    }

    fn end(self: Box<Self>) -> Result<Whole, Fault> {
        let Reply { naming, items, response } = *self;
        let response = response.unwrap_or_default();
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(Fault::Said(Said::of(None, &error)));
        }
        match (response.status.as_deref(), response.incomplete_details.and_then(|details| details.reason)) {
            (Some("incomplete"), Some(reason)) if reason == "max_output_tokens" => return Err(Fault::OutputLimit),
            (Some("incomplete" | "failed" | "cancelled"), reason) => {
                return Err(Fault::Refused(reason.unwrap_or_else(|| "no reason".to_owned())));
            }
            (_, _) => {}
        }
        let items = if items.is_empty() { response.output } else { items.into_values().collect() };
        let (mut parts, mut refusals) = (Vec::new(), Vec::new());
        for item in items {
            add(&naming, item, &mut parts, &mut refusals)?;
        }
        let says_something = parts.iter().any(|part| matches!(part, RawPart::Text(_) | RawPart::Call(_)));
        if !says_something && !refusals.is_empty() {
            return Err(Fault::Refused(refusals.concat()));
        }
        let usage = response.usage.unwrap_or_default();
        let is_uncounted = usage.input_tokens.is_none() && usage.output_tokens.is_none();
        Ok(Whole { parts, usage: usage_of(usage), is_uncounted, cost_micros: None, paused: false })
    }
}

/// The type of the event itself says nothing; the error has one of its own, or only a code.
fn of_event(data: &str) -> Result<Said, serde_json::Error> {
    let mut value: Value = serde_json::from_str(data)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("type");
    }
    Ok(Said::of(None, &value))
}

fn add(naming: &Naming, item: Value, parts: &mut Vec<RawPart>, refusals: &mut Vec<String>) -> Result<(), serde_json::Error> {
    let mut raw = item.clone();
    match serde_json::from_value(item)? {
        Item::Message { content } => {
            for said in content {
                match said {
                    Content::OutputText { text } if !text.is_empty() => parts.push(RawPart::Text(text)),
                    Content::Refusal { refusal } => refusals.push(refusal),
                    Content::OutputText { .. } | Content::Other => {}
                }
            }
        }
        Item::FunctionCall { call_id, name, arguments } => {
            let id = if call_id.is_empty() { naming.call(parts.len()) } else { call_id };
            parts.push(raw_call(id, name, arguments));
        }
        // Without its content it is a name for something that the provider did not keep.
        Item::Reasoning { encrypted_content: None } | Item::Other => {}
        Item::Reasoning { encrypted_content: Some(_) } => {
            // Part of what is received, refused in what is sent.
            raw.as_object_mut().map(|fields| fields.remove("status"));
            let (protocol, model) = (Protocol::OpenaiResponses.name().to_owned(), naming.model.clone());
            parts.push(RawPart::Opaque { protocol, model, bytes: raw.to_string() });
        }
    }
    Ok(())
}

fn usage_of(usage: WireUsage) -> Usage {
    let details = usage.input_tokens_details.unwrap_or_default();
    let (cache_read, cache_write) = (details.cached_tokens.unwrap_or(0), details.cache_write_tokens.unwrap_or(0));
    Usage {
        input: usage.input_tokens.unwrap_or(0).saturating_sub(cache_read).saturating_sub(cache_write),
        output: usage.output_tokens.unwrap_or(0),
        cache_read,
        cache_write,
        reasoning: usage.output_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0),
    }
}
