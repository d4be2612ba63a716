//! Asks and approvals that time has passed over.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use agent::Agent;
use contract::ask::Answer;
use contract::call::Class;
use contract::limits::APPROVAL_VALID_MS;
use contract::machine::{Machine, Rest};

const PATIENCE_MS: u64 = 60_000;

/// A held call about which a person may be asked for a minute.
fn held() -> Scene {
    let mut scene = Scene::configured(|config| config.policy.ask_valid_ms = PATIENCE_MS);
    scene.replies(vec![made::command(0, "make install").part()]);
    scene.story();
    scene
}

#[test]
fn an_answer_counts_until_the_last_moment_and_not_at_the_end() {
    for (passed_ms, story) in [
        (PATIENCE_MS - 1_001, "> answer a1 approve\n  ask.answered call_0_0 approve\n  tool.started call_0_0 attempt 1 epoch 1\n"),
        (PATIENCE_MS - 1_000, "> answer a1 approve\n  ! the ask has expired\n"),
    ] {
        let mut scene = held();
        scene.now = scene.now.plus_ms(passed_ms);
        scene.answer("a1", Answer::YES);
        let told = scene.story();
        assert!(told.starts_with(story), "{told}");
    }
}

#[test]
fn an_ask_that_nobody_answers_expires_in_time_and_the_model_is_told() {
    let mut scene = held();
    let due = Agent::due(&scene.state).unwrap();
    assert_eq!(Agent::rest(&scene.state), Rest::Until(due));
    scene.wait(1);
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > it is almost time
      = nothing
    > it is time
      ask.expired call_0_0
      action.withdrawn call_0_0 expired <expired>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 not ok <expired>");
}

#[test]
fn two_owners_who_notice_the_end_say_the_same() {
    let scene = held();
    let expiry = |scene: &Scene| {
        let now = Agent::due(&scene.state).unwrap();
        let drafts = Agent::advance(&scene.state, now);
        drafts.into_iter().find(|draft| draft.body.name() == "ask.expired").unwrap().id
    };
    let mut next = scene.cut(scene.log.len());
    next.takeover();
    assert_eq!(expiry(&scene), expiry(&next));
}

#[test]
fn after_downtime_the_ask_is_over_and_the_answer_too_late() {
    let mut scene = held();
    scene.now = scene.now.plus_ms(10 * PATIENCE_MS);
    scene.takeover();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      ask.expired call_0_0
      action.withdrawn call_0_0 expired <expired>
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    > answer a1 approve
      ! there is no such ask
    ");
}

/// The run stands still while the approval grows old.
fn approved_and_paused() -> Scene {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.pause("p1");
    scene.answer("a1", Answer::YES);
    scene.story();
    scene
}

#[test]
fn an_approval_is_used_within_an_hour() {
    let mut scene = approved_and_paused();
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS - 1_001);
    scene.resume("r1");
    assert!(scene.story().contains("tool.started call_0_0 attempt 1"));
}

#[test]
fn after_an_hour_the_person_is_asked_again() {
    let mut scene = approved_and_paused();
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS - 1_000);
    scene.resume("r1");
    scene.answer("a2", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      run.resumed r1
      ask.opened call_0_0 shell high
      = nothing
    > answer a2 approve
      ask.answered call_0_0 approve
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    ");
    assert_eq!(scene.count("ask.opened"), 2);
}

#[test]
fn an_approval_ends_with_its_ask_if_that_is_sooner() {
    let mut scene = held();
    scene.pause("p1");
    scene.answer("a1", Answer::YES);
    scene.now = scene.now.plus_ms(PATIENCE_MS);
    scene.story();
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      run.resumed r1
      ask.opened call_0_0 shell high for 60000 ms
      = nothing
    ");
}

#[test]
fn an_attempt_that_never_started_is_made_again_under_the_same_approval() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.answer("a1", Answer::YES);
    scene.story();
    scene.tool("call_0_0", made::never_started());
    scene.takeover();
    scene.tool("call_0_0", made::no_effect());
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      tool.started call_0_0 attempt 2 epoch 1
      = start call_0_0 attempt 2
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 2 probe
    > call_0_0 attempt 2 no_effect
      tool.cancelled call_0_0 attempt 2 no_effect
      tool.started call_0_0 attempt 3 epoch 2
      = start call_0_0 attempt 3
    ");
    assert_eq!(scene.count("ask.opened"), 1);
}

#[test]
fn an_attempt_that_never_started_for_an_hour_is_asked_about_again() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.answer("a1", Answer::YES);
    scene.story();
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      ask.opened call_0_0 shell high
      = nothing
    ");
}

#[test]
fn a_call_that_only_looks_needs_no_approval_however_long_it_takes() {
    let mut scene = Scene::calling(contract::config::ResumePolicy::Continue, &[Class::Pure]);
    scene.now = scene.now.plus_ms(10 * APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    assert!(scene.story().contains("tool.started call_0_0 attempt 2"));
}
