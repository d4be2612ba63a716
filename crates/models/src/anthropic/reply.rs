//! From events to a reply.

use super::wire::{BlockBegun, Delta, Event as Wire, Kept, WireUsage};
use crate::failure::Said;
use crate::live::Shown;
use crate::reply::{Fault, Naming, Reading, Whole, raw_call};
use crate::stream::Event;
use contract::body::Usage;
use contract::config::Protocol;
use contract::port::RawPart;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Reply {
    naming: Naming,
    /// By their index, in which order they go back.
    blocks: BTreeMap<u64, Block>,
    usage: WireUsage,
    stop_reason: Option<String>,
    is_over: bool,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Thinking {
        thinking: String,
        signature: Option<String>,
    },
    RedactedThinking(String),
    ToolUse {
        id: String,
        name: String,
        /// What the block began with, for servers that send it at once.
        input: Value,
        json: String,
    },
    /// Of tools of the provider, which nobody here asks for.
    Other,
}

impl Reply {
    pub fn new(naming: Naming) -> Reply {
        Reply { naming, blocks: BTreeMap::new(), usage: WireUsage::default(), stop_reason: None, is_over: false }
    }

    fn begin(&mut self, index: u64, begun: BlockBegun, shown: &mut Shown<'_>) {
        let block = match begun {
            BlockBegun::Text { text } => {
                shown.text(&text);
                Block::Text(text)
            }
            BlockBegun::Thinking { thinking, signature } => {
                shown.thinking(&thinking);
                Block::Thinking { thinking, signature }
            }
            BlockBegun::RedactedThinking { data } => Block::RedactedThinking(data),
            BlockBegun::ToolUse { id, name, input } => Block::ToolUse { id, name, input, json: String::new() },
            BlockBegun::Other => Block::Other,
        };
        self.blocks.insert(index, block);
    }

    fn go_on(&mut self, index: u64, delta: Delta, shown: &mut Shown<'_>) -> Result<(), Fault> {
        let block = self.blocks.get_mut(&index).ok_or_else(|| Fault::Malformed(format!("block {index} goes on before it begins")))?;
        match (block, delta) {
            (Block::Text(text), Delta::Text { text: more }) => {
                shown.text(&more);
                text.push_str(&more);
            }
            (Block::Thinking { thinking, .. }, Delta::Thinking { thinking: more }) => {
                shown.thinking(&more);
                thinking.push_str(&more);
            }
            (Block::Thinking { signature, .. }, Delta::Signature { signature: more }) => {
                signature.get_or_insert_default().push_str(&more);
            }
            (Block::ToolUse { json, .. }, Delta::InputJson { partial_json }) => json.push_str(&partial_json),
            (Block::Other, _) | (_, Delta::Other) => {}
            (
                Block::Text(_) | Block::Thinking { .. } | Block::RedactedThinking(_) | Block::ToolUse { .. },
                Delta::Text { .. } | Delta::Thinking { .. } | Delta::Signature { .. } | Delta::InputJson { .. },
            ) => return Err(Fault::Malformed(format!("block {index} goes on as another kind"))),
        }
        Ok(())
    }

    /// Counts are of the whole answer so far; a later event corrects an earlier one.
    fn count(&mut self, usage: Option<WireUsage>) {
        let usage = usage.unwrap_or_default();
        self.usage = WireUsage {
            input_tokens: usage.input_tokens.or(self.usage.input_tokens),
            output_tokens: usage.output_tokens.or(self.usage.output_tokens),
            cache_creation_input_tokens: usage.cache_creation_input_tokens.or(self.usage.cache_creation_input_tokens),
            cache_read_input_tokens: usage.cache_read_input_tokens.or(self.usage.cache_read_input_tokens),
        };
    }
}

impl Reading for Reply {
    fn take(&mut self, event: &Event, shown: &mut Shown<'_>) -> Result<(), Fault> {
        match serde_json::from_str(&event.data)? {
            Wire::MessageStart { message } => self.count(message.usage),
            Wire::ContentBlockStart { index, content_block } => self.begin(index, content_block, shown),
            Wire::ContentBlockDelta { index, delta } => self.go_on(index, delta, shown)?,
            Wire::MessageDelta { delta, usage } => {
                self.count(usage);
                self.stop_reason = delta.stop_reason.filter(|reason| !reason.is_empty()).or(self.stop_reason.take());
            }
            Wire::MessageStop => self.is_over = true,
            Wire::Error => return Err(Fault::Said(Said::read(None, event.data.as_bytes()))),
            Wire::Other => {}
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn is_whole(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn end(self: Box<Self>) -> Result<Whole, Fault> {
        let paused = match self.stop_reason.as_deref() {
            Some("max_tokens") => return Err(Fault::OutputLimit),
            Some("model_context_window_exceeded") => return Err(Fault::ContextLimit),
            Some("refusal") => return Err(Fault::Refused("refusal".to_owned())),
            stop_reason => stop_reason == Some("pause_turn"),
        };
        let Reply { naming, blocks, usage, .. } = *self;
        let mut parts = Vec::with_capacity(blocks.len());
        for block in blocks.into_values() {
            parts.extend(part(&naming, block)?);
        }
        let is_uncounted = usage.input_tokens.is_none() && usage.output_tokens.is_none();
        let usage = Usage {
            input: usage.input_tokens.unwrap_or(0),
            output: usage.output_tokens.unwrap_or(0),
            cache_read: usage.cache_read_input_tokens.unwrap_or(0),
            cache_write: usage.cache_creation_input_tokens.unwrap_or(0),
            reasoning: 0,
        };
        Ok(Whole { parts, usage, is_uncounted, cost_micros: None, paused })
    }
}

fn part(naming: &Naming, block: Block) -> Result<Option<RawPart>, serde_json::Error> {
    let kept = |kept: Kept<'_>| {
        let bytes = serde_json::to_string(&kept)?;
        Ok(Some(RawPart::Opaque { protocol: Protocol::Anthropic.name().to_owned(), model: naming.model.clone(), bytes }))
    };
    match block {
        Block::Text(text) => Ok((!text.is_empty()).then_some(RawPart::Text(text))),
        Block::Thinking { thinking, signature } => kept(Kept::Thinking { thinking: &thinking, signature: signature.as_deref() }),
        Block::RedactedThinking(data) => kept(Kept::RedactedThinking { data: &data }),
        Block::ToolUse { id, name, input, json } => {
            let began_whole = json.is_empty() && input.as_object().is_some_and(|fields| !fields.is_empty());
            Ok(Some(raw_call(id, name, if began_whole { input.to_string() } else { json })))
        }
        Block::Other => Ok(None),
    }
}
