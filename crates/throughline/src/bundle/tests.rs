//! Exports that somebody changed, by a byte or with every hash made anew: all of it is checked before any of it is taken.

use super::*;
use contract::id::StreamId;
use damage::{damaged, reshaped};
use journal::{GENESIS, link};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// The only blob that the sessions here name: the configuration of their runs.
const CONFIGURATION: &[u8] = b"a configuration";

/// Golden histories of one session each that name no other blob, line by line.
static SESSIONS: LazyLock<Vec<Vec<Vec<u8>>>> = LazyLock::new(|| {
    let files = std::fs::read_dir(histories::folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    files.sort();
    let lines = |path: &std::path::PathBuf| -> Vec<Vec<u8>> {
        std::fs::read_to_string(path).unwrap().lines().map(|line| line.as_bytes().to_vec()).collect()
    };
    let whole = |lines: &Vec<Vec<u8>>| check_export(exported(session(lines), lines).path()).is_ok();
    let sessions: Vec<_> = files.iter().map(lines).filter(whole).collect();
    assert!(sessions.len() > 10, "{}", sessions.len());
    sessions
});

/// The session that every one of them is.
fn session(lines: &[Vec<u8>]) -> SessionId {
    let first: Value = serde_json::from_slice(&lines[0]).unwrap();
    let stream = StreamId::parse(first["stream"].as_str().unwrap()).unwrap();
    stream.session_id().unwrap_or(SessionId([0; 16]))
}

fn chain(session: SessionId, lines: &[Vec<u8>]) -> Chain {
    let hashes = lines.iter().scan(GENESIS, |hash, line| {
        *hash = link(*hash, line);
        Some(*hash)
    });
    Chain { format: FORMAT, sessions: vec![Part { session, hashes: hashes.collect() }] }
}

/// A whole export of these events, hashed as they are.
fn exported(session: SessionId, lines: &[Vec<u8>]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), CHAIN, &serde_json::to_vec(&chain(session, lines)).unwrap());
    write(folder.path(), EVENTS, &file(lines));
    std::fs::create_dir(folder.path().join(BLOBS)).unwrap();
    write(folder.path(), &blob(), CONFIGURATION);
    folder
}

fn file(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

fn blob() -> String {
    format!("{BLOBS}/{}", Sha256::of(CONFIGURATION))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).unwrap();
}

fn any_session() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::sample::select(&*SESSIONS)
}

proptest! {
    // Each case writes an export and folds a session.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_changed_byte_of_an_event_is_found((lines, events) in any_session().prop_flat_map(|lines| (Just(lines.clone()), damaged(Just(file(&lines)))))) {
        let folder = exported(session(&lines), &lines);
        write(folder.path(), EVENTS, &events);
        match check_export(folder.path()) {
            Ok(()) => prop_assert_eq!(events, file(&lines)),
            Err(error) => prop_assert!(error.to_string().contains(EVENTS), "{error}"),
        }
    }

    #[test]
    fn a_changed_chain_is_found_unless_it_says_the_same(
        (lines, bytes) in any_session().prop_flat_map(|lines| {
            let chain = json!(chain(session(&lines), &lines));
            let bytes = prop_oneof![damaged(Just(chain.to_string().into_bytes())), reshaped(Just(chain)).prop_map(|value| value.to_string().into_bytes())];
            (Just(lines), bytes)
        })
    ) {
        let folder = exported(session(&lines), &lines);
        write(folder.path(), CHAIN, &bytes);
        match check_export(folder.path()) {
            Ok(()) => prop_assert_eq!(serde_json::from_slice::<Chain>(&bytes).unwrap().sessions, chain(session(&lines), &lines).sessions),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn a_changed_blob_is_found(bytes in damaged(Just(CONFIGURATION.to_vec()))) {
        let lines = SESSIONS.iter().find(|lines| file(lines).windows(11).any(|part| part == b"run.started")).unwrap();
        let folder = exported(session(lines), lines);
        write(folder.path(), &blob(), &bytes);
        prop_assert_eq!(check_export(folder.path()).is_ok(), bytes == CONFIGURATION);
    }

    /// Hashes prove that nothing was lost on the way, not who wrote it: what folds is taken, all else is named.
    #[test]
    fn a_changed_event_with_its_hashes_made_anew_is_a_session_or_named(
        (lines, at, event) in any_session().prop_flat_map(|lines| {
            let at = 0..lines.len();
            (Just(lines), at).prop_flat_map(|(lines, at)| {
                let event = reshaped(Just(serde_json::from_slice(&lines[at]).unwrap()));
                (Just(lines), Just(at), event)
            })
        })
    ) {
        // The chain names the session, whatever its first event says.
        let session = session(&lines);
        let changed: Vec<Vec<u8>> = lines.into_iter().enumerate().map(|(number, line)| if number == at { event.to_string().into_bytes() } else { line }).collect();
        let folder = exported(session, &changed);
        if let Err(error) = check_export(folder.path()) {
            prop_assert!(error.to_string().contains(EVENTS), "{error}");
        }
    }
}
