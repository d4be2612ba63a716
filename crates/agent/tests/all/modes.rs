//! How a message is meant: into the run, behind it, or only to know how things stand; and messages taken back.

use crate::scene::Scene;
use crate::scene::lines::{fresh, request};
use crate::scene::made::{self, Change};
use contract::body::{Mode, Scope};
use contract::call::Class;
use contract::config::ResumePolicy::{Ask, Continue};
use contract::id::Key;
use contract::limits::INBOX_MAX;

#[test]
fn a_question_about_the_state_changes_nothing_and_is_never_shown() {
    let mut scene = Scene::asking(Continue);
    scene.send("s1", Mode::Status);
    scene.says("done");
    scene.send("s2", Mode::Status);
    assert_eq!(scene.effects(), "nothing", "it starts no run");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(scene.story(), @r#"
    > message s1 status
      message.received s1 status
      = model attempt 1
    > reply
      model.completed "done"
      message.sent
      run.finished completed
      = nothing
    > message s2 status
      message.received s2 status
      = nothing
    > message m2 steer
      message.received m2 steer
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "done"
    message: text of m2
    "#);
}

#[test]
fn a_question_about_the_state_overtakes_nothing() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part(), made::call(1, Class::Unsafe)]);
    scene.send("s1", Mode::Status);
    assert_eq!((scene.count("ask.superseded"), scene.count("tool.deferred")), (0, 0));
}

#[test]
fn a_question_about_the_state_does_not_clear_the_count_of_recoveries() {
    let mut scene = Scene::asking(Continue);
    scene.takeover();
    scene.takeover();
    scene.send("s1", Mode::Status);
    assert_eq!(scene.state.recoveries, 2);
}

#[test]
fn a_message_may_be_taken_back_until_it_is_shown() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.send("m3", Mode::Queue);
    scene.withdraw("w1", "m2");
    scene.withdraw("w2", "m3");
    scene.withdraw("w3", "m1");
    scene.says("done");
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 steer
      message.received m2 steer
      = model attempt 1
    > message m3 queue
      message.received m3 queue
      = model attempt 1
    > withdraw w1 m2
      message.withdrawn w1
      = model attempt 1
    > withdraw w2 m3
      message.withdrawn w2
      = model attempt 1
    > withdraw w3 m1
      ! no message with the key m1 waits
    > reply
      model.completed "done"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn a_message_that_was_taken_back_may_be_said_anew() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.withdraw("w1", "m2");
    scene.message("m2");
    scene.message("m2 again");
    scene.says("to m1");
    insta::assert_snapshot!(fresh(&scene), @"message: text of m2 again");
    assert_eq!(scene.count("message.received"), 3, "a key is used once");
}

#[test]
fn taking_back_counts_once() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.withdraw("w1", "m2");
    scene.story();
    scene.withdraw("w1", "m2");
    scene.withdraw("w2", "m2");
    insta::assert_snapshot!(scene.story(), @"
    > withdraw w1 m2
      ! already recorded at version 7
    > withdraw w2 m2
      ! no message with the key m2 waits
    ");
}

#[test]
fn a_message_whose_run_is_being_prepared_may_be_taken_back() {
    let mut scene = Scene::new();
    scene.message("m1");
    let wanted = agent::effects::effects(&scene.state)[0].id();
    scene.withdraw("w1", "m1");
    scene.done(
        "prepared",
        wanted,
        1,
        contract::outcome::Outcome::Prepared { config: Box::new(scene.config.clone()), resources: Vec::new() },
    );
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > withdraw w1 m1
      message.withdrawn w1
      = nothing
    > prepared
      ! stale: prepare m1
    ");
}

#[test]
fn the_message_of_the_open_run_is_not_taken_back() {
    let mut scene = Scene::with(Ask);
    scene.message("m1");
    let wanted = agent::effects::effects(&scene.state)[0].id();
    scene.takeover();
    scene.done(
        "prepared late",
        wanted,
        1,
        contract::outcome::Outcome::Prepared { config: Box::new(scene.config.clone()), resources: Vec::new() },
    );
    scene.story();
    scene.withdraw("w1", "m1");
    insta::assert_snapshot!(scene.story(), @"
    > withdraw w1 m1
      ! no message with the key m1 waits
    ");
}

#[test]
fn an_ask_is_open_again_when_the_message_that_overtook_it_is_taken_back_in_time() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.elsewhere(|scene| {
        scene.message("m2");
        scene.withdraw("w1", "m2");
        scene.words("w2", "yes");
    });
    scene.notice();
    assert_eq!(scene.effects(), "start call_0_0 attempt 1");
}

#[test]
fn queued_messages_start_one_run_each_in_their_order() {
    let mut scene = Scene::asking(Continue);
    scene.send("q1", Mode::Queue);
    scene.send("q2", Mode::Queue);
    scene.says("first");
    scene.prepared();
    scene.says("second");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "first"
    message: text of q1
    assistant: "second"
    message: text of q2
    "#);
}

#[test]
fn an_inbox_holds_so_many_messages_and_no_more() {
    let mut scene = Scene::empty();
    scene.create(Continue);
    for number in 0..INBOX_MAX {
        scene.send(&format!("q{number}"), Mode::Queue);
    }
    scene.story();
    scene.send("one more", Mode::Queue);
    insta::assert_snapshot!(scene.story(), @"
    > message one more queue
      ! 256 messages wait already
    ");
    scene.withdraw("w1", "q0");
    scene.send("one more", Mode::Queue);
    assert!(scene.state.seen.contains_key(&Key("one more".into())));
}

#[test]
fn what_a_stopped_run_had_not_shown_is_shown_by_the_next_and_starts_none() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.stop("s1", Scope::Turn);
    assert_eq!(scene.effects(), "nothing");
    scene.message("m3");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    message: text of m2
    message: text of m3
    ");
}
