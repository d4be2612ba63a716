//! Watches: woken by every append to their stream and by nothing else.

use crate::events::*;
use crate::world::*;
use contract::Version;
use contract::port::Watch;
use std::future::poll_fn;
use std::task::Poll;

/// Whether the stream has grown, as far as is known without waiting.
async fn has_grown(watch: &mut dyn Watch, known: u64) -> bool {
    let mut waiting = watch.beyond(Version(known));
    poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_ready())).await
}

pub async fn one_who_is_behind_does_not_wait(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    fill(&*host.journal, &stream, &["a", "b"]).await;
    let mut watch = host.journal.watch(&stream);
    for known in [0, 1, 0] {
        watch.beyond(Version(known)).await.unwrap();
    }
    host.journal.append(append(&stream, 2, &["c"])).await.unwrap();
    watch.beyond(Version(2)).await.unwrap();
    assert!(!has_grown(&mut *watch, 3).await);
}

pub async fn another_host_wakes_the_watcher(world: &dyn World) {
    let (writer, watcher) = (world.start(1), world.start(2));
    let stream = stream("one");
    fill(&*writer.journal, &stream, &["a"]).await;
    let mut watch = watcher.journal.watch(&stream);
    watch.beyond(Version(0)).await.unwrap();
    for known in 1..20 {
        let name = format!("event {known}");
        let appended = async { writer.journal.append(append(&stream, known, &[&name])).await.unwrap() };
        let (_, grown) = tokio::join!(appended, watch.beyond(Version(known)));
        grown.unwrap();
        let read = watcher.journal.read(&stream, Version(known + 1), 10).await.unwrap();
        assert_eq!(ids_of(&read), named(&[&name]), "one who was woken can read it");
    }
}

pub async fn a_stream_is_watched_before_it_is_made(world: &dyn World) {
    let (writer, watcher) = (world.start(1), world.start(2));
    let stream = stream("one");
    let mut watch = watcher.journal.watch(&stream);
    assert!(!has_grown(&mut *watch, 0).await);
    writer.journal.append(append(&stream, 0, &["a"])).await.unwrap();
    watch.beyond(Version(0)).await.unwrap();
}

pub async fn other_streams_wake_nobody(world: &dyn World) {
    let host = world.start(1);
    let (one, two) = (stream("one"), stream("two"));
    fill(&*host.journal, &one, &["a"]).await;
    let mut watch = host.journal.watch(&one);
    watch.beyond(Version(0)).await.unwrap();
    let mut witness = host.journal.watch(&two);
    fill(&*host.journal, &two, &["a", "b", "c"]).await;
    witness.beyond(Version(2)).await.unwrap();
    assert!(!has_grown(&mut *watch, 1).await, "what was said to another stream is known, and is nothing here");
}
