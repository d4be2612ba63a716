//! A command from start to end.

use crate::desk::{ACTION, ATTEMPT, SUPERVISOR, desk, desk_with, finished, lives, until, within};
use contract::call::{Class, Risk};
use contract::port::{Prepare, RawOutcome, Stopping, Tools};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use tools::{Options, Toolbox};

#[tokio::test]
async fn exit_codes_and_signals_are_exact() {
    assert_eq!(desk().run("true").await, finished(0, ""));
    assert_eq!(desk().run("echo out; exit 7").await, finished(7, "out\n"));
    let killed = RawOutcome::Finished { ok: false, output: "a\n".into(), exit: None, signal: Some(9) };
    assert_eq!(desk().run("echo a; kill -KILL $$").await, killed);
}

#[tokio::test]
async fn both_outputs_come_in_the_order_written() {
    assert_eq!(desk().run("echo 1; echo 2 >&2; echo 3; echo 4 >&2").await, finished(0, "1\n2\n3\n4\n"));
}

#[tokio::test]
async fn a_command_has_its_folder_the_environment_and_no_input() {
    let desk = desk();
    let expected = format!("{}\n{}\n", desk.folder.display(), std::env::var("PATH").unwrap());
    assert_eq!(desk.run("pwd; echo $PATH; cat").await, finished(0, &expected));
}

#[tokio::test]
async fn a_command_inherits_nothing_but_its_three_streams() {
    assert_eq!(desk().run("ls /proc/$$/fd > list; cat list").await, finished(0, "0\n1\n2\n"));
}

#[tokio::test]
async fn nothing_of_the_command_is_on_the_command_line_of_its_supervisor() {
    let desk = desk();
    let gate = desk.make_gate();
    let started = desk.start(desk.job("echo > ready; read x < gate"));
    desk.until_file("ready").await;
    let pid = desk.supervisor_pid();
    assert_eq!(std::fs::read(format!("/proc/{pid}/cmdline")).unwrap(), b"thru-supervise\0");
    assert_eq!(std::fs::read(format!("/proc/{pid}/environ")).unwrap(), b"");
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, ""));
}

#[tokio::test]
async fn a_background_process_that_holds_the_pipe_does_not_hold_the_result() {
    let desk = desk();
    assert_eq!(desk.run("sleep 1000 & echo $! > pid; echo done").await, finished(0, "done\n"));
    assert!(!lives(desk.until_pid("pid").await));
}

#[tokio::test]
async fn a_background_process_in_a_session_of_its_own_ends_with_the_command() {
    let desk = desk();
    let command = "setsid sh -c 'echo $$ > pid; trap \"\" TERM; while :; do sleep 1000; done' & until [ -s pid ]; do :; done; exit 3";
    assert_eq!(desk.run(command).await, finished(3, ""));
    assert!(!lives(desk.until_pid("pid").await));
}

#[tokio::test]
async fn a_command_that_floods_from_the_background_ends_too() {
    let desk = desk();
    let RawOutcome::Finished { ok: true, exit: Some(0), .. } = desk.run("yes & echo $! > pid").await else { panic!("it ended well") };
    assert!(!lives(desk.until_pid("pid").await));
}

#[tokio::test]
async fn a_command_is_ended_when_its_time_is_over() {
    let desk = desk();
    let job = desk.job_with(&json!({"command": "echo before; echo $$ > pid; sleep 1000", "timeout_s": 1}));
    let outcome = within(desk.tools.start(job)).await;
    let output = "before\n[the command was ended because it ran longer than 1 s]";
    assert_eq!(outcome, RawOutcome::Finished { ok: false, output: output.into(), exit: None, signal: Some(15) });
    assert!(!lives(desk.until_pid("pid").await));
}

#[tokio::test]
async fn a_command_that_cannot_be_executed_says_why() {
    let desk = desk();
    std::fs::remove_dir(&desk.folder).unwrap();
    let RawOutcome::Finished { ok: false, output, exit: None, signal: None } = desk.run("true").await else {
        panic!("nothing can have run")
    };
    assert!(output.contains("could not be executed in") && output.contains("No such file"), "{output}");
}

