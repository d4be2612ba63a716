//! What people say: accepted at any moment, once, and never lost.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use contract::body::Mode;
use contract::config::ResumePolicy::Continue;
use contract::id::Sha256;
use contract::limits::MESSAGE_BYTES_MAX;
use contract::text::Text;

#[test]
fn a_message_starts_a_run_and_text_ends_it() {
    let mut scene = Scene::empty();
    scene.create(Continue);
    scene.takeover();
    scene.message("m1");
    scene.prepared();
    scene.says("hello");
    insta::assert_snapshot!(scene.story(), @r#"
    > create
      session.created continue
      = nothing
    > taken 1
      owner.taken epoch 1
      = nothing
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "hello"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn a_repeated_key_is_known_by_its_version() {
    let mut scene = Scene::new();
    scene.message("m1");
    scene.message("m1");
    scene.prepared();
    scene.says("done");
    scene.send("m1", Mode::Queue);
    insta::assert_snapshot!(scene.story(), @r#"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > message m1 steer
      ! already recorded at version 3
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "done"
      message.sent
      run.finished completed
      = nothing
    > message m1 queue
      ! already recorded at version 3
    "#);
}

#[test]
fn there_is_nobody_to_talk_to_before_the_session() {
    let mut scene = Scene::empty();
    scene.message("m1");
    scene.resume("r1");
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      ! the session does not exist
    > resume r1
      ! the session does not exist
    > taken 1
      ! the session does not exist
    ");
}

#[test]
fn a_session_is_created_once() {
    let mut scene = Scene::new();
    scene.create(Continue);
    insta::assert_snapshot!(scene.story(), @"
    > create
      ! the session exists already
    ");
}

fn long(bytes: usize) -> Text {
    Text::Blob { sha256: Sha256::of(b"long"), bytes: bytes as u64, head: "a".into(), tail: "b".into() }
}

#[test]
fn a_message_may_be_long_but_not_longer() {
    let mut scene = Scene::new();
    scene.send_text("m1", Mode::Steer, long(MESSAGE_BYTES_MAX + 1));
    scene.send_text("m1", Mode::Steer, long(MESSAGE_BYTES_MAX));
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      ! the message has 4194305 bytes, 4194304 are allowed
    > message m1 steer
      message.received m1 steer
      = prepare m1
    ");
}

#[test]
fn the_configuration_is_prepared_once() {
    let mut scene = Scene::new();
    scene.message("m1");
    let wanted = agent::effects::effects(&scene.state)[0].id();
    scene.prepared();
    scene.done(
        "prepared again",
        wanted,
        1,
        contract::outcome::Outcome::Prepared { config: Box::new(scene.config.clone()), resources: Vec::new() },
    );
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > prepared again
      ! stale: prepare m1
    ");
}

#[test]
fn a_second_run_with_another_configuration_shows_the_same_conversation() {
    let mut scene = Scene::asking(Continue);
    scene.says("first answer");
    scene.config.sha256 = Sha256::of(b"another");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "first answer"
    message: text of m2
    "#);
    scene.replies(vec![made::text("second answer")]);
    scene.message("m3");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "first answer"
    message: text of m2
    assistant: "second answer"
    message: text of m3
    "#);
}
