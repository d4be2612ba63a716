//! Several calls of one reply: how many run at once, and in which order their results are shown.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use contract::body::UnknownReason;
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::limits::PARALLEL_TOOLS_MAX;
use contract::outcome::ToolOutcome;
use contract::text::Text;

#[test]
fn eight_run_at_once_and_the_ninth_starts_when_one_ends() {
    let mut scene = Scene::calling(Continue, &[Class::Pure; PARALLEL_TOOLS_MAX + 2]);
    insta::assert_snapshot!(scene.effects(), @"start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_3 attempt 1, start call_0_4 attempt 1, start call_0_5 attempt 1, start call_0_6 attempt 1, start call_0_7 attempt 1");
    scene.finish("call_0_3");
    scene.finish("call_0_0");
    scene.finish("call_0_9");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_3 attempt 1 finishes
      tool.finished call_0_3 attempt 1 ok
      tool.started call_0_8 attempt 1 epoch 1
      = start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_4 attempt 1, start call_0_5 attempt 1, start call_0_6 attempt 1, start call_0_7 attempt 1, start call_0_8 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      tool.started call_0_9 attempt 1 epoch 1
      = start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_4 attempt 1, start call_0_5 attempt 1, start call_0_6 attempt 1, start call_0_7 attempt 1, start call_0_8 attempt 1, start call_0_9 attempt 1
    > call_0_9 attempt 1 finishes
      tool.finished call_0_9 attempt 1 ok
      = start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_4 attempt 1, start call_0_5 attempt 1, start call_0_6 attempt 1, start call_0_7 attempt 1, start call_0_8 attempt 1
    ");
}

#[test]
fn results_are_shown_in_the_order_of_their_calls() {
    let mut scene = Scene::calling(Continue, &[Class::Pure, Class::Idempotent, Class::Probe, Class::Unsafe]);
    for call in ["call_0_2", "call_0_0", "call_0_3", "call_0_1"] {
        scene.finish(call);
    }
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2 + call_0_3
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    result: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    result: call_0_2 provider_2 ok exit 0 "output of call_0_2"
    result: call_0_3 provider_3 ok exit 0 "output of call_0_3"
    "#);
    insta::assert_snapshot!(scene.story(), @"
    > call_0_2 attempt 1 finishes
      tool.finished call_0_2 attempt 1 ok
      = start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_3 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = start call_0_1 attempt 1, start call_0_3 attempt 1
    > call_0_3 attempt 1 finishes
      tool.finished call_0_3 attempt 1 ok
      = start call_0_1 attempt 1
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn every_order_of_outcomes_leads_to_the_same_request() {
    let orders = [["call_0_0", "call_0_1", "call_0_2"], ["call_0_2", "call_0_1", "call_0_0"], ["call_0_1", "call_0_2", "call_0_0"]];
    let shown = orders.map(|order| {
        let mut scene = Scene::calling(Continue, &[Class::Pure; 3]);
        order.iter().for_each(|call| scene.finish(call));
        agent::context::context(&scene.state).unwrap().sha256()
    });
    assert_eq!(shown[0], shown[1]);
    assert_eq!(shown[0], shown[2]);
}

#[test]
fn a_lost_attempt_is_repeated_in_its_place_before_later_calls_start() {
    let mut scene = Scene::calling(Continue, &[Class::Pure; PARALLEL_TOOLS_MAX + 1]);
    scene.tool("call_0_7", made::unknown(UnknownReason::Lost));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_7 attempt 1 is unknown: lost
      tool.unknown call_0_7 attempt 1 lost
      tool.started call_0_7 attempt 2 epoch 1
      = start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_3 attempt 1, start call_0_4 attempt 1, start call_0_5 attempt 1, start call_0_6 attempt 1, start call_0_7 attempt 2
    ");
}

#[test]
fn a_failed_tool_is_a_result_like_any_other() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.tool("call_0_0", ToolOutcome::Finished { ok: false, output: Text::from("no"), exit: None, signal: Some(9) });
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 not ok signal 9 "no"
    "#);
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn an_outcome_counts_once() {
    let mut scene = Scene::calling(Continue, &[Class::Pure, Class::Pure]);
    scene.finish("call_0_0");
    scene.finish("call_0_0");
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = start call_0_1 attempt 1
    > call_0_0 attempt 1 finishes
      ! stale: call_0_0 attempt 1
    > call_0_0 attempt 1 is unknown: died
      ! stale: call_0_0 attempt 1
    ");
}

#[test]
fn an_attempt_that_never_was_has_no_outcome() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.tool_attempt("call_0_0", 2, made::finished("from the future"));
    scene.tool_attempt("call_0_0", 0, made::finished("from the past"));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 2 finishes
      ! stale: call_0_0 attempt 2
    > call_0_0 attempt 0 finishes
      ! stale: call_0_0 attempt 0
    ");
}

#[test]
fn calls_of_later_replies_are_numbered_on() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.finish("call_0_0");
    scene.calls(&[Class::Probe, Class::Pure]);
    scene.finish("call_1_1");
    scene.finish("call_1_0");
    scene.says("answer");
    scene.message("m2");
    scene.prepared();
    scene.calls(&[Class::Pure]);
    insta::assert_snapshot!(scene.story(), @r#"
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed call_1_0 + call_1_1
      action.decided call_1_0 probe
      action.decided call_1_1 pure
      tool.started call_1_0 attempt 1 epoch 1
      tool.started call_1_1 attempt 1 epoch 1
      = start call_1_0 attempt 1, start call_1_1 attempt 1
    > call_1_1 attempt 1 finishes
      tool.finished call_1_1 attempt 1 ok
      = start call_1_0 attempt 1
    > call_1_0 attempt 1 finishes
      tool.finished call_1_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "answer"
      message.sent
      run.finished completed
      = nothing
    > message m2 steer
      message.received m2 steer
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed call_3_0
      action.decided call_3_0 pure
      tool.started call_3_0 attempt 1 epoch 1
      = start call_3_0 attempt 1
    "#);
}
