//! Requests and events, field for field. Unknown events and items are read as such and passed over.

use crate::reply::if_readable;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, Serialize)]
pub struct Body<'a> {
    pub model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub instructions: &'a str,
    pub input: Vec<Input<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool<'a>>,
    pub stream: bool,
    /// The log is the only truth; the provider keeps nothing.
    pub store: bool,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    pub include: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct Reasoning<'a> {
    pub effort: &'a str,
    pub summary: &'static str,
}

#[derive(Debug, Serialize)]
pub struct Tool<'a> {
    pub r#type: &'static str,
    pub name: &'a str,
    pub description: &'a str,
    pub parameters: &'a Value,
    pub strict: bool,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Input<'a> {
    Ours(Ours<'a>),
    /// As the provider gave it.
    Theirs(Box<RawValue>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Ours<'a> {
    Message { role: &'static str, content: [Content<'a>; 1] },
    FunctionCall { call_id: Cow<'a, str>, name: &'a str, arguments: String },
    FunctionCallOutput { call_id: Cow<'a, str>, output: Cow<'a, str> },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content<'a> {
    InputText { text: Cow<'a, str> },
    OutputText { text: Cow<'a, str> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Event {
    #[serde(rename = "response.output_text.delta")]
    Text { delta: String },
    #[serde(rename = "response.reasoning_summary_text.delta", alias = "response.reasoning_text.delta")]
    Thinking { delta: String },
    #[serde(rename = "response.reasoning_summary_part.added")]
    ThinkingPart {
        #[serde(default)]
        summary_index: u64,
    },
    #[serde(rename = "response.output_item.done")]
    Item { output_index: u64, item: Value },
    #[serde(rename = "response.completed", alias = "response.incomplete", alias = "response.failed")]
    End { response: Response },
    #[serde(rename = "error")]
    Error,
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Response {
    pub status: Option<String>,
    pub output: Vec<Value>,
    #[serde(deserialize_with = "if_readable")]
    pub usage: Option<WireUsage>,
    pub error: Option<Value>,
    pub incomplete_details: Option<Incomplete>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Incomplete {
    pub reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Item {
    Message {
        #[serde(default)]
        content: Vec<Said>,
    },
    FunctionCall {
        #[serde(default)]
        call_id: String,
        name: String,
        #[serde(default)]
        arguments: String,
    },
    Reasoning {
        #[serde(default)]
        encrypted_content: Option<String>,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Said {
    OutputText {
        text: String,
    },
    Refusal {
        refusal: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct WireUsage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub input_tokens_details: Option<InputDetails>,
    pub output_tokens_details: Option<OutputDetails>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct InputDetails {
    pub cached_tokens: Option<u64>,
    pub cache_write_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct OutputDetails {
    pub reasoning_tokens: Option<u64>,
}
