//! Requests and lines, field for field.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, Serialize)]
pub struct Body<'a> {
    pub model: &'a str,
    pub messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool<'a>>,
    pub stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<Think<'a>>,
    pub options: Options<'a>,
}

/// Whether, or how much.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Think<'a> {
    Whether(bool),
    Effort(&'a str),
}

#[derive(Debug, Serialize)]
pub struct Options<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_ctx: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_predict: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub stop: &'a [String],
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
        content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<CallSent<'a>>,
    },
    Tool {
        tool_name: &'a str,
        content: Cow<'a, str>,
    },
}

#[derive(Debug, Serialize)]
pub struct CallSent<'a> {
    pub function: FunctionSent<'a>,
}

#[derive(Debug, Serialize)]
pub struct FunctionSent<'a> {
    pub name: &'a str,
    pub arguments: Box<RawValue>,
}

/// What goes back of the thinking; also the form in which the log carries it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    pub thinking: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Line {
    pub message: Option<Said>,
    pub done: bool,
    pub done_reason: Option<String>,
    pub prompt_eval_count: Option<u64>,
    pub eval_count: Option<u64>,
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Said {
    pub content: Option<String>,
    pub thinking: Option<String>,
    pub tool_calls: Option<Vec<Call>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Call {
    /// Newer servers give one.
    pub id: Option<String>,
    pub function: Function,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Function {
    pub name: String,
    pub arguments: Value,
}
