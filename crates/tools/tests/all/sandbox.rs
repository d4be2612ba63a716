//! What a command in a sandbox may not do. Each attempt is made twice: where there is no sandbox it works, or the test
//! would show nothing.

use crate::desk::{ACTION, ATTEMPT, Desk, desk, desk_without_sandbox, finished, lives, until, within};
use contract::call::{Risk, Sandbox};
use contract::port::{Prepare, RawOutcome, Tools};
use serde_json::json;
use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;

/// What a command printed and how it ended.
async fn run(desk: &Desk, command: &str) -> (Option<i32>, String) {
    let outcome = desk.run(command).await;
    desk.tools.forget(ACTION, ATTEMPT).await;
    match outcome {
        RawOutcome::Finished { exit, output, .. } => (exit, output),
        other @ (RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
    }
}

/// The command fails in a sandbox and works without one.
async fn refused(command: &str) {
    refused_in(desk(), desk_without_sandbox(), command).await;
}

async fn refused_in(inside: Desk, outside: Desk, command: &str) {
    let (exit, output) = run(&inside, command).await;
    assert!(exit.is_some_and(|code| code != 0), "in a sandbox {command} worked: {output}");
    let (exit, output) = run(&outside, command).await;
    assert_eq!(exit, Some(0), "without one {command} failed: {output}");
}

/// A small program that ends with 0 when it could do something.
fn python(program: &str) -> String {
    format!(
        "python3 - <<'END'\nimport ctypes, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(*a):\n    if libc.syscall(*a) < 0:\n        sys.exit(os.strerror(ctypes.get_errno()))\n{program}\nEND"
    )
}

/// A folder with something in it outside of any workspace, which the sandbox does not cover as it does /tmp.
fn elsewhere() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("thru-sandbox-").tempdir_in("/var").unwrap()
}

#[tokio::test]
async fn the_workspace_and_the_temporary_folder_can_be_written() {
    let desk = desk();
    let written = "set -e; echo a > file; mkdir -p sub/deep; mv file sub/deep/other; ln sub/deep/other link; rm link; echo b > /tmp/x; \
                   echo c > $TMPDIR/y; echo d > /dev/shm/z; echo e > /dev/null; mktemp > name; cat /tmp/x /tmp/y; ls /tmp";
    let (exit, output) = run(&desk, written).await;
    assert_eq!(exit, Some(0), "{output}");
    assert_eq!(fs::read_to_string(desk.folder.join("sub/deep/other")).unwrap(), "a\n");
    let (exit, output) = run(&desk, "cat /tmp/x; cat $(cat name)").await;
    assert_eq!((exit, output.as_str()), (Some(0), "b\n"), "what is temporary stays for the session");
    assert!(!Path::new("/tmp/x").exists() || fs::read_to_string("/tmp/x").unwrap() != "b\n", "it is not that of the machine");
}

#[tokio::test]
async fn the_machine_can_be_read_and_not_written() {
    let outside = elsewhere();
    let path = outside.path().display();
    fs::write(outside.path().join("file"), "read\n").unwrap();
    assert_eq!(
        run(&desk(), &format!("cat {path}/file; head -c 4 /etc/passwd >/dev/null; ls / > /dev/null")).await,
        (Some(0), "read\n".into())
    );
    for attempt in [
        "echo x > PATH/new",
        "echo x >> PATH/file",
        "rm PATH/file",
        "mv PATH/file PATH/other",
        "mkdir PATH/sub",
        "touch PATH/file",
        "ln PATH/file PATH/link",
        "chmod 600 PATH/file",
    ] {
        let twin = elsewhere();
        fs::write(twin.path().join("file"), "read\n").unwrap();
        let attempt = attempt.replace("PATH", &twin.path().display().to_string());
        refused(&attempt).await;
    }
    assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "read\n");
}

#[tokio::test]
async fn a_link_out_of_the_workspace_leads_to_nothing_that_can_be_written() {
    let outside = elsewhere();
    refused(&format!("ln -s {0} out && echo x > out/file && rm out/file", outside.path().display())).await;
}

