//! A run that has answered waits for its foreground; one that no model goes on with leaves it to the background.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::{FailureClass, UnknownReason};
use contract::call::Class;
use contract::config::{OnUnknown, ResumePolicy::Continue};
use contract::limits::PARALLEL_TOOLS_MAX;

#[test]
fn text_ends_the_run_only_when_its_foreground_is_done() {
    let mut scene = Scene::configured(|config| config.max_turns = 9);
    scene.calls(&[Class::Unsafe, Class::Unsafe]);
    scene.message("m2");
    scene.story();
    scene.says("still waiting");
    scene.finish("call_0_0");
    scene.says("one more");
    scene.finish("call_0_1");
    scene.says("all done");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "still waiting"
      message.sent
      = start call_0_0 attempt 1, start call_0_1 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_1 attempt 1
    > reply
      model.completed "one more"
      message.sent
      = start call_0_1 attempt 1
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "all done"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn the_run_waits_for_the_next_outcome_without_asking_the_model_again() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message("m2");
    scene.says("still waiting");
    let asked = scene.count("model.requested");
    scene.takeover();
    scene.pass(60_000);
    assert_eq!(scene.count("model.requested"), asked);
    assert_eq!(scene.effects(), "recover call_0_0 attempt 1 unsafe");
}

#[test]
fn a_run_whose_last_reply_was_given_ends_and_its_tools_go_on_in_the_background() {
    let mut scene = Scene::configured(|config| config.max_turns = 1);
    scene.calls(&[Class::Unsafe, Class::Unsafe]);
    scene.message("m2");
    scene.answer("enough", Answer::NO);
    scene.story();
    scene.says("all I have");
    scene.finish("call_0_0");
    scene.message("m3");
    scene.finish("call_0_1");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "all I have"
      message.sent
      tool.backgrounded call_0_0
      tool.backgrounded call_0_1
      run.finished limit turn_limit
      = start call_0_0 attempt 1, start call_0_1 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = start call_0_1 attempt 1
    > message m3 steer
      message.received m3 steer
      = prepare m3, start call_0_1 attempt 1
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      = prepare m3
    "#);
    scene.prepared();
    insta::assert_snapshot!(fresh(&scene), @r#"
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    late: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    message: text of m3
    "#);
}

#[test]
fn a_run_whose_model_failed_for_good_ends_and_its_tools_go_on_in_the_background() {
    let mut scene = Scene::replied(vec![made::call(0, Class::Unsafe), made::wait(1, 60_000).part()]);
    scene.message("m2");
    scene.story();
    scene.fails(FailureClass::Permanent);
    scene.wait(0);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > model fails permanent
      model.failed permanent for good
      tool.backgrounded call_0_0
      tool.backgrounded call_0_1
      run.finished failed model_failed
      = start call_0_0 attempt 1
    > it is time
      timer.fired call_0_1 <timer fired: 60>
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = nothing
    ");
}

#[test]
fn a_run_of_empty_replies_ends_and_its_tools_go_on_in_the_background() {
    let mut scene = Scene::configured(|config| config.max_turns = 9);
    scene.calls(&[Class::Unsafe]);
    scene.message("m2");
    scene.replies(Vec::new());
    scene.story();
    scene.replies(Vec::new());
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed nothing
      tool.backgrounded call_0_0
      run.finished failed empty_reply
      = start call_0_0 attempt 1
    ");
}

#[test]
fn a_run_that_failed_has_still_started_what_it_had_promised() {
    let mut scene = Scene::calling(Continue, &[Class::Pure; PARALLEL_TOOLS_MAX + 1]);
    scene.message("m2");
    scene.fails(FailureClass::Permanent);
    // The ninth call was said to start later; in the background it takes nobody's place.
    assert_eq!((scene.count("tool.started"), scene.count("run.finished")), (PARALLEL_TOOLS_MAX + 1, 1));
    assert_eq!(scene.count("model.requested"), 2);
}

#[test]
fn a_person_is_still_asked_what_became_of_a_call_whose_run_has_failed() {
    let mut scene = Scene::configured(|config| config.policy.on_unknown = OnUnknown::Ask);
    scene.calls(&[Class::Unsafe]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene.message("m2");
    scene.fails(FailureClass::Permanent);
    assert_eq!((scene.count("run.finished"), scene.state.asks.len()), (1, 1));
    scene.answer("a1", Answer::YES);
    scene.message("m3");
    scene.prepared();
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 ok <deferred unknown: call_0_0>
    message: text of m2
    late: call_0_0 provider_0 ok <happened> "half of it"
    message: text of m3
    "#);
}
