//! What following costs, and the ways in which another process is heard.

use super::world::{Sqlite, open};
use conformance::World;
use conformance::events::*;
use conformance::tape::{Tape, ids_delivered};
use contract::filter::Filter;
use contract::port::{Delivery, Log, LogError};
use contract::units::{Position, Version};
use journal::Tuning;
use tempfile::TempDir;

/// Sessions that one process follows.
const SESSIONS: u8 = 64;

async fn hears_another(tuning: Tuning) {
    let world = Sqlite::tuned(tuning);
    let (reader, writer) = (world.start(1), world.start(2));
    let mut tape = Tape::of_all(&*reader.journal);
    let mut watch = reader.journal.watch(&stream("one"));
    assert_eq!(tape.caught_up(&*reader.journal).await.0, []);
    for after in 0..3 {
        let name = format!("event {after}");
        writer.journal.append(append(&stream("one"), after, &[&name])).await.unwrap();
        watch.beyond(Version(after)).await.unwrap();
        assert_eq!(ids_delivered(&tape.events(&*reader.journal, 1).await), named(&[&name]));
    }
}

#[tokio::test]
async fn without_a_file_watch_another_process_is_heard_too() {
    hears_another(Tuning { may_watch: false, ..Tuning::default() }).await;
}

#[tokio::test]
async fn a_process_that_died_before_it_told_anybody_is_heard_too() {
    hears_another(Tuning { rings: false, ..Tuning::default() }).await;
}

#[tokio::test]
async fn those_who_follow_one_stream_do_not_read_for_the_others() {
    let folder = TempDir::new().unwrap();
    let (reader, writer) = (open(folder.path(), 1), open(folder.path(), 2));
    let of = |number: u8| stream(&format!("s{number}"));
    let mut tapes: Vec<Tape> = (0..SESSIONS).map(|number| Tape::new(&reader, Position::default(), Filter::stream(&of(number)))).collect();
    for tape in &mut tapes {
        assert_eq!(tape.caught_up(&reader).await.0, []);
    }
    let read_before = reader.pages_read();
    assert_eq!(read_before, u64::from(SESSIONS));
    for after in 0..10 {
        writer.append(append(&of(0), after, &[&format!("event {after}")])).await.unwrap();
        assert_eq!(tapes[0].caught_up(&reader).await.0.len(), 1);
    }
    // The others wait too, and are not woken.
    let mut waiting: Vec<_> = tapes.iter_mut().skip(1).map(|tape| Box::pin(tape.next(&reader))).collect();
    std::future::poll_fn(|context| {
        assert!(waiting.iter_mut().all(|next| next.as_mut().poll(context).is_pending()));
        std::task::Poll::Ready(())
    })
    .await;
    assert_eq!(reader.pages_read() - read_before, 10, "one page for each append, whoever else follows something");
}

#[tokio::test]
async fn a_watch_reads_no_events() {
    let folder = TempDir::new().unwrap();
    let (watcher, writer) = (open(folder.path(), 1), open(folder.path(), 2));
    let mut watch = watcher.watch(&stream("one"));
    for known in 0..10 {
        writer.append(append(&stream("one"), known, &[&format!("event {known}")])).await.unwrap();
        watch.beyond(Version(known)).await.unwrap();
    }
    assert_eq!(watcher.pages_read(), 0);
}

#[tokio::test]
async fn whoever_follows_a_log_that_is_closed_is_told() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    let (mut subscription, mut watch) = (journal.subscribe(Position::default(), Filter::everything()), journal.watch(&stream("one")));
    assert_eq!(subscription.next().await.unwrap(), Delivery::CaughtUp(Position(0)));
    drop(journal);
    assert!(matches!(subscription.next().await, Err(LogError::Unavailable(_))));
    assert!(matches!(watch.beyond(Version(0)).await, Err(LogError::Unavailable(_))));
}
