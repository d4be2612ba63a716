//! A person answers: go on, or end it.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use contract::ask::Answer;
use contract::body::UnknownReason;
use contract::call::Class;
use contract::config::ResumePolicy;

#[test]
fn a_no_withdraws_what_did_not_start_waits_for_what_runs_and_cancels_the_run() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Unsafe; 10]);
    scene.takeover();
    scene.answer("a1", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      ask.opened resume
      = nothing
    > answer a1 deny
      ask.answered deny
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_1 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_2 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_3 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_4 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_5 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_6 attempt 1 in 5000 ms <stopping stopped>
      tool.cancel_requested call_0_7 attempt 1 in 5000 ms <stopping stopped>
      action.withdrawn call_0_8 stopped <stopped>
      action.withdrawn call_0_9 stopped <stopped>
      = recover call_0_0 attempt 1 unsafe, stop call_0_0 attempt 1, recover call_0_1 attempt 1 unsafe, stop call_0_1 attempt 1, recover call_0_2 attempt 1 unsafe, stop call_0_2 attempt 1, recover call_0_3 attempt 1 unsafe, stop call_0_3 attempt 1, recover call_0_4 attempt 1 unsafe, stop call_0_4 attempt 1, recover call_0_5 attempt 1 unsafe, stop call_0_5 attempt 1, recover call_0_6 attempt 1 unsafe, stop call_0_6 attempt 1, recover call_0_7 attempt 1 unsafe, stop call_0_7 attempt 1
    ");
    for index in 0..7 {
        scene.finish(&format!("call_0_{index}"));
    }
    scene.story();
    scene.tool("call_0_7", made::unknown(UnknownReason::Died));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_7 attempt 1 is unknown: died
      tool.unknown call_0_7 attempt 1 died
      tool.reconciled call_0_7 told <unknown: died>
      run.finished cancelled denied
      = nothing
    ");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2 + call_0_3 + call_0_4 + call_0_5 + call_0_6 + call_0_7 + call_0_8 + call_0_9
    result: call_0_0 provider_0 ok exit 0 <stopping stopped> "output of call_0_0"
    result: call_0_1 provider_1 ok exit 0 <stopping stopped> "output of call_0_1"
    result: call_0_2 provider_2 ok exit 0 <stopping stopped> "output of call_0_2"
    result: call_0_3 provider_3 ok exit 0 <stopping stopped> "output of call_0_3"
    result: call_0_4 provider_4 ok exit 0 <stopping stopped> "output of call_0_4"
    result: call_0_5 provider_5 ok exit 0 <stopping stopped> "output of call_0_5"
    result: call_0_6 provider_6 ok exit 0 <stopping stopped> "output of call_0_6"
    result: call_0_7 provider_7 not ok <unknown: died> "half of it"
    result: call_0_8 provider_8 not ok <stopped>
    result: call_0_9 provider_9 not ok <stopped>
    message: text of m2
    "#);
}

#[test]
fn a_no_to_one_running_call() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure, Class::Probe]);
    scene.finish("call_0_1");
    scene.takeover();
    scene.answer("a1", Answer::NO);
    scene.tool("call_0_0", made::never_started());
    insta::assert_snapshot!(scene.story(), @"
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      = start call_0_0 attempt 1
    > taken 2
      owner.taken epoch 2
      ask.opened resume
      = nothing
    > answer a1 deny
      ask.answered deny
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      = recover call_0_0 attempt 1 pure, stop call_0_0 attempt 1
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      action.withdrawn call_0_0 stopped <stopped>
      run.finished cancelled denied
      = nothing
    ");
}

#[test]
fn after_a_no_a_lost_pure_attempt_is_not_repeated() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure]);
    scene.takeover();
    scene.answer("a1", Answer::NO);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      ask.opened resume
      = nothing
    > answer a1 deny
      ask.answered deny
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      = recover call_0_0 attempt 1 pure, stop call_0_0 attempt 1
    > call_0_0 attempt 1 is unknown: died
      tool.unknown call_0_0 attempt 1 died
      tool.reconciled call_0_0 told <unknown: died>
      run.finished cancelled denied
      = nothing
    ");
}

#[test]
fn a_no_while_the_model_was_asked_ends_the_run_at_once() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.answer("a1", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      ask.opened resume
      = nothing
    > answer a1 deny
      ask.answered deny
      run.finished cancelled denied
      = nothing
    ");
}

#[test]
fn a_no_before_the_run_drops_the_message_that_would_start_it() {
    let mut scene = Scene::with(ResumePolicy::Ask);
    scene.message("m1");
    scene.takeover();
    scene.takeover();
    scene.answer("a1", Answer::NO);
    scene.message("m1");
    scene.message("m2");
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
    > answer a1 deny
      ask.answered deny
      = nothing
    > message m1 steer
      ! already recorded at version 3
    > message m2 steer
      message.received m2 steer
      = prepare m2
    ");
}

#[test]
fn a_message_that_waits_behind_a_cancelled_run_starts_the_next() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.message("m2");
    scene.answer("a1", Answer::NO);
    scene.prepared();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      ask.opened resume
      = nothing
    > message m2 steer
      message.received m2 steer
      = nothing
    > answer a1 deny
      ask.answered deny
      run.finished cancelled denied
      = prepare m2
    > prepared
      run.started
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn an_ask_is_answered_once() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.answer("a1", Answer::YES);
    scene.story();
    scene.answer("a1", Answer::YES);
    scene.answer("a2", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ! already recorded at version 9
    > answer a2 deny
      ! there is no such ask
    ");
}

#[test]
fn there_is_no_ask_nobody_opened() {
    let mut scene = Scene::new();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ! there is no such ask
    ");
}

#[test]
fn a_resume_answers_the_ask_and_counts_once() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.resume("r1");
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      ask.opened resume
      = nothing
    > resume r1
      ask.answered approve
      run.resumed r1
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    > resume r1
      ! already recorded at version 10
    ");
}

#[test]
fn a_resume_ends_a_crash_loop() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure]);
    for _ in 0..3 {
        scene.takeover();
    }
    assert_eq!(scene.state.recoveries, 3);
    scene.story();
    scene.resume("r1");
    assert_eq!(scene.state.recoveries, 0);
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      ask.answered approve
      run.resumed r1
      = recover call_0_0 attempt 1 pure
    ");
}

#[test]
fn a_resume_of_a_going_run_is_recorded() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      run.resumed r1
      = model attempt 1
    ");
}

#[test]
fn there_is_nothing_to_resume_at_rest() {
    let mut scene = Scene::new();
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      ! nothing waits to be resumed
    ");
}
