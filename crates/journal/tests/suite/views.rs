//! The lists beside the log: they may vanish, be damaged or be written by two at once, and come back the same.

use conformance::events::{draft, stream};
use contract::event::Event;
use contract::id::{Sha256, StreamId};
use contract::port::{Projection, Rows};
use contract::units::{Position, Time, Version};
use damage::damaged;
use journal::{First, Mark, Told, Views};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const NAMES: &str = "names";
const COUNTS: &str = "counts";

/// Lists the streams by their last event and counts the events of each.
struct Counting {
    version: u32,
}

impl Projection for Counting {
    fn version(&self) -> u32 {
        self.version
    }

    fn see(&self, rows: &mut dyn Rows, stream: &StreamId, position: Position, event: &Event) {
        let before: u64 = rows.get(COUNTS, stream.as_str()).and_then(|count| count.parse().ok()).unwrap_or_default();
        rows.put(COUNTS, stream.as_str(), 0, (before + 1).to_string());
        rows.put(NAMES, stream.as_str(), position.0, stream.to_string());
        if event.version == Version(9) {
            rows.remove(NAMES, stream.as_str());
        }
    }
}

fn views(folder: &Path) -> Views {
    Views::new(folder, Arc::new(Counting { version: 1 }))
}

fn told(name: &str, position: u64, version: u64) -> Told {
    let event = Event { version: Version(version), time: Time(1), draft: draft(&format!("{name} {version}")) };
    Told { stream: stream(name), position: Position(position), hash: Sha256::of(name.as_bytes()), event }
}

/// Positions have gaps, as in a log.
fn fill(views: &Views) {
    let first = [told("a", 2, 1), told("b", 3, 1), told("a", 5, 2)];
    let mark = views.apply(Mark::default(), Position(6), &first).unwrap();
    assert_eq!(mark, Mark { position: Position(6), last: Some((Position(5), Sha256::of(b"a"))) });
    let second = [told("c", 7, 9), told("b", 8, 2)];
    assert_eq!(views.apply(mark, Position(8), &second).unwrap().position, Position(8));
}

fn names(views: &Views, first: First) -> Vec<String> {
    views.list(NAMES, first, 10).unwrap()
}

#[test]
fn rows_follow_the_events_and_keep_their_order() {
    let folder = TempDir::new().unwrap();
    let views = views(folder.path());
    assert_eq!(views.mark().unwrap(), Mark::default());
    fill(&views);
    assert_eq!(names(&views, First::Oldest), ["session/a", "session/b"]);
    assert_eq!(names(&views, First::Newest), ["session/b", "session/a"]);
    assert_eq!(views.list(NAMES, First::Newest, 1).unwrap(), ["session/b"]);
    assert_eq!(views.get(COUNTS, "session/a").unwrap().as_deref(), Some("2"));
    assert_eq!(views.get(COUNTS, "session/z").unwrap(), None);
}

#[test]
fn whoever_is_late_changes_nothing_and_hears_how_far_the_rows_are() {
    let folder = TempDir::new().unwrap();
    let views = views(folder.path());
    fill(&views);
    let now = views.mark().unwrap();
    assert_eq!(views.apply(Mark::default(), Position(4), &[told("a", 2, 1)]).unwrap(), now);
    // Nothing that is told leaves the last event as it is.
    assert_eq!(views.apply(now, Position(9), &[]).unwrap(), Mark { position: Position(9), ..now });
    assert_eq!(views.get(COUNTS, "session/a").unwrap().as_deref(), Some("2"));
}

