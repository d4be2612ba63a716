//! A person stops the turn: the wish is durable first, then the model call, the asks and the foreground end, then the run.

use crate::scene::Scene;
use crate::scene::lines::{fresh, request};
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::{FailureClass, Mode, Scope, UnknownReason};
use contract::call::Class;
use contract::config::ResumePolicy::{Ask, Continue, Paused};

#[test]
fn an_open_model_call_is_aborted_and_the_run_ends() {
    let mut scene = Scene::asking(Continue);
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      model.aborted stopped
      run.finished cancelled stopped
      = nothing
    ");
    let spent = scene.state.ledger.spent;
    assert!(spent.tokens > 0, "a call that was given up is charged what it reserved");
}

#[test]
fn running_tools_are_told_to_end_and_the_run_waits_for_them() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Pure]);
    scene.stop("s1", Scope::Turn);
    scene.tool("call_0_1", made::killed());
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_1 attempt 1 in 5000 ms <stopping stopped>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1, start call_0_1 attempt 1, stop call_0_1 attempt 1
    > call_0_1 attempt 1 fails
      tool.finished call_0_1 attempt 1 not ok
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      run.finished cancelled stopped
      = nothing
    ");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 ok exit 0 <stopping stopped> "output of call_0_0"
    result: call_0_1 provider_1 not ok signal 15 <stopping stopped> "so far"
    message: text of m2
    "#);
}

#[test]
fn what_has_not_started_never_does() {
    let mut scene = Scene::calling(Continue, &[Class::Pure; 9]);
    scene.stop("s1", Scope::Turn);
    scene.tool("call_0_0", made::never_started());
    scene.tool("call_0_1", made::unknown(UnknownReason::Lost));
    for index in 2..8 {
        scene.tool(&format!("call_0_{index}"), made::killed());
    }
    assert_eq!(scene.count("tool.started"), 8);
    assert!(scene.story().ends_with("run.finished cancelled stopped\n  = nothing\n"));
}

#[test]
fn a_held_call_is_withdrawn_and_its_ask_needs_no_answer() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.stop("s1", Scope::Turn);
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      ask.superseded call_0_0 stopped
      action.withdrawn call_0_0 stopped <stopped>
      run.finished cancelled stopped
      = nothing
    > answer a1 approve
      ! there is no such ask
    ");
}

