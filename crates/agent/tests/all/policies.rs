//! What a session does by itself when its owner died, and when it keeps dying.

use crate::scene::{Scene, made};
use contract::ask::Answer;
use contract::body::UnknownReason;
use contract::call::Class;
use contract::config::ResumePolicy;

#[test]
fn by_default_a_session_goes_on() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure]);
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 pure
    ");
}

#[test]
fn a_session_that_asks_waits_for_the_answer() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.message("m2");
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      ask.opened resume
      = nothing
    > message m2 steer
      message.received m2 steer
      = nothing
    > answer a1 approve
      ask.answered approve
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    ");
}

#[test]
fn whoever_comes_for_a_message_that_nobody_has_begun_with_is_not_asked_and_the_next_is() {
    let mut scene = Scene::with(ResumePolicy::Ask);
    scene.message("m1");
    scene.takeover();
    scene.takeover();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > taken 2
      owner.taken epoch 2
      = prepare m1
    > taken 3
      owner.taken epoch 3
      ask.opened resume
      = nothing
    > answer a1 approve
      ask.answered approve
      = prepare m1
    ");
}

#[test]
fn a_paused_session_waits_for_a_person() {
    let mut scene = Scene::calling(ResumePolicy::Paused, &[Class::Unsafe]);
    scene.takeover();
    scene.message("m2");
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      run.paused
      = nothing
    > message m2 steer
      message.received m2 steer
      = nothing
    > resume r1
      run.resumed r1
      = recover call_0_0 attempt 1 unsafe
    ");
}

#[test]
fn a_paused_session_takes_an_outcome_and_does_not_go_on() {
    let mut scene = Scene::calling(ResumePolicy::Paused, &[Class::Pure]);
    scene.takeover();
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      run.paused
      = nothing
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = nothing
    ");
}

#[test]
fn a_paused_session_without_a_run_has_nothing_to_pause() {
    let mut scene = Scene::with(ResumePolicy::Paused);
    scene.message("m1");
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > message m1 steer
      message.received m1 steer
      = prepare m1
    > taken 2
      owner.taken epoch 2
      = prepare m1
    ");
}

#[test]
fn a_parked_session_may_be_taken_often() {
    let mut scene = Scene::asking(ResumePolicy::Paused);
    for _ in 0..4 {
        scene.takeover();
    }
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      run.paused
      = nothing
    > taken 3
      owner.taken epoch 3
      = nothing
    > taken 4
      owner.taken epoch 4
      = nothing
    > taken 5
      owner.taken epoch 5
      = nothing
    > resume r1
      run.resumed r1
      model.requested reply attempt 2 epoch 5
      = model attempt 2
    ");
}

#[test]
fn the_third_takeover_in_a_row_parks_the_session() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    for _ in 0..4 {
        scene.takeover();
    }
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    > taken 3
      owner.taken epoch 3
      model.failed interrupted recoverable
      model.requested reply attempt 3 epoch 3
      = model attempt 3
    > taken 4
      owner.taken epoch 4
      model.failed interrupted recoverable
      ask.opened crash_loop
      = nothing
    > taken 5
      owner.taken epoch 5
      = nothing
    ");
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ask.answered approve
      model.requested reply attempt 4 epoch 5
      = model attempt 4
    ");
}

#[test]
fn an_outcome_clears_the_count() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure, Class::Pure]);
    scene.takeover();
    scene.takeover();
    assert_eq!(scene.state.recoveries, 2);
    scene.finish("call_0_0");
    assert_eq!(scene.state.recoveries, 0);
    scene.takeover();
    insta::assert_snapshot!(scene.effects(), @"recover call_0_1 attempt 1 pure");
}

#[test]
fn a_message_clears_the_count() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.takeover();
    scene.takeover();
    scene.message("m2");
    assert_eq!(scene.state.recoveries, 0);
    scene.takeover();
    insta::assert_snapshot!(scene.effects(), @"model attempt 4");
}

#[test]
fn a_lost_attempt_does_not_clear_the_count() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure]);
    for _ in 0..2 {
        scene.takeover();
        scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    }
    scene.story();
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 4
      owner.taken epoch 4
      ask.opened crash_loop
      = nothing
    ");
}

#[test]
fn a_person_between_the_takeovers_makes_it_no_crash_loop() {
    for policy in [ResumePolicy::Ask, ResumePolicy::Paused] {
        let mut scene = Scene::asking(policy);
        for number in 0..3 {
            scene.takeover();
            scene.resume(&format!("r{number}"));
        }
        assert_eq!(scene.state.recoveries, 0);
        assert_eq!(scene.effects(), "model attempt 4");
    }
}

#[test]
fn a_person_who_resumes_before_the_takeover_is_not_asked_again() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.resume("r1");
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      run.resumed r1
      = model attempt 1
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    ");
}

#[test]
fn a_resume_is_used_up_by_what_it_started() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure]);
    scene.takeover();
    scene.resume("r1");
    scene.tool("call_0_0", made::never_started());
    scene.story();
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 3
      owner.taken epoch 3
      ask.opened resume
      = nothing
    ");
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.resume("r1");
    scene.story();
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 3
      owner.taken epoch 3
      model.failed interrupted recoverable
      ask.opened resume
      = nothing
    ");
}

/// Nobody died: the session had nothing to do, and is opened because somebody says something.
#[test]
fn a_session_at_rest_that_gets_a_message_is_not_asked_whether_it_may_go_on() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.says("done");
    scene.story();
    scene.elsewhere(|scene| scene.message("m2"));
    scene.takeover();
    scene.prepared();
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = prepare m2
    > taken 2
      owner.taken epoch 2
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
    scene.takeover();
    assert_eq!((scene.state.asks.len(), scene.state.recoveries), (1, 1), "a run that has begun is asked about as ever");
}
