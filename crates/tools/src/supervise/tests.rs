//! What lies in the spool and comes over its sockets, as another version, a cut write or a stranger may leave it.

use super::claim::{self, Claim, Look};
use super::control::Control;
use super::spec::{Command, Exit, Spec, Streams, Walls, Way};
use super::{Folder, output, survey};
use contract::id::{ActionId, BootId};
use damage::{damaged, damaged_text, reshaped};
use proptest::prelude::*;
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

fn bytes(max: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..max)
}

/// What a program can be given: no byte of it is zero.
fn text() -> impl Strategy<Value = OsString> {
    prop::collection::vec(1u8.., 0..6).prop_map(OsString::from_vec)
}

fn spec() -> impl Strategy<Value = Spec> {
    let (argv, env) = (prop::collection::vec(text(), 0..4), prop::collection::vec((text(), text()), 0..3));
    let texts = || prop::collection::vec(text(), 0..3);
    let walls = (prop::sample::select(&Way::ALL), text(), texts(), texts(), any::<u64>()).prop_map(
        |(way, temp, hidden, protected, processes_max)| Walls {
            way,
            temp,
            hidden,
            protected,
            network: processes_max % 2 == 0,
            processes_max,
        },
    );
    let room = prop::option::of(walls);
    (argv, env, text(), text(), ".{0,8}", any::<(u8, Option<u64>, u64, u64)>(), room).prop_map(
        |(argv, env, folder, spool, boot, numbers, room)| {
            let (kind, timeout_ms, grace_ms, output_bytes_max) = numbers;
            let streams = [Streams::Output, Streams::Both, Streams::Terminal][usize::from(kind % 3)];
            Spec { argv, env, folder, spool, boot: BootId(boot), streams, timeout_ms, grace_ms, output_bytes_max, room }
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        any::<i32>().prop_map(Command::Signal),
        any::<u64>().prop_map(|grace_ms| Command::Stop { grace_ms }),
        ".{0,12}".prop_map(Command::Input),
        any::<bool>().prop_map(Command::CloseInput),
    ]
}

fn claim() -> impl Strategy<Value = Claim> {
    let held = (any::<(i32, u64)>(), ".{0,8}").prop_map(|((pid, start), boot)| {
        let namespace = format!("pid:[{boot}]");
        Claim::Held { pid, start, boot: BootId(boot), namespace }
    });
    prop_oneof![1 => Just(Claim::Void), 4 => held]
}

fn exit() -> impl Strategy<Value = Exit> {
    (any::<(Option<i32>, Option<i32>, bool, u64)>(), prop::option::of(".{0,8}")).prop_map(|((code, signal, timed_out, bytes), error)| {
        Exit { code, signal, error: error.clone(), timed_out, bytes, output_error: error }
    })
}

/// A spool with the folder of one attempt.
fn spooled() -> (tempfile::TempDir, Folder) {
    let temp = tempfile::tempdir().unwrap();
    let folder = Folder::of(temp.path(), ActionId([7; 16]), 1);
    fs::create_dir(folder.path()).unwrap();
    (temp, folder)
}

/// Bytes sent in pieces, and every command that comes of them.
fn read_all(pieces: &[&[u8]]) -> Vec<Result<Command, String>> {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("control");
    let listener = UnixListener::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let (owner, _other_end) = UnixStream::pair().unwrap();
    let mut control = Control::new(listener, &owner);
    let mut theirs = UnixStream::connect(path).unwrap();
    control.accept();
    let mut commands = Vec::new();
    for piece in pieces {
        theirs.write_all(piece).unwrap();
        commands.extend(control.read(0));
    }
    drop(theirs);
    // One read for all that is left, one that finds the end.
    commands.extend(control.read(0));
    control.read(0);
    control.sweep();
    assert!(control.connections.is_empty(), "a connection that ended is let go");
    commands
}

proptest! {
    // Each case has files or sockets of its own.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_specification_comes_over_whole_or_not_at_all(spec in spec(), cut in any::<prop::sample::Index>(), more in bytes(4)) {
        let frame = spec.to_frame().unwrap();
        let mut from = frame.as_slice().chain(more.as_slice());
        prop_assert_eq!(Spec::from_frame(&mut from).unwrap(), spec);
        let mut left = Vec::new();
        from.read_to_end(&mut left).unwrap();
        prop_assert_eq!(left, more, "what follows is not touched");
        prop_assert!(Spec::from_frame(&frame[..cut.index(frame.len())]).is_err(), "half of one never runs");
    }

    #[test]
    fn a_damaged_specification_is_another_one_or_refused(frame in damaged(spec().prop_map(|spec| spec.to_frame().unwrap()))) {
        match Spec::from_frame(frame.as_slice()) {
            Ok(spec) => {
                prop_assert_eq!(Spec::from_frame(spec.to_frame().unwrap().as_slice()).unwrap(), spec);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn commands_come_in_order_however_their_lines_are_cut(commands in prop::collection::vec(command(), 0..5), size in 1usize..40) {
        let lines: Vec<String> = commands.iter().map(|command| serde_json::to_string(command).unwrap() + "\n\r\n").collect();
        let sent = lines.concat().into_bytes();
        let pieces: Vec<&[u8]> = sent.chunks(size).collect();
        prop_assert_eq!(read_all(&pieces), commands.into_iter().map(Ok).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_that_is_no_command_is_answered_for_and_hides_no_other(
        spoilt in prop_oneof![
            damaged_text(command().prop_map(|command| serde_json::to_string(&command).unwrap())),
            reshaped(command().prop_map(|command| json!(command))).prop_map(|value| value.to_string()),
        ],
        command in command(),
    ) {
        let spoilt = spoilt.replace('\n', " ");
        let lines = format!("{spoilt}\n{}\n", serde_json::to_string(&command).unwrap());
        let mut read = read_all(&[lines.as_bytes()]);
        prop_assert_eq!(read.pop(), Some(Ok(command)));
        prop_assert_eq!(read.len(), usize::from(!spoilt.as_bytes().trim_ascii().is_empty()), "one answer a line");
        for one in read {
            match one {
                Ok(meant) => prop_assert_eq!(serde_json::from_str::<Command>(&spoilt).unwrap(), meant),
                Err(reason) => prop_assert!(!reason.is_empty()),
            }
        }
    }

    /// A claim that cannot be read is one of the dead: it is never taken for a living one, nor for one that says
    /// that nothing ran.
    #[test]
    fn a_claim_says_what_it_said_or_nothing(claim in claim(), spoilt in damaged(claim().prop_map(|claim| serde_json::to_vec(&claim).unwrap()))) {
        let (temp, folder) = spooled();
        for bytes in [serde_json::to_vec(&claim).unwrap(), spoilt] {
            fs::write(folder.path().join("claim"), &bytes).unwrap();
            let line = bytes.split(|byte| *byte == b'\n').next().unwrap();
            let said: Option<Claim> = serde_json::from_slice(line).ok();
            let pid = if let Some(Claim::Held { pid, .. }) = said { Some(pid) } else { None };
            match claim::look(&folder).unwrap() {
                Look::Void => prop_assert_eq!(said, Some(Claim::Void)),
                Look::Dead(found) => prop_assert!(found == said && found != Some(Claim::Void)),
                found @ (Look::Absent | Look::Alive) => prop_assert!(false, "{found:?}"),
            }
            let survey = survey::survey(temp.path());
            prop_assert_eq!((survey.len(), survey[0].alive, survey[0].pid), (1, false, pid));
        }
    }

    #[test]
    fn an_exit_record_is_whole_or_none(
        claim in claim(),
        exit in exit(),
        cut in any::<prop::sample::Index>(),
        spoilt in damaged(exit().prop_map(|exit| serde_json::to_vec(&exit).unwrap())),
    ) {
        let (_temp, folder) = spooled();
        let store = |bytes: &[u8]| fs::write(folder.path().join("claim"), bytes).unwrap();
        let mut held = serde_json::to_vec(&claim).unwrap();
        held.push(b'\n');
        let record = [held.clone(), serde_json::to_vec(&exit).unwrap(), b"\n".to_vec()].concat();
        store(&record);
        prop_assert_eq!((claim::read(&folder), claim::exit(&folder)), (Some(claim), Some(exit)));
        store(&record[..cut.index(record.len())]);
        prop_assert_eq!(claim::exit(&folder), None, "a record that was cut short");
        store(&[held, spoilt.clone(), b"\n".to_vec()].concat());
        let line = spoilt.split(|byte| *byte == b'\n').next().unwrap();
        prop_assert_eq!(claim::exit(&folder), serde_json::from_slice(line).ok());
    }

    /// Whoever looks after the spool removes folders by these names.
    #[test]
    fn only_folders_that_an_attempt_makes_are_attempts(
        name in damaged((any::<[u8; 16]>(), any::<u16>()).prop_map(|(id, attempt)| format!("{}-{attempt}", ActionId(id)).into_bytes())),
    ) {
        prop_assume!(!name.is_empty() && name.len() < 255 && !name.contains(&b'/') && !name.contains(&0) && name != b"." && name != b"..");
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join(OsString::from_vec(name));
        fs::create_dir(&path).unwrap();
        for (action, attempt) in Folder::all(temp.path()) {
            prop_assert_eq!(Folder::of(temp.path(), action, attempt), Folder::at(path.clone()));
        }
    }

    /// Nothing of the output is synced, so after a boot any of its bytes may be others.
    #[test]
    fn output_is_read_whatever_its_files_hold(head in bytes(40), size in 1u64..20, written in 0u64..60, tail in bytes(24), spoilt in damaged(Just(vec![0; 16])), is_spoilt: bool) {
        let temp = tempfile::tempdir().unwrap();
        let header = if is_spoilt { spoilt } else { [written.to_le_bytes(), size.to_le_bytes()].concat() };
        fs::write(temp.path().join("output"), &head).unwrap();
        fs::write(temp.path().join("tail"), [header, tail.clone()].concat()).unwrap();
        check_output(temp.path(), head.len() + tail.len() + 24)?;
    }

    #[test]
    fn a_ring_of_any_size_is_read(counters in prop::collection::vec(prop_oneof![any::<u64>(), (0u32..64).prop_map(|bit| u64::MAX >> bit), 0u64..99], 2), tail in bytes(24)) {
        let temp = tempfile::tempdir().unwrap();
        let header: Vec<u8> = counters.iter().flat_map(|counter| counter.to_le_bytes()).collect();
        fs::write(temp.path().join("output"), b"head").unwrap();
        fs::write(temp.path().join("tail"), [header, tail.clone()].concat()).unwrap();
        check_output(temp.path(), 4 + tail.len())?;
    }

    /// A character is shown once it is whole, and never in two pieces, however the output is cut.
    #[test]
    fn text_is_the_same_in_pieces(bytes in prop_oneof![bytes(40), damaged("\\PC{0,12}".prop_map(String::into_bytes))], size in 1usize..6) {
        let (mut held, mut shown) = (Vec::new(), String::new());
        for piece in bytes.chunks(size) {
            held.extend_from_slice(piece);
            let rest = held.split_off(held.len() - output::cut_character(&held));
            shown += &String::from_utf8_lossy(&held);
            prop_assert!(rest.len() < 4);
            held = rest;
        }
        shown += &String::from_utf8_lossy(&held);
        prop_assert_eq!(shown, String::from_utf8_lossy(&bytes));
    }
}

/// What is read is no more than the files have: a byte that is no text is shown with three.
fn check_output(folder: &Path, kept: usize) -> Result<(), TestCaseError> {
    let whole = output::whole(folder);
    prop_assert!(whole.len() <= 3 * kept + 100, "{} bytes of {kept}", whole.len());
    prop_assert!(output::tail(folder, 9).is_none_or(|tail| tail.len() <= 9));
    let mut offset = 0;
    for _ in 0..=kept {
        let chunk = output::since(folder, offset, 7);
        prop_assert!(chunk.offset >= offset && chunk.bytes.len() <= 7);
        if chunk.bytes.is_empty() {
            return Ok(());
        }
        offset = chunk.offset.saturating_add(chunk.bytes.len() as u64);
    }
    prop_assert!(false, "a reader that goes on comes to the end");
    Ok(())
}
