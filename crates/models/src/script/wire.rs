//! A line of the file, field for field. Unknown fields are refused so that a misspelt one is not silently ignored.

use contract::body::{FailureClass, Usage};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireLine {
    pub text: Option<String>,
    pub thinking: Option<String>,
    #[serde(default)]
    pub calls: Vec<WireCall>,
    pub usage: Option<Usage>,
    /// In the price unit, such as dollars.
    pub cost: Option<f64>,
    #[serde(default)]
    pub delay_ms: u64,
    pub chunk_ms: Option<u64>,
    #[serde(default)]
    pub purpose: WirePurpose,
    #[serde(default)]
    pub child: bool,
    pub repeat: Option<u32>,
    pub when: Option<String>,
    pub fail: Option<WireFail>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireCall {
    pub tool: String,
    #[serde(default = "no_arguments")]
    pub args: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireFail {
    pub class: WireClass,
    pub retry_after_ms: Option<u64>,
    pub after_bytes: Option<usize>,
    #[serde(default = "once")]
    pub times: u16,
}

/// Words a script may use today; all but `reply` name calls that are not made yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WirePurpose {
    #[default]
    Reply,
    Compact,
    Plan,
    Title,
}

/// The failures a provider can report. `interrupted` is not one: only a dead owner leaves it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireClass {
    Transient,
    RateLimited,
    Overloaded,
    ContextTooLong,
    Auth,
    Permanent,
}

impl From<WireClass> for FailureClass {
    fn from(class: WireClass) -> FailureClass {
        match class {
            WireClass::Transient => FailureClass::Transient,
            WireClass::RateLimited => FailureClass::RateLimited,
            WireClass::Overloaded => FailureClass::Overloaded,
            WireClass::ContextTooLong => FailureClass::ContextTooLong,
            WireClass::Auth => FailureClass::Auth,
            WireClass::Permanent => FailureClass::Permanent,
        }
    }
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

fn once() -> u16 {
    1
}
