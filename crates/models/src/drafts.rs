//! The last request of each conversation as it was written: the next one begins with it, so only what is new is written.
//!
//! For protocols that turn each item into messages of its own. Must not change what is sent: a request that goes on with
//! an earlier one has the bytes that it would have had by itself.

use contract::config::{Endpoint, RunConfig};
use contract::id::StreamId;
use contract::request::Item;
use serde::Serialize;
use serde::ser::Error;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Conversations that are remembered; whoever has more at once writes some of them anew.
const CONVERSATIONS_MAX: usize = 16;
/// Bytes of a request that is remembered: most windows hold less.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// A request as far as it is written: everything up to the last element of its list, and what follows the list.
#[derive(Clone, Debug)]
pub struct Written {
    begun: Vec<u8>,
    rest: Vec<u8>,
    is_empty: bool,
}

impl Written {
    /// A body whose list of this name is empty.
    pub fn of(body: &impl Serialize, list: &str) -> Result<Written, serde_json::Error> {
        let mut begun = serde_json::to_vec(body)?;
        // A quotation mark inside of a text has a backslash before it, so no text can hold this.
        let empty = format!("\"{list}\":[]").into_bytes();
        let place = begun.windows(empty.len()).position(|window| window == empty);
        let place = place.ok_or_else(|| serde_json::Error::custom("the list is not empty"))?;
        let rest = begun.split_off(place + empty.len() - 1);
        Ok(Written { begun, rest, is_empty: true })
    }

    pub fn push(&mut self, element: &impl Serialize) -> Result<(), serde_json::Error> {
        if !std::mem::take(&mut self.is_empty) {
            self.begun.push(b',');
        }
        serde_json::to_writer(&mut self.begun, element)
    }

    pub fn bytes(&self) -> Vec<u8> {
        [self.begun.as_slice(), &self.rest].concat()
    }
}

/// How a protocol writes.
pub trait Writing {
    fn begin(config: &RunConfig, endpoint: &Endpoint) -> Result<Written, serde_json::Error>;
    fn go_on(written: &mut Written, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<(), serde_json::Error>;
}

#[derive(Debug, Default)]
pub struct Drafts(Mutex<VecDeque<Draft>>);

#[derive(Debug)]
struct Draft {
    stream: StreamId,
    config: Arc<RunConfig>,
    endpoint: Endpoint,
    items: Vec<Arc<Item>>,
    written: Written,
}

impl Draft {
    fn leads_to(&self, config: &Arc<RunConfig>, endpoint: &Endpoint, items: &[Arc<Item>]) -> bool {
        let same = |(ours, theirs): (&Arc<Item>, &Arc<Item>)| Arc::ptr_eq(ours, theirs) || ours == theirs;
        let begins = self.items.len() <= items.len() && self.items.iter().zip(items).all(same);
        begins && self.endpoint == *endpoint && (Arc::ptr_eq(&self.config, config) || self.config == *config)
    }
}

impl Drafts {
    /// The body of a request about these items.
    pub fn write<W: Writing>(
        &self,
        stream: &StreamId,
        config: &Arc<RunConfig>,
        endpoint: &Endpoint,
        items: &[Arc<Item>],
    ) -> Result<Vec<u8>, serde_json::Error> {
        let known = self.take(stream).filter(|draft| draft.leads_to(config, endpoint, items));
        let mut draft = match known {
            Some(draft) => draft,
            None => {
                let written = W::begin(config, endpoint)?;
                Draft { stream: stream.clone(), config: config.clone(), endpoint: endpoint.clone(), items: Vec::new(), written }
            }
        };
        let fresh = &items[draft.items.len()..];
        W::go_on(&mut draft.written, endpoint, fresh)?;
        draft.items.extend(fresh.iter().cloned());
        let bytes = draft.written.bytes();
        if bytes.len() <= BYTES_MAX {
            self.keep(draft);
        }
        Ok(bytes)
    }

    fn take(&self, stream: &StreamId) -> Option<Draft> {
        let mut drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = drafts.iter().position(|draft| draft.stream == *stream)?;
        drafts.remove(place)
    }

