//! The last reply of a run at its limit.

use crate::scene::lines::request;
use crate::scene::{MAX_TURNS, Scene, made};
use contract::body::FailureClass;
use contract::call::Class;
use contract::config::ResumePolicy::Continue;

/// A run that has used all its replies: the call that must answer is open.
fn last_reply() -> Scene {
    let mut scene = Scene::asking(Continue);
    for reply in 0..MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{reply}_0"));
    }
    scene
}

#[test]
fn after_the_last_turn_the_model_must_answer() {
    let mut scene = last_reply();
    scene.story();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    assistant: call_1_0
    result: call_1_0 provider_0 ok exit 0 "output of call_1_0"
    assistant: call_2_0
    result: call_2_0 provider_0 ok exit 0 "output of call_2_0"
    notice: <last reply>
    "#);
    scene.says("all I have");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "all I have"
      message.sent
      run.finished limit turn_limit
      = nothing
    "#);
}

#[test]
fn calls_of_the_last_reply_are_not_run_and_its_text_is_said() {
    let mut scene = last_reply();
    scene.story();
    scene.replies(vec![made::text("one more"), made::call(0, Class::Pure), made::refused(1, "no such tool"), made::call(2, Class::Unsafe)]);
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "one more" + call_3_0 + call_3_1 + call_3_2
      action.decided call_3_0 pure
      action.withdrawn call_3_1 invalid no such tool
      action.decided call_3_2 unsafe
      message.sent
      action.withdrawn call_3_0 limit <limit>
      action.withdrawn call_3_2 limit <limit>
      run.finished limit turn_limit
      = nothing
    "#);
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    assistant: call_1_0
    result: call_1_0 provider_0 ok exit 0 "output of call_1_0"
    assistant: call_2_0
    result: call_2_0 provider_0 ok exit 0 "output of call_2_0"
    notice: <last reply>
    assistant: "one more" + call_3_0 + call_3_1 + call_3_2
    result: call_3_0 provider_0 not ok <limit>
    result: call_3_1 provider_1 not ok no such tool
    result: call_3_2 provider_2 not ok <limit>
    message: text of m2
    "#);
}

#[test]
fn an_interrupted_last_call_is_asked_again_with_the_same_bytes_and_no_second_correction() {
    let mut scene = last_reply();
    scene.story();
    let before = agent::context::context(&scene.state).unwrap().canonical();
    scene.takeover();
    assert_eq!(agent::context::context(&scene.state).unwrap().canonical(), before);
    scene.calls(&[Class::Pure]);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested last_reply attempt 2 epoch 2
      = model attempt 2
    > reply
      model.completed call_3_0
      action.decided call_3_0 pure
      action.withdrawn call_3_0 limit <limit>
      run.finished limit turn_limit
      = nothing
    ");
}

#[test]
fn an_empty_last_reply_ends_at_the_limit() {
    let mut scene = last_reply();
    scene.story();
    scene.replies(vec![]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed nothing
      run.finished limit turn_limit
      = nothing
    ");
}

#[test]
fn a_failing_last_call_fails_the_run() {
    let mut scene = last_reply();
    scene.story();
    scene.fails(FailureClass::Permanent);
    insta::assert_snapshot!(scene.story(), @"
    > model fails permanent
      model.failed permanent for good
      run.finished failed model_failed
      = nothing
    ");
}

#[test]
fn text_in_the_last_turn_completes_the_run() {
    let mut scene = Scene::asking(Continue);
    for reply in 1..MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{}_0", reply - 1));
    }
    scene.story();
    scene.says("in time");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "in time"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn a_steering_message_at_the_limit_gets_the_last_reply() {
    let mut scene = Scene::asking(Continue);
    for reply in 1..MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{}_0", reply - 1));
    }
    scene.message("m2");
    scene.story();
    scene.says("in time");
    insta::assert_snapshot!(request(&scene).lines().rev().take(2).collect::<Vec<_>>().join("\n"), @"
    notice: <last reply>
    message: text of m2
    ");
    scene.says("and that");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "in time"
      message.sent
      model.requested last_reply attempt 1 epoch 1 <last reply>
      = model attempt 1
    > reply
      model.completed "and that"
      message.sent
      run.finished limit turn_limit
      = nothing
    "#);
}

#[test]
fn a_run_without_any_turn_answers_at_once() {
    let mut scene = Scene::new();
    scene.config.max_turns = 0;
    scene.message("m1");
    scene.prepared();
    scene.calls(&[Class::Unsafe]);
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > prepared
      run.started
      model.requested last_reply attempt 1 epoch 1 <last reply>
      = model attempt 1
    > reply
      model.completed call_0_0
      action.decided call_0_0 unsafe
      action.withdrawn call_0_0 limit <limit>
      run.finished limit turn_limit
      = nothing
    ");
}
