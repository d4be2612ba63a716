//! Commands on a terminal of their own, in every way to hold them and in none: what a terminal has to do, and that such a
//! command lives, is adopted and ends like any other.

use crate::desk::{ACTION, ATTEMPT, Desk, desk, desk_by, desk_without_sandbox, finished, lives, unknown, until, within};
use contract::body::UnknownReason;
use contract::port::{RawOutcome, Recovery, Stopping, ToolJob, Tools};
use serde_json::json;
use std::fs;
use std::time::Duration;
use tools::supervise::Way;

fn job(desk: &Desk, command: &str) -> ToolJob {
    desk.job_with(&json!({"command": command, "pty": true}))
}

async fn run(desk: &Desk, command: &str) -> RawOutcome {
    let outcome = within(desk.tools.start(job(desk, command))).await;
    desk.tools.forget(ACTION, ATTEMPT).await;
    outcome
}

async fn type_in(desk: &Desk, text: &str) {
    let sent = format!("Sent {} bytes to the input of call_3_0.", text.len());
    assert_eq!(desk.ask_about("process_input", &json!({"call": "call_3_0", "text": text})).await, Ok(sent));
}

/// Until this was printed, as it is to be read.
async fn until_printed(desk: &Desk, text: &str) {
    until(text, || desk.output().contains(text).then_some(())).await;
}

/// What a program on a terminal may expect; without `pty` none of it is so.
async fn is_a_terminal(desk: &Desk) {
    let expected = "test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM && tty | grep -c '^/dev/pts/[0-9]*$' && \
                    echo said > /dev/tty && read _ _ _ _ _ session _ front _ < /proc/$$/stat && [ $session-$front = $$-$$ ]";
    assert_eq!(run(desk, expected).await, finished(0, "40 120\ndumb\n1\nsaid\n"));
    for plain in ["test -t 0 || test -t 1 || test -t 2", "stty size 2>/dev/null", "tty > /dev/null", "(: > /dev/tty) 2>/dev/null"] {
        assert_eq!(desk.run(plain).await, finished(1, ""), "{plain}");
        desk.tools.forget(ACTION, ATTEMPT).await;
    }
}

