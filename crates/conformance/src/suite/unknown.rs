//! An append that gets no answer is neither stored nor not stored until the same call is made again.

use crate::events::*;
use crate::journal::Loss;
use crate::world::*;
use contract::Version;
use contract::port::{Append, AppendError, Fence};

async fn lost(host: &Host, call: Append) {
    let answer = host.journal.append(call).await;
    assert!(matches!(answer, Err(AppendError::Unknown(_))), "{answer:?}");
}

pub async fn a_stored_call_without_an_answer_is_replayed(world: &dyn World) {
    let host = world.start_losing(1, Loss::Stored);
    let call = append(&stream("one"), 0, &["a", "b"]);
    lost(&host, call.clone()).await;
    assert_eq!(ids(&*host.journal, &stream("one")).await, named(&["a", "b"]), "it was stored");
    let repeated = host.journal.append(call).await.unwrap();
    assert_eq!((versions(repeated), repeated.replayed), ((1, 2), true));
    assert_eq!(ids(&*host.journal, &stream("one")).await, named(&["a", "b"]));
}

pub async fn an_unstored_call_without_an_answer_is_stored_once(world: &dyn World) {
    let host = world.start_losing(1, Loss::NotStored);
    let call = append(&stream("one"), 0, &["a", "b"]);
    lost(&host, call.clone()).await;
    assert_eq!(host.journal.tail(&stream("one")).await.unwrap(), None, "it was not stored");
    let repeated = host.journal.append(call.clone()).await.unwrap();
    assert_eq!((versions(repeated), repeated.replayed), ((1, 2), false));
    assert!(host.journal.append(call).await.unwrap().replayed);
    assert_eq!(ids(&*host.journal, &stream("one")).await, named(&["a", "b"]));
}

pub async fn a_repeat_after_another_writer_tells_which_it_was(world: &dyn World) {
    let (one, two) = (stream("one"), stream("two"));
    let (stored, unstored, other) = (world.start_losing(1, Loss::Stored), world.start_losing(2, Loss::NotStored), world.start(3));
    lost(&stored, append(&one, 0, &["a"])).await;
    other.journal.append(append(&one, 1, &["other"])).await.unwrap();
    assert!(stored.journal.append(append(&one, 0, &["a"])).await.unwrap().replayed);
    assert_eq!(ids(&*other.journal, &one).await, named(&["a", "other"]));

    lost(&unstored, append(&two, 0, &["a"])).await;
    other.journal.append(append(&two, 0, &["other"])).await.unwrap();
    assert_eq!(unstored.journal.append(append(&two, 0, &["a"])).await, Err(AppendError::Conflict { actual: Version(1) }));
    assert_eq!(ids(&*other.journal, &two).await, named(&["other"]));
}

pub async fn a_fence_is_checked_when_the_call_is_repeated(world: &dyn World) {
    let (first, second) = (world.start_losing(1, Loss::Stored), world.start(2));
    let stream = stream("one");
    let epoch = first.journal.acquire(&stream).await.unwrap().epoch;
    let call = Append { fence: Some(Fence { epoch }), ..append(&stream, 0, &["a"]) };
    lost(&first, call.clone()).await;
    first.journal.release(&stream, epoch).await.unwrap();
    let new = second.journal.acquire(&stream).await.unwrap().epoch;
    assert_eq!(first.journal.append(call).await, Err(AppendError::Fenced { epoch: new }), "a former owner is not even told this");
    assert_eq!(ids(&*second.journal, &stream).await, named(&["a"]));
}
