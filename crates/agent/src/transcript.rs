//! The conversation as the model sees it: what was shown, in the order shown, and what comes next.
//!
//! A sealed item is never rendered again, moved or removed; so each request is a byte prefix of the next.

use contract::id::{CallId, Sha256};
use contract::request::{CallResult, Item, ModelRequest, Part};
use contract::text::Text;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use sha2::{Digest, Sha256 as Hasher};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    sealed: Vec<Arc<Item>>,
    /// Results that no request has shown yet, in call order.
    fresh: BTreeMap<CallId, CallResult>,
    prefix: Prefix,
}

/// Running hash of the canonical bytes of everything sealed, so that hashing a request costs only what is new in it.
#[derive(Clone, Default)]
struct Prefix {
    asked: Option<(String, Sha256)>,
    hasher: Hasher,
}

impl Transcript {
    #[must_use]
    pub fn sealed(&self) -> &[Arc<Item>] {
        &self.sealed
    }

    #[must_use]
    pub fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Another model or configuration begins every request anew.
    pub(crate) fn configure(&mut self, model: &str, config: Sha256) {
        if self.prefix.asked.as_ref().is_some_and(|(asked, by)| asked == model && *by == config) {
            return;
        }
        let mut hasher = Hasher::new();
        hasher.update(ModelRequest::header(model, config));
        for item in &self.sealed {
            hasher.update(item.line());
        }
        self.prefix = Prefix { asked: Some((model.to_owned(), config)), hasher };
    }

    pub(crate) fn add_result(&mut self, result: CallResult) {
        self.fresh.insert(result.call, result);
    }

    pub(crate) fn add_reply(&mut self, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.push(Item::Assistant(parts));
        }
    }

    /// What the next request adds to the last one: results in call order, then messages, then a correction.
    fn next<'a>(&self, messages: impl Iterator<Item = &'a Text>, nudge: Option<&Text>) -> Vec<Item> {
        let results = self.fresh.values().cloned().map(Item::Result);
        let messages = messages.cloned().map(Item::Message);
        results.chain(messages).chain(nudge.cloned().map(Item::Notice)).collect()
    }

    pub(crate) fn seal<'a>(&mut self, messages: impl Iterator<Item = &'a Text>, nudge: Option<&Text>) {
        for item in self.next(messages, nudge) {
            self.push(item);
        }
        self.fresh.clear();
    }

    /// Hash of the request that sealing now would make.
    pub(crate) fn hash_when_sealed<'a>(&self, messages: impl Iterator<Item = &'a Text>, nudge: Option<&Text>) -> Sha256 {
        let mut hasher = self.prefix.hasher.clone();
        for item in self.next(messages, nudge) {
            hasher.update(item.line());
        }
        Sha256(hasher.finalize().into())
    }

    fn push(&mut self, item: Item) {
        self.prefix.hasher.update(item.line());
        self.sealed.push(Arc::new(item));
    }
}

/// Whoever compares states by their serial form needs the running hash only; people are shown the items.
impl Serialize for Transcript {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        let mut fields = serializer.serialize_struct("Transcript", 2)?;
        if readable {
            fields.serialize_field("sealed", &self.sealed)?;
        } else {
            let hash = Sha256(self.prefix.hasher.clone().finalize().into());
            fields.serialize_field("sealed", &(self.sealed.len(), &self.prefix.asked, hash))?;
        }
        fields.serialize_field("fresh", &self.fresh)?;
        fields.end()
    }
}

impl PartialEq for Prefix {
    fn eq(&self, other: &Prefix) -> bool {
        self.asked == other.asked && self.hasher.clone().finalize() == other.hasher.clone().finalize()
    }
}

impl std::fmt::Debug for Prefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prefix").field("sha256", &Sha256(self.hasher.clone().finalize().into())).finish()
    }
}
