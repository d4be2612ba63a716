//! Calls about a command that runs: looking at it, sending it input and signals, and what is left of them after a crash.

use crate::desk::{CALL, Desk, desk, finished, state, unknown, until, within};
use contract::body::UnknownReason;
use contract::call::{Class, Wants};
use contract::id::MachineId;
use contract::port::{Here, Prepare, RawOutcome, Recovery, ToolJob, Tools};
use contract::text::Text;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Starts a command in the background and waits for it to make the file `ready`.
async fn background(desk: &Desk, command: &str) -> JoinHandle<RawOutcome> {
    let started = desk.start(desk.job_with(&json!({"command": command, "background": true})));
    desk.until_file("ready").await;
    started
}

fn input(text: &str) -> Value {
    json!({"call": CALL, "text": text})
}

fn signal(name: &str) -> Value {
    json!({"call": CALL, "signal": name})
}

#[tokio::test]
async fn the_status_shows_what_the_command_has_printed() {
    let desk = desk();
    let started = background(&desk, "echo so far; echo > ready; read x").await;
    until("the output is spooled", || (desk.output() == "so far\n").then_some(())).await;
    let status = desk.ask_about("process_status", &json!({"call": CALL})).await;
    assert_eq!(status, Ok("call_3_0 (shell) has been running for 10 s. The end of its output:\nso far\n".into()));
    assert_eq!(desk.ask_about("process_input", &input("\n")).await, Ok("Sent 1 bytes to the input of call_3_0.".into()));
    assert_eq!(within(started).await.unwrap(), finished(0, "so far\n"));
}

#[tokio::test]
async fn a_command_in_the_background_reads_what_it_is_sent_until_its_input_is_closed() {
    let desk = desk();
    let started = background(&desk, "echo > ready; read x; echo got $x; cat").await;
    assert_eq!(desk.ask_about("process_input", &input("one\n")).await, Ok("Sent 4 bytes to the input of call_3_0.".into()));
    let last = json!({"call": CALL, "text": "two", "close": true});
    assert_eq!(desk.ask_about("process_input", &last).await, Ok("Sent 3 bytes to the input of call_3_0 and closed it.".into()));
    assert_eq!(within(started).await.unwrap(), finished(0, "got one\ntwo"));
}

#[tokio::test]
async fn the_input_may_be_closed_without_any_text() {
    let desk = desk();
    let started = background(&desk, "echo > ready; cat; echo done").await;
    let close = json!({"call": CALL, "text": "", "close": true});
    assert_eq!(desk.ask_about("process_input", &close).await, Ok("Closed the input of call_3_0.".into()));
    assert_eq!(within(started).await.unwrap(), finished(0, "done\n"));
}

#[tokio::test]
async fn a_command_in_the_foreground_has_no_input_unless_it_is_asked_for() {
    let waited_for = desk();
    let gate = waited_for.make_gate();
    let started = waited_for.start(waited_for.job("cat; echo > ready; read x < gate"));
    waited_for.until_file("ready").await;
    let refused = "Not done: call_3_0 refused, because the command takes no input.";
    assert_eq!(waited_for.ask_about("process_input", &input("x")).await, Err(refused.into()));
    let close = json!({"call": CALL, "text": "", "close": true});
    assert!(waited_for.ask_about("process_input", &close).await.is_ok(), "it is closed already");
    waited_for.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, ""));

    let asked_for = desk();
    let started = asked_for.start(asked_for.job_with(&json!({"command": "echo > ready; read x; echo $x", "input": true})));
    asked_for.until_file("ready").await;
    asked_for.ask_about("process_input", &input("one\n")).await.unwrap();
    assert_eq!(within(started).await.unwrap(), finished(0, "one\n"));
}

#[tokio::test]
async fn a_signal_that_ends_the_command_says_where_the_outcome_comes() {
    let outcome = "How it ended comes as the result of call_3_0 itself.";
    for (name, number) in [("TERM", 15), ("KILL", 9)] {
        let desk = desk();
        let started = background(&desk, "echo > ready; exec sleep 1000").await;
        let sent = desk.ask_about("process_signal", &signal(name)).await;
        assert_eq!(sent, Ok(format!("Sent {name} to call_3_0. {outcome}")));
        let killed = RawOutcome::Finished { ok: false, output: String::new(), exit: None, signal: Some(number) };
        assert_eq!(within(started).await.unwrap(), killed);
    }
}

#[tokio::test]
async fn other_signals_reach_the_command_too() {
    let desk = desk();
    let command = "trap 'echo int; exit 4' INT; echo $$ > main; echo > ready; while :; do read x; done";
    let started = background(&desk, command).await;
    let main = desk.until_pid("main").await;
    assert_eq!(desk.ask_about("process_signal", &signal("STOP")).await, Ok("Sent STOP to call_3_0.".into()));
    until("it is stopped", || (state(main).as_deref() == Some("T")).then_some(())).await;
    assert_eq!(desk.ask_about("process_signal", &signal("CONT")).await, Ok("Sent CONT to call_3_0.".into()));
    until("it goes on", || (state(main).as_deref() != Some("T")).then_some(())).await;
    assert_eq!(desk.ask_about("process_signal", &signal("INT")).await, Ok("Sent INT to call_3_0.".into()));
    assert_eq!(within(started).await.unwrap(), finished(4, "int\n"));
}

