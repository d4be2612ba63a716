//! A person at a terminal: asked in place, heard while work runs, and never left in doubt what a key did.

use crate::asking::ASK;
use crate::desk::{Desk, THRU, desk};
use crate::pty::Terminal;
use crate::script::{answers, call, held_back, say, shell};
use serde_json::{Value, json};

const INTERRUPT: &[u8] = b"\x03";
const END_OF_INPUT: &[u8] = b"\x04";
/// The last line of what is asked about a call.
const HOW: &str = "anything else is said to the agent, which then decides anew";

/// A desk whose script runs this command and then says `told`, shown in a terminal until the command is asked about.
fn asked(command: &str) -> (Desk, Terminal, String) {
    let desk = desk();
    desk.script(&[shell(command), say("told")]);
    let terminal = desk.run_in_terminal(ASK);
    terminal.until(HOW);
    let session = terminal.session();
    (desk, terminal, session)
}

/// The same with a command that is held back and not asked about.
fn working(lines: &[Value]) -> (Desk, Terminal, String) {
    let desk = desk();
    desk.script(&[&[shell(&held_back(0))], lines].concat());
    let terminal = desk.run_in_terminal(&[]);
    let session = terminal.session();
    desk.until_effect("began\n");
    (desk, terminal, session)
}

#[test]
fn what_is_asked_is_shown_whole_and_answered_in_place() {
    let long: String = (0..200).map(|number| format!("echo line-{number} >> effect\n")).collect();
    let (desk, mut terminal, session) = asked(&long);
    let screen = terminal.screen();
    assert!(screen.contains("May shell run? (medium risk)"), "{screen}");
    assert_eq!(screen.lines().filter(|line| line.starts_with("    echo line-")).count(), 200, "{screen}");
    terminal.type_line("yes");
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    for told in ["local said yes", "shell: exit 0", "told", "done · "] {
        assert!(screen.contains(told), "{told} in {screen}");
    }
    assert_eq!((desk.events(&session).count("tool.started"), desk.read("effect").lines().count()), (1, 200));
    desk.assert_verified();
}

#[test]
fn no_with_a_reason_is_told_to_the_model() {
    let (desk, mut terminal, session) = asked("echo ran >> effect");
    terminal.type_line("/no use the staging server");
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(5), "{screen}");
    assert!(screen.contains("local said no: use the staging server"), "{screen}");
    let events = desk.events(&session);
    assert!(events.one("action.withdrawn")["note"]["inline"].as_str().unwrap().contains("use the staging server"));
    assert_eq!((events.count("tool.started"), desk.read("effect").as_str()), (0, ""));
    desk.assert_verified();
}

#[test]
fn edited_arguments_run_and_bad_ones_leave_it_asked() {
    let (desk, mut terminal, session) = asked("echo ran >> effect");
    terminal.type_line("/edit {\"cmd\": 1}");
    terminal.until("the edited call cannot run");
    terminal.type_line("/edit {\"command\": \"echo edited >> effect\"}");
    let (code, screen) = terminal.wait();
    assert_eq!((code, desk.read("effect").as_str()), (Some(0), "edited\n"), "{screen}");
    assert_eq!((desk.events(&session).count("ask.answered"), desk.events(&session).count("tool.started")), (1, 1));
    desk.assert_verified();
}

#[test]
fn an_approval_for_the_session_is_not_asked_for_again() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), shell("echo ran >> effect"), say("told")]);
    let mut terminal = desk.run_in_terminal(ASK);
    terminal.until(HOW);
    terminal.type_line("/session");
    let (code, screen) = terminal.wait();
    assert_eq!((code, desk.read("effect").as_str()), (Some(0), "ran\nran\n"), "{screen}");
    assert!(screen.contains("from now on this session may: shell(echo ran >> effect)"), "{screen}");
    desk.assert_verified();
}

#[test]
fn any_other_line_overtakes_what_is_asked() {
    let (desk, mut terminal, session) = asked("echo ran >> effect");
    terminal.type_line("yes but in staging");
    let (code, screen) = terminal.wait();
    assert_eq!((code, desk.read("effect").as_str()), (Some(0), ""), "{screen}");
    assert_eq!(desk.events(&session).one("action.withdrawn")["reason"], "newer_message");
    desk.assert_verified();
}

