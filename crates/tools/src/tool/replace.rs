//! Replacing a whole file, for the tools that change files: witness, atomic write, and the probe after a crash.
//!
//! In the spool folder of the attempt a claim keeps a late start from following its recovery, and `target` (hash and
//! result text, by rename) is written before the file is renamed: without it the file was surely not touched. Must
//! not know how the new content comes about.

use super::{SameBoot, finished, refuse};
use crate::place::Place;
use crate::reach::{self, Found, Parent};
use crate::supervise::{Folder, claim};
use crate::texts;
use contract::body::{CancelReason, UnknownReason};
use contract::call::{Class, Prepared, Risk, Touches};
use contract::crash;
use contract::id::Sha256;
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use serde::{Deserialize, Serialize};
use sha2::Digest;
use similar::TextDiff;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// Bytes of a file that is replaced or edited; its content is held several times.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of a file that are hashed at once.
const PIECE_BYTES: usize = 64 * 1024;
/// Time for a diff to be minimal; after it, it is only right.
const DIFF_TIME_MAX: Duration = Duration::from_millis(500);
const TARGET: &str = "target";

/// What a tool makes of the content it found.
pub(super) struct After {
    pub content: Vec<u8>,
    /// The result that the model gets.
    pub text: String,
}

/// What the file will be; stored before it is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Target {
    pub sha256: Sha256,
    pub text: String,
}

impl Target {
    pub(super) fn of(after: &After) -> Target {
        Target { sha256: Sha256::of(&after.content), text: after.text.clone() }
    }
}

/// Whether a file may be changed that this session has not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// Whoever knows the exact text to replace has seen it.
    MayChange,
    MayNotChange,
}

pub(super) fn prepare(
    call: &Prepare,
    path: &str,
    unread: Unread,
    make: impl FnOnce(&Place, Option<&[u8]>) -> Result<After, String>,
) -> Result<Preparation, PrepareRefused> {
    let place = Place::find(&call.folder, path).map_err(refuse)?;
    let before = current(&place).map_err(refuse)?;
    check_known(call, &place, before.as_deref(), unread).map_err(refuse)?;
    let after = make(&place, before.as_deref()).map_err(refuse)?;
    if after.content.len() as u64 > FILE_BYTES_MAX {
        return Err(refuse(texts::content_too_large(&place.shown, after.content.len(), FILE_BYTES_MAX)));
    }
    let (witness, content) = (Some(witness(&place, before.as_deref())), Some(Sha256::of(&after.content)));
    // The difference shows what stands around it.
    let touches = if before.is_some() { Touches::PRIVATE } else { Touches::default() };
    let prepared = Prepared { paths: vec![place.shown.clone()], witness, content, touches, ..Prepared::default() };
    let preview = note(&place) + &diff(&place, before.as_deref().unwrap_or_default(), &after.content);
    Ok(Preparation { class: Class::Probe, risk: place.risk(Risk::Medium), prepared, preview: Some(preview) })
}

/// What the model last saw of the file must still be what it holds.
fn check_known(call: &Prepare, place: &Place, before: Option<&[u8]>, unread: Unread) -> Result<(), String> {
    let Some(before) = before else { return Ok(()) };
    match call.known.get(&place.shown) {
        Some(known) if *known == Sha256::of(before) => Ok(()),
        Some(_) => Err(texts::changed_since_read(&place.shown)),
        None if unread == Unread::MayChange || before.is_empty() => Ok(()),
        None => Err(texts::never_read(&place.shown)),
    }
}

/// Hash of what a file holds, if it is one that could be changed.
pub(super) fn content_hash(place: &Place) -> Option<Sha256> {
    let Ok(Found::File(mut file)) = reach::open(&place.real) else { return None };
    let (mut hasher, mut bytes, mut piece) = (sha2::Sha256::new(), 0, vec![0; PIECE_BYTES]);
    while bytes <= FILE_BYTES_MAX {
        let read = file.read(&mut piece).ok()?;
        if read == 0 {
            break;
        }
        hasher.update(&piece[..read]);
        bytes += read as u64;
    }
    (bytes <= FILE_BYTES_MAX).then(|| Sha256(hasher.finalize().into()))
}

