//! Messages that wait: a steering one joins the open run, a queued one starts the next.

use crate::scene::Scene;
use crate::scene::lines::request;
use agent::Agent;
use contract::ask::Answer;
use contract::body::{FailureClass, Mode};
use contract::call::Class;
use contract::config::ResumePolicy::{self, Continue};
use contract::limits::INBOX_MAX;
use contract::machine::Machine;
use contract::outcome::Outcome;

#[test]
fn without_an_owner_a_message_waits() {
    let mut scene = Scene::empty();
    scene.create(Continue);
    scene.message("m1");
    scene.message("m2");
    insta::assert_snapshot!(scene.story(), @"
    > create
      session.created continue
      = nothing
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > message m2 steer
      message.received m2 steer
      = prepare m1
    ");
}

#[test]
fn a_steering_message_holds_the_run_open_and_is_shown_next() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.says("first answer");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "first answer"
    message: text of m2
    "#);
    scene.says("second answer");
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 steer
      message.received m2 steer
      = model attempt 1
    > reply
      model.completed "first answer"
      message.sent
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "second answer"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn a_steering_message_is_shown_at_once_behind_a_note_of_what_runs() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.message("m2");
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok <deferred running: call_0_0 1>
    message: text of m2
    ");
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      tool.deferred call_0_0 <deferred running: call_0_0 1>
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    ");
}

#[test]
fn a_queued_message_becomes_the_next_run() {
    let mut scene = Scene::asking(Continue);
    scene.send("m2", Mode::Queue);
    scene.says("first answer");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "first answer"
    message: text of m2
    "#);
    scene.says("second answer");
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 queue
      message.received m2 queue
      = model attempt 1
    > reply
      model.completed "first answer"
      message.sent
      run.finished completed
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "second answer"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn queued_messages_make_one_run_each_and_steering_ones_join_the_first() {
    let mut scene = Scene::asking(Continue);
    scene.send("m2", Mode::Queue);
    scene.send("m3", Mode::Queue);
    scene.fails(FailureClass::Permanent);
    scene.message("m4");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    message: text of m2
    message: text of m4
    ");
    scene.says("answer");
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 queue
      message.received m2 queue
      = model attempt 1
    > message m3 queue
      message.received m3 queue
      = model attempt 1
    > model fails permanent
      model.failed permanent for good
      run.finished failed model_failed
      = prepare m2
    > message m4 steer
      message.received m4 steer
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "answer"
      message.sent
      run.finished completed
      = prepare m3
    "#);
}

#[test]
fn a_steering_message_that_a_failed_run_never_showed_starts_the_next() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.fails(FailureClass::Auth);
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    message: text of m2
    ");
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = model attempt 1
    > model fails auth
      model.failed auth for good
      run.finished failed model_failed
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn two_messages_before_a_run_are_answered_together() {
    let mut scene = Scene::new();
    scene.message("m1");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    message: text of m2
    ");
    scene.says("answer to both");
    insta::assert_snapshot!(scene.story(), @r#"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > message m2 steer
      message.received m2 steer
      = prepare m1
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "answer to both"
      message.sent
      run.finished completed
      = nothing
    "#);
}

/// What is no message takes no place among them.
#[test]
fn a_full_inbox_still_takes_answers_and_questions_how_things_stand() {
    let mut scene = Scene::held();
    scene.elsewhere(|scene| (0..INBOX_MAX).for_each(|number| scene.send(&format!("q{number}"), Mode::Queue)));
    scene.story();
    scene.send("one more", Mode::Queue);
    scene.send("how far?", Mode::Status);
    scene.words("w1", "yes");
    insta::assert_snapshot!(scene.story(), @r#"
    > message one more queue
      ! 256 messages wait already
    > message how far? status
      message.received how far? status
      = nothing
    > words w1 "yes"
      ask.answered call_0_0 approve
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    "#);
}

/// The configuration may be resolved while a person is asked; the run that starts then has shown nothing yet.
#[test]
fn a_no_to_a_run_that_has_shown_nothing_drops_its_message() {
    let mut scene = Scene::with(ResumePolicy::Ask);
    scene.message("m1");
    let wanted = Agent::effects(&scene.state)[0].id();
    scene.takeover();
    scene.takeover();
    scene.done("prepared late", wanted, 1, Outcome::Prepared { config: Box::new(scene.config.clone()), resources: Vec::new() });
    scene.answer("a1", Answer::NO);
    assert_eq!(scene.effects(), "nothing", "another run for the same message would have the id of the first");
}
