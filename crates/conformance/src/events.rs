//! Events to put into a log under test, and short ways to put them there and to find them again.

use crate::journal::Journal;
use contract::body::{MessageReceived, MessageSent, Mode, Principal};
use contract::event::{Actor, Level, Trust};
use contract::id::{EventId, HostId, Key, MessageId, StreamId, derive};
use contract::machine::Rest;
use contract::port::{Append, Appended, Expected, Stored};
use contract::{Body, Draft, Text, Time, Version};

pub fn host_id(number: u8) -> HostId {
    HostId([number; 16])
}

pub fn stream(name: &str) -> StreamId {
    StreamId::parse(&format!("session/{name}")).unwrap()
}

pub fn event_id(name: &str) -> EventId {
    EventId(derive("test", &[name.as_bytes()]))
}

/// A draft that is another one for every name.
pub fn draft(name: &str) -> Draft {
    with_body(name, MessageSent { completed: event_id("reply") }.into())
}

/// A draft whose stored bytes grow with the text, byte for byte.
pub fn draft_of_size(name: &str, text_bytes: usize) -> Draft {
    draft_with(name, Text::Inline("x".repeat(text_bytes)))
}

/// A draft that holds this text.
pub fn draft_with(name: &str, text: Text) -> Draft {
    let body =
        MessageReceived { message: MessageId([1; 16]), key: Key("key".into()), text, mode: Mode::Steer, from: Principal("tester".into()) };
    with_body(name, body.into())
}

fn with_body(name: &str, body: Body) -> Draft {
    Draft {
        id: event_id(name),
        cause: None,
        correlation: None,
        run: None,
        level: Level::Core,
        call: None,
        actor: Actor::Agent,
        trust: Trust::System,
        body,
    }
}

pub fn drafts(names: &[&str]) -> Vec<Draft> {
    names.iter().map(|name| draft(name)).collect()
}

/// An append without a fence, at rest, of events with these names.
pub fn append(stream: &StreamId, after: u64, names: &[&str]) -> Append {
    Append {
        stream: stream.clone(),
        expected: Expected::after(Version(after)),
        time: Time(1_000),
        drafts: drafts(names),
        fence: None,
        rest: Rest::Waiting,
    }
}

/// Stores events that must be new, one append each.
pub async fn fill(journal: &dyn Journal, stream: &StreamId, names: &[&str]) {
    for (after, name) in (0..).zip(names) {
        let appended = journal.append(append(stream, after, &[name])).await.unwrap();
        assert_eq!(versions(appended), (after + 1, after + 1));
    }
}

pub fn versions(appended: Appended) -> (u64, u64) {
    (appended.first.0, appended.last.0)
}

/// The ids of all events of a stream, which are checked by being read.
pub async fn ids(journal: &dyn Journal, stream: &StreamId) -> Vec<EventId> {
    ids_of(&journal.read(stream, Version(1), usize::MAX).await.unwrap())
}

pub fn ids_of(events: &[Stored]) -> Vec<EventId> {
    events.iter().map(|stored| stored.event.draft.id).collect()
}

pub fn named(names: &[&str]) -> Vec<EventId> {
    names.iter().map(|name| event_id(name)).collect()
}