/// Every way to get at what is protected, each in a workspace of its own.
const AT_REPOSITORY: &[&str] = &[
    "echo x > .git/config",
    "echo x > .git/hooks/post-checkout",
    "rm -rf .git && ! [ -e .git ]",
    "mv .git moved",
    "mv .git/config .git/other",
    "ln .git/config linked && echo x > linked",
    "rm -rf .git && ln -s elsewhere .git",
    "touch .throughline/new",
    "mv .throughline moved",
    "mkdir decoy && mv -T --exchange decoy .git 2>/dev/null || { mv .git gone && mv decoy .git; }",
];

fn with_repository(desk: Desk) -> Desk {
    fs::create_dir_all(desk.folder.join(".git/hooks")).unwrap();
    fs::write(desk.folder.join(".git/config"), "mine").unwrap();
    fs::create_dir_all(desk.folder.join(".throughline")).unwrap();
    fs::write(desk.folder.join(".throughline/config.toml"), "mine").unwrap();
    desk
}

#[tokio::test]
async fn a_repository_cannot_be_changed() {
    for attempt in AT_REPOSITORY {
        let inside = with_repository(desk());
        let config = inside.folder.join(".git/config");
        refused_in(with_repository(desk()), with_repository(desk_without_sandbox()), attempt).await;
        run(&inside, attempt).await;
        assert_eq!(fs::read_to_string(config).unwrap(), "mine", "{attempt}");
    }
    assert_eq!(run(&with_repository(desk()), "cat .git/config").await, (Some(0), "mine".into()), "it can be read");
}

#[tokio::test]
async fn a_repository_cannot_be_made_where_none_is() {
    for attempt in [
        "mkdir .git/hooks",
        "echo x > .git/config",
        "rmdir .git && mkdir .git && echo x > .git/config",
        "echo x > .throughline/config.toml",
    ] {
        let desk = desk();
        let (exit, output) = run(&desk, attempt).await;
        assert_ne!(exit, Some(0), "{attempt}: {output}");
    }
    refused("mkdir -p .git && touch .git/config").await;
    refused("ln -s /etc .git && ls .git/passwd").await;
    let desk = desk();
    run(&desk, "true").await;
    let (folder, hand_over) = (desk.folder.clone(), desk.hand_over());
    until("nothing is left in its place", || (fs::read_dir(&folder).unwrap().count() == 0).then_some(())).await;
    drop(hand_over);
}

#[tokio::test]
async fn a_repository_elsewhere_in_the_workspace_is_protected_and_stays_where_it_is() {
    let made = |desk: Desk| {
        fs::create_dir_all(desk.folder.join("a/b/bare")).unwrap();
        fs::write(desk.folder.join("a/b/bare/config"), "mine").unwrap();
        fs::write(desk.folder.join(".git"), "gitdir: a/b/bare\n").unwrap();
        desk
    };
    for attempt in ["echo x > a/b/bare/config", "echo x > .git", "rm .git", "mv a moved", "mv a/b a/c", "mv a/b/bare a/b/gone"] {
        refused_in(made(desk()), made(desk_without_sandbox()), attempt).await;
    }
    assert_eq!(run(&made(desk()), "echo x > a/b/new; cat a/b/new a/b/bare/config").await, (Some(0), "x\nmine".into()));
}

#[tokio::test]
async fn a_repository_behind_a_link_is_protected_and_so_is_the_link() {
    let made = |desk: Desk| {
        fs::create_dir(desk.folder.join("real")).unwrap();
        fs::write(desk.folder.join("real/config"), "mine").unwrap();
        symlink("real", desk.folder.join(".git")).unwrap();
        desk
    };
    for attempt in ["echo x > real/config", "rm .git", "ln -sfn elsewhere .git", "mv real gone"] {
        refused_in(made(desk()), made(desk_without_sandbox()), attempt).await;
    }
}