#[tokio::test]
async fn a_missing_supervisor_or_spool_says_that_nothing_was_started() {
    let desk = desk();
    let options = Options { supervisor: "/nonexistent".into(), ..Options::new(&desk.spool) };
    // A path below a file can be made by nobody, not even by root.
    std::fs::write(desk.folder.join("file"), "").unwrap();
    let below_file = Options { supervisor: SUPERVISOR.into(), ..Options::new(desk.folder.join("file/spool")) };
    for options in [options, below_file] {
        let tools = Toolbox::new(options).unwrap();
        let outcome = within(tools.start(desk.job("echo > effect"))).await;
        assert!(matches!(&outcome, RawOutcome::Finished { ok: false, output, .. } if output.contains("was not started")), "{outcome:?}");
    }
    assert!(!desk.folder.join("effect").exists());
}

#[tokio::test]
async fn a_spool_may_be_deeper_than_a_socket_path() {
    let deep: PathBuf = std::iter::repeat_n("d".repeat(60), 5).collect();
    let desk = desk_with(deep.to_str().unwrap());
    assert!(desk.spool.as_os_str().len() > 300);
    let job = desk.start_and_leave("echo > ready; sleep 1000").await;
    let contract::port::Recovery::Running(running) = desk.recover(&job).await else { panic!("it runs") };
    assert_eq!(within(desk.tools.stop(ACTION, ATTEMPT, std::time::Duration::from_secs(5))).await, Stopping::Told);
    assert!(matches!(within(running).await, RawOutcome::Finished { signal: Some(15), .. }));
}

#[tokio::test]
async fn what_is_forgotten_is_gone_and_may_be_forgotten_again() {
    let desk = desk();
    desk.run("echo x").await;
    assert!(desk.attempt().path().exists());
    assert_eq!(desk.output(), "x\n");
    desk.tools.forget(ACTION, ATTEMPT).await;
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert!(!desk.attempt().path().exists());
}

#[tokio::test]
async fn the_starter_leaves_no_dead_supervisor_behind() {
    let desk = desk();
    let gate = desk.make_gate();
    desk.start_and_leave("echo > ready; read x < gate").await;
    let pid = desk.supervisor_pid();
    desk.open_gate(&gate).await;
    until("the supervisor is reaped", || (!PathBuf::from(format!("/proc/{pid}")).exists()).then_some(())).await;
}

#[tokio::test]
async fn tools_are_described_and_unknown_ones_refused() {
    let desk = desk();
    let specs: Vec<_> = desk.tools.specs().into_iter().map(|spec| (spec.name, spec.class, spec.risk)).collect();
    let expected = [
        ("read_file", Class::Pure, Risk::Low),
        ("list_files", Class::Pure, Risk::Low),
        ("search_text", Class::Pure, Risk::Low),
        ("write_file", Class::Probe, Risk::Medium),
        ("edit_file", Class::Probe, Risk::Medium),
        ("shell", Class::Probe, Risk::High),
        ("fetch_url", Class::Pure, Risk::Medium),
        ("process_status", Class::Pure, Risk::Low),
        ("process_input", Class::Unsafe, Risk::High),
        ("process_signal", Class::Unsafe, Risk::Medium),
        ("wait_for", Class::Pure, Risk::Low),
        ("request_user", Class::Pure, Risk::Low),
    ];
    assert_eq!(specs, expected.map(|(name, class, risk)| (name.to_owned(), class, risk)));
    for spec in desk.tools.specs() {
        assert_eq!((&spec.schema["type"], &spec.schema["additionalProperties"]), (&json!("object"), &json!(false)));
        for (name, property) in spec.schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{name} is described", spec.name);
        }
    }
    let call = |tool: &str, args: &str| Prepare {
        stream: desk.job("").stream,
        tool: tool.into(),
        args: args.into(),
        folder: desk.folder.clone(),
        open: Vec::new(),
        known: Arc::default(),
    };
    let refused = desk.tools.prepare(call("rm", "{}")).await.unwrap_err().message;
    let known = expected.map(|(name, _, _)| name).join(", ");
    assert_eq!(refused, format!("There is no tool `rm`. The tools are: {known}."));
    let refused = desk.tools.prepare(call("shell", r#"{"cmd":"ls"}"#)).await.unwrap_err().message;
    let fields = "command (string, required), background (boolean, optional), input (boolean, optional), network (boolean, optional), \
                  patience_s (integer, optional), pty (boolean, optional), timeout_s (integer, optional)";
    assert!(refused.contains("/cmd: there is no such field") && refused.contains(fields), "{refused}");
}
