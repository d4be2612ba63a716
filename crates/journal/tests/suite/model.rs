//! Any sequence of calls gets the same answers from memory and from SQLite, except for the numbers of positions.

use super::world::{Memory, Sqlite};
use conformance::World;
use conformance::events::*;
use contract::machine::Rest;
use contract::port::{Append, Appended, Fence};
use contract::{Epoch, Position, Time, Version};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Call {
    /// Events by number, so that repeats and near repeats are common.
    Append {
        stream: u8,
        after: u64,
        events: Vec<u8>,
        epoch: Option<u64>,
    },
    Acquire {
        host: u8,
        stream: u8,
    },
    Release {
        host: u8,
        stream: u8,
        epoch: u64,
    },
    Holder {
        host: u8,
        stream: u8,
    },
    Restart {
        host: u8,
    },
}

fn call() -> impl Strategy<Value = Call> {
    let append = (0u8..2, 0u64..5, prop::collection::vec(0u8..4, 1..3), prop::option::weighted(0.3, 0u64..4));
    prop_oneof![
        6 => append.prop_map(|(stream, after, events, epoch)| Call::Append { stream, after, events, epoch }),
        2 => (0u8..2, 0u8..2).prop_map(|(host, stream)| Call::Acquire { host, stream }),
        1 => (0u8..2, 0u8..2, 0u64..4).prop_map(|(host, stream, epoch)| Call::Release { host, stream, epoch }),
        1 => (0u8..2, 0u8..2).prop_map(|(host, stream)| Call::Holder { host, stream }),
        1 => (0u8..2).prop_map(|host| Call::Restart { host }),
    ]
}

/// Makes all calls and tells every answer, then what the log holds.
async fn answers(world: &dyn World, calls: &[Call]) -> Vec<String> {
    let mut hosts = [world.start(10), world.start(11)];
    let mut answers = Vec::new();
    let place = |number: &u8| stream(&number.to_string());
    for (made, call) in (0..).zip(calls) {
        answers.push(match call {
            Call::Append { stream, after, events, epoch } => {
                let call = Append {
                    drafts: events.iter().map(|event| draft(&event.to_string())).collect(),
                    fence: epoch.map(|epoch| Fence { epoch: Epoch(epoch) }),
                    rest: Rest::Until(Time(made)),
                    time: Time(made),
                    ..append(&place(stream), *after, &[])
                };
                let appended = hosts[0].journal.append(call).await;
                format!("{:?}", appended.map(|appended| Appended { position: Position(0), ..appended }))
            }
            Call::Acquire { host, stream } => format!("{:?}", hosts[*host as usize].journal.acquire(&place(stream)).await),
            Call::Release { host, stream, epoch } => {
                format!("{:?}", hosts[*host as usize].journal.release(&place(stream), Epoch(*epoch)).await)
            }
            Call::Holder { host, stream } => format!("{:?}", hosts[*host as usize].journal.holder(&place(stream)).await),
            Call::Restart { host } => {
                // The new process has a new id, made from how many calls there were.
                let fresh = world.start(20 + made as u8);
                world.kill(std::mem::replace(&mut hosts[*host as usize], fresh));
                "restarted".to_owned()
            }
        });
    }
    for tail in hosts[0].journal.streams("session", 10).await.unwrap() {
        for stored in hosts[0].journal.read(&tail.stream, Version(1), 100).await.unwrap() {
            answers.push(format!("{} {:?} {}", tail.stream, stored.event, stored.hash));
        }
        answers.push(format!("{:?}", (tail.version, tail.hash, tail.time, tail.rest)));
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn memory_and_sqlite_agree(calls in prop::collection::vec(call(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (memory, sqlite) = runtime.block_on(async {
            (answers(&Memory::new(), &calls).await, answers(&Sqlite::new(), &calls).await)
        });
        prop_assert_eq!(memory, sqlite);
    }
}
