//! A person stops everything: the turn, and what runs in the background.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::{Scope, UnknownReason};
use contract::call::Class;
use contract::config::ResumePolicy::{Ask, Continue};
use contract::limits::APPROVAL_VALID_MS;

/// A run with one call in its foreground and one in the background.
fn both() -> Scene {
    Scene::replied(vec![made::plain(0, Class::Unsafe).patience(0).part(), made::call(1, Class::Unsafe)])
}

/// A call in the background whose run has ended.
fn left_behind() -> Scene {
    let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.says("it runs");
    scene.story();
    scene
}

#[test]
fn a_stop_of_the_turn_leaves_the_background_alone() {
    let mut scene = both();
    scene.stop("s1", Scope::Turn);
    scene.tool("call_0_1", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      tool.cancel_requested call_0_1 attempt 1 in 5000 ms <stopping stopped>
      = start call_0_0 attempt 1, start call_0_1 attempt 1, stop call_0_1 attempt 1
    > call_0_1 attempt 1 fails
      tool.finished call_0_1 attempt 1 not ok
      run.finished cancelled stopped
      = start call_0_0 attempt 1
    ");
    scene.finish("call_0_0");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 ok <backgrounded: call_0_0 0>
    result: call_0_1 provider_1 not ok signal 15 <stopping stopped> "so far"
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    message: text of m2
    "#);
}

#[test]
fn a_stop_of_everything_ends_the_background_too_and_the_run_does_not_wait_for_it() {
    let mut scene = both();
    scene.stop("s1", Scope::All);
    scene.tool("call_0_1", made::killed());
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 all
      run.cancel_requested s1 all
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_1 attempt 1 in 5000 ms <stopping stopped>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1, start call_0_1 attempt 1, stop call_0_1 attempt 1
    > call_0_1 attempt 1 fails
      tool.finished call_0_1 attempt 1 not ok
      run.finished cancelled stopped
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      = nothing
    ");
}

#[test]
fn a_stop_of_everything_may_follow_one_of_the_turn() {
    let mut scene = both();
    scene.stop("s1", Scope::Turn);
    scene.stop("s2", Scope::All);
    assert_eq!(scene.count("tool.cancel_requested"), 2);
}

#[test]
fn without_a_run_the_background_is_stopped_alone() {
    let mut scene = left_behind();
    scene.stop("s1", Scope::Turn);
    scene.stop("s2", Scope::All);
    scene.takeover();
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      ! nothing runs that could be stopped
    > stop s2 all
      run.cancel_requested s2 all
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe, stop call_0_0 attempt 1
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      = nothing
    ");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(fresh(&scene), @r#"
    late: call_0_0 provider_0 not ok signal 15 <stopping stopped> "so far"
    message: text of m2
    "#);
}

#[test]
fn a_stopped_background_call_is_not_started_again() {
    for outcome in [made::never_started(), made::unknown(UnknownReason::Died)] {
        let mut scene = Scene::replied(vec![made::plain(0, Class::Pure).patience(0).part()]);
        scene.says("it runs");
        scene.stop("s1", Scope::All);
        scene.tool("call_0_0", outcome);
        assert_eq!((scene.count("tool.started"), scene.effects().as_str()), (1, "nothing"));
    }
}

#[test]
fn a_background_call_that_waits_for_a_new_approval_is_ended_with_its_ask() {
    let mut scene = Scene::replied(vec![made::command(0, "serve").patience(0).part()]);
    scene.answer("a1", Answer::YES);
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    scene.says("it is asked about again");
    scene.story();
    scene.stop("s1", Scope::All);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 all
      run.cancel_requested s1 all
      ask.superseded call_0_0 stopped
      action.withdrawn call_0_0 stopped <stopped>
      = nothing
    ");
}

#[test]
fn an_edit_does_not_revive_what_everything_was_stopped_for() {
    let mut scene = Scene::replied(vec![made::command(0, "serve").patience(0).part()]);
    scene.answer("a1", Answer::YES);
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    scene.says("it is asked about again");
    scene.elsewhere(|scene| {
        scene.stop("s1", Scope::All);
        scene.edit("call_0_0", "e1", made::command(0, "serve --port 1"));
    });
    scene.notice();
    assert_eq!((scene.count("tool.started"), scene.effects().as_str()), (1, "nothing"));
}

#[test]
fn an_edit_does_not_revive_it_while_the_run_is_still_ending_either() {
    let mut scene = Scene::replied(vec![made::command(0, "serve").patience(0).part(), made::call(1, Class::Unsafe)]);
    scene.answer("a1", Answer::YES);
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    scene.elsewhere(|scene| {
        scene.stop("s1", Scope::All);
        scene.edit("call_0_0", "e1", made::command(0, "serve --port 1"));
    });
    scene.notice();
    assert_eq!(scene.effects(), "start call_0_1 attempt 1, stop call_0_1 attempt 1");
}

#[test]
fn a_stop_of_everything_before_the_run_starts_none() {
    let mut scene = left_behind();
    scene.message("m2");
    scene.stop("s1", Scope::All);
    assert_eq!(scene.effects(), "start call_0_0 attempt 1, stop call_0_0 attempt 1");
}

#[test]
fn a_takeover_of_what_only_runs_in_the_background_asks_nobody() {
    let mut scene = Scene::asking(Ask);
    scene.replies(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.says("it runs");
    scene.story();
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe
    ");
}

#[test]
fn what_only_runs_in_the_background_is_watched_however_often_its_watcher_dies() {
    let mut scene = left_behind();
    for _ in 0..5 {
        scene.takeover();
    }
    assert!(!scene.state.is_parked());
    scene.story();
    scene.stop("s1", Scope::All);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 all
      run.cancel_requested s1 all
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      = recover call_0_0 attempt 1 unsafe, stop call_0_0 attempt 1
    ");
}

#[test]
fn a_stop_of_everything_with_nothing_in_the_background_is_one_of_the_turn() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.stop("s1", Scope::All);
    scene.tool("call_0_0", made::killed());
    assert!(scene.story().ends_with("run.finished cancelled stopped\n  = nothing\n"));
}
