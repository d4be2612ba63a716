//! Logs that no correct writer makes: each refusal of the fold names the event and what the session was doing.

mod actions;
mod asks;
mod waits;

use crate::scene::{Scene, made, person};
use agent::Agent;
use contract::body::{
    Body, FailureClass, HostRecovered, MessageSent, Mode, ModelCompleted, ModelFailed, RunFinished, RunOutcome, RunPaused, Usage,
};
use contract::call::Class;
use contract::config::ResumePolicy;
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{EventId, MessageId, RunId, SessionId, StreamId};
use contract::machine::Machine;
use contract::text::Text;
use contract::units::Version;

/// Folds this body as the next event of a copy of the scene.
fn folded(scene: &Scene, body: impl Into<Body>) -> String {
    folded_at(scene, scene.state.version.next(), body.into())
}

fn folded_at(scene: &Scene, version: Version, body: Body) -> String {
    let about = Draft {
        id: EventId([0; 16]),
        cause: None,
        correlation: None,
        run: None,
        level: Level::Core,
        call: None,
        actor: Actor::System,
        trust: Trust::System,
        body,
    };
    let event = Event { version, time: scene.state.time, draft: about };
    match Agent::fold(&mut scene.state.clone(), &event) {
        Ok(()) => format!("{} is legal\n", event.draft.body.name()),
        Err(illegal) => without_ids(&illegal.to_string()) + "\n",
    }
}

/// Ids are derived from texts that may change; what matters here is that there is one.
fn without_ids(text: &str) -> String {
    let word = |word: &str| match word.find('_').filter(|at| word.len() >= at + 27 && *at >= 3) {
        Some(at) => format!("{}…{}", &word[..=at], &word[at + 27..]),
        None => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The last body of this name in the log, to be said again.
fn again(scene: &Scene, name: &str) -> Body {
    let event = scene.log.iter().rev().find(|event| event.draft.body.name() == name);
    event.unwrap_or_else(|| panic!("there is no {name}")).draft.body.clone()
}

#[test]
fn the_first_event_makes_the_session_and_no_other_does() {
    let empty = Scene::empty();
    let scene = Scene::new();
    let said = [
        folded_at(&empty, Version(1), again(&scene, "owner.taken")),
        folded_at(&empty, Version(2), again(&scene, "session.created")),
        folded(&scene, again(&scene, "session.created")),
    ];
    insta::assert_snapshot!(said.concat(), @"
    event owner.taken at version 1 is illegal while there is no session
    event session.created at version 2 is illegal while the state is at version 0
    event session.created at version 3 is illegal while the session exists
    ");
}

#[test]
fn versions_are_dense() {
    let scene = Scene::new();
    let said = [1, 2, 4].map(|version| folded_at(&scene, Version(version), again(&scene, "owner.taken")));
    insta::assert_snapshot!(said.concat(), @"
    event owner.taken at version 1 is illegal while the state is at version 2
    event owner.taken at version 2 is illegal while the state is at version 2
    event owner.taken at version 4 is illegal while the state is at version 2
    ");
}

#[test]
fn what_was_said_is_not_said_again() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.replies(vec![made::text("look"), made::call(0, Class::Pure)]);
    let names = ["owner.taken", "message.received", "message.sent", "run.started", "model.completed", "action.decided", "tool.started"];
    let said = names.map(|name| folded(&scene, again(&scene, name)));
    insta::assert_snapshot!(said.concat(), @r#"
    event owner.taken at version 10 is illegal while the owner has epoch 1
    event message.received at version 10 is illegal while the key m1 was seen before
    event message.sent at version 10 is illegal while no reply waits to be said
    event run.started at version 10 is illegal while run run_… is open
    event model.completed at version 10 is illegal while no model call is open
    event action.decided at version 10 is illegal while call_0_0 does not wait for a decision
    event tool.started at version 10 is illegal while attempt 1 of the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: None, since: Time(1700000005000), deadline: None, tail: None })
    "#);
}

#[test]
fn what_has_ended_does_not_end_again() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure, Class::Unsafe, Class::Unsafe]);
    scene.finish("call_0_0");
    scene.tool("call_0_1", made::unknown(contract::body::UnknownReason::Lost));
    scene.tool("call_0_2", made::never_started());
    scene.finish("call_0_2");
    scene.takeover();
    scene.says("answer");
    let names = [
        "tool.finished",
        "tool.unknown",
        "tool.cancelled",
        "tool.reconciled",
        "model.failed",
        "model.completed",
        "run.finished",
        "message.sent",
    ];
    let said = names.map(|name| folded(&scene, again(&scene, name)));
    insta::assert_snapshot!(said.concat(), @"
    event tool.finished at version 26 is illegal while action act_… is not open
    event tool.unknown at version 26 is illegal while action act_… is not open
    event tool.cancelled at version 26 is illegal while action act_… is not open
    event tool.reconciled at version 26 is illegal while action act_… is not open
    event model.failed at version 26 is illegal while no model call is open
    event model.completed at version 26 is illegal while no model call is open
    event run.finished at version 26 is illegal while that run is not open
    event message.sent at version 26 is illegal while no reply waits to be said
    ");
}