#[tokio::test]
async fn a_command_that_has_just_ended_does_not_answer() {
    let desk = desk();
    desk.run("true").await;
    for (tool, args) in [("process_input", input("x")), ("process_signal", signal("TERM"))] {
        let unreached = desk.ask_about(tool, &args).await.unwrap_err();
        assert!(unreached.starts_with("call_3_0 did not answer: "), "{unreached}");
    }
}

#[tokio::test]
async fn whether_another_process_got_it_cannot_be_told_after_a_crash() {
    let desk = desk();
    for (tool, args) in [("process_input", input("x")), ("process_signal", signal("TERM")), ("process_status", json!({"call": CALL}))] {
        assert_eq!(desk.recover_ended(&desk.job_about(tool, &args)).await, unknown(UnknownReason::Died, ""));
    }
    let elsewhere = Here { machine: MachineId([2; 16]), ..desk.here() };
    let recovered = within(desk.tools.recover(desk.job_about("process_input", &input("x")), &elsewhere)).await;
    let Recovery::Ended(outcome) = recovered else { panic!("nothing of it runs") };
    assert_eq!(outcome, unknown(UnknownReason::OtherMachine, ""));
}

#[tokio::test]
async fn what_the_session_does_itself_is_prepared_and_never_started() {
    let desk = desk();
    let calls = [
        ("wait_for", json!({"seconds": 1.5, "call": CALL}), Some(CALL), Wants::Wait { ms: 1_500 }),
        ("request_user", json!({"question": "Which?"}), None, Wants::Answer { question: Text::from("Which?") }),
    ];
    for (tool, args, target, wants) in calls {
        let open = vec![(CALL, "shell".to_owned())];
        let stream = desk.job("").stream;
        let call = Prepare { stream, tool: tool.into(), args: args.to_string(), folder: desk.folder.clone(), open, known: Arc::default() };
        let prepared = within(desk.tools.prepare(call)).await.unwrap().prepared;
        assert_eq!((prepared.target, prepared.wants), (target, Some(wants)));
        let job = ToolJob { tool: tool.into(), ..desk.job_with(&args) };
        let refused = "Not done: the session itself does this, not a tool.";
        let outcome = RawOutcome::Finished { ok: false, output: refused.into(), exit: None, signal: None };
        assert_eq!(within(desk.tools.start(job.clone())).await, outcome);
        // A wait for a line has attempts, and one that was lost may be made again.
        let lost = if tool == "wait_for" { unknown(UnknownReason::Died, "") } else { outcome };
        assert_eq!(desk.recover_ended(&job).await, lost);
    }
}

fn until_line(pattern: &str, seconds: f64) -> Value {
    json!({"call": CALL, "seconds": seconds, "until": pattern})
}

#[tokio::test]
async fn a_line_that_is_waited_for_ends_the_wait() {
    let desk = desk();
    let started = background(&desk, "echo starting; echo > ready; read x; echo listening on $x; read x").await;
    let waiting = {
        let (tools, job) = (Arc::clone(&desk.tools), desk.job_about("wait_for", &until_line("^listening on \\d+$", 600.0)));
        tokio::spawn(async move { tools.start(job).await })
    };
    assert!(desk.ask_about("process_input", &input("8080\n")).await.is_ok());
    let RawOutcome::Finished { ok: true, output, .. } = within(waiting).await.unwrap() else { panic!("it came") };
    assert_eq!(output, "call_3_0 has printed: listening on 8080");
    let not_yet = desk.ask_about("wait_for", &until_line("never", 0.01)).await;
    assert_eq!(not_yet, Ok("call_3_0 has printed no such line within 0.01 s, and runs.".into()));
    assert!(desk.ask_about("process_input", &input("\n")).await.is_ok());
    within(started).await.unwrap();
    let ended = desk.ask_about("wait_for", &until_line("never", 600.0)).await;
    assert!(ended.as_ref().is_ok_and(|text| text.starts_with("call_3_0 has ended and printed no such line")), "{ended:?}");
    let late = desk.ask_about("wait_for", &until_line("^starting", 600.0)).await;
    assert_eq!(late, Ok("call_3_0 has printed: starting".into()), "what was printed before counts");
}

#[tokio::test]
async fn a_wait_for_a_line_can_be_stopped() {
    let desk = desk();
    let started = background(&desk, "echo > ready; read x").await;
    let job = desk.job_about("wait_for", &until_line("never", 600.0));
    let (action, attempt) = (job.action, job.attempt);
    let waiting = desk.start(ToolJob { class: Class::Pure, ..job });
    until_told(&desk, action, attempt).await;
    let RawOutcome::Finished { ok: false, output, .. } = within(waiting).await.unwrap() else { panic!("it was stopped") };
    assert!(output.contains("stopped"), "{output}");
    assert!(desk.ask_about("process_input", &input("\n")).await.is_ok());
    within(started).await.unwrap();
}

/// Tells it to stop until it hears.
async fn until_told(desk: &Desk, action: contract::id::ActionId, attempt: u16) {
    while desk.tools.stop(action, attempt, std::time::Duration::from_secs(1)).await != contract::port::Stopping::Told {
        tokio::task::yield_now().await;
    }
}
