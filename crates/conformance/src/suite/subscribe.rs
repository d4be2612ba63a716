//! Subscriptions: in order, without a gap, and never silent about the end.

use crate::events::*;
use crate::process::append_somewhere;
use crate::tape::{Tape, ids_delivered};
use crate::world::*;
use contract::filter::Filter;
use contract::id::EventId;
use contract::limits::APPEND_EVENTS_MAX;
use contract::port::{Append, Delivered, Delivery, LogError};
use contract::{Position, Version};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use tokio::task::JoinSet;

/// How long the race is: enough for many pages and many wakings.
const ROUNDS: u32 = 40;

fn positions(events: &[Delivered]) -> Vec<Position> {
    events.iter().map(|event| event.stored.position).collect()
}

pub async fn everything_comes_in_the_order_of_positions(world: &dyn World) {
    let host = world.start(1);
    let mut expected = Vec::new();
    for round in 0..5 {
        for name in ["one", "two", "three"] {
            let names = [format!("{name} {round} a"), format!("{name} {round} b")];
            host.journal.append(append(&stream(name), round * 2, &[&names[0], &names[1]])).await.unwrap();
            expected.extend(names.map(|name| event_id(&name)));
        }
    }
    let (events, position) = Tape::of_all(&*host.journal).caught_up(&*host.journal).await;
    assert_eq!(ids_delivered(&events), expected);
    assert!(positions(&events).is_sorted_by(|one, next| one < next));
    assert_eq!(position, events.last().unwrap().stored.position);
}

pub async fn what_is_delivered_is_what_is_read(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    fill(&*host.journal, &stream, &["a", "b", "c"]).await;
    let read = host.journal.read(&stream, Version(1), 10).await.unwrap();
    for filter in [Filter::everything(), Filter::stream(&stream)] {
        let (events, _) = Tape::new(&*host.journal, Position::default(), filter).caught_up(&*host.journal).await;
        assert!(events.iter().all(|event| event.stream == stream));
        assert_eq!(events.into_iter().map(|event| event.stored).collect::<Vec<_>>(), read);
    }
}

pub async fn an_empty_log_is_caught_up_at_once(world: &dyn World) {
    let host = world.start(1);
    for filter in [Filter::everything(), Filter::stream(&stream("one"))] {
        let mut tape = Tape::new(&*host.journal, Position::default(), filter);
        assert_eq!(tape.next(&*host.journal).await.unwrap(), Delivery::CaughtUp(Position(0)));
    }
}

pub async fn the_end_is_told_each_time_it_is_reached(world: &dyn World) {
    let host = world.start(1);
    let mut tape = Tape::of_all(&*host.journal);
    assert_eq!(tape.caught_up(&*host.journal).await, (Vec::new(), Position(0)));
    let mut last = Position(0);
    for after in 0..5 {
        let name = format!("event {after}");
        let appended = host.journal.append(append(&stream("one"), after, &[&name])).await.unwrap();
        let (events, position) = tape.caught_up(&*host.journal).await;
        assert_eq!((ids_delivered(&events), position), (named(&[&name]), appended.position), "one mark after what came");
        assert!(position > last);
        last = position;
    }
}

pub async fn the_end_is_told_when_nothing_matched(world: &dyn World) {
    let host = world.start(1);
    fill(&*host.journal, &stream("one"), &["a", "b"]).await;
    let mut nothing = Tape::new(&*host.journal, Position::default(), Filter::parse("*.*.run.finished").unwrap());
    let (events, position) = nothing.caught_up(&*host.journal).await;
    assert_eq!(events, []);
    let next = host.journal.append(append(&stream("one"), 2, &["c"])).await.unwrap();
    assert!(position < next.position);
    assert_eq!(nothing.caught_up(&*host.journal).await, (Vec::new(), next.position));
    let (rest, _) = Tape::new(&*host.journal, position, Filter::everything()).caught_up(&*host.journal).await;
    assert_eq!(ids_delivered(&rest), named(&["c"]), "the mark is where another may go on");
}

