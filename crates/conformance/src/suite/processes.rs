//! Hosts that are processes: they race, die and stand still for real.

use crate::events::*;
use crate::tape::{Tape, ids_delivered};
use crate::world::*;
use contract::Epoch;
use contract::port::LeaseError;
use std::collections::BTreeSet;

const PROCESSES: u8 = 4;
const ROUNDS: u64 = 12;

fn spawned(world: &dyn Spawning) -> Vec<crate::process::Process> {
    (1..=PROCESSES).map(|number| world.spawn(number)).collect()
}

pub async fn one_of_many_processes_wins_each_version(world: &dyn Spawning) {
    let mut processes = spawned(world);
    let mut winners = Vec::new();
    for after in 0..ROUNDS {
        for (number, process) in processes.iter_mut().enumerate() {
            process.request(&format!("append session/one {after} round-{after}-process-{number}"));
        }
        let answers: Vec<String> = processes.iter_mut().map(|process| process.answer()).collect();
        let won: Vec<usize> = (0..answers.len()).filter(|number| answers[*number] == format!("stored {}", after + 1)).collect();
        assert_eq!(won.len(), 1, "{answers:?}");
        let lost = format!("the stream is at version {}", after + 1);
        assert_eq!(answers.iter().filter(|answer| **answer == lost).count(), answers.len() - 1, "{answers:?}");
        winners.push(event_id(&format!("round-{after}-process-{}", won[0])));
    }
    let witness = world.start(PROCESSES + 1);
    assert_eq!(ids(&*witness.journal, &stream("one")).await, winners);
}

pub async fn processes_that_try_again_lose_nothing(world: &dyn Spawning) {
    let mut processes = spawned(world);
    for (number, process) in processes.iter_mut().enumerate() {
        process.request(&format!("append-all session/one process-{number} {ROUNDS}"));
    }
    for process in &mut processes {
        assert_eq!(process.answer(), "stored");
    }
    let witness = world.start(PROCESSES + 1);
    let stored = ids(&*witness.journal, &stream("one")).await;
    for number in 0..processes.len() {
        let own: Vec<_> = (0..ROUNDS).map(|round| event_id(&format!("process-{number}-{round}"))).collect();
        let kept: Vec<_> = stored.iter().copied().filter(|id| own.contains(id)).collect();
        assert_eq!(kept, own, "each event of process {number} once and in its order");
    }
    assert_eq!(stored.len(), processes.len() * ROUNDS as usize);
}

pub async fn a_killed_process_keeps_what_it_acknowledged(world: &dyn Spawning) {
    let witness = world.start(PROCESSES + 1);
    let mut stored = Vec::new();
    for number in 1..=PROCESSES {
        let mut process = world.spawn(number);
        let after = stored.len();
        assert_eq!(process.ask(&format!("append session/one {after} event-{number}")), format!("stored {}", after + 1));
        // It dies in the middle of others, of which it acknowledged none.
        process.request(&format!("append-all session/of-{number} unheard {ROUNDS}"));
        process.kill();
        stored.push(event_id(&format!("event-{number}")));
        assert_eq!(ids(&*witness.journal, &stream("one")).await, stored);
        let unheard = ids(&*witness.journal, &stream(&format!("of-{number}"))).await;
        let begun: Vec<_> = (0..unheard.len()).map(|round| event_id(&format!("unheard-{round}"))).collect();
        assert_eq!(unheard, begun, "what it did not acknowledge is whole as far as it goes");
    }
}

pub async fn a_killed_process_loses_its_streams_at_once(world: &dyn Spawning) {
    let witness = world.start(PROCESSES + 1);
    let mut process = world.spawn(1);
    assert_eq!(process.ask("acquire session/one"), "epoch 1");
    assert_eq!(witness.journal.acquire(&stream("one")).await, Err(LeaseError::Held { holder: host_id(1) }));
    process.kill();
    assert_eq!(witness.journal.holder(&stream("one")).await.unwrap(), None);
    assert_eq!(witness.journal.acquire(&stream("one")).await.unwrap().epoch, Epoch(2));
}

pub async fn a_suspended_process_keeps_its_streams(world: &dyn Spawning) {
    let witness = world.start(PROCESSES + 1);
    let mut process = world.spawn(1);
    assert_eq!(process.ask("acquire session/one"), "epoch 1");
    process.suspend();
    assert_eq!(witness.journal.holder(&stream("one")).await.unwrap(), Some(host_id(1)));
    assert_eq!(witness.journal.acquire(&stream("one")).await, Err(LeaseError::Held { holder: host_id(1) }));
    assert_eq!(versions(witness.journal.append(append(&stream("one"), 0, &["a"])).await.unwrap()), (1, 1), "the log goes on without it");
    process.resume();
    assert_eq!(process.ask("append session/one 1 b"), "stored 2");
    assert_eq!(ids(&*witness.journal, &stream("one")).await, named(&["a", "b"]));
}

pub async fn a_process_hears_what_others_append(world: &dyn Spawning) {
    let witness = world.start(PROCESSES + 1);
    let mut tape = Tape::of_all(&*witness.journal);
    assert_eq!(tape.caught_up(&*witness.journal).await.0, []);
    let mut processes = spawned(world);
    // One by one, so that each must wake the witness by itself.
    for (number, process) in processes.iter_mut().enumerate() {
        assert_eq!(process.ask(&format!("append session/{number} 0 first-{number}")), "stored 1");
        assert_eq!(ids_delivered(&tape.events(&*witness.journal, 1).await), named(&[&format!("first-{number}")]));
    }
    for (number, process) in processes.iter_mut().enumerate() {
        process.request(&format!("append-all session/one process-{number} {ROUNDS}"));
    }
    let events = tape.events(&*witness.journal, processes.len() * ROUNDS as usize).await;
    let seen: BTreeSet<_> = ids_delivered(&events).into_iter().collect();
    assert_eq!(seen.len(), events.len(), "each once");
    assert_eq!(ids_delivered(&events), ids(&*witness.journal, &stream("one")).await);
}