    fn keep(&self, draft: Draft) {
        let mut drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drafts.push_back(draft);
        while drafts.len() > CONVERSATIONS_MAX {
            drafts.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Chat;
    use crate::rehearsal::{config, endpoint};
    use contract::config::Protocol;
    use contract::id::{CallId, SessionId};
    use contract::request::{CallResult, Part};
    use contract::text::Text;

    fn said(texts: &[&str]) -> Vec<Arc<Item>> {
        texts.iter().map(|text| Arc::new(Item::Message(Text::from(*text)))).collect()
    }

    fn stream(number: u8) -> StreamId {
        StreamId::session(SessionId([number; 16]))
    }

    #[test]
    fn a_request_that_goes_on_has_the_bytes_of_one_that_was_written_anew() {
        let (drafts, config, endpoint) = (Drafts::default(), Arc::new(config()), endpoint(Protocol::OpenaiChat, "https://x.example"));
        let whole = |items: &[Arc<Item>]| Drafts::default().write::<Chat>(&stream(1), &config, &endpoint, items).unwrap();
        let mut items = Vec::new();
        for text in ["\"messages\":[]", "two", "", "four"] {
            items.extend(said(&[text]));
            assert_eq!(drafts.write::<Chat>(&stream(1), &config, &endpoint, &items).unwrap(), whole(&items), "{text}");
        }
        // Others of the same words, another past, a shorter one, another model.
        let again = said(&["\"messages\":[]", "two", "", "four", "five"]);
        assert_eq!(drafts.write::<Chat>(&stream(1), &config, &endpoint, &again).unwrap(), whole(&again));
        let other = said(&["another", "two", "", "four", "five", "six"]);
        assert_eq!(drafts.write::<Chat>(&stream(1), &config, &endpoint, &other).unwrap(), whole(&other));
        assert_eq!(drafts.write::<Chat>(&stream(1), &config, &endpoint, &items[..1]).unwrap(), whole(&items[..1]));
        let elsewhere = Endpoint { model: "other".into(), ..endpoint.clone() };
        let asked = drafts.write::<Chat>(&stream(1), &config, &elsewhere, &items).unwrap();
        assert_ne!(asked, whole(&items));
        assert_eq!(asked, Drafts::default().write::<Chat>(&stream(1), &config, &elsewhere, &items).unwrap());
        // Other instructions.
        drafts.write::<Chat>(&stream(1), &config, &endpoint, &items).unwrap();
        let instructed = Arc::new(RunConfig { system: "Be long.".into(), ..(*config).clone() });
        let asked = drafts.write::<Chat>(&stream(1), &instructed, &endpoint, &items).unwrap();
        assert_ne!(asked, whole(&items));
        assert_eq!(asked, Drafts::default().write::<Chat>(&stream(1), &instructed, &endpoint, &items).unwrap());
    }

    #[test]
    fn items_of_every_kind_go_on_and_another_address_is_written_anew() {
        let (drafts, config) = (Drafts::default(), Arc::new(config()));
        let here = endpoint(Protocol::OpenaiChat, "https://x.example");
        let wants_reasoning = Endpoint { base_url: "https://api.deepseek.com".into(), ..here.clone() };
        let whole =
            |endpoint: &Endpoint, items: &[Arc<Item>]| Drafts::default().write::<Chat>(&stream(1), &config, endpoint, items).unwrap();
        let call = CallId { reply: 1, index: 0 };
        let made = Part::Call { call, provider_call: "c-1".into(), tool: "shell".into(), args: Text::from("{}") };
        let foreign = Part::Opaque { protocol: "script".into(), model: "spare".into(), bytes: Text::from("{}") };
        let result = |said: &str| CallResult::noted(call, "c-1".into(), true, None, Some(Text::from(said)));
        let kinds = [
            // Becomes no message, also as the first of all.
            Item::Assistant(vec![foreign.clone()]),
            Item::Message(Text::from("go")),
            Item::Assistant(vec![Part::Text(Text::from("Look.")), made]),
            Item::Result(result("still running")),
            Item::Late(result("done")),
            Item::Assistant(vec![foreign]),
            Item::Notice(Text::from("note")),
            Item::Assistant(vec![Part::Text(Text::from("All done."))]),
        ];
        let mut items = Vec::new();
        for item in kinds {
            items.push(Arc::new(item));
            assert_eq!(drafts.write::<Chat>(&stream(1), &config, &here, &items).unwrap(), whole(&here, &items), "{items:?}");
        }
        let there = drafts.write::<Chat>(&stream(1), &config, &wants_reasoning, &items).unwrap();
        assert_eq!(there, whole(&wants_reasoning, &items));
        assert_ne!(there, whole(&here, &items), "only one of them wants reasoning");
    }

    #[test]
    fn no_more_conversations_are_remembered_than_the_limit() {
        let (drafts, config, endpoint) = (Drafts::default(), Arc::new(config()), endpoint(Protocol::OpenaiChat, "https://x.example"));
        for number in 0..=u8::MAX {
            drafts.write::<Chat>(&stream(number), &config, &endpoint, &said(&["one"])).unwrap();
        }
        assert_eq!(drafts.0.lock().unwrap().len(), CONVERSATIONS_MAX);
    }
}
