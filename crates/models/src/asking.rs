//! A request in the words of its protocol, before anything is sent, and what protocols share in making one.

use contract::id::CallId;
use contract::request::Item;
use hyper::header::{HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug)]
pub struct Asking {
    pub url: String,
    /// Beside those that every request has; the key is not among them.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Vec<u8>,
}

/// Bytes of an item as most protocols write it, without its text.
const ITEM_BYTES: usize = 256;
/// Bytes of everything that is no item: what is said first, and the tools.
const FRAME_BYTES: usize = 32 * 1024;

/// The body of a request about these items. A long one is written into room for all of it, not copied each time it grows.
pub fn bytes(body: &impl Serialize, items: &[Arc<Item>]) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::with_capacity(FRAME_BYTES + items.len() * ITEM_BYTES);
    serde_json::to_writer(&mut bytes, body)?;
    Ok(bytes)
}

/// Characters of an id that every protocol allows.
const ID_CHARS_MAX: usize = 64;

/// The provider's id of a call, or our own where another provider gave one that this one would refuse.
pub fn plain_id(call: CallId, provider_call: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=ID_CHARS_MAX).contains(&provider_call.len()) && provider_call.chars().all(is_plain) {
        return Cow::Borrowed(provider_call);
    }
    Cow::Owned(call.to_string())
}

/// Arguments as the object that some protocols demand, in the bytes of the model; what is no object stands inside one.
pub fn arguments(args: &str) -> Box<RawValue> {
    let object = if args.trim_start().starts_with('{') { RawValue::from_string(args.to_owned()).ok() } else { None };
    object.or_else(|| to_raw_value(&BTreeMap::from([("arguments", args)])).ok()).unwrap_or_default()
}
