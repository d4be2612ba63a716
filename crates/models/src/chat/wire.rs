//! Requests and chunks, field for field. What is read is optional wherever some server leaves it out.

use crate::reply::if_readable;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, Serialize)]
pub struct Body<'a> {
    pub model: &'a str,
    /// Each is written into this place later, with what follows kept behind it.
    pub messages: [Message<'a>; 0],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool<'a>>,
    pub stream: bool,
    pub stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking<'a>>,
}

#[derive(Debug, Serialize)]
pub struct StreamOptions {
    pub include_usage: bool,
}

#[derive(Debug, Serialize)]
pub struct Thinking<'a> {
    pub r#type: &'a str,
}

#[derive(Debug, Serialize)]
pub struct Tool<'a> {
    pub r#type: &'static str,
    pub function: ToolFunction<'a>,
}

#[derive(Debug, Serialize)]
pub struct ToolFunction<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub parameters: &'a Value,
}

#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Cow<'a, str>,
    },
    Assistant {
        /// Always there: some servers demand it even where it is null.
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<CallSent<'a>>,
        #[serde(flatten)]
        reasoning: Reasoning,
    },
    Tool {
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
}

/// What a provider wants back of its reasoning, under the name it used; also the form in which the log carries it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning_details: Vec<Value>,
}

#[derive(Debug, Serialize)]
pub struct CallSent<'a> {
    pub id: &'a str,
    pub r#type: &'static str,
    pub function: FunctionSent<'a>,
}

#[derive(Debug, Serialize)]
pub struct FunctionSent<'a> {
    pub name: &'a str,
    /// An object as text: servers that cannot read it refuse the whole conversation.
    #[serde(serialize_with = "as_text")]
    pub arguments: Box<RawValue>,
}

fn as_text<S: Serializer>(value: &RawValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.get())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Chunk {
    pub choices: Option<Vec<Choice>>,
    #[serde(deserialize_with = "if_readable")]
    pub usage: Option<WireUsage>,
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Choice {
    pub index: Option<u64>,
    pub delta: Option<Delta>,
    pub finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Delta {
    pub content: Option<Value>,
    pub refusal: Option<String>,
    #[serde(deserialize_with = "also_null")]
    pub reasoning_content: Option<Value>,
    #[serde(deserialize_with = "also_null")]
    pub reasoning: Option<Value>,
    #[serde(deserialize_with = "if_readable")]
    pub reasoning_details: Option<Vec<Value>>,
    pub tool_calls: Option<Vec<CallDelta>>,
}

/// A provider that names the field wants it back, even where it is null.
fn also_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CallDelta {
    pub index: Option<u64>,
    pub id: Option<String>,
    pub function: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FunctionDelta {
    pub name: Option<String>,
    /// Pieces of a text, or the whole as an object.
    pub arguments: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct WireUsage {
    pub prompt_tokens: Option<u64>,
    pub completion_tokens: Option<u64>,
    pub prompt_tokens_details: Option<PromptDetails>,
    pub completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's own word for cached tokens.
    pub prompt_cache_hit_tokens: Option<u64>,
    /// In the price unit, where a provider says it.
    pub cost: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PromptDetails {
    pub cached_tokens: Option<u64>,
    pub cache_write_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompletionDetails {
    pub reasoning_tokens: Option<u64>,
}
