//! Logs that end inside a batch, as a fork may: whatever is missing is closed, never invented.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use contract::call::Class;
use contract::config::ResumePolicy;

/// Cuts the log after its last event of this name and lets the next owner take it.
fn cut_after(scene: &Scene, name: &str) -> Scene {
    let last = scene.log.iter().rposition(|event| event.draft.body.name() == name).unwrap();
    let mut cut = scene.cut(last + 1);
    cut.takeover();
    cut
}

fn two_calls() -> Scene {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.replies(vec![made::text("look"), made::call(0, Class::Pure), made::call(1, Class::Unsafe)]);
    scene
}

#[test]
fn a_reply_without_its_decisions_is_said_and_its_calls_are_withdrawn() {
    let mut scene = cut_after(&two_calls(), "model.completed");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      message.sent
      action.withdrawn call_0_0 never_decided <never decided>
      action.withdrawn call_0_1 never_decided <never decided>
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "look" + call_0_0 + call_0_1
    result: call_0_0 provider_0 not ok <never decided>
    result: call_0_1 provider_1 not ok <never decided>
    "#);
}

#[test]
fn decided_calls_start_and_the_undecided_ones_are_withdrawn() {
    let whole = two_calls();
    let first = whole.log.iter().position(|event| event.draft.body.name() == "action.decided").unwrap();
    let mut scene = whole.cut(first + 1);
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      message.sent
      action.withdrawn call_0_1 never_decided <never decided>
      tool.started call_0_0 attempt 1 epoch 2
      = start call_0_0 attempt 1
    ");
}

#[test]
fn a_started_call_is_recovered_and_a_decided_one_started() {
    let whole = two_calls();
    let first = whole.log.iter().position(|event| event.draft.body.name() == "tool.started").unwrap();
    let mut scene = whole.cut(first + 1);
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      tool.started call_0_1 attempt 1 epoch 2
      = recover call_0_0 attempt 1 pure, start call_0_1 attempt 1
    ");
}

#[test]
fn a_run_that_only_started_asks_the_model() {
    let mut scene = cut_after(&two_calls(), "run.started");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn an_answer_that_was_not_said_is_said_and_the_run_ends() {
    let mut whole = Scene::asking(ResumePolicy::Continue);
    whole.says("answer");
    let mut scene = cut_after(&whole, "model.completed");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      message.sent
      run.finished completed
      = nothing
    ");
}

#[test]
fn an_unknown_attempt_is_reconciled() {
    let mut whole = Scene::calling(ResumePolicy::Continue, &[Class::Unsafe]);
    whole.tool("call_0_0", made::unknown(contract::body::UnknownReason::Lost));
    let mut scene = cut_after(&whole, "tool.unknown");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      tool.reconciled call_0_0 told <unknown: lost>
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn a_takeover_that_did_not_park_yet_parks_under_the_next_owner() {
    for (policy, parked) in [(ResumePolicy::Ask, "ask.opened resume"), (ResumePolicy::Paused, "run.paused")] {
        let mut whole = Scene::calling(policy, &[Class::Unsafe]);
        whole.takeover();
        let mut scene = cut_after(&whole, "owner.taken");
        assert_eq!(scene.story(), format!("> taken 3\n  owner.taken epoch 3\n  {parked}\n  = nothing\n"));
    }
}
