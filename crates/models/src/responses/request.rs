//! From items to the list of a request: one entry for each part, none of them depending on another.

use super::wire::{Body, Content, Input, Ours, Reasoning, Tool};
use crate::asking::{arguments, plain_id};
use crate::facts::{late, result, whole};
use contract::config::{Endpoint, Protocol, RunConfig};
use contract::request::{Item, Part};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// Models that do not reason refuse to be asked for it.
const WITH_REASONING: &[&str] = &["reasoning.encrypted_content"];

pub fn body<'a>(config: &'a RunConfig, endpoint: &'a Endpoint, items: &'a [Arc<Item>]) -> Body<'a> {
    let sampling = &endpoint.sampling;
    let reasoning = sampling.reasoning.as_deref().map(|effort| Reasoning { effort, summary: "auto" });
    Body {
        model: &endpoint.model,
        instructions: &config.system,
        input: items.iter().flat_map(|item| inputs(endpoint, item)).collect(),
        tools: config.tools.iter().map(tool).collect(),
        stream: true,
        store: false,
        include: if reasoning.is_some() { WITH_REASONING } else { &[] },
        reasoning,
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        max_output_tokens: sampling.max_output_tokens,
    }
}

fn tool(spec: &contract::config::ToolSpec) -> Tool<'_> {
    Tool { r#type: "function", name: &spec.name, description: &spec.description, parameters: &spec.schema, strict: false }
}

fn inputs<'a>(endpoint: &Endpoint, item: &'a Item) -> Vec<Input<'a>> {
    match item {
        Item::Message(text) | Item::Notice(text) => vec![user(whole(text))],
        Item::Late(of) => vec![user(Cow::Owned(late(&plain_id(of.call, &of.provider_call), of)))],
        Item::Result(of) => {
            vec![Input::Ours(Ours::FunctionCallOutput { call_id: plain_id(of.call, &of.provider_call), output: result(of) })]
        }
        Item::Assistant(parts) => parts.iter().filter_map(|part| part_of_reply(endpoint, part)).collect(),
    }
}

fn user(text: Cow<'_, str>) -> Input<'_> {
    Input::Ours(Ours::Message { role: "user", content: [Content::InputText { text }] })
}

fn part_of_reply<'a>(endpoint: &Endpoint, part: &'a Part) -> Option<Input<'a>> {
    match part {
        Part::Text(text) => Some(Input::Ours(Ours::Message { role: "assistant", content: [Content::OutputText { text: whole(text) }] })),
        Part::Call { call, provider_call, tool, args } => {
            let call_id = plain_id(*call, provider_call);
            Some(Input::Ours(Ours::FunctionCall { call_id, name: tool, arguments: arguments(&whole(args)).get().to_owned() }))
        }
        Part::Opaque { protocol, model, bytes } => {
            let is_ours = protocol == Protocol::OpenaiResponses.name() && *model == endpoint.name;
            is_ours.then(|| RawValue::from_string(whole(bytes).into_owned()).ok()).flatten().map(Input::Theirs)
        }
    }
}
