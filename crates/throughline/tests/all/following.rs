//! A session is followed by being told, and not by looking again and again.

use contract::body::{Mode, Principal};
use contract::units::Version;
use throughline::{Ended, Home, Job, Throughline, Until};
use tokio::runtime::Builder;

/// The follower has no timer at all: whoever waited for a while instead of for the log would panic.
#[test]
fn what_comes_is_told_without_a_timer() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script"), "{\"text\":\"one\"}\n").unwrap();
    let home = Home::at(folder.path().join("home"));
    let other = Throughline::open(&home).unwrap();
    let driving = Builder::new_multi_thread().enable_all().build().unwrap();
    let session = driving.block_on(async {
        let script = format!("script:{}", folder.path().join("script").display());
        let mut running = other.start(Job::new(folder.path(), script, "go")).await.unwrap();
        while running.next(Until::Done).await.unwrap().is_some() {}
        let session = running.session();
        assert!(matches!(running.end().await, Ended::Finished { .. }));
        session
    });

    let throughline = Throughline::open(&home).unwrap();
    let timeless = Builder::new_current_thread().build().unwrap();
    timeless.block_on(async {
        let mut following = throughline.follow(session, Version(2));
        let there = following.next().await.unwrap();
        let last = throughline.tail(session).await.unwrap().unwrap().version;
        let versions: Vec<u64> = there.iter().map(|one| one.event.version.0).collect();
        assert_eq!(versions, (2..=last.0).collect::<Vec<_>>());
        let sent =
            driving.spawn(async move { other.send(session, "more".to_owned(), Mode::Queue, None, Principal("ada".to_owned())).await });
        let came = following.next().await.unwrap();
        assert_eq!((came.len(), came[0].event.version, came[0].event.draft.body.name()), (1, last.next(), "message.received"));
        assert_eq!(sent.await.unwrap().unwrap().version, last.next());
    });
}