pub async fn a_subscription_begins_after_its_position(world: &dyn World) {
    let host = world.start(1);
    let mut all = Vec::new();
    for after in 0..4 {
        for name in ["one", "two"] {
            let appended = host.journal.append(append(&stream(name), after, &[&format!("{name} {after}")])).await.unwrap();
            all.push((appended.position, name, event_id(&format!("{name} {after}"))));
        }
    }
    for (begin, ..) in [(Position(0), "", event_id(""))].iter().chain(&all) {
        for only in [None, Some("one"), Some("two")] {
            let filter = only.map_or(Filter::everything(), |name| Filter::stream(&stream(name)));
            let is_wanted = |name: &str| only.is_none_or(|only| only == name);
            let expected: Vec<EventId> = all.iter().filter(|(at, name, _)| at > begin && is_wanted(name)).map(|(.., id)| *id).collect();
            let (events, position) = Tape::new(&*host.journal, *begin, filter).caught_up(&*host.journal).await;
            assert_eq!(ids_delivered(&events), expected, "{only:?} from {begin:?}");
            assert_eq!(Some(position), all.last().map(|(at, ..)| *at), "nothing is missing up to the end of the log");
        }
    }
}

pub async fn a_position_behind_the_end_is_refused(world: &dyn World) {
    let host = world.start(1);
    let end = host.journal.append(append(&stream("one"), 0, &["a"])).await.unwrap().position;
    for filter in [Filter::everything(), Filter::stream(&stream("one")), Filter::stream(&stream("none"))] {
        let refused = Tape::new(&*host.journal, Position(end.0 + 1), filter).next(&*host.journal).await;
        assert!(matches!(&refused, Err(LogError::Unavailable(reason)) if reason.contains("end of the log")), "{refused:?}");
    }
}

pub async fn it_goes_on_after_a_restart(world: &dyn World) {
    let first = world.start(1);
    fill(&*first.journal, &stream("one"), &["a", "b"]).await;
    let mut tape = Tape::of_all(&*first.journal);
    let seen = tape.events(&*first.journal, 1).await;
    drop(tape);
    world.kill(first);
    let (second, writer) = (world.start(2), world.start(3));
    writer.journal.append(append(&stream("one"), 2, &["c"])).await.unwrap();
    let mut tape = Tape::new(&*second.journal, seen[0].stored.position, Filter::everything());
    let (rest, position) = tape.caught_up(&*second.journal).await;
    assert_eq!(ids_delivered(&rest), named(&["b", "c"]));
    drop(tape);
    world.kill(second);
    writer.journal.append(append(&stream("one"), 3, &["d"])).await.unwrap();
    let third = world.start(4);
    let (rest, _) = Tape::new(&*third.journal, position, Filter::everything()).caught_up(&*third.journal).await;
    assert_eq!(ids_delivered(&rest), named(&["d"]), "a mark is as good as an event to go on from");
}

pub async fn events_of_another_host_are_delivered(world: &dyn World) {
    let (reader, writer) = (world.start(1), world.start(2));
    let mut tapes = [Tape::of_all(&*reader.journal), Tape::new(&*reader.journal, Position::default(), Filter::stream(&stream("one")))];
    for tape in &mut tapes {
        assert_eq!(tape.caught_up(&*reader.journal).await.0, []);
    }
    for after in 0..20 {
        let name = format!("event {after}");
        writer.journal.append(append(&stream("one"), after, &[&name])).await.unwrap();
        for tape in &mut tapes {
            assert_eq!(ids_delivered(&tape.events(&*reader.journal, 1).await), named(&[&name]));
        }
    }
}

pub async fn a_repeat_is_delivered_once(world: &dyn World) {
    let host = world.start(1);
    let mut tape = Tape::of_all(&*host.journal);
    for call in [append(&stream("one"), 0, &["a"]), append(&stream("one"), 0, &["a"])] {
        host.journal.append(call).await.unwrap();
    }
    host.journal.append(append(&stream("one"), 0, &["refused"])).await.unwrap_err();
    host.journal.append(append(&stream("one"), 1, &["b"])).await.unwrap();
    assert_eq!(ids_delivered(&tape.events(&*host.journal, 2).await), named(&["a", "b"]));
}

