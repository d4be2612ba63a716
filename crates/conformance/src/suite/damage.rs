//! Damage past the log: found by whoever meets it, and kept to its stream.

use crate::events::*;
use crate::tape::{Tape, ids_delivered};
use crate::world::*;
use contract::filter::Filter;
use contract::port::{Delivery, LogError};
use contract::{Position, Version};

/// A stream of four events and one of two, damaged while nobody runs.
async fn damaged(world: &dyn Damageable, damage: Damage) -> Host {
    let first = world.start(1);
    for (after, name) in (0..).zip(["a", "b", "c", "d"]) {
        first.journal.append(append(&stream("one"), after, &[name])).await.unwrap();
    }
    fill(&*first.journal, &stream("two"), &["x", "y"]).await;
    world.kill(first);
    world.damage(damage);
    world.start(2)
}

fn missing(version: u64) -> Damage {
    Damage::Missing { stream: stream("one"), version: Version(version) }
}

/// Version at which a read from the first event finds damage; the other stream is whole.
async fn found_at(host: &Host) -> u64 {
    assert_eq!(ids(&*host.journal, &stream("two")).await, named(&["x", "y"]));
    match host.journal.read(&stream("one"), Version(1), 100).await {
        Err(LogError::Corrupt { stream: found, version, .. }) if found == stream("one") => version.0,
        other => panic!("{other:?}"),
    }
}

pub async fn other_bytes_are_found(world: &dyn Damageable) {
    let host = damaged(world, Damage::Bytes { stream: stream("one"), version: Version(2) }).await;
    assert_eq!(found_at(&host).await, 2);
}

pub async fn a_missing_event_is_found(world: &dyn Damageable) {
    let host = damaged(world, missing(3)).await;
    assert_eq!(found_at(&host).await, 3);
}

pub async fn a_lost_tail_is_found(world: &dyn Damageable) {
    let host = damaged(world, missing(4)).await;
    assert_eq!(found_at(&host).await, 4);
    let mut tape = Tape::new(&*host.journal, Position::default(), Filter::stream(&stream("one")));
    assert_eq!(ids_delivered(&tape.events(&*host.journal, 3).await), named(&["a", "b", "c"]));
    let told = tape.next(&*host.journal).await;
    assert!(matches!(told, Err(LogError::Corrupt { version: Version(4), .. })), "{told:?}");
    assert!(matches!(tape.next(&*host.journal).await, Ok(Delivery::CaughtUp(_))), "it is told once");
}

pub async fn a_subscriber_is_told_of_damage_once_and_goes_on(world: &dyn Damageable) {
    let host = damaged(world, Damage::Bytes { stream: stream("one"), version: Version(2) }).await;
    for (filter, behind) in [(Filter::everything(), &["c", "d", "x", "y"][..]), (Filter::stream(&stream("one")), &["c", "d"])] {
        let mut tape = Tape::new(&*host.journal, Position::default(), filter);
        assert_eq!(ids_delivered(&tape.events(&*host.journal, 1).await), named(&["a"]));
        let told = tape.next(&*host.journal).await;
        assert!(matches!(told, Err(LogError::Corrupt { version: Version(2), .. })), "{told:?}");
        assert_eq!(ids_delivered(&tape.caught_up(&*host.journal).await.0), named(behind));
    }
    let other = Tape::new(&*host.journal, Position::default(), Filter::parse("session.two.>").unwrap()).caught_up(&*host.journal).await;
    assert_eq!(ids_delivered(&other.0), named(&["x", "y"]), "whoever does not follow the damaged stream is not told");
}