pub(super) fn start(
    job: &ToolJob,
    spool: &Folder,
    path: &str,
    make: impl FnOnce(&Place, Option<&[u8]>) -> Result<After, String>,
) -> RawOutcome {
    let claimed = claim::take(spool, &job.boot);
    let _guard = match claimed {
        Ok(Some(guard)) => guard,
        Ok(None) => return RawOutcome::Cancelled(CancelReason::NoEffect),
        Err(error) => return finished(Err(texts::unwritable(path, &error))),
    };
    finished(Place::find(&job.folder, path).and_then(|place| {
        let before = current(&place)?;
        // A job without a witness was never prepared, so there is nothing it could agree with.
        if job.witness != Some(witness(&place, before.as_deref())) {
            return Err(texts::CHANGED.to_owned());
        }
        let mut after = make(&place, before.as_deref())?;
        after.text.insert_str(0, &note(&place));
        let failed = |error: io::Error| texts::unwritable(&place.shown, &error);
        crash::point("unrecorded");
        record(spool, &Target::of(&after)).map_err(failed)?;
        crash::point("unreplaced");
        let parent = replace(&place.real, &temporary(job), &after.content).map_err(failed)?;
        crash::point("replaced");
        Ok(match parent.sync() {
            Ok(()) => after.text,
            Err(error) => format!("{}\n{}", after.text, texts::maybe_written(&place.shown, &error)),
        })
    }))
}

/// Asks the file what became of the attempt. `derived` is the target where the arguments alone tell it.
pub(super) fn recover(
    job: &ToolJob,
    spool: &Folder,
    same_boot: SameBoot,
    path: &str,
    derived: impl FnOnce(&Place) -> Option<Target>,
) -> RawOutcome {
    // From here on no late start can follow, and one that is in the middle has ended.
    let settled = claim::void_if_absent(spool).and_then(|_| claim::look_when_dead(spool));
    if let Err(error) = settled {
        return RawOutcome::Unknown { reason: UnknownReason::Lost, output: texts::spool_lost(&error) };
    }
    let changed = |output: String| RawOutcome::Unknown { reason: UnknownReason::Changed, output };
    let place = match Place::find(&job.folder, path) {
        Ok(place) => place,
        Err(text) => return changed(text),
    };
    // Left by an attempt that died before its rename.
    let _ = Parent::find(&place.real).and_then(|parent| parent.remove(&temporary(job)));
    let recorded = match recorded(spool) {
        Recorded::Absent if same_boot == SameBoot(true) => return RawOutcome::Cancelled(CancelReason::NoEffect),
        Recorded::Absent | Recorded::Unreadable => None,
        Recorded::Target(target) => Some(target),
    };
    let now = match current(&place) {
        Ok(now) => now,
        Err(text) => return changed(text),
    };
    let found = now.as_deref().map(Sha256::of);
    match recorded.or_else(|| derived(&place)) {
        Some(target) if found == Some(target.sha256) => finished(Ok(target.text)),
        Some(_) | None if job.witness == Some(witness(&place, now.as_deref())) => RawOutcome::Cancelled(CancelReason::NoEffect),
        Some(_) | None => changed(String::new()),
    }
}

/// Hash of what is there: the place with every link followed, and its content or its absence.
pub(super) fn witness(place: &Place, content: Option<&[u8]>) -> Sha256 {
    let mut hasher = sha2::Sha256::new();
    hasher.update(place.real.as_os_str().as_bytes());
    // No path holds a NUL, so neither path nor absence can be taken for content.
    hasher.update(if content.is_some() { b"\0file\0".as_slice() } else { b"\0absent".as_slice() });
    hasher.update(content.unwrap_or_default());
    Sha256(hasher.finalize().into())
}

/// A unified diff of two texts; a sentence when the old content is none.
pub(super) fn diff(place: &Place, before: &[u8], after: &[u8]) -> String {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
        return texts::replaces_binary(&place.shown, before.len(), after.len());
    };
    let mut config = TextDiff::configure();
    let diff = config.timeout(DIFF_TIME_MAX).diff_lines(old, new);
    diff.unified_diff().context_radius(3).header(&place.shown, &place.shown).to_string()
}

