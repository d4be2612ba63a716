//! The turns of a run: a person gives it more, or it has one last reply.

use crate::scene::lines::request;
use crate::scene::{MAX_TURNS, Scene, made};
use contract::ask::Answer;
use contract::body::FailureClass;
use contract::call::Class;
use contract::config::ResumePolicy::Continue;

/// A run that has used all its turns.
fn used_up() -> Scene {
    let mut scene = Scene::asking(Continue);
    for reply in 0..MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{reply}_0"));
    }
    scene
}

/// A run that is given no more turns: the call that must answer is open.
fn last_reply() -> Scene {
    let mut scene = used_up();
    scene.answer("enough", Answer::NO);
    scene
}

#[test]
fn after_its_turns_a_run_waits_for_a_person() {
    let mut scene = used_up();
    scene.story();
    scene.message("m2");
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = nothing
    > taken 2
      owner.taken epoch 2
      = nothing
    ");
    scene.answer("a1", Answer::YES);
    scene.calls(&[Class::Pure]);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ask.answered approve
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    > reply
      model.completed call_3_0
      action.decided call_3_0 pure
      tool.started call_3_0 attempt 1 epoch 2
      = start call_3_0 attempt 1
    ");
}

#[test]
fn a_yes_gives_as_many_turns_again_and_an_amount_gives_that() {
    let mut scene = used_up();
    scene.answer("a1", Answer::Extend { amount: 1 });
    scene.calls(&[Class::Pure]);
    scene.finish("call_3_0");
    scene.answer("a2", Answer::YES);
    for reply in 4..4 + MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{reply}_0"));
    }
    assert_eq!((scene.state.replies, scene.count("ask.opened"), scene.state.asks.len()), (7, 3, 1));
}

#[test]
fn a_no_that_stops_ends_the_run_without_a_last_reply() {
    let mut scene = used_up();
    scene.story();
    scene.answer("a1", Answer::Deny { message: None, stop: true });
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny and stop
      ask.answered deny and stop
      run.finished limit budget
      = nothing
    ");
}

/// Turns are a run's own, and so is what people add to them.
#[test]
fn the_next_run_has_its_own_turns() {
    let mut scene = used_up();
    scene.answer("a1", Answer::Extend { amount: 9 });
    scene.says("done");
    scene.message("m2");
    scene.prepared();
    for reply in 4..4 + MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{reply}_0"));
    }
    assert_eq!((scene.count("ask.opened"), scene.state.asks.len()), (2, 1));
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
fn a_steering_message_at_the_limit_is_part_of_the_last_request() {
    let mut scene = Scene::asking(Continue);
    for reply in 1..MAX_TURNS {
        scene.calls(&[Class::Pure]);
        scene.finish(&format!("call_{}_0", reply - 1));
    }
    scene.message("m2");
    scene.says("in time");
    scene.answer("enough", Answer::NO);
    insta::assert_snapshot!(request(&scene).lines().rev().take(2).collect::<Vec<_>>().join("\n"), @"
    notice: <last reply>
    message: text of m2
    ");
    scene.story();
    scene.says("and that");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "and that"
      message.sent
      run.finished limit turn_limit
      = nothing
    "#);
}

#[test]
fn a_run_without_any_turn_asks_at_once_and_a_yes_gives_it_one() {
    let mut scene = Scene::new();
    scene.config.max_turns = 0;
    scene.message("m1");
    scene.prepared();
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > prepared
      run.started
      ask.opened turns 0 of 0
      = nothing
    ");
    scene.answer("a1", Answer::YES);
    scene.calls(&[Class::Unsafe]);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ask.answered approve
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed call_0_0
      action.decided call_0_0 unsafe
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      ask.opened turns 1 of 1
      = nothing
    ");
}
