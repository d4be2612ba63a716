//! From items to messages: each item by itself, so that a longer conversation begins with the messages of a shorter one.

use super::wire::{Body, CallSent, FunctionSent, Message, Reasoning, StreamOptions, Thinking, Tool, ToolFunction};
use crate::asking::arguments;
use crate::drafts::Written;
use crate::endpoint::is_at;
use crate::facts::{late, result, whole};
use contract::config::{Endpoint, Protocol, RunConfig};
use contract::request::{Item, Part};
use std::borrow::Cow;

/// Who wants `reasoning_content` with every turn that made calls, also with those of another model.
const WANT_REASONING: &[&str] = &["deepseek.com", "volces.com"];
/// Who refuses `max_tokens`; everybody else understands it.
const MAX_COMPLETION_TOKENS: &[&str] = &["openai.com", "openai.azure.com"];
/// Words for `thinking`, all others are an effort.
const THINKING: &[&str] = &["enabled", "disabled", "auto"];

/// The body with all that is said before the items.
pub fn begin(config: &RunConfig, endpoint: &Endpoint) -> Result<Written, serde_json::Error> {
    let sampling = &endpoint.sampling;
    let newer_limit = MAX_COMPLETION_TOKENS.iter().any(|domain| is_at(endpoint, domain));
    let (thinking, effort): (Vec<&str>, Vec<&str>) =
        sampling.reasoning.iter().map(String::as_str).partition(|word| THINKING.contains(word));
    let body = Body {
        model: &endpoint.model,
        messages: [],
        tools: config.tools.iter().map(tool).collect(),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        max_tokens: sampling.max_output_tokens.filter(|_| !newer_limit),
        max_completion_tokens: sampling.max_output_tokens.filter(|_| newer_limit),
        stop: &sampling.stop,
        reasoning_effort: effort.first().copied(),
        thinking: thinking.first().map(|word| Thinking { r#type: word }),
    };
    let mut written = Written::of(&body, "messages")?;
    if !config.system.is_empty() {
        written.push(&Message::System { content: &config.system })?;
    }
    Ok(written)
}

fn tool(spec: &contract::config::ToolSpec) -> Tool<'_> {
    let function = ToolFunction { name: &spec.name, description: &spec.description, parameters: &spec.schema };
    Tool { r#type: "function", function }
}

/// Who reads the messages, as far as that matters to each of them.
pub struct Listener<'e> {
    endpoint: &'e Endpoint,
    wants_reasoning: bool,
}

impl<'e> Listener<'e> {
    pub fn new(endpoint: &'e Endpoint) -> Listener<'e> {
        Listener { endpoint, wants_reasoning: WANT_REASONING.iter().any(|domain| is_at(endpoint, domain)) }
    }

    pub fn message<'a>(&self, item: &'a Item) -> Option<Message<'a>> {
        Some(match item {
            Item::Message(text) | Item::Notice(text) => Message::User { content: whole(text) },
            Item::Late(of) => Message::User { content: Cow::Owned(late(&of.provider_call, of)) },
            Item::Result(of) => Message::Tool { tool_call_id: &of.provider_call, content: result(of) },
            Item::Assistant(parts) => return self.assistant(parts),
        })
    }

    /// Nothing where another model's reply has nothing to show.
    fn assistant<'a>(&self, parts: &'a [Part]) -> Option<Message<'a>> {
        let mut text = String::new();
        let mut tool_calls = Vec::new();
        let mut reasoning = Reasoning::default();
        for part in parts {
            match part {
                Part::Text(said) => text.push_str(&whole(said)),
                Part::Call { provider_call, tool, args, .. } => tool_calls.push(CallSent {
                    id: provider_call,
                    r#type: "function",
                    function: FunctionSent { name: tool, arguments: arguments(&whole(args)) },
                }),
                Part::Opaque { protocol, model, bytes } => {
                    if protocol == Protocol::OpenaiChat.name() && *model == self.endpoint.name {
                        // What this program did not write itself is not sent anywhere.
                        reasoning = serde_json::from_str(&whole(bytes)).unwrap_or_default();
                    }
                }
            }
        }
        if text.is_empty() && tool_calls.is_empty() {
            return None;
        }
        if tool_calls.is_empty() {
            // Wanted by nobody after a turn without calls, and refused by some.
            reasoning = Reasoning::default();
        } else if reasoning == Reasoning::default() && self.wants_reasoning {
            reasoning.reasoning_content = Some(String::new());
        }
        Some(Message::Assistant { content: (!text.is_empty()).then_some(text), tool_calls, reasoning })
    }
}