/// The content now; `None` when there is no file.
fn current(place: &Place) -> Result<Option<Vec<u8>>, String> {
    let failed = |error: io::Error| texts::unreadable(&place.shown, &error);
    let file = match reach::open(&place.real) {
        Ok(Found::File(file)) => file,
        Ok(Found::Folder) => return Err(texts::is_folder(&place.shown)),
        Ok(Found::Other) => return Err(texts::not_a_file(&place.shown)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let bytes = file.metadata().map_err(failed)?.len();
    let mut content = Vec::new();
    // It may grow while it is read.
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut content).map_err(failed)?;
    let found = bytes.max(content.len() as u64);
    if found > FILE_BYTES_MAX { Err(texts::too_large(&place.shown, found, FILE_BYTES_MAX)) } else { Ok(Some(content)) }
}

fn record(spool: &Folder, target: &Target) -> io::Result<()> {
    let temporary = spool.path().join("target.tmp");
    fs::write(&temporary, serde_json::to_vec(target)?)?;
    fs::rename(&temporary, spool.path().join(TARGET))
}

/// What the attempt meant to write, as far as it says.
enum Recorded {
    /// It had not come so far.
    Absent,
    /// It had, and what it meant is lost; only the file can tell.
    Unreadable,
    Target(Target),
}

fn recorded(spool: &Folder) -> Recorded {
    match fs::read(spool.path().join(TARGET)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_or(Recorded::Unreadable, Recorded::Target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Recorded::Absent,
        Err(_) => Recorded::Unreadable,
    }
}

/// Beside the file, because only there a rename is atomic; named by the attempt, so that recovery finds it.
fn temporary(job: &ToolJob) -> OsString {
    format!(".thru-{}-{}.tmp", job.action, job.attempt).into()
}

/// Puts the content in place in one step; gives the folder, whose entries changed. On an error the file is as it was.
fn replace(real: &Path, temporary: &OsStr, content: &[u8]) -> io::Result<Parent> {
    let parent = Parent::make(real)?;
    let written = write_like(real, &parent, temporary, content).and_then(|()| parent.replace_by(temporary));
    if let Err(error) = written {
        let _ = parent.remove(temporary);
        return Err(error);
    }
    Ok(parent)
}

/// Writes a durable file with the owner and permissions of the one it will replace.
fn write_like(model: &Path, parent: &Parent, temporary: &OsStr, content: &[u8]) -> io::Result<()> {
    let mut file = parent.create(temporary)?;
    if let Ok(Found::File(model)) = reach::open(model) {
        let metadata = model.metadata()?;
        // Only root may give files away; for anyone else the owner is the same or cannot be kept.
        let _ = std::os::unix::fs::fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(content)?;
    file.sync_all()
}

/// What is said beside the difference: other names of the file keep the old content.
fn note(place: &Place) -> String {
    let names = match reach::open(&place.real) {
        Ok(Found::File(file)) => file.metadata().map_or(1, |metadata| metadata.nlink()),
        Ok(Found::Folder | Found::Other) | Err(_) => 1,
    };
    if names > 1 { texts::other_names(names - 1) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::{Desk, desk};
    use damage::damaged;
    use proptest::prelude::*;
    use serde_json::json;
    use std::os::unix::fs::{PermissionsExt, symlink};

    const NO_EFFECT: RawOutcome = RawOutcome::Cancelled(CancelReason::NoEffect);

    fn changed() -> RawOutcome {
        RawOutcome::Unknown { reason: UnknownReason::Changed, output: String::new() }
    }

    fn edit_desk() -> (Desk, ToolJob) {
        let desk = desk("edit_file");
        desk.write("a", "one two");
        let job = desk.job(&json!({"path": "a", "old": "two", "new": "three"}));
        (desk, job)
    }

    #[test]
    fn a_recovery_before_the_start_keeps_the_start_from_happening() {
        let (desk, job) = edit_desk();
        assert_eq!(desk.recover(&job, true), NO_EFFECT);
        assert_eq!(desk.recover(&job, true), NO_EFFECT, "asked again, the answer is the same");
        assert_eq!(desk.start(&job), NO_EFFECT);
        assert_eq!(fs::read_to_string(desk.folder.join("a")).unwrap(), "one two");
    }

    #[test]
    fn a_finished_attempt_is_recovered_with_the_same_text() {
        let (desk, job) = edit_desk();
        let done = desk.start(&job);
        assert!(matches!(done, RawOutcome::Finished { ok: true, .. }));
        assert_eq!(desk.recover(&job, true), done);
        assert_eq!(desk.recover(&job, false), done);
    }

    #[test]
    fn an_attempt_that_died_between_record_and_rename_had_no_effect() {
        let (desk, job) = edit_desk();
        drop(claim::take(&desk.spool, &job.boot).unwrap());
        record(&desk.spool, &Target { sha256: Sha256::of(b"one three"), text: "x".into() }).unwrap();
        let left = desk.folder.join(temporary(&job));
        fs::write(&left, "one thr").unwrap();
        assert_eq!(desk.recover(&job, true), NO_EFFECT);
        assert!(!left.exists());
    }

    #[test]
    fn a_file_that_is_neither_old_nor_new_is_unknown() {
        let (desk, job) = edit_desk();
        desk.start(&job);
        desk.write("a", "something else");
        assert_eq!(desk.recover(&job, true), changed());
    }

    #[test]
    fn without_a_record_the_file_was_not_touched_unless_the_record_was_lost_with_a_boot() {
        let (desk, job) = edit_desk();
        desk.write("a", "something else");
        assert_eq!(desk.recover(&job, true), NO_EFFECT);
        assert_eq!(desk.recover(&job, false), changed());
        desk.write("a", "one two");
        assert_eq!(desk.recover(&job, false), NO_EFFECT);
    }

    #[test]
    fn after_a_boot_a_whole_write_is_known_by_its_arguments() {
        let desk = desk("write_file");
        let job = desk.job(&json!({"path": "a", "content": "new\n"}));
        let done = desk.start(&job);
        fs::remove_file(desk.spool.path().join(TARGET)).unwrap();
        assert_eq!(desk.recover(&job, false), done);
    }

    #[test]
    fn recovery_waits_for_an_owner_that_is_still_writing() {
        let (desk, job) = edit_desk();
        let guard = claim::take(&desk.spool, &job.boot).unwrap();
        std::thread::scope(|scope| {
            let recovery = scope.spawn(|| desk.recover(&job, true));
            // Whatever the other owner does before it lets go is seen.
            record(&desk.spool, &Target { sha256: Sha256::of(b"done"), text: "done".into() }).unwrap();
            desk.write("a", "done");
            drop(guard);
            assert_eq!(recovery.join().unwrap(), finished(Ok("done".into())));
        });
    }

    #[test]
    fn a_start_without_the_witness_changes_nothing() {
        let (desk, job) = edit_desk();
        desk.write("a", "one two and more");
        assert_eq!(desk.start(&job), finished(Err(texts::CHANGED.into())));
        assert_eq!(fs::read_to_string(desk.folder.join("a")).unwrap(), "one two and more");
        let (desk, job) = edit_desk();
        assert_eq!(desk.start(&ToolJob { witness: None, ..job }), finished(Err(texts::CHANGED.into())));
    }

    #[test]
    fn a_link_stays_and_permissions_are_kept() {
        let desk = desk("write_file");
        let real = desk.write("sub/real", "old");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o751)).unwrap();
        symlink("sub/real", desk.folder.join("link")).unwrap();
        desk.run(&json!({"path": "link", "content": "new"})).unwrap();
        assert!(desk.folder.join("link").is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o751);
        assert_eq!(fs::read_dir(desk.folder.join("sub")).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn what_changed_since_it_was_read_is_not_changed() {
        for (tool, change) in
            [("write_file", json!({"path": "a", "content": "new"})), ("edit_file", json!({"path": "a", "old": "one", "new": "1"}))]
        {
            let desk = desk(tool);
            desk.write("a", "one");
            fs::write(desk.folder.join("a"), "one and two").unwrap();
            assert_eq!(desk.prepare(&change), Err(texts::changed_since_read("a")));
            desk.write("a", "one and two");
            let prepared = desk.prepare(&change).unwrap().prepared;
            assert_eq!((prepared.file().map(|(path, _)| path), prepared.touches), (Some("a"), Touches::PRIVATE));
            desk.run(&change).unwrap();
            let now = fs::read(desk.folder.join("a")).unwrap();
            assert_eq!(prepared.content, Some(Sha256::of(&now)), "what was written is known");
        }
    }

    #[test]
    fn a_file_that_was_never_read_is_edited_and_not_replaced() {
        let content = json!({"path": "a", "content": "new"});
        let writing = desk("write_file");
        writing.write("a", "old");
        writing.known.lock().unwrap().clear();
        assert_eq!(writing.prepare(&content), Err(texts::never_read("a")));
        fs::write(writing.folder.join("a"), "").unwrap();
        assert!(writing.prepare(&content).is_ok(), "nothing is lost of an empty file");
        fs::remove_file(writing.folder.join("a")).unwrap();
        assert!(writing.prepare(&content).is_ok());
        let editing = desk("edit_file");
        editing.write("a", "old");
        editing.known.lock().unwrap().clear();
        assert!(editing.prepare(&json!({"path": "a", "old": "old", "new": "new"})).is_ok());
    }

    #[test]
    fn other_names_of_a_file_are_told_of() {
        let desk = desk("write_file");
        fs::hard_link(desk.write("a", "old\n"), desk.folder.join("b")).unwrap();
        let args = json!({"path": "a", "content": "new\n"});
        assert!(desk.prepare(&args).unwrap().preview.unwrap().starts_with(&texts::other_names(1)));
        assert!(desk.run(&args).unwrap().starts_with(&texts::other_names(1)));
        let read = |name: &str| fs::read_to_string(desk.folder.join(name)).unwrap();
        assert_eq!((read("a"), read("b")), ("new\n".into(), "old\n".into()));
    }

    #[test]
    fn what_is_too_large_to_be_looked_at_is_not_changed() {
        let desk = desk("write_file");
        let large = "x".repeat(FILE_BYTES_MAX as usize + 1);
        let refused = desk.prepare(&json!({"path": "a", "content": large})).unwrap_err();
        assert_eq!(refused, texts::content_too_large("a", large.len(), FILE_BYTES_MAX));
        desk.write("a", large);
        let refused = desk.prepare(&json!({"path": "a", "content": ""})).unwrap_err();
        assert_eq!(refused, texts::too_large("a", FILE_BYTES_MAX + 1, FILE_BYTES_MAX));
    }

    #[test]
    fn a_folder_exchanged_for_a_link_leads_nowhere() {
        let desk = desk("write_file");
        desk.write("sub/a", "old");
        let outside = desk.folder.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        let place = Place::find(&desk.folder, "sub/a").unwrap();
        fs::rename(desk.folder.join("sub"), desk.folder.join("aside")).unwrap();
        symlink(&outside, desk.folder.join("sub")).unwrap();
        assert!(replace(&place.real, OsStr::new("tmp"), b"new").is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        fs::write(&place.real, "new").unwrap();
        assert!(outside.join("a").exists(), "by its path alone the file is written outside");
    }

    #[test]
    fn a_link_turned_after_preparing_is_not_written_through() {
        let desk = desk("write_file");
        let job = desk.job(&json!({"path": "new", "content": "x"}));
        let outside = desk.folder.parent().unwrap().join("outside");
        symlink(&outside, desk.folder.join("new")).unwrap();
        assert_eq!(desk.start(&job), finished(Err(texts::CHANGED.into())));
        assert!(!outside.exists());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The file was replaced, so nobody may say that it was not and do it again.
        #[test]
        fn a_record_with_any_bytes_does_not_undo_what_was_done(spoilt in damaged(Just(Vec::new())), more in damaged(Just(br#"{"sha256":"","text":""}"#.to_vec()))) {
            let (desk, job) = edit_desk();
            let done = desk.start(&job);
            let path = desk.spool.path().join(TARGET);
            let whole = fs::read(&path).unwrap();
            for bytes in [spoilt, more, whole[..whole.len() / 2].to_vec()] {
                fs::write(&path, bytes).unwrap();
                prop_assert_eq!(desk.recover(&job, true), changed());
            }
            fs::write(&path, whole).unwrap();
            prop_assert_eq!(desk.recover(&job, true), done);
        }
    }
}
