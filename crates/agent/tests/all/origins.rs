//! Who said an event, how far it is trusted, and which run and level it belongs to.

use crate::scene::{Scene, lines, made};
use contract::body::{Mode, UnknownReason};
use contract::call::Class;
use contract::config::ResumePolicy;
use contract::event::Level;

/// Name, actor, trust, and whether the event belongs to a run.
fn said_by(scene: &Scene) -> String {
    let line = |event: &contract::Event| {
        let draft = &event.draft;
        let run = if draft.run.is_some() { "run" } else { "-" };
        format!("{} {} {} {run}\n", draft.body.name(), lines::word(&draft.actor), lines::word(&draft.trust))
    };
    scene.log.iter().map(line).collect()
}

#[test]
fn every_event_says_who_and_how_far_to_trust_it() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure, Class::Unsafe]);
    scene.takeover();
    scene.resume("r1");
    scene.finish("call_0_0");
    scene.tool("call_0_1", made::unknown(UnknownReason::Died));
    scene.says("answer");
    insta::assert_snapshot!(said_by(&scene), @r#"
    session.created {"user":"person"} user -
    owner.taken system system -
    message.received {"user":"person"} user -
    run.started system system run
    model.requested agent system run
    model.completed agent untrusted run
    action.decided agent system run
    action.decided agent system run
    tool.started agent system run
    tool.started agent system run
    owner.taken system system run
    ask.opened system system run
    ask.answered {"user":"person"} user run
    run.resumed {"user":"person"} user run
    tool.finished {"tool":"tool"} tool run
    tool.unknown {"tool":"tool"} tool run
    tool.reconciled agent system run
    model.requested agent system run
    model.completed agent untrusted run
    message.sent agent system run
    run.finished agent system run
    "#);
}

#[test]
fn all_of_a_run_correlates_with_the_message_that_started_it() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure]);
    scene.finish("call_0_0");
    scene.says("answer");
    let message = scene.log[2].draft.id;
    let of_run: Vec<_> = scene.log[3..].iter().map(|event| event.draft.correlation).collect();
    assert_eq!(of_run, vec![Some(message); scene.log.len() - 3]);
}

#[test]
fn what_a_child_does_carries_its_level_from_the_first_event() {
    for (mut scene, level) in [(Scene::child(ResumePolicy::Continue), Level::Subagent), (Scene::new(), Level::Core)] {
        scene.message("m1");
        scene.prepared();
        scene.says("answer");
        let levels: Vec<_> = scene.log.iter().map(|event| event.draft.level).collect();
        assert_eq!(levels, vec![level; scene.log.len()]);
    }
}

#[test]
fn a_run_begins_with_its_own_event() {
    let scene = Scene::asking(ResumePolicy::Continue);
    let started = scene.log.iter().find(|event| event.draft.body.name() == "run.started").unwrap();
    assert_eq!(started.draft.run, scene.state.run.as_ref().map(|run| run.id));
    assert_eq!(started.draft.correlation, Some(scene.log[2].draft.id));
}

#[test]
fn a_message_into_an_open_run_belongs_to_none_and_is_a_first_cause() {
    for mode in [Mode::Steer, Mode::Queue] {
        let mut scene = Scene::asking(ResumePolicy::Continue);
        scene.send("m2", mode);
        let message = &scene.log.last().unwrap().draft;
        assert_eq!((message.body.name(), message.run, message.cause, message.correlation), ("message.received", None, None, None));
    }
}