#[test]
fn a_model_call_is_open_or_not() {
    let asking = Scene::asking(ResumePolicy::Continue);
    let resting = Scene::new();
    let other = EventId([1; 16]);
    let completed = ModelCompleted { request: other, attempt: 1, parts: Vec::new(), usage: Usage::default(), cost_micros: None };
    let failed = ModelFailed {
        request: other,
        attempt: 2,
        class: FailureClass::Auth,
        recoverable: false,
        retry_after_ms: None,
        day: None,
        message: Text::from(""),
    };
    let said = [
        folded(&asking, again(&asking, "model.requested")),
        folded(&asking, completed.clone()),
        folded(&asking, failed.clone()),
        folded(&resting, again(&asking, "model.requested")),
        folded(&resting, completed),
        folded(&resting, failed),
    ];
    insta::assert_snapshot!(said.concat(), @"
    event model.requested at version 6 is illegal while model call evt_… is open
    event model.completed at version 6 is illegal while the open model call is evt_… attempt 1
    event model.failed at version 6 is illegal while the open model call is evt_… attempt 1
    event model.requested at version 3 is illegal while no run is open
    event model.completed at version 3 is illegal while no model call is open
    event model.failed at version 3 is illegal while no model call is open
    ");
}

#[test]
fn a_run_begins_with_a_waiting_message_and_ends_when_nothing_is_open() {
    let resting = Scene::new();
    let asking = Scene::asking(ResumePolicy::Continue);
    let calling = Scene::calling(ResumePolicy::Continue, &[Class::Pure]);
    let run = |scene: &Scene| scene.state.run.as_ref().unwrap().id;
    let finished = |run: RunId| RunFinished { run, outcome: RunOutcome::Completed, reason: None };
    let said = [
        folded(&resting, again(&asking, "run.started")),
        folded(&resting, finished(RunId([1; 16]))),
        folded(&asking, finished(RunId([1; 16]))),
        folded(&asking, finished(run(&asking))),
        folded(&calling, finished(run(&calling))),
        folded(&resting, RunPaused { run: RunId([1; 16]), by: None, key: None }),
        folded(&asking, RunPaused { run: RunId([1; 16]), by: None, key: None }),
        folded(&asking, MessageSent { completed: EventId([1; 16]) }),
    ];
    insta::assert_snapshot!(said.concat(), @"
    event run.started at version 3 is illegal while message msg_… is not in the inbox
    event run.finished at version 3 is illegal while that run is not open
    event run.finished at version 6 is illegal while that run is not open
    event run.finished at version 6 is illegal while something of the run is open
    event run.finished at version 9 is illegal while something of the run is open
    event run.paused at version 3 is illegal while that run is not going
    event run.paused at version 6 is illegal while that run is not going
    event message.sent at version 6 is illegal while no reply waits to be said
    ");
}

#[test]
fn a_run_pauses_once() {
    let mut scene = Scene::calling(ResumePolicy::Paused, &[Class::Pure]);
    scene.takeover();
    insta::assert_snapshot!(folded(&scene, again(&scene, "run.paused")), @"event run.paused at version 11 is illegal while that run is not going");
}

#[test]
fn a_key_belongs_to_one_message() {
    let mut scene = Scene::new();
    scene.send("m1", Mode::Queue);
    let Body::MessageReceived(mut received) = again(&scene, "message.received") else { panic!("no message") };
    received.message = MessageId([1; 16]);
    insta::assert_snapshot!(folded(&scene, received), @"event message.received at version 4 is illegal while the key m1 was seen before");
}

#[test]
fn a_host_speaks_in_its_own_stream() {
    let scene = Scene::new();
    let recovered = HostRecovered { stream: StreamId::session(SessionId([1; 16])), by: person() };
    insta::assert_snapshot!(folded(&scene, recovered), @"event host.recovered at version 3 is illegal while this is a session");
}
