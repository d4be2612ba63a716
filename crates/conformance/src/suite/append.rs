//! Appends: all or nothing, repeats, conflicts, fences.

use crate::events::*;
use crate::world::*;
use contract::machine::Rest;
use contract::port::{Append, AppendError, Expected, Fence};
use contract::{Epoch, Time, Version};

pub async fn events_of_one_call_get_consecutive_versions(world: &dyn World) {
    let host = world.start(1);
    let (one, two) = (stream("one"), stream("two"));
    let first = host.journal.append(append(&one, 0, &["a", "b"])).await.unwrap();
    let other = host.journal.append(append(&two, 0, &["x"])).await.unwrap();
    let second = host.journal.append(append(&one, 2, &["c", "d", "e"])).await.unwrap();
    assert_eq!([versions(first), versions(other), versions(second)], [(1, 2), (1, 1), (3, 5)]);
    assert!(first.position < other.position && other.position < second.position);
    assert!(!first.replayed && !second.replayed);
    assert_eq!(ids(&*host.journal, &one).await, named(&["a", "b", "c", "d", "e"]));
}

pub async fn a_refused_call_stores_none_of_its_events(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    fill(&*host.journal, &stream, &["a"]).await;
    let before = host.journal.tail(&stream).await.unwrap();
    let fenced = Append { fence: Some(Fence { epoch: Epoch(7) }), ..append(&stream, 1, &["b", "c"]) };
    for refused in [append(&stream, 0, &["b", "c"]), append(&stream, 2, &["b", "c"]), fenced] {
        host.journal.append(refused).await.unwrap_err();
        assert_eq!(host.journal.tail(&stream).await.unwrap(), before);
    }
    assert_eq!(ids(&*host.journal, &stream).await, named(&["a"]));
}

pub async fn the_same_call_again_is_replayed(world: &dyn World) {
    let host = world.start(1);
    for call in [append(&stream("one"), 0, &["a", "b"]), append(&stream("one"), 2, &["c"])] {
        let first = host.journal.append(call.clone()).await.unwrap();
        let again = host.journal.append(call).await.unwrap();
        assert!(again.replayed);
        assert_eq!((versions(again), again.position), (versions(first), first.position));
    }
    assert_eq!(ids(&*host.journal, &stream("one")).await, named(&["a", "b", "c"]));
}

pub async fn a_repeat_is_found_behind_later_events(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    fill(&*host.journal, &stream, &["a"]).await;
    let first = host.journal.append(append(&stream, 1, &["b", "c"])).await.unwrap();
    host.journal.append(append(&stream, 3, &["d"])).await.unwrap();
    let again = host.journal.append(append(&stream, 1, &["b", "c"])).await.unwrap();
    assert!(again.replayed);
    assert_eq!((versions(again), again.position), ((2, 3), first.position));
    assert_eq!(ids(&*host.journal, &stream).await, named(&["a", "b", "c", "d"]));
}

pub async fn a_repeat_does_not_change_the_rest(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    fill(&*host.journal, &stream, &["a", "b"]).await;
    let before = host.journal.tail(&stream).await.unwrap();
    let late = Append { rest: Rest::Closed, time: Time(9_999), ..append(&stream, 0, &["a"]) };
    assert!(host.journal.append(late).await.unwrap().replayed);
    assert_eq!(host.journal.tail(&stream).await.unwrap(), before);
}

pub async fn almost_the_same_call_conflicts(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    host.journal.append(append(&stream, 0, &["a", "b", "c"])).await.unwrap();
    // Another id, another order, more than there is, and a place where the same events are not.
    for (after, names) in [(0, &["a", "x"][..]), (0, &["b", "a"]), (0, &["a", "b", "c", "d"]), (1, &["a"]), (2, &["c", "d"])] {
        let refused = host.journal.append(append(&stream, after, names)).await;
        assert_eq!(refused, Err(AppendError::Conflict { actual: Version(3) }), "{after} {names:?}");
    }
    assert!(host.journal.append(append(&stream, 0, &["a", "b"])).await.unwrap().replayed, "a part of a call that was stored");
}

