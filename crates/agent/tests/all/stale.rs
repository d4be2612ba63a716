//! A reply that was made before a message was shown: its text stays, what only looks runs, everything else is withdrawn.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::body::Mode;
use contract::call::{Class, Risk};
use contract::config::ResumePolicy::Continue;
use contract::limits::PARALLEL_TOOLS_MAX;

#[test]
fn text_stays_pure_calls_start_and_the_others_are_withdrawn() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.replies(vec![
        made::text("I will do it"),
        made::call(0, Class::Pure),
        made::call(1, Class::Idempotent),
        made::call(2, Class::Probe),
        made::call(3, Class::Unsafe),
    ]);
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 steer
      message.received m2 steer
      = model attempt 1
    > reply
      model.completed "I will do it" + call_0_0 + call_0_1 + call_0_2 + call_0_3
      action.decided call_0_0 pure
      action.decided call_0_1 idempotent
      action.decided call_0_2 probe
      action.decided call_0_3 unsafe
      message.sent
      tool.started call_0_0 attempt 1 epoch 1
      action.withdrawn call_0_1 newer_message <newer message>
      action.withdrawn call_0_2 newer_message <newer message>
      action.withdrawn call_0_3 newer_message <newer message>
      tool.deferred call_0_0 <deferred running: call_0_0 0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 ok <deferred running: call_0_0 0>
    result: call_0_1 provider_1 not ok <newer message>
    result: call_0_2 provider_2 not ok <newer message>
    result: call_0_3 provider_3 not ok <newer message>
    message: text of m2
    ");
}

#[test]
fn a_stale_call_that_would_need_an_answer_is_not_asked_about() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.replies(vec![made::command(0, "make install").part(), made::plain(1, Class::Pure).of_risk(Risk::High).part()]);
    assert_eq!(scene.state.asks.len(), 0, "{}", scene.story());
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <newer message>
    result: call_0_1 provider_1 not ok <newer message>
    message: text of m2
    ");
}

#[test]
fn a_stale_question_is_not_asked() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.replies(vec![made::question(0, "which colour?").part()]);
    assert_eq!(scene.state.asks.len(), 0);
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <newer message>
    message: text of m2
    ");
}

#[test]
fn a_stale_wait_goes_on_beside_the_message() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.replies(vec![made::wait(0, 60_000).part()]);
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = model attempt 1
    > reply
      model.completed call_0_0
      action.decided call_0_0 pure
      timer.set call_0_0 in 60000 ms
      tool.deferred call_0_0 <deferred waiting: call_0_0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn a_queued_message_makes_no_reply_stale() {
    let mut scene = Scene::asking(Continue);
    scene.send("m2", Mode::Queue);
    scene.calls(&[Class::Unsafe]);
    assert_eq!(scene.effects(), "start call_0_0 attempt 1");
}

#[test]
fn what_waits_for_room_is_withdrawn_when_a_message_comes() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe; PARALLEL_TOOLS_MAX + 1]);
    scene.message("m2");
    let withdrawn: String = scene.story().lines().filter(|line| line.contains("withdrawn")).map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(withdrawn, @"  action.withdrawn call_0_8 newer_message <newer message>");
}

#[test]
fn an_attempt_that_never_started_is_not_made_again_once_a_message_waits() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Unsafe]);
    scene.elsewhere(|scene| {
        scene.message("m2");
        scene.tool("call_0_0", made::never_started());
    });
    scene.notice();
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = start call_0_0 attempt 1, start call_0_1 attempt 1
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      = start call_0_1 attempt 1
    > the owner notices
      action.withdrawn call_0_0 newer_message <newer message>
      tool.deferred call_0_1 <deferred running: call_0_1 2>
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_1 attempt 1
    ");
}

#[test]
fn a_message_that_is_taken_back_makes_nothing_stale() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.withdraw("w1", "m2");
    scene.calls(&[Class::Unsafe]);
    assert_eq!(scene.effects(), "start call_0_0 attempt 1");
}
