//! From items to messages. All results of a turn are one message; everything else is a message of its own, because
//! what is merged later would change what was sent before.

use super::wire::{Block, Body, CACHED, Message, Ours, OutputConfig, Role, Thinking, Tool};
use crate::asking::{arguments, plain_id};
use crate::facts::{late, result, whole};
use contract::config::{Endpoint, Protocol, RunConfig};
use contract::limits::OUTPUT_TOKENS_DEFAULT;
use contract::request::{Item, Part};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// Words for the kind of thinking; a number is its budget and all others are an effort.
const THINKING: &[&str] = &["disabled", "adaptive", "between_tools"];

pub fn body<'a>(config: &'a RunConfig, endpoint: &'a Endpoint, items: &'a [Arc<Item>]) -> Body<'a> {
    let sampling = &endpoint.sampling;
    let (thinking, effort) = match sampling.reasoning.as_deref() {
        None => (None, None),
        Some(word) if THINKING.contains(&word) => (Some(Thinking { r#type: word, budget_tokens: None }), None),
        Some(word) => match word.parse() {
            Ok(budget) => (Some(Thinking { r#type: "enabled", budget_tokens: Some(budget) }), None),
            Err(_) => (Some(Thinking { r#type: "adaptive", budget_tokens: None }), Some(OutputConfig { effort: word })),
        },
    };
    let mut body = Body {
        model: &endpoint.model,
        max_tokens: max_tokens(config, endpoint, thinking.as_ref().and_then(|thinking| thinking.budget_tokens)),
        system: (!config.system.is_empty()).then(|| text(Cow::Borrowed(&config.system))).into_iter().collect(),
        messages: messages(endpoint, items),
        tools: config.tools.iter().map(tool).collect(),
        stream: true,
        thinking,
        output_config: effort,
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        stop_sequences: &sampling.stop,
    };
    mark(&mut body);
    body
}

/// The protocol demands a limit; a budget of thinking counts to it.
fn max_tokens(config: &RunConfig, endpoint: &Endpoint, budget: Option<u64>) -> u64 {
    let expected = if config.output_tokens_max == 0 { OUTPUT_TOKENS_DEFAULT } else { config.output_tokens_max };
    endpoint.sampling.max_output_tokens.unwrap_or_else(|| expected.saturating_add(budget.unwrap_or(0)))
}

fn tool(spec: &contract::config::ToolSpec) -> Tool<'_> {
    Tool { name: &spec.name, description: &spec.description, input_schema: &spec.schema, cache_control: None }
}

fn text(text: Cow<'_, str>) -> Block<'_> {
    Block::Ours(Ours::Text { text, cache_control: None })
}

fn messages<'a>(endpoint: &Endpoint, items: &'a [Arc<Item>]) -> Vec<Message<'a>> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    let mut after_result = false;
    for item in items {
        let is_result = matches!(item.as_ref(), Item::Result(_));
        let (role, content) = match item.as_ref() {
            Item::Message(said) | Item::Notice(said) => (Role::User, vec![text(whole(said))]),
            Item::Late(of) => (Role::User, vec![text(Cow::Owned(late(&plain_id(of.call, &of.provider_call), of)))]),
            Item::Result(of) => (Role::User, vec![tool_result(of)]),
            Item::Assistant(parts) => (Role::Assistant, parts.iter().filter_map(|part| block(endpoint, part)).collect()),
        };
        match messages.last_mut() {
            Some(results) if is_result && after_result => results.content.extend(content),
            // An empty turn is refused, and says nothing.
            Some(_) | None if content.is_empty() => {}
            Some(_) | None => messages.push(Message { role, content }),
        }
        after_result = is_result;
    }
    messages
}

fn tool_result(of: &contract::request::CallResult) -> Block<'_> {
    let tool_use_id = plain_id(of.call, &of.provider_call);
    Block::Ours(Ours::ToolResult { tool_use_id, content: result(of), is_error: !of.ok, cache_control: None })
}

fn block<'a>(endpoint: &Endpoint, part: &'a Part) -> Option<Block<'a>> {
    match part {
        // Text without a letter is refused.
        Part::Text(said) => Some(whole(said)).filter(|said| !said.trim().is_empty()).map(text),
        Part::Call { call, provider_call, tool, args } => {
            Some(Block::Ours(Ours::ToolUse { id: plain_id(*call, provider_call), name: tool, input: arguments(&whole(args)) }))
        }
        Part::Opaque { protocol, model, bytes } => {
            let is_ours = protocol == Protocol::Anthropic.name() && *model == endpoint.name;
            is_ours.then(|| RawValue::from_string(whole(bytes).into_owned()).ok()).flatten().map(Block::Theirs)
        }
    }
}

/// Marks what the provider is to keep: tools and system text, what the request before this one ended with, and what
/// this one ends with. The one in the middle is found again also when many blocks came since.
fn mark(body: &mut Body<'_>) {
    match body.system.last_mut() {
        Some(system) => mark_block(system),
        None => body.tools.iter_mut().next_back().into_iter().for_each(|tool| tool.cache_control = Some(CACHED)),
    }
    let last_reply = body.messages.iter().rposition(|message| message.role == Role::Assistant);
    let before = last_reply.and_then(|place| place.checked_sub(1));
    let last = body.messages.len().checked_sub(1);
    for place in [before, last].into_iter().flatten() {
        if let Some(block) = body.messages[place].content.last_mut() {
            mark_block(block);
        }
    }
}

fn mark_block(block: &mut Block<'_>) {
    match block {
        Block::Ours(Ours::Text { cache_control, .. } | Ours::ToolResult { cache_control, .. }) => *cache_control = Some(CACHED),
        Block::Ours(Ours::ToolUse { .. }) | Block::Theirs(_) => {}
    }
}