#[tokio::test]
async fn what_is_exchanged_from_outside_is_protected_with_the_next_command() {
    let desk = desk();
    run(&desk, "true").await;
    fs::remove_dir(desk.folder.join(".git")).unwrap();
    let desk = with_repository(desk);
    let (exit, output) = run(&desk, "echo x > .git/config").await;
    assert_ne!(exit, Some(0), "{output}");
    assert_eq!(fs::read_to_string(desk.folder.join(".git/config")).unwrap(), "mine");
}

#[tokio::test]
async fn the_data_folder_cannot_be_seen() {
    let (inside, outside) = (desk(), desk_without_sandbox());
    for desk in [&inside, &outside] {
        fs::create_dir_all(&desk.spool).unwrap();
        fs::write(desk.spool.join("secret"), "secret").unwrap();
    }
    let look = |desk: &Desk| format!("cat {}/secret", desk.spool.display());
    assert_eq!(run(&outside, &look(&outside)).await, (Some(0), "secret".into()));
    assert_ne!(run(&inside, &look(&inside)).await.0, Some(0));
    // The same inside the workspace, where it could be seen otherwise.
    let desk = crate::desk::desk_with("work/deep/data");
    fs::create_dir_all(&desk.spool).unwrap();
    fs::write(desk.spool.join("secret"), "secret").unwrap();
    let (exit, output) = run(&desk, "ls -A deep/data; cat deep/data/secret || mv deep moved").await;
    assert!(exit != Some(0) && !output.contains("secret\n"), "{output}");
}

#[tokio::test]
async fn there_is_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let tcp = format!("exec 3<>/dev/tcp/127.0.0.1/{}", listener.local_addr().unwrap().port());
    refused(&tcp).await;
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let send = python(&format!(
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {}))",
        udp.local_addr().unwrap().port()
    ));
    run(&desk(), &send).await;
    assert!(udp.recv(&mut [0]).is_err(), "what was sent went nowhere");
    assert_eq!(run(&desk_without_sandbox(), &send).await.0, Some(0));
    assert_eq!(udp.recv(&mut [0]).unwrap(), 1);
    refused(&python("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)")).await;
    refused(&python("socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)")).await;
    refused(&python("assert [name for _, name in socket.if_nameindex()] != ['lo']")).await;
    let own = "import threading\ns = socket.create_server(('127.0.0.1', 0))\nc = socket.create_connection(s.getsockname())\ns.accept()[0].send(b'x')\nassert c.recv(1) == b'x'";
    assert_eq!(run(&desk(), &python(own)).await, (Some(0), String::new()), "a network of its own has nobody else in it");
}

#[tokio::test]
async fn sockets_of_other_programs_cannot_be_reached() {
    let temp = elsewhere();
    let path = temp.path().join("socket");
    let _by_path = UnixListener::bind(&path).unwrap();
    refused(&python(&format!("socket.socket(socket.AF_UNIX).connect('{}')", path.display()))).await;
    let name = format!("throughline-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
    let _by_name = UnixListener::bind_addr(&address).unwrap();
    let connect = python(&format!("socket.socket(socket.AF_UNIX).connect('\\0{name}')"));
    refused(&connect).await;
    // With the network there are such sockets, but not to those without a file.
    let desk = desk();
    let job = desk.job_with(&json!({"command": connect, "network": true}));
    let RawOutcome::Finished { ok: false, output, .. } = within(desk.tools.start(job)).await else { panic!("it was refused") };
    assert!(output.contains("Operation not permitted"), "{output}");
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert_eq!(
        run(&desk, &python("a, b = socket.socketpair()\na.send(b'x')\nassert b.recv(1) == b'x'")).await.0,
        Some(0),
        "its own are fine"
    );
}

#[tokio::test]
async fn a_network_that_was_granted_is_that_of_the_machine() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let command = format!("exec 3<>/dev/tcp/127.0.0.1/{}; echo hello >&3", listener.local_addr().unwrap().port());
    let desk = desk();
    let job = desk.job_with(&json!({"command": command, "network": true}));
    assert_eq!(within(desk.tools.start(job)).await, finished(0, ""));
    let mut said = String::new();
    listener.accept().unwrap().0.read_to_string(&mut said).unwrap();
    assert_eq!(said, "hello\n");
    desk.tools.forget(ACTION, ATTEMPT).await;
    refused_in(desk, desk_without_sandbox(), &command).await;
}

