//! What a filter delivers, compared with a matcher of its own.

use crate::events::*;
use crate::tape::{Tape, ids_delivered};
use crate::world::*;
use contract::body::{Body, MessageSent, Principal, RunResumed};
use contract::filter::Filter;
use contract::id::{EventId, Key, StreamId};
use contract::port::Append;
use contract::{Draft, Position};

/// The rules said once more, in the plainest way.
fn reference(filter: &[&str], subject: &[&str]) -> bool {
    match (filter, subject) {
        ([], []) | ([">"], [_, ..]) => true,
        (["*", filter @ ..], [_, subject @ ..]) => reference(filter, subject),
        ([name, filter @ ..], [part, subject @ ..]) => name == part && reference(filter, subject),
        ([], [_, ..]) | ([_, ..], []) => false,
    }
}

/// Events of two types in five streams of two kinds, with the subject of each.
async fn stored(host: &Host) -> Vec<(EventId, Vec<String>)> {
    let bodies: [Body; 2] =
        [MessageSent { completed: event_id("reply") }.into(), RunResumed { key: Key("key".into()), by: Principal("tester".into()) }.into()];
    let mut stored = Vec::new();
    for round in 0..2 {
        for name in ["session/a", "session/b", "host/a", "session-/a", "sessions/b"] {
            let stream = StreamId::parse(name).unwrap();
            for (number, body) in (0..).zip(&bodies) {
                let id = event_id(&format!("{name} {round} {number}"));
                let drafts = vec![Draft { id, body: body.clone(), ..draft("any") }];
                host.journal.append(Append { drafts, ..append(&stream, round * 2 + number, &[]) }).await.unwrap();
                let subject = [stream.kind(), stream.id()].into_iter().chain(body.name().split('.'));
                stored.push((id, subject.map(str::to_owned).collect()));
            }
        }
    }
    stored
}

/// Every filter that can be made of these tokens.
fn filters() -> Vec<String> {
    let choices: [&[&str]; 4] = [&["session", "host", "none", "*"], &["a", "b", "*"], &["message", "run", "*"], &["sent", "resumed", "*"]];
    let mut beginnings = vec![Vec::new()];
    let mut filters = vec![">".to_owned()];
    for (taken, choice) in (1..).zip(choices) {
        beginnings =
            beginnings.iter().flat_map(|begun: &Vec<&str>| choice.iter().map(|token| [begun.as_slice(), &[token]].concat())).collect();
        let ending = if taken < choices.len() { ".>" } else { "" };
        filters.extend(beginnings.iter().map(|tokens| format!("{}{ending}", tokens.join("."))));
    }
    filters
}

pub async fn every_filter_delivers_what_the_reference_says(world: &dyn World) {
    let host = world.start(1);
    let stored = stored(&host).await;
    for filter in filters() {
        let tokens: Vec<&str> = filter.split('.').collect();
        let is_wanted = |subject: &Vec<String>| reference(&tokens, &subject.iter().map(String::as_str).collect::<Vec<_>>());
        let wanted: Vec<EventId> = stored.iter().filter(|(_, subject)| is_wanted(subject)).map(|(id, _)| *id).collect();
        let mut tape = Tape::new(&*host.journal, Position::default(), Filter::parse(&filter).unwrap());
        assert_eq!(ids_delivered(&tape.caught_up(&*host.journal).await.0), wanted, "{filter}");
    }
}

pub async fn a_stream_is_followed_alone(world: &dyn World) {
    let (host, other) = (world.start(1), world.start(2));
    let (one, two) = (stream("one"), stream("two"));
    let mut tape = Tape::new(&*host.journal, Position::default(), Filter::stream(&one));
    assert_eq!(tape.caught_up(&*host.journal).await.0, []);
    for after in 0..10 {
        other.journal.append(append(&two, after, &[&format!("two {after}")])).await.unwrap();
        let mine = other.journal.append(append(&one, after, &[&format!("one {after}")])).await.unwrap();
        let (events, position) = tape.caught_up(&*host.journal).await;
        assert_eq!(ids_delivered(&events), named(&[&format!("one {after}")]));
        assert!(events.iter().all(|event| event.stream == one));
        assert!(position >= mine.position);
    }
}
