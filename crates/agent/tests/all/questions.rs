//! A question of the model to the person: it stands alone, and any text is its answer.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use agent::Agent;
use agent::rest::{Turn, turn};
use contract::ask::Answer;
use contract::body::{Mode, Scope};
use contract::call::{Class, Risk};
use contract::config::ResumePolicy::Continue;
use contract::machine::{Machine, Rest};
use contract::text::Text;

fn asked() -> Scene {
    Scene::replied(vec![made::question(0, "which colour?").part()])
}

#[test]
fn any_text_answers_a_question() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::text("I need to know:"), made::question(0, "which colour?").part()]);
    assert_eq!((turn(&scene.state), Agent::rest(&scene.state)), (Turn::Person, Rest::Waiting));
    scene.words("m2", "a warm one, I think");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "I need to know:" + call_0_0
      action.decided call_0_0 pure
      message.sent
      ask.opened call_0_0 question "which colour?"
      = nothing
    > words m2 "a warm one, I think"
      ask.answered call_0_0 reply "a warm one, I think"
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 ok "a warm one, I think""#);
}

#[test]
fn a_word_is_an_answer_like_any_other() {
    let mut scene = asked();
    scene.words("m2", "no");
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 ok "no""#);
}

#[test]
fn an_answer_may_be_given_by_name_too() {
    let mut scene = asked();
    scene.answer("a1", Answer::Reply(Text::from("blue")));
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 ok "blue""#);
}

#[test]
fn a_person_may_decline_to_answer() {
    let mut scene = asked();
    scene.answer("a1", Answer::Deny { message: Some(Text::from("ask my colleague")), stop: false });
    insta::assert_snapshot!(scene.story(), @r#"
    > answer a1 deny "ask my colleague"
      ask.answered call_0_0 deny "ask my colleague"
      action.withdrawn call_0_0 denied <declined with message: ask my colleague>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 not ok <declined with message: ask my colleague>");
}

#[test]
fn a_person_may_decline_and_end_the_run() {
    let mut scene = asked();
    scene.answer("a1", Answer::Deny { message: None, stop: true });
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny and stop
      ask.answered call_0_0 deny and stop
      action.withdrawn call_0_0 denied <declined>
      run.finished cancelled denied
      = nothing
    ");
}

#[test]
fn a_yes_is_no_answer_to_a_question() {
    let mut scene = asked();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ! an ask of kind question cannot be answered so
    ");
}

#[test]
fn a_question_beside_other_calls_withdraws_them_all() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::call(0, Class::Pure), made::question(1, "which colour?").part(), made::refused(2, "no such tool")]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0 + call_0_1 + call_0_2
      action.withdrawn call_0_0 not_alone <not alone>
      action.withdrawn call_0_1 not_alone <not alone>
      action.withdrawn call_0_2 invalid no such tool
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <not alone>
    result: call_0_1 provider_1 not ok <not alone>
    result: call_0_2 provider_2 not ok no such tool
    ");
}

#[test]
fn what_is_queued_does_not_answer() {
    let mut scene = asked();
    scene.send("m2", Mode::Queue);
    scene.send("m3", Mode::Status);
    assert_eq!((scene.state.asks.len(), scene.count("ask.answered")), (1, 0));
    scene.message("m4");
    assert_eq!(scene.state.inbox.len(), 1, "the queued one waits for the next run");
}

#[test]
fn a_question_is_still_open_after_takeovers_and_has_no_end() {
    let mut scene = asked();
    for _ in 0..4 {
        scene.takeover();
    }
    assert_eq!(Agent::due(&scene.state), None);
    scene.words("m2", "blue");
    assert!(scene.story().contains("model.requested reply attempt 1 epoch 5"));
}

#[test]
fn an_answer_is_known_by_its_key() {
    let mut scene = asked();
    scene.words("m2", "blue");
    scene.story();
    scene.words("m2", "blue");
    insta::assert_snapshot!(scene.story(), @r#"
    > words m2 "blue"
      ! already recorded at version 9
    "#);
}

#[test]
fn a_stop_ends_the_question_with_the_run() {
    let mut scene = asked();
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      ask.superseded call_0_0 stopped
      action.withdrawn call_0_0 stopped <stopped>
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn a_question_that_is_risky_by_policy_is_first_asked_about_as_a_call() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::question(0, "which colour?").of_risk(Risk::High).part()]);
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed call_0_0
      action.decided call_0_0 pure
      ask.opened call_0_0 request_user high
      = nothing
    > answer a1 approve
      ask.answered call_0_0 approve
      ask.opened call_0_0 question "which colour?"
      = nothing
    "#);
}

#[test]
fn what_somebody_says_who_has_not_seen_the_question_overtakes_it() {
    let mut scene = Scene::asking(Continue);
    let seen = scene.state.version;
    scene.replies(vec![made::question(0, "which colour?").part()]);
    scene.story();
    scene.words_after("m2", "do the tests first", seen);
    insta::assert_snapshot!(scene.story(), @r#"
    > words m2 "do the tests first"
      message.received m2 steer
      ask.superseded call_0_0 newer_message
      action.withdrawn call_0_0 newer_message <newer message>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <newer message>
    message: do the tests first
    ");
}