#[tokio::test]
async fn other_processes_cannot_be_looked_into_or_ended() {
    let mut other = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = other.id();
    refused(&format!("kill -0 {pid} && kill -CONT {pid}")).await;
    refused(&format!("cat /proc/{pid}/environ > /dev/null")).await;
    other.kill().unwrap();
    other.wait().unwrap();
    // Not even its own children.
    refused(&python("pid = os.fork()\nif pid == 0:\n    import time\n    time.sleep(1000)\nimport signal, atexit\natexit.register(lambda: os.kill(pid, signal.SIGKILL))\ncall(101, 16, pid, 0, 0)")).await;
    let (exit, output) = run(&desk(), "cat /proc/1/environ; ls /proc/1/fd; kill -KILL 1; kill -TERM 1; echo still here").await;
    assert!(exit == Some(0) && output.ends_with("still here\n") && output.contains("Permission denied"), "{output}");
}

#[tokio::test]
async fn no_way_into_the_kernel_is_open_that_a_command_does_not_need() {
    refused("unshare --mount true").await;
    refused(&python("call(272, 0x10000000)")).await;
    refused("mkdir -p m && mount -t tmpfs none m && umount m").await;
    refused("mkdir -p m && mount --bind . m && umount m").await;
    // On this kernel these may be off for everybody, so what counts is that the filter refuses them.
    for (name, number) in [
        ("io_uring_setup", 425),
        ("process_vm_readv", 310),
        ("bpf", 321),
        ("perf_event_open", 298),
        ("keyctl", 250),
        ("userfaultfd", 323),
        ("open_tree", 428),
    ] {
        let (exit, output) = run(&desk(), &python(&format!("call({number}, 0, 0, 0, 0, 0)"))).await;
        assert!(exit == Some(1) && output.contains("Operation not permitted"), "{name}: {output}");
        let (_, output) = run(&desk_without_sandbox(), &python(&format!("call({number}, 0, 0, 0, 0, 0)"))).await;
        assert!(!output.contains("Operation not permitted"), "{name}: {output}");
    }
}

#[tokio::test]
async fn no_rights_are_left_and_none_can_be_had() {
    let (_, output) =
        run(&desk(), "grep -E 'Cap|NoNewPrivs|Seccomp:' /proc/self/status; ulimit -c; cat /proc/sys/kernel/core_pattern > /dev/null").await;
    for line in [
        "CapInh:\t0000000000000000",
        "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000",
        "CapAmb:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
    ] {
        assert!(output.contains(line), "{line} is not in {output}");
    }
    assert!(output.ends_with("\n0\n"), "{output}");
    refused("cp $(command -v id) root && chmod u+s root && [ \"$(stat -c %A root | cut -c4)\" = s ] && grep -q 'NoNewPrivs:.0' /proc/self/status").await;
    refused("f=/proc/sys/kernel/hostname; cat $f > name; cat name > $f").await;
}

#[tokio::test]
async fn what_a_command_leaves_is_gone_with_it() {
    let desk = desk();
    let gate = desk.make_gate();
    fs::write(desk.folder.join("stubborn"), "trap '' TERM; echo $$ > pid; while :; do sleep 1000; done").unwrap();
    // A session of its own, and a parent that is gone.
    let started = desk.start(desk.job("(setsid bash -c '(bash stubborn &)' &); read x < gate"));
    let pid = desk.until_pid("pid").await;
    assert!(lives(pid));
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, ""));
    assert!(!lives(pid));
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert_eq!(run(&desk, "cd /proc; echo [0-9]*").await.1.split_whitespace().count(), 2, "the next command is alone");
}