#[test]
fn a_file_that_was_deleted_or_damaged_or_is_of_another_version_is_made_anew() {
    let spoil: [fn(&Path); 3] = [
        |file| std::fs::remove_file(file).unwrap(),
        |file| std::fs::write(file, b"not a database at all, but long enough to be looked at").unwrap(),
        |file| std::fs::write(file, b"").unwrap(),
    ];
    for spoil in spoil {
        let folder = TempDir::new().unwrap();
        let views = views(folder.path());
        fill(&views);
        let before = names(&views, First::Newest);
        spoil(&folder.path().join("views.db"));
        assert_eq!((views.mark().unwrap(), names(&views, First::Newest).len()), (Mark::default(), 0));
        fill(&views);
        assert_eq!(names(&views, First::Newest), before);
        let newer = Views::new(folder.path(), Arc::new(Counting { version: 2 }));
        assert_eq!((newer.mark().unwrap(), names(&newer, First::Newest).len()), (Mark::default(), 0));
    }
}

#[test]
fn a_damaged_page_is_noticed_where_it_is_read() {
    let folder = TempDir::new().unwrap();
    let views = views(folder.path());
    fill(&views);
    let file = folder.path().join("views.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = 4_096;
    bytes[middle..].fill(0xA5);
    std::fs::write(&file, bytes).unwrap();
    // Whatever is asked first, the answer is right or there is none yet.
    assert_eq!(views.list(NAMES, First::Oldest, 10).unwrap(), Vec::<String>::new());
    assert_eq!(views.mark().unwrap(), Mark::default());
}

#[test]
fn each_event_counts_once_however_many_tell_of_it() {
    let folder = TempDir::new().unwrap();
    let events: Vec<Told> = (1..=60).map(|number| told("a", number, number + 9)).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let views = views(folder.path());
                let mut at = views.mark().unwrap();
                while at.position < Position(60) {
                    let next = &events[at.position.0 as usize..][..3];
                    at = views.apply(at, Position(at.position.0 + 3), next).unwrap();
                }
            });
        }
    });
    assert_eq!(views(folder.path()).get(COUNTS, "session/a").unwrap().as_deref(), Some("60"));
}

#[test]
fn a_folder_that_is_none_is_an_error_and_not_an_empty_list() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    assert!(views(&file).mark().unwrap_err().to_string().contains("cannot be used"));
}

#[test]
fn rows_of_another_log_are_forgotten_when_told_to() {
    let folder = TempDir::new().unwrap();
    let views = views(folder.path());
    fill(&views);
    assert_eq!(views.reset().unwrap(), Mark::default());
    assert_eq!((views.mark().unwrap(), names(&views, First::Newest).len()), (Mark::default(), 0));
}

/// The file as it is after [`fill`].
fn filled_file() -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    fill(&views(folder.path()));
    std::fs::read(folder.path().join("views.db")).unwrap()
}

/// The same file with the bytes of its tables spoilt, which are few among many that mean nothing.
fn spoilt_file() -> impl Strategy<Value = Vec<u8>> {
    let file = filled_file();
    let used: Vec<usize> = (0..file.len()).filter(|at| file[*at] != 0).collect();
    let change = (prop::sample::select(used), any::<u8>());
    let changed = prop::collection::vec(change, 1..4).prop_map({
        let file = file.clone();
        move |changes| {
            let mut file = file.clone();
            changes.into_iter().for_each(|(at, byte)| file[at] = byte);
            file
        }
    });
    prop_oneof![4 => changed, 1 => damaged(Just(file))]
}

proptest! {
    // Each case opens a database several times.
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The lists are a copy of what the log says, so nothing in their file may keep anybody from having them.
    #[test]
    fn a_file_with_any_bytes_gives_lists(file in spoilt_file()) {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("views.db"), file).unwrap();
        let views = views(folder.path());
        prop_assert!(views.mark().is_ok(), "{:?}", views.mark());
        prop_assert!(views.list(NAMES, First::Newest, 10).is_ok(), "{:?}", views.list(NAMES, First::Newest, 10));
        prop_assert!(views.get(COUNTS, "session/a").is_ok());
        let mark = views.reset();
        prop_assert_eq!(mark.as_ref().ok(), Some(&Mark::default()), "{:?}", mark);
        fill(&views);
        prop_assert_eq!(names(&views, First::Oldest), ["session/a", "session/b"]);
    }
}
