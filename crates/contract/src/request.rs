//! What a model is asked: items in the order they were shown, in one canonical form.
//!
//! Request n is a byte prefix of request n+1, so nothing here may depend on anything but the items.

use crate::id::{CallId, Sha256};
use crate::text::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A piece of a reply, in the order received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Text(Text),
    Call {
        call: CallId,
        provider_call: String,
        tool: String,
        args: Text,
    },
    /// Goes back byte for byte to the same protocol and model, and to no other.
    Opaque {
        protocol: String,
        model: String,
        bytes: Text,
    },
}

/// One entry of the conversation as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// A person said this.
    Message(Text),
    /// The model said this.
    Assistant(Vec<Part>),
    /// What came of a call.
    Result(CallResult),
    /// The runtime tells the model something, as data.
    Notice(Text),
    /// What came of a call after its result had to say that it was still running: data, not a second result.
    Late(CallResult),
}

/// The result of a call: facts, what the tool printed, and what the runtime has to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    pub call: CallId,
    pub provider_call: String,
    pub ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Text>,
}

impl CallResult {
    /// Of a call that was no process, or of which nothing is known but this.
    #[must_use]
    pub fn noted(call: CallId, provider_call: String, ok: bool, note: Option<Text>, output: Option<Text>) -> CallResult {
        CallResult { call, provider_call, ok, exit: None, signal: None, note, output }
    }
}

impl Item {
    /// The canonical line of this item, with its final newline.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        json_line(self)
    }

    /// Bytes that the model is sent and the line has only a blob of; results are sent as their ends.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        match self {
            Item::Message(text) | Item::Notice(text) => text.omitted(),
            Item::Assistant(parts) => parts.iter().map(Part::omitted).fold(0, u64::saturating_add),
            Item::Result(_) | Item::Late(_) => 0,
        }
    }
}

impl Part {
    fn omitted(&self) -> u64 {
        match self {
            Part::Text(text) | Part::Call { args: text, .. } | Part::Opaque { bytes: text, .. } => text.omitted(),
        }
    }
}

/// The request of the open model call.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Who is asked.
    pub model: String,
    /// Names the blob with tools, system text and everything else the run was resolved to.
    pub config: Sha256,
    pub items: Vec<Arc<Item>>,
}

impl ModelRequest {
    /// The first canonical line: model, and configuration by hash.
    #[must_use]
    pub fn header(model: &str, config: Sha256) -> Vec<u8> {
        #[derive(Serialize)]
        struct Header<'a> {
            model: &'a str,
            config: Sha256,
        }
        json_line(&Header { model, config })
    }

    /// One line for the configuration, then one for each item.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut bytes = ModelRequest::header(&self.model, self.config);
        for item in &self.items {
            bytes.extend(item.line());
        }
        bytes
    }

    #[must_use]
    pub fn sha256(&self) -> Sha256 {
        Sha256::of(&self.canonical())
    }

    /// Whether every call has exactly one result after it and no result stands alone, as all protocols demand.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let mut open: Vec<CallId> = Vec::new();
        for item in &self.items {
            match item.as_ref() {
                Item::Assistant(parts) => {
                    if !open.is_empty() {
                        return false;
                    }
                    open.extend(parts.iter().filter_map(|part| match part {
                        Part::Call { call, .. } => Some(*call),
                        Part::Text(_) | Part::Opaque { .. } => None,
                    }));
                }
                Item::Result(result) => match open.iter().position(|call| *call == result.call) {
                    Some(place) => drop(open.remove(place)),
                    None => return false,
                },
                Item::Message(_) | Item::Notice(_) | Item::Late(_) => {
                    if !open.is_empty() {
                        return false;
                    }
                }
            }
        }
        open.is_empty() && !matches!(self.items.last().map(AsRef::as_ref), None | Some(Item::Assistant(_)))
    }
}

fn json_line<T: Serialize>(value: &T) -> Vec<u8> {
    // Items hold only strings, numbers and lists of such: nothing in them can fail to be JSON.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(index: u16) -> CallId {
        CallId { reply: 1, index }
    }

    fn asked(indexes: &[u16]) -> Item {
        let part = |i: &u16| Part::Call { call: call(*i), provider_call: format!("p{i}"), tool: "t".into(), args: Text::from("{}") };
        Item::Assistant(indexes.iter().map(part).collect())
    }

    fn result(index: u16) -> Item {
        Item::Result(CallResult {
            call: call(index),
            provider_call: format!("p{index}"),
            ok: true,
            exit: None,
            signal: None,
            note: None,
            output: Some(Text::from("done")),
        })
    }

    fn valid(items: Vec<Item>) -> bool {
        ModelRequest { model: "m".into(), config: Sha256::of(b""), items: items.into_iter().map(Arc::new).collect() }.is_valid()
    }

    #[test]
    fn a_transcript_is_valid_when_each_call_has_one_result_before_anything_else() {
        let hello = || Item::Message(Text::from("hello"));
        assert!(valid(vec![hello()]));
        assert!(valid(vec![hello(), asked(&[0, 1]), result(0), result(1)]));
        assert!(!valid(vec![]));
        assert!(!valid(vec![hello(), asked(&[0])]));
        assert!(!valid(vec![hello(), asked(&[0, 1]), result(0)]));
        assert!(!valid(vec![hello(), asked(&[0]), hello(), result(0)]));
        assert!(!valid(vec![hello(), result(0)]));
        assert!(!valid(vec![hello(), asked(&[0]), result(0), result(0)]));
    }

    #[test]
    fn lengths_that_others_say_do_not_wrap() {
        let endless = || Text::Blob { sha256: Sha256::of(b""), bytes: u64::MAX, head: String::new(), tail: String::new() };
        assert_eq!(Item::Assistant(vec![Part::Text(endless()), Part::Text(endless())]).omitted(), u64::MAX);
    }

    #[test]
    fn a_longer_request_begins_with_the_bytes_of_the_shorter() {
        let mut request =
            ModelRequest { model: "m".into(), config: Sha256::of(b"c"), items: vec![Arc::new(Item::Message(Text::from("a\nb")))] };
        let before = request.canonical();
        request.items.push(Arc::new(Item::Notice(Text::from("n"))));
        assert!(request.canonical().starts_with(&before));
    }
}