#[test]
fn a_wait_is_given_up() {
    let mut scene = Scene::replied(vec![made::wait(0, 60_000).part()]);
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      timer.cancelled call_0_0 <timer stopped: <stopping stopped>>
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn a_paused_run_ends() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.pause("p1");
    scene.story();
    scene.stop("s1", Scope::Turn);
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn a_run_that_waits_for_a_retry_ends_at_once() {
    let mut scene = Scene::asking(Continue);
    scene.fails(FailureClass::Transient);
    scene.story();
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn a_run_that_a_person_was_asked_about_ends_without_an_answer() {
    for policy in [Ask, Paused] {
        let mut scene = Scene::calling(policy, &[Class::Unsafe]);
        scene.takeover();
        scene.stop("s1", Scope::Turn);
        assert_eq!(scene.effects(), "recover call_0_0 attempt 1 unsafe, stop call_0_0 attempt 1");
        scene.tool("call_0_0", made::killed());
        assert!(scene.story().ends_with("run.finished cancelled stopped\n  = nothing\n"));
    }
}

#[test]
fn a_stop_before_the_run_starts_none() {
    let mut scene = Scene::new();
    scene.message("m1");
    let wanted = agent::effects::effects(&scene.state)[0].id();
    scene.stop("s1", Scope::Turn);
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
    > stop s1 turn
      run.cancel_requested s1 turn
      = nothing
    > prepared
      ! stale: prepare m1
    ");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    message: text of m2
    ");
}

#[test]
fn a_stop_before_the_run_answers_whether_it_may_start() {
    let mut scene = Scene::with(Ask);
    scene.message("m1");
    scene.takeover();
    scene.takeover();
    scene.story();
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      ask.superseded stopped
      = nothing
    ");
    scene.message("m2");
    assert_eq!(scene.effects(), "prepare m2");
}

#[test]
fn a_stop_takes_one_queued_message_at_a_time() {
    let mut scene = Scene::asking(Continue);
    scene.send("q1", Mode::Queue);
    scene.send("q2", Mode::Queue);
    scene.stop("s1", Scope::Turn);
    assert_eq!(scene.effects(), "prepare q1");
    scene.stop("s2", Scope::Turn);
    assert_eq!(scene.effects(), "prepare q2");
}

#[test]
fn a_stop_outlives_its_owner() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.stop("s1", Scope::Turn);
    scene.takeover();
    scene.takeover();
    assert_eq!(scene.effects(), "recover call_0_0 attempt 1 unsafe, stop call_0_0 attempt 1");
    scene.tool("call_0_0", made::killed());
    assert!(scene.story().ends_with("run.finished cancelled stopped\n  = nothing\n"));
}

#[test]
fn a_takeover_while_the_run_ends_asks_nobody_and_leaves_the_session_open() {
    for policy in [Ask, Paused] {
        let mut scene = Scene::calling(policy, &[Class::Unsafe]);
        scene.stop("s1", Scope::Turn);
        scene.takeover();
        scene.tool("call_0_0", made::killed());
        assert_eq!((scene.state.asks.len(), scene.state.is_parked()), (0, false));
        scene.message("m2");
        assert_eq!(scene.effects(), "prepare m2");
    }
}

#[test]
fn a_reply_that_comes_before_the_owner_notices_starts_nothing() {
    let mut scene = Scene::asking(Continue);
    scene.elsewhere(|scene| scene.stop("s1", Scope::Turn));
    scene.replies(vec![made::text("I begin"), made::call(0, Class::Pure)]);
    insta::assert_snapshot!(scene.story(), @r#"
    > stop s1 turn
      run.cancel_requested s1 turn
      = model attempt 1
    > reply
      model.completed "I begin" + call_0_0
      action.decided call_0_0 pure
      message.sent
      action.withdrawn call_0_0 stopped <stopped>
      run.finished cancelled stopped
      = nothing
    "#);
}

#[test]
fn a_yes_that_comes_before_the_owner_notices_starts_nothing() {
    let mut scene = Scene::replied(vec![made::command(0, "one").part(), made::command(1, "two").part()]);
    scene.elsewhere(|scene| {
        scene.stop("s1", Scope::Turn);
        scene.answer_about("call_0_0", "a1", Answer::YES);
        scene.edit("call_0_1", "e1", made::command(1, "three"));
    });
    scene.story();
    scene.notice();
    insta::assert_snapshot!(scene.story(), @"
    > the owner notices
      action.withdrawn call_0_0 stopped <stopped>
      action.withdrawn call_0_1 stopped <stopped>
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn a_no_after_the_stop_does_not_change_how_the_run_ends() {
    let mut scene = Scene::replied(vec![made::command(0, "one").part()]);
    scene.elsewhere(|scene| {
        scene.stop("s1", Scope::Turn);
        scene.answer("a1", Answer::Deny { message: None, stop: true });
    });
    scene.notice();
    assert!(scene.story().ends_with("run.finished cancelled stopped\n  = nothing\n"));
}

#[test]
fn there_is_nothing_to_stop_at_rest_or_twice() {
    let mut scene = Scene::new();
    scene.stop("s1", Scope::Turn);
    scene.stop("s2", Scope::All);
    scene.message("m1");
    scene.prepared();
    scene.calls(&[Class::Unsafe]);
    scene.stop("s3", Scope::Turn);
    scene.story();
    scene.stop("s3", Scope::Turn);
    scene.stop("s4", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s3 turn
      ! already recorded at version 9
    > stop s4 turn
      ! nothing runs that could be stopped
    ");
}
