//! A log that the machine cannot fold stops its one session, is shown, and can be tried again by a person.

use contract::body::{Body, MessageSent, Principal};
use contract::event::{Actor, Draft, Level, Trust};
use contract::id::{EventId, HostId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::{Append, Expected, Log};
use contract::units::{Time, Version};
use journal::SqliteJournal;
use std::path::Path;
use tempfile::TempDir;
use throughline::{Ended, Home, Job, Leave, Running, StartError, Throughline, Until};

struct Desk {
    folder: TempDir,
    throughline: Throughline,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script"), "{\"text\":\"one\"}\n{\"text\":\"two\"}\n").unwrap();
    let throughline = Throughline::open(&Home::at(folder.path().join("home"))).unwrap();
    Desk { folder, throughline }
}

impl Desk {
    fn job(&self) -> Job {
        let script = format!("script:{}", self.folder.path().join("script").display());
        Job::new(self.folder.path(), script, "go")
    }

    async fn done(&self) -> SessionId {
        let running = self.throughline.start(self.job()).await.unwrap();
        let session = running.session();
        assert!(matches!(end(running).await, Ended::Finished { .. }));
        session
    }

    /// Another program, or a bug, appends what no machine would: the chain is whole, the meaning is not.
    async fn spoil(&self, session: SessionId) -> Version {
        let stream = StreamId::session(session);
        let tail = self.throughline.tail(session).await.unwrap().unwrap();
        let journal = SqliteJournal::open(journal::Options::new(home(self.folder.path()), HostId([7; 16]))).unwrap();
        let body: Body = MessageSent { completed: EventId([9; 16]) }.into();
        let draft = Draft {
            id: EventId::of_intent(&stream, tail.version, 0, &body),
            cause: None,
            correlation: None,
            run: None,
            level: Level::Core,
            call: None,
            actor: Actor::Agent,
            trust: Trust::System,
            body,
        };
        let expected = Expected::after(tail.version);
        let append = Append { stream, expected, time: Time(1), drafts: vec![draft], fence: None, rest: Rest::Busy };
        journal.append(append).await.unwrap().last
    }
}

fn home(folder: &Path) -> std::path::PathBuf {
    folder.join("home")
}

async fn end(mut running: Running) -> Ended {
    while running.next(Until::Done).await.unwrap().is_some() {}
    running.end().await
}

#[tokio::test]
async fn an_illegal_event_quarantines_its_session_and_the_others_go_on() {
    let desk = desk();
    let (spoiled, fine) = (desk.done().await, desk.done().await);
    let version = desk.spoil(spoiled).await;
    let found = desk.throughline.verify(&StreamId::session(spoiled)).await.unwrap_err();
    assert!(found.to_string().contains(&version.to_string()) && found.to_string().contains("message.sent"), "{found}");

    let message = || desk.throughline.start(Job { session: Some(spoiled), ..desk.job() });
    let left = end(message().await.unwrap()).await;
    assert!(matches!(&left, Ended::Left(Leave::Quarantined { reason, .. }) if reason.contains("message.sent")), "{left:?}");
    let shown = desk.throughline.quarantined().await.unwrap();
    assert_eq!(shown.keys().collect::<Vec<_>>(), [&StreamId::session(spoiled)]);
    let refused = message().await.unwrap_err();
    assert!(matches!(refused, StartError::Quarantined(..)), "{refused}");

    let other = desk.throughline.start(Job { session: Some(fine), ..desk.job() }).await.unwrap();
    assert!(matches!(end(other).await, Ended::Finished { .. }));
    desk.throughline.verify(&StreamId::session(fine)).await.unwrap();
}

#[tokio::test]
async fn a_person_who_resumes_has_it_tried_again() {
    let desk = desk();
    let session = desk.done().await;
    desk.spoil(session).await;
    for _ in 0..2 {
        let tried = desk.throughline.resume(session, Principal("p".into())).await.unwrap();
        assert!(matches!(end(tried).await, Ended::Left(Leave::Quarantined { .. })), "still illegal, and said so each time");
        assert_eq!(desk.throughline.quarantined().await.unwrap().len(), 1);
    }
}
