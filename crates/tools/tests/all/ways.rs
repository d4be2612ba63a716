//! The other ways to make a sandbox, each with what it must hold by itself, and what happens where none can be gone.

use crate::desk::{ACTION, ATTEMPT, Desk, PROCESSES_MAX, below, desk_by, desk_without_sandbox, finished, lives, unknown, until, within};
use contract::body::UnknownReason;
use contract::call::{Risk, Sandbox};
use contract::port::{Prepare, RawOutcome, Recovery, Stopping, Tools};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;
use tools::supervise::Way;

async fn run(desk: &Desk, command: &str) -> (Option<i32>, String) {
    let outcome = desk.run(command).await;
    desk.tools.forget(ACTION, ATTEMPT).await;
    match outcome {
        RawOutcome::Finished { exit, output, .. } => (exit, output),
        other @ (RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
    }
}

async fn prepared(desk: &Desk) -> Result<(Risk, Option<Sandbox>), String> {
    let args = r#"{"command":"ls"}"#.to_owned();
    let call = Prepare {
        stream: desk.job("").stream,
        tool: "shell".into(),
        args,
        folder: desk.folder.clone(),
        open: Vec::new(),
        known: std::sync::Arc::default(),
    };
    let found = desk.tools.prepare(call).await.map_err(|refused| refused.message)?;
    Ok((found.risk, found.prepared.sandbox))
}

/// What every way refuses; without a sandbox each of these works.
async fn holds(way: Way) {
    let outside = tempfile::Builder::new().prefix("thru-sandbox-").tempdir_in("/var").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut other = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let (path, port, pid) = (outside.path().display(), listener.local_addr().unwrap().port(), other.id());
    let attempts = [
        format!("touch {path}/file"),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
        format!("kill -CONT {pid}"),
        format!("cat /proc/{pid}/environ > /dev/null"),
        "unshare --mount true".to_owned(),
        "mkdir -p m && mount -t tmpfs none m && umount m".to_owned(),
        "grep -q 'NoNewPrivs:.0' /proc/self/status".to_owned(),
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'".to_owned(),
    ];
    for attempt in attempts {
        let (exit, output) = run(&desk_by(&[way]), &attempt).await;
        assert!(exit.is_some_and(|code| code != 0), "{way:?}: {attempt} worked: {output}");
        let (exit, output) = run(&desk_without_sandbox(), &attempt).await;
        assert_eq!(exit, Some(0), "without one {attempt} failed: {output}");
    }
    other.kill().unwrap();
    other.wait().unwrap();
    let desk = desk_by(&[way]);
    fs::create_dir_all(&desk.spool).unwrap();
    fs::write(desk.spool.join("secret"), "secret").unwrap();
    let (exit, output) = run(&desk, &format!("cat {}/secret", desk.spool.display())).await;
    assert!(exit != Some(0) && !output.contains("secret\n"), "{output}");
    let allowed = "set -e; echo a > file; mkdir sub; mv file sub/other; echo b > $TMPDIR/x; cat $TMPDIR/x sub/other; head -c 1 /etc/passwd > /dev/null; \
                   grep CapEff /proc/self/status";
    assert_eq!(run(&desk, allowed).await, (Some(0), "b\na\nCapEff:\t0000000000000000\n".into()));
}

/// Stopping, leaving things behind, being adopted, and losing the supervisor.
async fn lives_like_any_other(way: Way) {
    let desk = desk_by(&[way]);
    fs::write(desk.folder.join("stubborn"), "trap '' TERM; echo $$ > pid; while :; do sleep 1000; done").unwrap();
    let gate = desk.make_gate();
    let started = desk.start(desk.job("(setsid bash -c '(bash stubborn &)' &); read x < gate; exit 3"));
    let pid = desk.until_pid("pid").await;
    assert!(lives(pid));
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(3, ""));
    assert!(!lives(pid));
    desk.tools.forget(ACTION, ATTEMPT).await;

    let job = desk.start_and_leave("trap 'exit 5' TERM; echo > ready; while :; do sleep 1000 & wait; done").await;
    let Recovery::Running(running) = desk.recover(&job).await else { panic!("it runs") };
    assert_eq!(within(desk.tools.stop(ACTION, ATTEMPT, Duration::from_secs(60))).await, Stopping::Told);
    assert_eq!(within(running).await, finished(5, ""));
    desk.tools.forget(ACTION, ATTEMPT).await;

    fs::remove_file(desk.folder.join("pid")).unwrap();
    fs::remove_file(desk.folder.join("ready")).unwrap();
    let desk = desk.hand_over_by(&[way]);
    let started = desk.start(desk.job("bash stubborn & echo > ready; wait"));
    desk.until_file("ready").await;
    let pid = desk.until_pid("pid").await;
    desk.kill_supervisor();
    assert_eq!(within(started).await.unwrap(), unknown(UnknownReason::Died, ""));
    until("nothing is left", || (!lives(pid)).then_some(())).await;
}

#[tokio::test]
async fn namespaces_hold() {
    holds(Way::Namespaces).await;
    lives_like_any_other(Way::Namespaces).await;
    assert_eq!(prepared(&desk_by(&[Way::Namespaces])).await, Ok((Risk::Medium, Some(Sandbox::Full))));
}

