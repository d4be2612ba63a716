//! The conversation as the model sees it: what was shown, in the order shown, and what comes next.
//!
//! A sealed item is never rendered again, moved or removed; so each request is a byte prefix of the next.

use contract::id::{CallId, Sha256};
use contract::planted::{self, Bug};
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
    /// Outcomes of deferred calls that no request has shown yet, in the order they came.
    late: Vec<CallResult>,
    prefix: Prefix,
}

/// Running hash of the canonical bytes of everything sealed, so that hashing a request costs only what is new in it.
#[derive(Clone, Default)]
struct Prefix {
    asked: Option<(String, Sha256)>,
    hasher: Hasher,
    bytes: u64,
}

impl Transcript {
    #[must_use]
    pub fn sealed(&self) -> &[Arc<Item>] {
        &self.sealed
    }

    #[must_use]
    pub fn has_fresh(&self) -> bool {
        !self.fresh.is_empty() || !self.late.is_empty()
    }

    /// Bytes of the request that sealing now would make, but for messages.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let fresh = self.fresh.values().chain(&self.late).map(|result| Item::Late(result.clone()).line().len() as u64);
        self.prefix.bytes.saturating_add(fresh.sum())
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
        let bytes = self.sealed.iter().map(|item| bytes_shown(item, &item.line())).fold(0, u64::saturating_add);
        self.prefix = Prefix { asked: Some((model.to_owned(), config)), hasher, bytes };
    }

    pub(crate) fn add_result(&mut self, result: CallResult) {
        self.fresh.insert(result.call, result);
    }

    /// What came of a call whose result was a note.
    pub(crate) fn add_late(&mut self, result: CallResult) {
        if planted::active(Bug::NoteRewritten) {
            return self.rewrite(result);
        }
        self.late.push(result);
    }

    fn rewrite(&mut self, result: CallResult) {
        let call = result.call;
        let of_call = |item: &Arc<Item>| matches!(item.as_ref(), Item::Result(shown) if shown.call == call);
        match self.sealed.iter().position(of_call) {
            Some(place) => self.sealed[place] = Arc::new(Item::Result(result)),
            None => self.add_result(result),
        }
    }

    pub(crate) fn add_reply(&mut self, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.push(Item::Assistant(parts));
        }
    }

    /// What the next request adds to the last one: results in call order, late outcomes, messages, a correction.
    fn next<'a>(&self, messages: impl Iterator<Item = &'a Text>, nudge: Option<&Text>) -> Vec<Item> {
        let results = self.fresh.values().cloned().map(Item::Result);
        let messages = messages.cloned().map(Item::Message);
        let late = self.late.iter().cloned().map(Item::Late);
        results.chain(late).chain(messages).chain(nudge.cloned().map(Item::Notice)).collect()
    }

    pub(crate) fn seal<'a>(&mut self, messages: impl Iterator<Item = &'a Text>, nudge: Option<&Text>) {
        for item in self.next(messages, nudge) {
            self.push(item);
        }
        self.fresh.clear();
        self.late.clear();
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
        let line = item.line();
        self.prefix.bytes = self.prefix.bytes.saturating_add(bytes_shown(&item, &line));
        self.prefix.hasher.update(line);
        self.sealed.push(Arc::new(item));
    }
}

/// Bytes of an item as the model is sent it. How long a blob is said to be comes from outside, so no sum may wrap.
fn bytes_shown(item: &Item, line: &[u8]) -> u64 {
    item.omitted().saturating_add(line.len() as u64)
}

/// Whoever compares states by their serial form needs the running hash only; people are shown the items.
impl Serialize for Transcript {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        let mut fields = serializer.serialize_struct("Transcript", 3)?;
        if readable {
            fields.serialize_field("sealed", &self.sealed)?;
        } else {
            let hash = Sha256(self.prefix.hasher.clone().finalize().into());
            fields.serialize_field("sealed", &(self.sealed.len(), &self.prefix.asked, hash))?;
        }
        fields.serialize_field("fresh", &self.fresh)?;
        fields.serialize_field("late", &self.late)?;
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
