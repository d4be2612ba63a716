//! From items to messages. A result names its tool, which stands in the call before it.

use super::wire::{Body, CallSent, FunctionSent, Kept, Message, Options, Think, Tool, ToolFunction};
use crate::asking::arguments;
use crate::facts::{late, result, whole};
use contract::config::{Endpoint, Protocol, RunConfig};
use contract::id::CallId;
use contract::request::{Item, Part};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn body<'a>(config: &'a RunConfig, endpoint: &'a Endpoint, items: &'a [Arc<Item>]) -> Body<'a> {
    let sampling = &endpoint.sampling;
    let system = (!config.system.is_empty()).then_some(Message::System { content: &config.system });
    Body {
        model: &endpoint.model,
        messages: system.into_iter().chain(messages(endpoint, items)).collect(),
        tools: config.tools.iter().map(tool).collect(),
        stream: true,
        think: sampling.reasoning.as_deref().map(|word| match word {
            "true" | "enabled" => Think::Whether(true),
            "false" | "disabled" => Think::Whether(false),
            effort => Think::Effort(effort),
        }),
        options: Options {
            // What the server takes otherwise is far smaller than what models can read.
            num_ctx: endpoint.context_window,
            num_predict: sampling.max_output_tokens,
            temperature: sampling.temperature,
            top_p: sampling.top_p,
            stop: &sampling.stop,
        },
    }
}

fn tool(spec: &contract::config::ToolSpec) -> Tool<'_> {
    let function = ToolFunction { name: &spec.name, description: &spec.description, parameters: &spec.schema };
    Tool { r#type: "function", function }
}

fn messages<'a>(endpoint: &Endpoint, items: &'a [Arc<Item>]) -> Vec<Message<'a>> {
    let mut tools: BTreeMap<CallId, &'a str> = BTreeMap::new();
    let mut messages = Vec::with_capacity(items.len());
    for item in items {
        messages.extend(match item.as_ref() {
            Item::Message(text) | Item::Notice(text) => Some(Message::User { content: whole(text) }),
            Item::Late(of) => Some(Message::User { content: Cow::Owned(late(&of.provider_call, of)) }),
            Item::Result(of) => {
                let tool_name = tools.get(&of.call).copied().unwrap_or_default();
                Some(Message::Tool { tool_name, content: result(of) })
            }
            Item::Assistant(parts) => {
                tools.extend(parts.iter().filter_map(|part| match part {
                    Part::Call { call, tool, .. } => Some((*call, tool.as_str())),
                    Part::Text(_) | Part::Opaque { .. } => None,
                }));
                assistant(endpoint, parts)
            }
        });
    }
    messages
}

/// Nothing where another model's reply has nothing to show.
fn assistant<'a>(endpoint: &Endpoint, parts: &'a [Part]) -> Option<Message<'a>> {
    let (mut content, mut thinking, mut tool_calls) = (String::new(), None, Vec::new());
    for part in parts {
        match part {
            Part::Text(text) => content.push_str(&whole(text)),
            Part::Call { tool, args, .. } => {
                tool_calls.push(CallSent { function: FunctionSent { name: tool, arguments: arguments(&whole(args)) } });
            }
            Part::Opaque { protocol, model, bytes } => {
                if protocol == Protocol::Ollama.name() && *model == endpoint.name {
                    thinking = serde_json::from_str::<Kept>(&whole(bytes)).ok().map(|kept| kept.thinking);
                }
            }
        }
    }
    let says_something = !content.is_empty() || !tool_calls.is_empty();
    says_something.then_some(Message::Assistant { content, thinking, tool_calls })
}