#[test]
fn a_question_is_answered_by_the_line_that_is_typed() {
    let desk = desk();
    desk.script(&[call("request_user", json!({ "question": "Which colour?" })), say("told")]);
    let mut terminal = desk.run_in_terminal(ASK);
    terminal.until("type the answer");
    let session = terminal.session();
    terminal.type_line("yes");
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(desk.events(&session).one("ask.answered")["answer"]["reply"]["inline"], "yes");
    desk.assert_verified();
}

#[test]
fn a_line_typed_while_work_runs_is_heard_at_once() {
    let (desk, mut terminal, session) = working(&[answers("staging", "to staging"), say("told"), answers("summar", "summary")]);
    terminal.type_line("use staging");
    terminal.until("to staging");
    terminal.type_line("/queue then summarise");
    desk.until_count(&session, "message.received", 3);
    desk.go();
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    let events = desk.events(&session);
    let modes: Vec<&Value> = events.of("message.received").iter().map(|message| &message["mode"]).collect();
    assert_eq!((modes, events.said()), (vec![&json!("steer"), &json!("steer"), &json!("queue")], vec!["to staging", "told", "summary"]));
    assert_eq!((events.count("tool.started"), desk.read("effect").as_str()), (1, "began\nended\n"));
    desk.assert_verified();
}

#[test]
fn a_question_mark_prints_how_things_stand() {
    let (desk, mut terminal, session) = working(&[say("told")]);
    terminal.type_line("?");
    terminal.until("shell (call_0_0) running for");
    terminal.until("tools are running, driven");
    desk.go();
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    let events = desk.events(&session);
    assert_eq!((events.count("model.requested"), events.count("tool.deferred")), (2, 0), "it changed nothing");
    desk.assert_verified();
}

#[test]
fn what_is_not_understood_is_one_line_and_loses_nothing() {
    let (desk, mut terminal, session) = working(&[say("told")]);
    let before = desk.events(&session);
    for (line, told) in
        [("/fly", "/fly is not understood; nothing was said"), ("/yes", "nothing is asked; nothing was said"), ("", ""), ("  ", "")]
    {
        terminal.type_line(line);
        terminal.until(told);
    }
    assert_eq!(desk.events(&session), before);
    desk.go();
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(screen.lines().filter(|line| line.starts_with("thru: ")).count(), 2, "{screen}");
    desk.events(&session).assert_completed();
    desk.assert_verified();
}

#[test]
fn the_interrupt_key_stops_the_work_and_says_so() {
    let (desk, mut terminal, session) = working(&[say("never said")]);
    terminal.press(INTERRUPT);
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(130), "{screen}");
    for told in ["stopping; press Ctrl-C again to leave at once", "local stops the work", "stopping shell (call_0_0)", "cancelled"] {
        assert!(screen.contains(told), "{told} in {screen}");
    }
    let events = desk.events(&session);
    assert_eq!((&events.one("run.finished")["outcome"], events.count("tool.started")), (&json!("cancelled"), 1));
    assert_eq!((desk.living(), desk.read("effect").as_str()), (vec![], "began\n"));
    desk.assert_verified();
}

#[test]
fn the_interrupt_key_while_something_is_asked_stops_too() {
    let (desk, mut terminal, session) = asked("echo ran >> effect");
    terminal.press(INTERRUPT);
    let (code, screen) = terminal.wait();
    assert_eq!((code, desk.read("effect").as_str()), (Some(130), ""), "{screen}");
    assert_eq!(desk.events(&session).one("ask.superseded")["reason"], "stopped");
    desk.assert_verified();
}

#[test]
fn work_is_stopped_and_interrupted_by_what_is_typed() {
    let (desk, mut terminal, session) = working(&[answers("wrong", "another way"), say("told")]);
    terminal.type_line("/interrupt wrong folder");
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    let events = desk.events(&session);
    assert_eq!((&events.one("tool.finished")["signal"], events.said()), (&json!(15), vec!["another way"]));
    let (desk, mut terminal, session) = working(&[say("never said")]);
    terminal.type_line("/stop");
    assert_eq!(terminal.wait().0, Some(130));
    assert_eq!((&desk.events(&session).one("run.finished")["outcome"], desk.living()), (&json!("cancelled"), vec![]));
    desk.assert_verified();
}

