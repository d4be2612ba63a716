//! Reads: contiguous pages, tails, and the order of streams.

use crate::events::*;
use crate::world::*;
use contract::event::Event;
use contract::id::{Sha256, StreamId};
use contract::machine::Rest;
use contract::port::{Append, Tail};
use contract::{Time, Version};

pub async fn pages_follow_each_other_without_a_gap(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    fill(&*host.journal, &stream, &names).await;
    for page in 1..=8 {
        let mut seen = Vec::new();
        loop {
            let events = host.journal.read(&stream, Version(seen.len() as u64 + 1), page).await.unwrap();
            assert!(events.len() <= page);
            if events.is_empty() {
                break;
            }
            seen.extend(ids_of(&events));
        }
        assert_eq!(seen, named(&names), "pages of {page}");
    }
    assert_eq!(ids_of(&host.journal.read(&stream, Version(0), 2).await.unwrap()), named(&["a", "b"]), "zero is before the first");
    for (from, max) in [(1, 0), (8, 5), (9, 5), (u64::MAX, 5)] {
        assert_eq!(host.journal.read(&stream, Version(from), max).await.unwrap(), [], "{max} from {from}");
    }
}

pub async fn an_event_is_read_as_it_was_written(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let call = Append { drafts: vec![draft("a"), draft_of_size("b", 5_000)], time: Time(77), ..append(&stream, 0, &[]) };
    let appended = host.journal.append(call.clone()).await.unwrap();
    let stored = host.journal.read(&stream, Version(1), 10).await.unwrap();
    let mut hash = Sha256([0; 32]);
    for ((version, draft), stored) in (1..).zip(call.drafts).zip(&stored) {
        let event = Event { version: Version(version), time: Time(77), draft };
        hash = Sha256::of(&[&hash.0, stored.bytes.as_slice()].concat());
        assert_eq!(stored.bytes, event.encode(&stream).unwrap());
        assert_eq!((&stored.event, stored.hash), (&event, hash));
    }
    assert_eq!(stored.last().map(|last| last.position), Some(appended.position));
}

pub async fn a_stream_that_is_not_there_is_empty(world: &dyn World) {
    let host = world.start(1);
    fill(&*host.journal, &stream("one"), &["a"]).await;
    assert_eq!(host.journal.read(&stream("other"), Version(1), 10).await.unwrap(), []);
    assert_eq!(host.journal.tail(&stream("other")).await.unwrap(), None);
    assert_eq!(host.journal.streams("host", 10).await.unwrap(), []);
}

pub async fn the_tail_is_that_of_the_last_append(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    fill(&*host.journal, &stream, &["a"]).await;
    let call = Append { time: Time(2_000), rest: Rest::Busy, ..append(&stream, 1, &["b", "c"]) };
    let appended = host.journal.append(call).await.unwrap();
    let last = host.journal.read(&stream, Version(3), 1).await.unwrap().remove(0);
    let tail = Tail {
        stream: stream.clone(),
        version: Version(3),
        hash: last.hash,
        position: appended.position,
        time: Time(2_000),
        rest: Rest::Busy,
    };
    assert_eq!(host.journal.tail(&stream).await.unwrap(), Some(tail));
}

pub async fn every_rest_is_kept(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let rests = [Rest::Until(Time(5)), Rest::Busy, Rest::Until(Time(0)), Rest::Waiting, Rest::Closed];
    for (after, rest) in (0..).zip(rests) {
        let call = Append { rest, ..append(&stream, after, &[&format!("event {after}")]) };
        host.journal.append(call).await.unwrap();
        assert_eq!(host.journal.tail(&stream).await.unwrap().map(|tail| tail.rest), Some(rest));
    }
}

pub async fn streams_of_a_kind_come_latest_first(world: &dyn World) {
    let host = world.start(1);
    // Kinds that are the beginning of another one, or sort right beside it, are not mixed up.
    for other in ["sessions/a", "session-/a", "session0/a", "host/a"] {
        fill(&*host.journal, &StreamId::parse(other).unwrap(), &["a"]).await;
    }
    for name in ["b", "a", "c"] {
        fill(&*host.journal, &stream(name), &["first"]).await;
    }
    host.journal.append(append(&stream("a"), 1, &["second"])).await.unwrap();
    let names = |tails: Vec<Tail>| tails.into_iter().map(|tail| tail.stream).collect::<Vec<_>>();
    let latest = [stream("a"), stream("c"), stream("b")];
    assert_eq!(names(host.journal.streams("session", 10).await.unwrap()), latest);
    assert_eq!(names(host.journal.streams("session", 2).await.unwrap()), latest[..2]);
    assert_eq!(names(host.journal.streams("session", 0).await.unwrap()), []);
    for none in ["", "sess", "session/", "session/a", "%"] {
        assert_eq!(names(host.journal.streams(none, 10).await.unwrap()), [], "{none}");
    }
}
