//! Calls that no longer hold their run: they go on without it, and what comes of them is told when it can be.

use crate::scene::Scene;
use crate::scene::lines::{fresh, request};
use crate::scene::made::{self, Change};
use agent::Agent;
use agent::rest::{Turn, turn};
use contract::body::{Mode, UnknownReason};
use contract::call::Class;
use contract::config::{OnUnknown, ResumePolicy::Continue};
use contract::limits::{BACKGROUND_TOOLS_MAX, PATIENCE_QUEUED_MS};
use contract::machine::Machine;

const PATIENCE_MS: u64 = 600_000;

fn patient(patience_ms: u64) -> Scene {
    Scene::replied(vec![made::plain(0, Class::Unsafe).patience(patience_ms).part()])
}

/// A run that ended while its call goes on in the background.
fn left_behind() -> Scene {
    let mut scene = patient(0);
    scene.says("it runs");
    scene.story();
    scene
}

#[test]
fn patience_runs_out_in_time_and_the_model_goes_on() {
    let mut scene = patient(PATIENCE_MS);
    scene.wait(1);
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > it is almost time
      = start call_0_0 attempt 1
    > it is time
      tool.deferred call_0_0 <backgrounded: call_0_0 600>
      tool.backgrounded call_0_0
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 ok <backgrounded: call_0_0 600>");
}

#[test]
fn without_patience_the_call_is_in_the_background_at_once() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0
      action.decided call_0_0 unsafe
      tool.started call_0_0 attempt 1 epoch 1
      tool.deferred call_0_0 <backgrounded: call_0_0 0>
      tool.backgrounded call_0_0
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    ");
}

#[test]
fn a_queued_message_shortens_the_patience() {
    let mut scene = patient(PATIENCE_MS);
    let since = scene.now;
    scene.send("m2", Mode::Queue);
    assert_eq!(Agent::due(&scene.state), Some(since.plus_ms(PATIENCE_QUEUED_MS)));
    scene.wait(0);
    scene.says("it runs on");
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 queue
      message.received m2 queue
      = start call_0_0 attempt 1
    > it is time
      tool.deferred call_0_0 <backgrounded: call_0_0 30>
      tool.backgrounded call_0_0
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    > reply
      model.completed "it runs on"
      message.sent
      run.finished completed
      = prepare m2, start call_0_0 attempt 1
    "#);
}

#[test]
fn a_queued_message_does_not_lengthen_a_short_patience() {
    let mut scene = patient(5_000);
    let since = scene.now;
    scene.send("m2", Mode::Queue);
    assert_eq!(Agent::due(&scene.state), Some(since.plus_ms(5_000)));
}

#[test]
fn a_call_without_patience_of_its_own_holds_the_run_to_its_end() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Queue);
    assert_eq!(Agent::due(&scene.state), None);
}

#[test]
fn what_was_deferred_by_a_message_goes_to_the_background_without_a_second_note() {
    let mut scene = patient(PATIENCE_MS);
    scene.message("m2");
    scene.says("it runs");
    scene.story();
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > it is time
      tool.backgrounded call_0_0
      run.finished completed
      = start call_0_0 attempt 1
    ");
}

#[test]
fn an_outcome_without_a_run_starts_none_and_is_shown_by_the_next() {
    let mut scene = left_behind();
    assert_eq!(turn(&scene.state), Turn::Nobody);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = nothing
    ");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok <backgrounded: call_0_0 0>
    assistant: "it runs"
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    message: text of m2
    "#);
}

#[test]
fn an_outcome_in_a_later_run_is_told_there() {
    let mut scene = left_behind();
    scene.message("m2");
    scene.prepared();
    scene.finish("call_0_0");
    scene.says("hello");
    insta::assert_snapshot!(fresh(&scene), @r#"late: call_0_0 provider_0 ok exit 0 "output of call_0_0""#);
    scene.says("I see it ended");
    assert!(scene.story().ends_with("run.finished completed\n  = nothing\n"));
}

#[test]
fn a_background_call_is_recovered_by_the_next_owner_and_holds_nothing() {
    let mut scene = left_behind();
    scene.takeover();
    scene.tool("call_0_0", contract::outcome::ToolOutcome::Adopted);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 is adopted
      tool.adopted call_0_0 attempt 1 epoch 2
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = nothing
    ");
}

#[test]
fn a_background_call_that_never_started_is_started_again_without_a_run() {
    let mut scene = left_behind();
    scene.tool("call_0_0", made::never_started());
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      tool.started call_0_0 attempt 2 epoch 1
      = start call_0_0 attempt 2
    > call_0_0 attempt 2 is unknown: died
      tool.unknown call_0_0 attempt 2 died
      tool.reconciled call_0_0 told <unknown: died>
      = nothing
    ");
}

#[test]
fn a_background_call_whose_approval_lapsed_is_not_started_again_without_a_run() {
    let mut scene = Scene::replied(vec![made::command(0, "serve").patience(0).part()]);
    scene.answer("a1", contract::ask::Answer::YES);
    scene.says("it runs");
    scene.story();
    scene.now = scene.now.plus_ms(contract::limits::APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      action.withdrawn call_0_0 expired <lapsed>
      = nothing
    ");
}

#[test]
fn nobody_is_asked_about_an_unknown_outcome_while_no_run_is_open() {
    let mut scene = Scene::configured(|config| config.policy.on_unknown = OnUnknown::Ask);
    scene.replies(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.says("it runs");
    scene.story();
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 is unknown: died
      tool.unknown call_0_0 attempt 1 died
      tool.reconciled call_0_0 told <unknown: died>
      = nothing
    ");
}

#[test]
fn what_happens_without_a_run_correlates_with_the_message_that_led_to_it() {
    let mut scene = left_behind();
    let message = scene.log.iter().find(|event| event.draft.body.name() == "message.received").unwrap().draft.id;
    scene.tool("call_0_0", made::never_started());
    scene.finish("call_0_0");
    let roots: Vec<_> = scene.log.iter().rev().take(3).map(|event| event.draft.correlation).collect();
    assert_eq!(roots, [Some(message); 3]);
}

#[test]
fn a_call_that_finds_no_place_in_the_background_holds_its_run() {
    let mut scene = Scene::configured(|config| config.max_turns = 999);
    for _ in 0..BACKGROUND_TOOLS_MAX {
        scene.replies(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    }
    scene.replies(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    assert_eq!((scene.count("tool.backgrounded"), scene.state.foreground().count()), (BACKGROUND_TOOLS_MAX, 1));
    assert_eq!(Agent::due(&scene.state), None, "nothing is waited for that cannot be done");
    scene.finish("call_0_0");
    assert_eq!(scene.state.foreground().count(), 0);
}
