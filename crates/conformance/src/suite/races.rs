//! Many writers at once: one winner for each version, and no reader sees half a call.

use crate::events::*;
use crate::journal::Journal;
use crate::world::*;
use contract::id::StreamId;
use contract::port::{Append, AppendError, Appended};
use contract::{Epoch, Version};
use std::sync::Arc;
use tokio::task::JoinSet;

const ROUNDS: u64 = 12;

/// Sends all calls at once and returns the names of those that won.
async fn winners(calls: Vec<(Arc<dyn Journal>, String, Append)>, actual: Version) -> Vec<String> {
    let mut tasks: JoinSet<(String, Result<Appended, AppendError>)> = JoinSet::new();
    for (journal, name, call) in calls {
        tasks.spawn(async move { (name, journal.append(call).await) });
    }
    let mut winners = Vec::new();
    for (name, result) in tasks.join_all().await {
        match result {
            Ok(appended) => {
                assert!(!appended.replayed);
                winners.push(name);
            }
            Err(error) => assert_eq!(error, AppendError::Conflict { actual }),
        }
    }
    winners
}

async fn race(hosts: &[Host]) {
    let stream = stream("one");
    let mut expected = Vec::new();
    for after in 0..ROUNDS {
        let call = |writer: u64| {
            let name = format!("round {after} writer {writer}");
            let journal = Arc::clone(&hosts[writer as usize % hosts.len()].journal);
            (journal, name.clone(), append(&stream, after, &[&name]))
        };
        let won = winners((0..8).map(call).collect(), Version(after + 1)).await;
        assert_eq!(won.len(), 1, "round {after}: {won:?}");
        expected.push(event_id(&won[0]));
    }
    for host in hosts {
        assert_eq!(ids(&*host.journal, &stream).await, expected);
    }
}

pub async fn one_of_many_writers_wins_each_version(world: &dyn World) {
    race(&[world.start(1)]).await;
}

pub async fn one_of_two_hosts_wins_each_version(world: &dyn World) {
    race(&[world.start(1), world.start(2)]).await;
}

/// Appends every name after whatever the tail is, as `accept` does.
async fn append_all(journal: Arc<dyn Journal>, stream: StreamId, names: Vec<String>) {
    let mut tail = 0;
    for name in names {
        loop {
            match journal.append(append(&stream, tail, &[&name])).await {
                Ok(appended) => {
                    tail = appended.last.0;
                    break;
                }
                Err(AppendError::Conflict { actual }) => tail = actual.0,
                Err(other) => panic!("{other}"),
            }
        }
    }
}

pub async fn hosts_that_try_again_lose_nothing(world: &dyn World) {
    let hosts = [world.start(1), world.start(2)];
    let stream = stream("one");
    let names = |host: u8| (0..20).map(|i| format!("host {host} event {i}")).collect::<Vec<_>>();
    let mut tasks = JoinSet::new();
    for (number, host) in (1..).zip(&hosts) {
        tasks.spawn(append_all(Arc::clone(&host.journal), stream.clone(), names(number)));
    }
    tasks.join_all().await;
    let stored = ids(&*hosts[0].journal, &stream).await;
    assert_eq!(stored.len(), 40);
    for number in [1, 2] {
        let own: Vec<_> = names(number).iter().map(|name| event_id(name)).collect();
        let kept: Vec<_> = stored.iter().copied().filter(|id| own.contains(id)).collect();
        assert_eq!(kept, own, "each event of host {number} once and in its order");
    }
}

pub async fn no_reader_sees_half_a_call(world: &dyn World) {
    let (writer, reader) = (world.start(1), world.start(2));
    let stream = stream("one");
    let journal = Arc::clone(&writer.journal);
    let written = stream.clone();
    let writing = tokio::spawn(async move {
        for round in 0..ROUNDS {
            let names = [format!("{round} a"), format!("{round} b"), format!("{round} c")];
            let call = append(&written, round * 3, &[&names[0], &names[1], &names[2]]);
            journal.append(call).await.unwrap();
        }
    });
    let mut seen = 0;
    while seen < ROUNDS as usize * 3 {
        let events = reader.journal.read(&stream, Version(1), 1_000).await.unwrap();
        assert_eq!(events.len() % 3, 0);
        assert!(events.len() >= seen, "what was seen stays");
        seen = events.len();
    }
    writing.await.unwrap();
}

pub async fn one_of_many_hosts_gets_the_lease(world: &dyn World) {
    let hosts: Vec<Host> = (1..=4).map(|number| world.start(number)).collect();
    let mut tasks = JoinSet::new();
    for host in &hosts {
        let journal = Arc::clone(&host.journal);
        tasks.spawn(async move { journal.acquire(&stream("one")).await });
    }
    let taken: Vec<_> = tasks.join_all().await.into_iter().filter_map(Result::ok).collect();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].epoch, Epoch(1));
    assert_eq!(hosts[0].journal.holder(&stream("one")).await.unwrap(), Some(taken[0].host));
}