#[test]
fn a_limit_is_extended_in_place() {
    let desk = desk();
    desk.script(&[shell("echo one >> effect"), shell("echo two >> effect"), say("told")]);
    let mut terminal = desk.run_in_terminal(&["--max-tool-calls", "1"]);
    terminal.until("/more AMOUNT");
    terminal.type_line("/more 5");
    let (code, screen) = terminal.wait();
    assert_eq!((code, desk.read("effect").as_str()), (Some(0), "one\ntwo\n"), "{screen}");
    desk.assert_verified();
}

#[test]
fn work_that_is_paused_in_place_goes_on_in_place() {
    let (desk, mut terminal, session) = working(&[say("told")]);
    terminal.type_line("/resume");
    terminal.until("nothing is paused; nothing was changed");
    terminal.type_line("/pause");
    terminal.until("local paused it");
    desk.go();
    desk.until_count(&session, "tool.finished", 1);
    assert_eq!(desk.events(&session).count("model.requested"), 1, "nothing else begins");
    terminal.type_line("/resume");
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("local said: go on"), "{screen}");
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("run.paused"), events.count("run.resumed"), events.count("owner.taken")), (1, 1, 1));
    desk.assert_verified();
}

#[test]
fn a_second_stop_is_no_bug() {
    let desk = desk();
    desk.script(&[shell(&format!("trap '' TERM; {}", held_back(0))), say("never said")]);
    let mut terminal = desk.run_in_terminal(&[]);
    desk.until_effect("began\n");
    terminal.type_line("/stop");
    terminal.until("stopping shell (call_0_0)");
    terminal.type_line("/stop");
    terminal.until("nothing runs that is not being stopped already; nothing was changed");
    desk.go();
    let (code, screen) = terminal.wait();
    assert_eq!((code, screen.contains("this is a bug")), (Some(130), false), "{screen}");
    desk.assert_verified();
}

#[test]
fn a_line_that_is_no_text_does_not_end_the_typing() {
    let (desk, mut terminal, session) = working(&[answers("staging", "to staging"), say("told")]);
    terminal.press(b"/fly \xff\xfe\n");
    terminal.until("is not understood; nothing was said");
    terminal.type_line("use staging");
    terminal.until("to staging");
    desk.go();
    assert_eq!(terminal.wait().0, Some(0));
    assert_eq!(desk.events(&session).count("message.received"), 2);
}

/// A shell that starts the program in the background and, once the file `front` is there, brings it to the front.
fn in_background(desk: &Desk) -> Terminal {
    let args: Vec<String> = desk.run_args(&[]).iter().map(|arg| format!("'{arg}'")).collect();
    let wait = format!("while [ ! -e '{}' ]; do sleep 0.02; done", desk.path("front").display());
    let shell = format!("set -m; '{THRU}' {} & {wait}; fg", args.join(" "));
    desk.in_terminal(&["bash", "-c", &shell])
}

/// Reading from the terminal in the background would stop the whole process, and with it the work.
#[test]
fn work_in_the_background_of_a_terminal_goes_on_and_hears_again_in_the_front() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), answers("staging", "to staging"), say("told")]);
    let mut terminal = in_background(&desk);
    let session = terminal.session();
    desk.until_effect("began\n");
    terminal.type_line("for the shell");
    assert_eq!(desk.thru(&["send", &session, "use staging"]).code, Some(0));
    desk.until_said(&session, "to staging");
    desk.release("front");
    terminal.type_line("? how far");
    terminal.until("shell (call_0_0) running for");
    desk.go();
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    assert!(desk.events(&session).said().contains(&"told"), "{screen}");
    desk.assert_verified();
}

/// Whoever closed the input can still be heard from elsewhere.
#[test]
fn the_end_of_the_input_ends_nothing() {
    let (desk, mut terminal, session) = asked("echo ran >> effect");
    terminal.press(END_OF_INPUT);
    assert_eq!(desk.thru(&["approve", &desk.asked(&session)]).code, Some(0));
    let (code, screen) = terminal.wait();
    assert_eq!((code, desk.read("effect").as_str()), (Some(0), "ran\n"), "{screen}");
    desk.assert_verified();
}
