//! An interrupting message: the model stream and the foreground end first, then the model decides with it in view.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::{FailureClass, Mode, Scope, UnknownReason};
use contract::call::Class;
use contract::config::OnUnknown;
use contract::config::ResumePolicy::{Continue, Paused};

#[test]
fn an_open_model_call_is_aborted_and_asked_again_at_once() {
    let mut scene = Scene::asking(Continue);
    let (effect, attempt) = scene.model();
    scene.send("m2", Mode::Interrupt);
    let late = contract::outcome::ModelOutcome::Replied(made::reply(vec![made::text("too late")]));
    scene.done("late reply", effect, attempt, contract::outcome::Outcome::Model(late));
    insta::assert_snapshot!(scene.story(), @"
    > message m2 interrupt
      message.received m2 interrupt
      model.aborted interrupted
      model.requested reply attempt 2 epoch 1
      = model attempt 2
    > late reply
      ! stale: model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"
    message: text of m1
    message: text of m2
    ");
}

#[test]
fn foreground_tools_are_stopped_before_the_model_is_asked() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Probe]);
    scene.send("m2", Mode::Interrupt);
    scene.tool("call_0_1", made::killed());
    scene.tool("call_0_0", made::finished("just in time"));
    insta::assert_snapshot!(scene.story(), @"
    > message m2 interrupt
      message.received m2 interrupt
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping newer message>
      tool.cancel_requested call_0_1 attempt 1 in 5000 ms <stopping newer message>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1, start call_0_1 attempt 1, stop call_0_1 attempt 1
    > call_0_1 attempt 1 fails
      tool.finished call_0_1 attempt 1 not ok
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 ok exit 0 <stopping newer message> "just in time"
    result: call_0_1 provider_1 not ok signal 15 <stopping newer message> "so far"
    message: text of m2
    "#);
}

#[test]
fn what_never_started_is_withdrawn_and_what_is_lost_is_told() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Pure]);
    scene.send("m2", Mode::Interrupt);
    scene.tool("call_0_0", made::never_started());
    scene.tool("call_0_1", made::unknown(UnknownReason::Lost));
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 not ok <newer message>
    result: call_0_1 provider_1 not ok <unknown: lost> "half of it"
    message: text of m2
    "#);
    assert_eq!(scene.count("tool.started"), 2, "nothing is started again");
}

#[test]
fn the_background_goes_on() {
    let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.send("m2", Mode::Interrupt);
    assert_eq!(scene.count("tool.cancel_requested"), 0);
    assert_eq!(scene.effects(), "model attempt 2, start call_0_0 attempt 1");
}

#[test]
fn a_held_call_is_withdrawn_and_a_wait_is_given_up() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part(), made::wait(1, 60_000).part()]);
    scene.send("m2", Mode::Interrupt);
    insta::assert_snapshot!(scene.story(), @"
    > message m2 interrupt
      message.received m2 interrupt
      timer.cancelled call_0_1 <timer stopped: <stopping newer message>>
      ask.superseded call_0_0 newer_message
      action.withdrawn call_0_0 newer_message <newer message>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn a_second_interruption_while_the_first_one_waits_changes_nothing_but_the_messages() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Interrupt);
    scene.send("m3", Mode::Interrupt);
    assert_eq!(scene.count("tool.cancel_requested"), 1);
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 not ok signal 15 <stopping newer message> "so far"
    message: text of m2
    message: text of m3
    "#);
}

#[test]
fn the_run_goes_on_after_an_interruption() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Interrupt);
    scene.tool("call_0_0", made::killed());
    scene.calls(&[Class::Unsafe]);
    scene.finish("call_1_0");
    scene.says("as you wish");
    assert!(scene.story().ends_with("run.finished completed\n  = nothing\n"));
}

#[test]
fn a_stop_request_outlives_its_owner() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Interrupt);
    scene.takeover();
    assert_eq!(scene.effects(), "recover call_0_0 attempt 1 unsafe, stop call_0_0 attempt 1");
    scene.tool("call_0_0", made::killed());
    assert_eq!(scene.effects(), "model attempt 1");
}

#[test]
fn an_interruption_while_a_retry_waits_does_not_hurry_the_provider() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message("m2");
    scene.fails(FailureClass::Transient);
    scene.wait(0);
    scene.fails(FailureClass::Transient);
    scene.story();
    scene.send("m3", Mode::Interrupt);
    scene.pass(60_000);
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > message m3 interrupt
      message.received m3 interrupt
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping newer message>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > 60000 ms later
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      model.requested reply attempt 3 epoch 1
      = model attempt 3
    ");
}

#[test]
fn an_interruption_before_a_run_is_a_message_like_any_other() {
    let mut scene = Scene::new();
    scene.send("m1", Mode::Interrupt);
    scene.prepared();
    insta::assert_snapshot!(scene.story(), @"
    > message m1 interrupt
      message.received m1 interrupt
      = prepare m1
    > prepared
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn what_is_said_in_this_mode_answers_nothing_that_is_asked() {
    let mut scene = Scene::replied(vec![made::question(0, "which colour?").part()]);
    scene.story();
    scene.send("m2", Mode::Interrupt);
    insta::assert_snapshot!(scene.story(), @"
    > message m2 interrupt
      message.received m2 interrupt
      ask.superseded call_0_0 newer_message
      action.withdrawn call_0_0 newer_message <newer message>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn an_interruption_that_is_taken_back_before_anybody_heard_it_ends_nothing() {
    let mut scene = Scene::replied(vec![made::command(0, "make").part()]);
    scene.elsewhere(|scene| {
        scene.send("m2", Mode::Interrupt);
        scene.withdraw("w1", "m2");
    });
    scene.notice();
    scene.story();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ask.answered call_0_0 approve
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    ");
}

#[test]
fn a_person_may_still_say_what_became_of_a_lost_call() {
    let mut scene = Scene::configured(|config| config.policy.on_unknown = OnUnknown::Ask);
    scene.calls(&[Class::Unsafe]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene.send("m2", Mode::Interrupt);
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0
      action.decided call_0_0 unsafe
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 is unknown: died
      tool.unknown call_0_0 attempt 1 died
      ask.opened call_0_0 reconcile attempt 1
      = nothing
    > message m2 interrupt
      message.received m2 interrupt
      tool.deferred call_0_0 <deferred unknown: call_0_0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > answer a1 approve
      ask.answered call_0_0 approve
      tool.reconciled call_0_0 happened <happened>
      = model attempt 1
    ");
}

#[test]
fn an_interruption_that_is_taken_back_has_still_stopped_what_ran() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Interrupt);
    scene.withdraw("w1", "m2");
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 not ok signal 15 <stopping newer message> "so far""#);
}

#[test]
fn a_stop_after_an_interruption_ends_the_run() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Interrupt);
    scene.stop("s1", Scope::Turn);
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > message m2 interrupt
      message.received m2 interrupt
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping newer message>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > stop s1 turn
      run.cancel_requested s1 turn
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn what_must_end_is_ended_also_while_a_person_is_waited_for() {
    let mut scene = Scene::calling(Paused, &[Class::Unsafe, Class::Unsafe]);
    scene.takeover();
    assert_eq!(scene.effects(), "nothing");
    scene.send("m2", Mode::Interrupt);
    let wanted = ["call_0_0", "call_0_1"].map(|call| format!("recover {call} attempt 1 unsafe, stop {call} attempt 1"));
    assert_eq!(scene.effects(), wanted.join(", "));
}