/// Without a supervisor above it, the same is there when its command is long gone.
#[tokio::test]
async fn what_a_command_leaves_stays_where_nobody_looks_after_it() {
    let desk = desk();
    fs::write(desk.folder.join("stubborn"), "trap '' TERM; echo $$ > pid; while :; do sleep 1000; done").unwrap();
    let mut command = std::process::Command::new("bash");
    command.args(["-c", "(setsid bash -c '(bash stubborn &)' &)"]).current_dir(&desk.folder);
    let nothing = std::process::Stdio::null;
    assert!(command.stdin(nothing()).stdout(nothing()).stderr(nothing()).status().unwrap().success());
    let pid: i32 = until("it says who it is", || fs::read_to_string(desk.folder.join("pid")).ok()?.trim().parse().ok()).await;
    assert!(lives(pid));
    let group = rustix::process::getpgid(rustix::process::Pid::from_raw(pid)).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    until("it is gone", || (!lives(pid)).then_some(())).await;
}

#[tokio::test]
async fn a_command_without_network_is_of_medium_risk_and_any_other_of_high() {
    let risk = async |desk: &Desk, args: serde_json::Value| {
        let call = Prepare {
            known: std::sync::Arc::default(),
            stream: desk.job("").stream,
            tool: "shell".into(),
            args: args.to_string(),
            folder: desk.folder.clone(),
            open: Vec::new(),
        };
        let found = desk.tools.prepare(call).await.unwrap();
        (found.risk, found.prepared.sandbox, found.prepared.network)
    };
    let inside = desk();
    assert_eq!(risk(&inside, json!({"command": "ls"})).await, (Risk::Medium, Some(Sandbox::Full), false));
    assert_eq!(risk(&inside, json!({"command": "ls", "network": true})).await, (Risk::High, Some(Sandbox::Full), true));
    assert_eq!(risk(&desk_without_sandbox(), json!({"command": "ls"})).await, (Risk::High, Some(Sandbox::Off), false));
}

#[tokio::test]
async fn a_call_that_was_judged_with_a_sandbox_does_not_run_without_one() {
    let desk = desk_without_sandbox();
    let mut job = desk.job("echo > effect");
    job.sandbox = Some(Sandbox::Full);
    let RawOutcome::Finished { ok: false, output, .. } = within(desk.tools.start(job.clone())).await else { panic!("it was refused") };
    assert!(output.contains("stronger sandbox") && !desk.folder.join("effect").exists(), "{output}");
    job.sandbox = Some(Sandbox::Off);
    assert_eq!(within(desk.tools.start(job)).await, finished(0, ""));
}

#[tokio::test]
async fn a_folder_in_which_nothing_can_be_protected_is_refused() {
    let mut whole = desk();
    whole.folder = "/".into();
    let RawOutcome::Finished { ok: false, output, .. } = whole.run("true").await else { panic!("it was refused") };
    assert!(output.contains("everything would be in it"), "{output}");
    let mut inner = desk();
    inner.folder = inner.spool.join("work");
    fs::create_dir_all(&inner.folder).unwrap();
    let RawOutcome::Finished { ok: false, output, .. } = inner.run("true").await else { panic!("it was refused") };
    assert!(output.contains("which no command may see"), "{output}");
}

#[tokio::test]
async fn a_command_that_prints_without_end_is_cut_and_ends() {
    let desk = desk();
    let outcome = desk.run("head -c 1000000000 /dev/zero | tr '\\0' x; echo the end").await;
    let RawOutcome::Finished { ok: true, output, exit: Some(0), .. } = outcome else { panic!("it ended") };
    assert!(output.ends_with("the end\n") && output.contains("bytes omitted") && output.len() < 200_000_000);
    desk.tools.forget(ACTION, ATTEMPT).await;
    let counted = run(&desk, "head -c 1000000000 /dev/zero | tr '\\0' x | wc -c").await;
    assert_eq!(counted, (Some(0), "1000000000\n".into()), "whoever keeps nothing of it gets it all");
}
