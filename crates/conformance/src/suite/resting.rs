//! The start-up and timer index.

use crate::events::*;
use crate::journal::Journal;
use crate::world::*;
use contract::id::StreamId;
use contract::machine::{Rest, RestClass};
use contract::port::{Append, Tail};
use contract::{Time, Version};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Every stream that rests like this, asked for in pages of this size.
async fn resting(journal: &dyn Journal, class: RestClass, page_max: usize) -> Vec<Tail> {
    let mut all: Vec<Tail> = Vec::new();
    loop {
        let page = journal.resting(class, all.last(), page_max).await.unwrap();
        assert!(page.len() <= page_max);
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

async fn names(journal: &dyn Journal, class: RestClass) -> Vec<StreamId> {
    resting(journal, class, 100).await.into_iter().map(|tail| tail.stream).collect()
}

async fn rest_so(journal: &dyn Journal, name: &str, after: u64, rest: Rest) {
    let call = Append { rest, ..append(&stream(name), after, &[&format!("{name} {after}")]) };
    journal.append(call).await.unwrap();
}

pub async fn streams_are_found_by_how_they_rest(world: &dyn World) {
    let (host, other) = (world.start(1), world.start(2));
    let rests = [("b", Rest::Busy), ("u", Rest::Until(Time(5))), ("w", Rest::Waiting), ("c", Rest::Closed), ("a", Rest::Busy)];
    for (name, rest) in rests {
        rest_so(&*host.journal, name, 0, rest).await;
    }
    for journal in [&*host.journal, &*other.journal] {
        assert_eq!(names(journal, RestClass::Busy).await, [stream("a"), stream("b")]);
        assert_eq!(names(journal, RestClass::Until).await, [stream("u")]);
        assert_eq!(names(journal, RestClass::Waiting).await, [stream("w")]);
        assert_eq!(names(journal, RestClass::Closed).await, [stream("c")]);
    }
    rest_so(&*other.journal, "b", 1, Rest::Closed).await;
    assert_eq!(names(&*host.journal, RestClass::Busy).await, [stream("a")]);
    assert_eq!(names(&*host.journal, RestClass::Closed).await, [stream("b"), stream("c")]);
    let tail = host.journal.tail(&stream("b")).await.unwrap();
    assert_eq!(host.journal.resting(RestClass::Closed, None, 1).await.unwrap(), Vec::from_iter(tail));
}

pub async fn the_next_one_due_comes_first(world: &dyn World) {
    let host = world.start(1);
    let dues = [("d", 30), ("b", 10), ("a", 10), ("c", u64::MAX), ("e", 0), ("f", 9)];
    for (name, due) in dues {
        rest_so(&*host.journal, name, 0, Rest::Until(Time(due))).await;
    }
    let order = ["e", "f", "a", "b", "d", "c"].map(stream);
    assert_eq!(names(&*host.journal, RestClass::Until).await, order);
    rest_so(&*host.journal, "d", 1, Rest::Until(Time(1))).await;
    let first = host.journal.resting(RestClass::Until, None, 2).await.unwrap();
    assert_eq!(first.into_iter().map(|tail| tail.stream).collect::<Vec<_>>(), ["e", "d"].map(stream));
}

pub async fn pages_hold_every_stream_once(world: &dyn World) {
    let host = world.start(1);
    for number in 0..12u64 {
        // Many are due at the same time, so that a page ends among them.
        rest_so(&*host.journal, &format!("until-{number}"), 0, Rest::Until(Time(number / 5))).await;
        rest_so(&*host.journal, &format!("waiting-{number}"), 0, Rest::Waiting).await;
    }
    for class in [RestClass::Until, RestClass::Waiting] {
        let all = resting(&*host.journal, class, 100).await;
        assert_eq!(all.len(), 12);
        for page_max in 1..14 {
            assert_eq!(resting(&*host.journal, class, page_max).await, all, "pages of {page_max}");
        }
    }
    assert_eq!(host.journal.resting(RestClass::Until, None, 0).await.unwrap(), []);
}

pub async fn a_repeat_and_a_refusal_leave_the_index_alone(world: &dyn World) {
    let host = world.start(1);
    rest_so(&*host.journal, "one", 0, Rest::Busy).await;
    rest_so(&*host.journal, "one", 1, Rest::Until(Time(7))).await;
    let before = host.journal.resting(RestClass::Until, None, 10).await.unwrap();
    let repeat = Append { rest: Rest::Closed, ..append(&stream("one"), 0, &["one 0"]) };
    assert!(host.journal.append(repeat).await.unwrap().replayed);
    let refused = Append { rest: Rest::Closed, ..append(&stream("one"), 0, &["another"]) };
    host.journal.append(refused).await.unwrap_err();
    assert_eq!(host.journal.resting(RestClass::Until, None, 10).await.unwrap(), before);
    assert_eq!(host.journal.resting(RestClass::Closed, None, 10).await.unwrap(), []);
}

/// What the index must say: every tail of its class, by due time and name.
async fn by_tails(journal: &dyn Journal, class: RestClass) -> Vec<Tail> {
    let mut tails = journal.streams("session", 1_000).await.unwrap();
    tails.retain(|tail| tail.rest.class() == class);
    tails.sort_by_key(|tail| (tail.rest.due(), tail.stream.clone()));
    tails
}

fn rest() -> impl Strategy<Value = Rest> {
    prop_oneof![Just(Rest::Busy), (0u64..4).prop_map(|due| Rest::Until(Time(due))), Just(Rest::Waiting), Just(Rest::Closed)]
}

pub async fn the_index_is_what_the_tails_say(world: &dyn World) {
    let hosts = [world.start(1), world.start(2)];
    let runtime = Handle::current();
    let steps = prop::collection::vec((0usize..2, 0u8..5, 0u64..4, rest()), 1..12);
    // All cases share one log, so that the index grows and its entries move.
    let config = Config { cases: 32, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(&(any::<u32>(), steps, 1usize..5), |(case, steps, page_max)| {
        block_in_place(|| {
            runtime.block_on(async {
                for (host, name, after, rest) in steps {
                    let name = format!("s{name}");
                    let call = Append { rest, ..append(&stream(&name), after, &[&format!("{name} {after} {}", case % 2)]) };
                    // Many are refused or repeats, which must not show.
                    drop(hosts[host].journal.append(call).await);
                }
                for class in RestClass::ALL {
                    let expected = by_tails(&*hosts[0].journal, class).await;
                    prop_assert_eq!(resting(&*hosts[1].journal, class, page_max).await, expected);
                }
                Ok(())
            })
        })
    });
    checked.unwrap();
    assert_ne!(hosts[0].journal.streams("session", 10).await.unwrap(), [], "some were stored");
    assert_eq!(hosts[0].journal.read(&stream("none"), Version(1), 1).await.unwrap(), []);
}