/// Typing, Ctrl-C and Ctrl-D.
async fn is_typed_on(desk: &Desk) {
    let started = desk.start(job(desk, "stty -echo; echo ready; cat; echo status $?"));
    until_printed(desk, "ready\n").await;
    type_in(desk, "one\ntw").await;
    type_in(desk, "o\n\u{4}").await;
    assert_eq!(within(started).await.unwrap(), finished(0, "ready\none\ntwo\nstatus 0\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;

    let started = desk.start(job(desk, "stty -echo; trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 1000; done"));
    until_printed(desk, "ready\n").await;
    type_in(desk, "\u{3}").await;
    assert_eq!(within(started).await.unwrap(), finished(7, "ready\ninterrupted\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;

    // The end of input, behind a line that was ended and behind one that was not.
    for text in ["a\n", "a", ""] {
        let started = desk.start(job(desk, "stty -echo; echo ready; cat"));
        until_printed(desk, "ready\n").await;
        let said = desk.ask_about("process_input", &json!({"call": "call_3_0", "text": text, "close": true})).await.unwrap();
        assert!(said.ends_with("Ctrl-D to call_3_0."), "{said}");
        assert_eq!(within(started).await.unwrap(), finished(0, &format!("ready\n{text}")));
        desk.tools.forget(ACTION, ATTEMPT).await;
    }
}

/// Nothing of a long output is lost, and what is on the terminal when the command ends is read.
async fn is_read_to_the_end(desk: &Desk) {
    let RawOutcome::Finished { ok: true, output, .. } = run(desk, "seq 170000").await else { panic!("it worked") };
    assert!(output.len() > 1_000_000);
    let expected: String = (1..=170_000).map(|number| format!("{number}\n")).collect();
    assert!(output == expected, "{} bytes instead of {}", output.len(), expected.len());
    // Output that comes when nobody had the terminal open for a while.
    let gate = desk.make_gate();
    let started = desk.start(job(desk, "exec 3</dev/null >&3 2>&3 <&3; echo > closed; read x < gate; echo again > /dev/tty"));
    desk.until_file("closed").await;
    // An answer shows that the supervisor has looked at the terminal since.
    desk.ask_about("process_signal", &json!({"call": "call_3_0", "signal": "CONT"})).await.unwrap();
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, "again\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;
}

/// Stopping, what is left behind, being adopted, and losing the supervisor.
async fn lives_like_any_other(desk: &Desk) {
    fs::write(desk.folder.join("stubborn"), "trap '' TERM HUP INT; echo $$ > $1; while :; do sleep 1000; done").unwrap();
    let started = desk.start(job(desk, "trap '' TERM HUP; bash stubborn one & setsid bash stubborn two & bash stubborn three; true"));
    let mut pids = Vec::new();
    for name in ["one", "two", "three"] {
        pids.push(desk.until_pid(name).await);
    }
    assert!(pids.iter().copied().all(lives));
    assert_eq!(within(desk.tools.stop(ACTION, ATTEMPT, Duration::from_millis(50))).await, Stopping::Told);
    assert_eq!(within(started).await.unwrap(), RawOutcome::Finished { ok: false, output: String::new(), exit: None, signal: Some(9) });
    assert!(!pids.into_iter().any(lives));
    desk.tools.forget(ACTION, ATTEMPT).await;

    // Whoever is left when the command ends is hung up on.
    fs::write(desk.folder.join("left"), "trap 'echo > hung; exit' HUP; sleep 1000 & echo > up; wait").unwrap();
    let gate = desk.make_gate_named("leave");
    let started = desk.start(job(desk, "bash left & read x < leave; exit 3"));
    desk.until_file("up").await;
    let supervisor = rustix::process::Pid::from_raw(desk.supervisor_pid()).unwrap();
    // While it stands still, nobody else ends what is left.
    rustix::process::kill_process(supervisor, rustix::process::Signal::STOP).unwrap();
    desk.open_gate(&gate).await;
    desk.until_file("hung").await;
    rustix::process::kill_process(supervisor, rustix::process::Signal::CONT).unwrap();
    assert_eq!(within(started).await.unwrap(), finished(3, ""));
    desk.tools.forget(ACTION, ATTEMPT).await;

    let started = desk.start(job(desk, "stty -echo; echo first; read x; echo got $x; exit 5"));
    until_printed(desk, "first\n").await;
    started.abort();
    assert!(started.await.unwrap_err().is_cancelled());
    let Recovery::Running(running) = desk.recover(&job(desk, "")).await else { panic!("it runs") };
    type_in(desk, "this\n").await;
    assert_eq!(within(running).await, finished(5, "first\ngot this\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;

    fs::remove_file(desk.folder.join("one")).unwrap();
    let started = desk.start(job(desk, "bash stubborn one & until [ -s one ]; do :; done; echo last; wait"));
    until_printed(desk, "last\n").await;
    let pid = desk.until_pid("one").await;
    assert!(lives(pid));
    desk.kill_supervisor();
    assert_eq!(within(started).await.unwrap(), unknown(UnknownReason::Died, "last\n"));
    until("nothing is left", || (!lives(pid)).then_some(())).await;
    desk.tools.forget(ACTION, ATTEMPT).await;
}

async fn is_whole(desk: &Desk) {
    is_a_terminal(desk).await;
    is_typed_on(desk).await;
    is_read_to_the_end(desk).await;
    lives_like_any_other(desk).await;
}

#[tokio::test]
async fn a_terminal_without_a_sandbox() {
    is_whole(&desk_without_sandbox()).await;
}

#[tokio::test]
async fn a_terminal_in_namespaces() {
    is_whole(&desk_by(&[Way::Namespaces])).await;
}

#[tokio::test]
async fn a_terminal_in_namespaces_of_somebody_who_is_not_root() {
    is_a_terminal(&desk_by(&[Way::Namespaces]).of_nobody()).await;
    is_typed_on(&desk_by(&[Way::Namespaces]).of_nobody()).await;
}

#[tokio::test]
async fn a_terminal_in_bubblewrap() {
    is_whole(&desk_by(&[Way::Bubblewrap])).await;
}

#[tokio::test]
async fn a_terminal_with_landlock_alone() {
    is_whole(&desk_by(&[Way::Landlock])).await;
}

/// Neither the supervisor's end of the terminal nor anything else is left to a command.
#[tokio::test]
async fn a_command_gets_its_own_end_and_nothing_else() {
    for desk in [desk(), desk_by(&[Way::Landlock])] {
        let RawOutcome::Finished { output, .. } = run(&desk, "ls /proc/self/fd; ls -l /proc/self/fd | grep -c ptmx").await else {
            panic!("it ran")
        };
        assert_eq!(output, "0  1  2  3\n0\n");
    }
}

/// Putting words into the mouth of a terminal is refused, even of its own.
#[tokio::test]
async fn nobody_types_for_others() {
    let typing = "python3 -c \"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')\" 2>&1 | grep -o 'Operation not permitted'";
    for desk in [desk_by(&[Way::Namespaces]), desk_by(&[Way::Landlock])] {
        assert_eq!(run(&desk, typing).await, finished(0, "Operation not permitted\n"));
    }
    // A terminal of the machine has no name in a room, or one that cannot be opened.
    let terminal = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
    rustix::pty::unlockpt(&terminal).unwrap();
    let name = rustix::pty::ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let open = format!("exec 3<>{name}");
    assert_eq!(desk_without_sandbox().run(&open).await, finished(0, ""));
    for desk in [desk_by(&[Way::Namespaces]), desk_by(&[Way::Landlock])] {
        let RawOutcome::Finished { ok: false, .. } = desk.run(&open).await else { panic!("{open} worked") };
    }
}

#[tokio::test]
async fn a_line_that_a_terminal_would_cut_is_refused() {
    let desk = desk();
    let started = desk.start(job(&desk, "stty -echo; echo ready; read x; echo ${#x}; stty raw; echo raw; head -c 5000 | wc -c"));
    until_printed(&desk, "ready\n").await;
    let send = async |text: String| desk.ask_about("process_input", &json!({"call": "call_3_0", "text": text})).await;
    type_in(&desk, &"x".repeat(4_000)).await;
    let refused = send("x".repeat(96)).await.unwrap_err();
    assert!(refused.contains("a line on a terminal has at most 4095 bytes"), "{refused}");
    type_in(&desk, &format!("{}\n", "x".repeat(95))).await;
    until_printed(&desk, "4095\nraw\n").await;
    type_in(&desk, &"y".repeat(5_000)).await;
    assert_eq!(within(started).await.unwrap(), finished(0, "ready\n4095\nraw\n5000\n"));
}

/// The bytes are in the spool as they were printed; whoever reads them gets text.
#[tokio::test]
async fn what_is_shown_is_text_and_what_is_kept_is_every_byte() {
    let desk = desk();
    let gate = desk.make_gate();
    let started = desk.start(job(&desk, r"printf '10%%\r\033[31m100%%\033[0m\nready\n'; read x < gate"));
    until_printed(&desk, "ready").await;
    assert_eq!(fs::read_to_string(desk.in_spool("output")).unwrap(), "10%\r\u{1b}[31m100%\u{1b}[0m\r\nready\r\n");
    let status = desk.ask_about("process_status", &json!({"call": "call_3_0"})).await.unwrap();
    assert!(status.ends_with("\n100%\nready\n"), "{status:?}");
    let waited = desk.ask_about("wait_for", &json!({"call": "call_3_0", "seconds": 60, "until": "^ready$"})).await.unwrap();
    assert!(waited.contains("ready"), "{waited}");
    assert_eq!(desk.tools.tail(ACTION, ATTEMPT, 1_000).await.as_deref(), Some("100%\nready\n"));
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, "100%\nready\n"));
}
