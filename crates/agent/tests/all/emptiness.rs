//! Replies without an answer: corrected once, then the run fails.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use contract::call::Class;
use contract::config::ResumePolicy::Continue;

#[test]
fn an_empty_reply_is_corrected_once_then_the_run_fails() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![]);
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    notice: <empty reply>
    ");
    scene.replies(vec![made::text("")]);
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed nothing
      model.requested reply attempt 1 epoch 1 <empty reply>
      = model attempt 1
    > reply
      model.completed nothing
      run.finished failed empty_reply
      = nothing
    "#);
}

#[test]
fn a_corrected_model_may_answer() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![]);
    scene.says("here I am");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed nothing
      model.requested reply attempt 1 epoch 1 <empty reply>
      = model attempt 1
    > reply
      model.completed "here I am"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn empty_replies_count_only_in_a_row() {
    let mut scene = Scene::new();
    scene.config.max_turns = 9;
    scene.message("m1");
    scene.prepared();
    scene.story();
    scene.replies(vec![]);
    scene.calls(&[Class::Pure]);
    scene.finish("call_1_0");
    scene.replies(vec![]);
    scene.says("answer");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed nothing
      model.requested reply attempt 1 epoch 1 <empty reply>
      = model attempt 1
    > reply
      model.completed call_1_0
      action.decided call_1_0 pure
      tool.started call_1_0 attempt 1 epoch 1
      = start call_1_0 attempt 1
    > call_1_0 attempt 1 finishes
      tool.finished call_1_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed nothing
      model.requested reply attempt 1 epoch 1 <empty reply>
      = model attempt 1
    > reply
      model.completed "answer"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn thinking_without_an_answer_is_empty_and_comes_back() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::opaque("thought")]);
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    assistant: opaque thought
    notice: <empty reply>
    ");
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed opaque thought
      model.requested reply attempt 1 epoch 1 <empty reply>
      = model attempt 1
    ");
}

#[test]
fn an_empty_reply_to_a_steered_run_shows_message_and_correction() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.replies(vec![]);
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    message: text of m2
    notice: <empty reply>
    ");
}

#[test]
fn empty_texts_between_other_parts_are_left_out() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::text(""), made::opaque("thought"), made::text(""), made::call(0, Class::Pure)]);
    scene.finish("call_0_0");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: opaque thought + call_0_0
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    "#);
}

#[test]
fn blank_text_is_no_answer() {
    let mut scene = Scene::asking(Continue);
    scene.says(" \n\t ");
    scene.says("\u{a0}");
    let told: Vec<String> = scene.story().lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    assert!(!told.contains(&"message.sent".to_owned()), "{told:?}");
    assert!(told.contains(&"model.requested reply attempt 1 epoch 1 <empty reply>".to_owned()), "{told:?}");
    assert!(told.contains(&"run.finished failed empty_reply".to_owned()), "{told:?}");
}