#[tokio::test]
async fn bubblewrap_holds() {
    holds(Way::Bubblewrap).await;
    lives_like_any_other(Way::Bubblewrap).await;
    let desk = desk_by(&[Way::Bubblewrap]);
    assert_eq!(prepared(&desk).await, Ok((Risk::Medium, Some(Sandbox::Full))));
    for attempt in ["mkdir .git/hooks", "touch .throughline/x", "mv .git moved"] {
        assert_ne!(run(&desk, attempt).await.0, Some(0), "{attempt}");
        assert_eq!(run(&desk_without_sandbox(), &format!("mkdir .git .throughline; {attempt}")).await.0, Some(0), "{attempt}");
    }
}

#[tokio::test]
async fn landlock_alone_holds_what_it_can_and_is_asked_about() {
    holds(Way::Landlock).await;
    lives_like_any_other(Way::Landlock).await;
    let desk = desk_by(&[Way::Landlock]);
    assert_eq!(prepared(&desk).await, Ok((Risk::High, Some(Sandbox::Partial))));
    assert_eq!(run(&desk, "mkdir .git").await.0, Some(0), "this is why");
}

/// Without a pid namespace a command can end the process that it is a child of.
#[tokio::test]
async fn a_room_that_is_lost_is_an_unknown_outcome_and_leaves_nothing() {
    let desk = desk_by(&[Way::Landlock]);
    fs::write(desk.folder.join("stubborn"), "trap '' TERM; echo $$ > pid; while :; do sleep 1000; done").unwrap();
    let outcome = desk.run("setsid bash stubborn & until [ -s pid ]; do :; done; echo last; kill -KILL $PPID; sleep 1000").await;
    assert_eq!(outcome, unknown(UnknownReason::Died, "last\n"));
    let pid: i32 = fs::read_to_string(desk.folder.join("pid")).unwrap().trim().parse().unwrap();
    assert!(!lives(pid));
}

#[tokio::test]
async fn the_next_way_is_gone_where_the_first_cannot_be() {
    let desk = desk_by(&[]);
    let refused = prepared(&desk).await.unwrap_err();
    assert!(refused.contains("no sandbox can be made here") && refused.contains("--unsafe-no-sandbox"), "{refused}");
    let RawOutcome::Finished { ok: false, output, .. } = desk.run("echo > effect").await else { panic!("it was refused") };
    assert!(output.contains("no sandbox can be made here") && !desk.folder.join("effect").exists(), "{output}");
}

/// Whoever is not root makes a namespace of users first.
#[tokio::test]
async fn whoever_is_not_root_has_the_same_sandbox() {
    let desk = desk_by(&[Way::Namespaces]).of_nobody();
    let said = "id -u; echo x > file && cat file; echo y > /tmp/y && cat /tmp/y; grep CapEff /proc/self/status; mkdir .git/x || touch /etc/x || \
                kill -0 1 && echo $$ > /proc/1/comm || unshare --user true || exec 3<>/dev/tcp/127.0.0.1/1 || echo all refused";
    let (exit, output) = run(&desk, said).await;
    let lines: Vec<&str> = output.lines().filter(|line| !line.contains(": ")).collect();
    assert_eq!((exit, lines), (Some(0), vec!["65534", "x", "y", "CapEff:\t0000000000000000", "all refused"]), "{output}");
    assert!(Path::new(&desk.folder.join("file")).exists());
}

/// So many children at once, no more, and how many there were.
const MANY: &str = "python3 - <<'END'
import os, signal, time
made = []
for _ in range(COUNT):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        signal.pause()
    made.append(pid)
print(len(made))
for pid in made:
    os.kill(pid, signal.SIGKILL)
END";

/// The bomb comes last, and only where a limit was seen to hold before.
async fn is_bounded(desk: Desk) {
    let count = PROCESSES_MAX + 40;
    let many = MANY.replace("COUNT", &count.to_string());
    let (exit, made) = run(&desk_without_sandbox(), &many).await;
    assert_eq!((exit, made.trim().parse()), (Some(0), Ok(count)), "without a sandbox nothing is counted: {made}");
    let (exit, made) = run(&desk, &many).await;
    let made: u64 = made.trim().parse().unwrap();
    assert!(exit == Some(0) && (20..PROCESSES_MAX).contains(&made), "{made}");
    // The command itself starts nothing but the first of them.
    desk.make_gate();
    let started = desk.start(desk.job("bomb() { while :; do bomb & done; }; bomb 2>/dev/null & echo > ready; read x < gate"));
    desk.until_file("ready").await;
    let supervisor = desk.supervisor_pid();
    until("it has grown as far as it may", || (below(supervisor).len() as u64 > PROCESSES_MAX * 3 / 4).then_some(())).await;
    assert_eq!(within(desk.tools.stop(ACTION, ATTEMPT, Duration::from_millis(1))).await, Stopping::Told);
    within(started).await.unwrap();
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert_eq!(run(&desk, "echo alive").await, (Some(0), "alive\n".into()));
}

#[tokio::test]
async fn a_command_that_makes_processes_without_end_is_bounded() {
    is_bounded(desk_by(&[Way::Namespaces])).await;
}

#[tokio::test]
async fn whoever_is_not_root_is_bounded_too() {
    is_bounded(desk_by(&[Way::Namespaces]).of_nobody()).await;
}
