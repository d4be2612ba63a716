//! Another owner takes the stream: what was open is found out, never assumed.

use crate::scene::{Scene, made};
use agent::context::context;
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::outcome::ToolOutcome;

#[test]
fn an_open_model_call_is_interrupted_and_asked_again_with_the_same_bytes() {
    let mut scene = Scene::asking(Continue);
    let before = context(&scene.state).unwrap().canonical();
    scene.takeover();
    assert_eq!(context(&scene.state).unwrap().canonical(), before);
    scene.says("answer");
    insta::assert_snapshot!(scene.story(), @r#"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    > reply
      model.completed "answer"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn the_answer_to_an_interrupted_call_is_stale() {
    let mut scene = Scene::asking(Continue);
    let (effect, attempt) = scene.model();
    scene.takeover();
    let late = contract::outcome::ModelOutcome::Replied(made::reply(vec![made::text("late")]));
    scene.done("late reply", effect, attempt, contract::outcome::Outcome::Model(late));
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    > late reply
      ! stale: model attempt 1
    ");
}

#[test]
fn a_message_during_the_takeover_is_shown_when_the_model_is_asked_again() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.takeover();
    insta::assert_snapshot!(crate::scene::lines::request(&scene), @"
    message: text of m1
    message: text of m2
    ");
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = model attempt 1
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    ");
}

#[test]
fn open_tools_are_recovered_by_their_class_and_new_ones_started() {
    let mut scene = Scene::calling(Continue, &[Class::Pure, Class::Idempotent, Class::Probe, Class::Unsafe]);
    scene.takeover();
    scene.tool("call_0_2", made::never_started());
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 pure, recover call_0_1 attempt 1 idempotent, recover call_0_2 attempt 1 probe, recover call_0_3 attempt 1 unsafe
    > call_0_2 attempt 1 never_started
      tool.cancelled call_0_2 attempt 1 never_started
      tool.started call_0_2 attempt 2 epoch 2
      = recover call_0_0 attempt 1 pure, recover call_0_1 attempt 1 idempotent, start call_0_2 attempt 2, recover call_0_3 attempt 1 unsafe
    ");
}

#[test]
fn a_waiting_call_starts_under_the_new_owner() {
    let mut scene = Scene::calling(Continue, &[Class::Probe; 9]);
    scene.takeover();
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 probe, recover call_0_1 attempt 1 probe, recover call_0_2 attempt 1 probe, recover call_0_3 attempt 1 probe, recover call_0_4 attempt 1 probe, recover call_0_5 attempt 1 probe, recover call_0_6 attempt 1 probe, recover call_0_7 attempt 1 probe
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      tool.started call_0_8 attempt 1 epoch 2
      = recover call_0_1 attempt 1 probe, recover call_0_2 attempt 1 probe, recover call_0_3 attempt 1 probe, recover call_0_4 attempt 1 probe, recover call_0_5 attempt 1 probe, recover call_0_6 attempt 1 probe, recover call_0_7 attempt 1 probe, start call_0_8 attempt 1
    ");
}

#[test]
fn an_adopted_attempt_goes_on_and_ends_exactly() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.takeover();
    scene.tool("call_0_0", ToolOutcome::Adopted);
    scene.takeover();
    scene.tool("call_0_0", ToolOutcome::Adopted);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 is adopted
      tool.adopted call_0_0 attempt 1 epoch 2
      = recover call_0_0 attempt 1 unsafe
    > taken 3
      owner.taken epoch 3
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 is adopted
      tool.adopted call_0_0 attempt 1 epoch 3
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 3
      = model attempt 1
    ");
}

#[test]
fn an_attempt_is_adopted_once_by_each_owner() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.takeover();
    scene.story();
    scene.tool("call_0_0", ToolOutcome::Adopted);
    scene.tool("call_0_0", ToolOutcome::Adopted);
    scene.finish("call_0_0");
    scene.tool("call_0_0", ToolOutcome::Adopted);
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 is adopted
      tool.adopted call_0_0 attempt 1 epoch 2
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 is adopted
      ! stale: call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    > call_0_0 attempt 1 is adopted
      ! stale: call_0_0 attempt 1
    ");
}

#[test]
fn a_late_outcome_of_an_older_attempt_is_stale() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.takeover();
    scene.tool_attempt("call_0_0", 1, made::never_started());
    scene.tool_attempt("call_0_0", 1, made::finished("late"));
    scene.tool_attempt("call_0_0", 2, made::finished("in time"));
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 pure
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      tool.started call_0_0 attempt 2 epoch 2
      = start call_0_0 attempt 2
    > call_0_0 attempt 1 finishes
      ! stale: call_0_0 attempt 1
    > call_0_0 attempt 2 finishes
      tool.finished call_0_0 attempt 2 ok
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn the_outcome_of_an_attempt_counts_also_when_its_owner_is_gone() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.takeover();
    scene.tool_attempt("call_0_0", 1, made::finished("reported in time"));
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn an_old_epoch_is_refused() {
    let mut scene = Scene::new();
    scene.taken(1);
    scene.taken(0);
    scene.taken(5);
    scene.taken(4);
    insta::assert_snapshot!(scene.story(), @"
    > taken 1
      ! epoch 1 is not above 1
    > taken 0
      ! epoch 0 is not above 1
    > taken 5
      owner.taken epoch 5
      = nothing
    > taken 4
      ! epoch 4 is not above 5
    ");
}

#[test]
fn a_session_at_rest_is_taken_without_any_ado() {
    let mut scene = Scene::asking(Continue);
    scene.says("done");
    scene.story();
    for _ in 0..5 {
        scene.takeover();
    }
    assert_eq!(scene.state.recoveries, 0);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = nothing
    > taken 3
      owner.taken epoch 3
      = nothing
    > taken 4
      owner.taken epoch 4
      = nothing
    > taken 5
      owner.taken epoch 5
      = nothing
    > taken 6
      owner.taken epoch 6
      = nothing
    ");
}

#[test]
fn a_waiting_message_is_prepared_by_the_next_owner() {
    let mut scene = Scene::new();
    scene.message("m1");
    scene.takeover();
    scene.prepared();
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > taken 2
      owner.taken epoch 2
      = prepare m1
    > prepared
      run.started
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn a_correction_is_not_shown_twice_after_a_takeover() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![]);
    let before = context(&scene.state).unwrap().canonical();
    scene.takeover();
    assert_eq!(context(&scene.state).unwrap().canonical(), before);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed nothing
      model.requested reply attempt 1 epoch 1 <empty reply>
      = model attempt 1
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    ");
}