pub async fn a_call_in_the_wrong_place_conflicts(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    assert_eq!(host.journal.append(append(&stream, 1, &["b"])).await, Err(AppendError::Conflict { actual: Version(0) }));
    fill(&*host.journal, &stream, &["a", "b"]).await;
    for after in [0, 1, 3, u64::MAX - 1, u64::MAX] {
        let refused = host.journal.append(append(&stream, after, &["c"])).await;
        assert_eq!(refused, Err(AppendError::Conflict { actual: Version(2) }), "after {after}");
    }
}

pub async fn a_new_stream_is_made_once(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let new = |name| Append { expected: Expected::NoStream, ..append(&stream, 0, &[name]) };
    assert_eq!(host.journal.tail(&stream).await.unwrap(), None);
    assert_eq!(versions(host.journal.append(new("a")).await.unwrap()), (1, 1));
    assert_eq!(host.journal.append(new("b")).await, Err(AppendError::Conflict { actual: Version(1) }));
    assert!(host.journal.append(new("a")).await.unwrap().replayed);
}

pub async fn a_stale_fence_stores_nothing(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let old = host.journal.acquire(&stream).await.unwrap().epoch;
    let new = host.journal.acquire(&stream).await.unwrap().epoch;
    let stale = Append { fence: Some(Fence { epoch: old }), ..append(&stream, 0, &["a"]) };
    assert_eq!(host.journal.append(stale).await, Err(AppendError::Fenced { epoch: new }));
    assert_eq!(host.journal.tail(&stream).await.unwrap(), None);
}

pub async fn the_fence_is_checked_before_the_repeat(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let old = host.journal.acquire(&stream).await.unwrap().epoch;
    let call = Append { fence: Some(Fence { epoch: old }), ..append(&stream, 0, &["a"]) };
    host.journal.append(call.clone()).await.unwrap();
    let new = host.journal.acquire(&stream).await.unwrap().epoch;
    assert_eq!(host.journal.append(call.clone()).await, Err(AppendError::Fenced { epoch: new }));
    let misplaced = Append { expected: Expected::Exactly(Version(9)), ..call };
    assert_eq!(host.journal.append(misplaced).await, Err(AppendError::Fenced { epoch: new }), "nor is a conflict told first");
}

pub async fn a_fence_needs_a_lease(world: &dyn World) {
    let host = world.start(1);
    for epoch in [Epoch(0), Epoch(1), Epoch(u64::MAX)] {
        let unowned = Append { fence: Some(Fence { epoch }), ..append(&stream("one"), 0, &["a"]) };
        assert_eq!(host.journal.append(unowned).await, Err(AppendError::Fenced { epoch: Epoch(0) }));
    }
}

pub async fn a_fence_of_the_current_epoch_passes(world: &dyn World) {
    let host = world.start(1);
    let (one, two) = (stream("one"), stream("two"));
    host.journal.acquire(&two).await.unwrap();
    host.journal.acquire(&two).await.unwrap();
    let epoch = host.journal.acquire(&one).await.unwrap().epoch;
    let owned = Append { fence: Some(Fence { epoch }), ..append(&one, 0, &["a"]) };
    assert_eq!(versions(host.journal.append(owned).await.unwrap()), (1, 1));
    assert_eq!(versions(host.journal.append(append(&one, 1, &["b"])).await.unwrap()), (2, 2), "anybody may append without a fence");
}

pub async fn an_append_without_events_is_refused(world: &dyn World) {
    let host = world.start(1);
    let refused = host.journal.append(append(&stream("one"), 0, &[])).await;
    assert!(matches!(refused, Err(AppendError::Unavailable(_))), "{refused:?}");
    assert_eq!(host.journal.tail(&stream("one")).await.unwrap(), None);
}
