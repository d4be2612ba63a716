//! A person lets the run stand still: what it has begun goes on, nothing else begins.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use agent::Agent;
use agent::rest::{Turn, turn};
use contract::ask::Answer;
use contract::body::{FailureClass, Mode};
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::machine::Machine;

#[test]
fn running_attempts_keep_their_effects_and_are_not_started_twice() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe; 9]);
    scene.pause("p1");
    scene.finish("call_0_0");
    assert_eq!(scene.count("tool.started"), 8, "the ninth waits");
    scene.resume("r1");
    assert_eq!(scene.count("tool.started"), 9);
    assert!(scene.effects().starts_with("start call_0_1 attempt 1, start call_0_2 attempt 1"));
}

#[test]
fn an_open_model_call_ends_and_its_calls_wait() {
    let mut scene = Scene::asking(Continue);
    scene.pause("p1");
    scene.replies(vec![made::text("I will look"), made::call(0, Class::Pure)]);
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @r#"
    > pause p1
      run.paused p1
      = model attempt 1
    > reply
      model.completed "I will look" + call_0_0
      action.decided call_0_0 pure
      = nothing
    > resume r1
      run.resumed r1
      message.sent
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    "#);
}

#[test]
fn what_is_said_to_a_paused_run_waits_with_it() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.pause("p1");
    scene.message("m2");
    scene.send("m3", Mode::Interrupt);
    scene.story();
    scene.tool("call_0_0", made::killed());
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      = nothing
    > resume r1
      run.resumed r1
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 not ok signal 15 <stopping newer message> "so far"
    message: text of m2
    message: text of m3
    "#);
}

#[test]
fn a_paused_run_waits_for_its_person_and_no_clock_goes() {
    let mut scene = Scene::asking(Continue);
    scene.fails(FailureClass::Transient);
    scene.pause("p1");
    assert_eq!((Agent::due(&scene.state), turn(&scene.state)), (None, Turn::Person));
    scene.pass(60_000);
    scene.story();
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      run.resumed r1
      model.requested reply attempt 2 epoch 1
      = model attempt 2
    ");
}

#[test]
fn a_wait_that_is_over_is_told_and_nothing_follows_until_the_person_resumes() {
    let mut scene = Scene::replied(vec![made::wait(0, 60_000).part()]);
    scene.pause("p1");
    scene.story();
    scene.wait(0);
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > it is time
      timer.fired call_0_0 <timer fired: 60>
      = nothing
    > resume r1
      run.resumed r1
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn a_held_call_may_be_answered_while_the_run_stands_still() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.pause("p1");
    scene.answer("a1", Answer::YES);
    assert_eq!(scene.effects(), "nothing");
    scene.resume("r1");
    assert_eq!(scene.effects(), "start call_0_0 attempt 1");
}

#[test]
fn a_paused_run_stays_paused_under_the_next_owner_and_nothing_is_recovered() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.pause("p1");
    scene.takeover();
    scene.takeover();
    assert_eq!(scene.effects(), "nothing");
    assert_eq!(scene.state.recoveries, 1, "only the first one took over something that ran");
    scene.resume("r1");
    assert_eq!(scene.effects(), "recover call_0_0 attempt 1 unsafe");
}

#[test]
fn there_is_nothing_to_pause_without_a_run_or_twice() {
    let mut scene = Scene::new();
    scene.pause("p1");
    scene.message("m1");
    scene.pause("p2");
    scene.prepared();
    scene.pause("p3");
    scene.story();
    scene.pause("p3");
    scene.pause("p4");
    insta::assert_snapshot!(scene.story(), @"
    > pause p3
      ! already recorded at version 6
    > pause p4
      ! no run is going that could be paused
    ");
}

#[test]
fn a_run_may_be_paused_again() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.pause("p1");
    scene.resume("r1");
    scene.pause("p2");
    scene.finish("call_0_0");
    assert_eq!(scene.effects(), "nothing");
    scene.resume("r2");
    assert_eq!(scene.effects(), "model attempt 1");
}

#[test]
fn patience_runs_out_also_while_the_run_stands_still() {
    let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).patience(60_000).part()]);
    scene.pause("p1");
    scene.story();
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > it is time
      tool.deferred call_0_0 <backgrounded: call_0_0 60>
      tool.backgrounded call_0_0
      = start call_0_0 attempt 1
    ");
    scene.resume("r1");
    assert_eq!(scene.effects(), "model attempt 1, start call_0_0 attempt 1");
}