pub async fn a_slow_subscriber_misses_nothing(world: &dyn World) {
    let host = world.start(1);
    let mut slow = [Tape::of_all(&*host.journal), Tape::new(&*host.journal, Position::default(), Filter::stream(&stream("one")))];
    let mut expected = Vec::new();
    for batch in 0..16u64 {
        let names: Vec<String> = (0..APPEND_EVENTS_MAX).map(|number| format!("{batch} {number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        host.journal.append(append(&stream("one"), batch * APPEND_EVENTS_MAX as u64, &names)).await.unwrap();
        expected.extend(named(&names));
        // It takes one while hundreds come.
        for tape in &mut slow {
            assert_eq!(ids_delivered(&tape.events(&*host.journal, 1).await), [expected[batch as usize]]);
        }
    }
    for tape in &mut slow {
        let rest = tape.events(&*host.journal, expected.len() - 16).await;
        assert_eq!(ids_delivered(&rest), expected[16..]);
        assert_eq!(tape.caught_up(&*host.journal).await, (Vec::new(), rest.last().unwrap().stored.position));
    }
}

pub async fn large_events_come_whole(world: &dyn World) {
    let host = world.start(1);
    for after in 0..6 {
        let drafts = vec![draft_of_size(&format!("large {after}"), 700_000)];
        host.journal.append(Append { drafts, ..append(&stream("one"), after, &[]) }).await.unwrap();
    }
    let read = host.journal.read(&stream("one"), Version(1), 10).await.unwrap();
    for filter in [Filter::everything(), Filter::stream(&stream("one"))] {
        let (events, _) = Tape::new(&*host.journal, Position::default(), filter).caught_up(&*host.journal).await;
        assert_eq!(events.into_iter().map(|event| event.stored).collect::<Vec<_>>(), read);
    }
}

pub async fn a_dropped_wait_loses_nothing(world: &dyn World) {
    let (host, writer) = (world.start(1), world.start(2));
    let mut tape = Tape::of_all(&*host.journal);
    let mut seen = Vec::new();
    let mut written = 0;
    while seen.len() < ROUNDS as usize {
        // Each wait is given up after one look, wherever it is; what was missed then must come with a later one.
        let looked = {
            let mut waiting = Box::pin(tape.next(&*host.journal));
            poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context))).await
        };
        match looked {
            Poll::Ready(Ok(Delivery::Event(event))) => seen.push(event.stored.event.draft.id),
            Poll::Ready(Ok(Delivery::CaughtUp(_) | Delivery::Lagged(_))) => {}
            Poll::Ready(Err(error)) => panic!("{error}"),
            Poll::Pending if written < u64::from(ROUNDS) => {
                writer.journal.append(append(&stream("one"), written, &[&format!("event {written}")])).await.unwrap();
                written += 1;
            }
            Poll::Pending => seen.extend(ids_delivered(&tape.events(&*host.journal, 1).await)),
        }
    }
    let expected: Vec<EventId> = (0..ROUNDS).map(|number| event_id(&format!("event {number}"))).collect();
    assert_eq!(seen, expected);
}

pub async fn subscribers_of_racing_hosts_agree(world: &dyn World) {
    let hosts: Vec<Host> = (1..=3).map(|number| world.start(number)).collect();
    let total = hosts.len() * ROUNDS as usize;
    let mut readers = JoinSet::new();
    for host in &hosts {
        for filter in [Filter::everything(), Filter::parse("session.*.message.sent").unwrap()] {
            let journal = Arc::clone(&host.journal);
            readers.spawn(async move {
                let mut tape = Tape::new(&*journal, Position::default(), filter);
                let events = tape.events(&*journal, total).await;
                events.iter().map(|event| (event.stored.position, event.stored.event.draft.id)).collect::<Vec<_>>()
            });
        }
    }
    let mut writers = JoinSet::new();
    for (number, host) in hosts.iter().enumerate() {
        let journal = Arc::clone(&host.journal);
        writers.spawn(async move {
            for round in 0..ROUNDS {
                // Half of them to one stream that all write, half to one of its own.
                let place = if round % 2 == 0 { stream("shared") } else { stream(&format!("own-{number}")) };
                append_somewhere(&*journal, &place, &format!("host {number} round {round}")).await;
            }
        });
    }
    writers.join_all().await;
    let seen = readers.join_all().await;
    for one in &seen {
        assert_eq!(one, &seen[0], "every subscriber sees the same log");
        assert!(one.is_sorted_by(|(one, _), (next, _)| one < next));
    }
}
