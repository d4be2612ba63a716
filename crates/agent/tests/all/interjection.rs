//! A message while tools run: they go on, and the model is asked at once, with a note in place of each missing result.

use crate::scene::Scene;
use crate::scene::lines::{fresh, request};
use crate::scene::made::{self, Change};
use contract::body::{Mode, UnknownReason};
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::limits::PARALLEL_TOOLS_MAX;

#[test]
fn the_note_stands_in_the_same_append_as_the_request_and_says_what_was_printed() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message_beside("m2", &[("call_0_0", "line 7")]);
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 steer
      tool.progress call_0_0 attempt 1 "line 7"
      message.received m2 steer
      tool.deferred call_0_0 <deferred running: call_0_0 1> "line 7"
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    "#);
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok <deferred running: call_0_0 1> "line 7"
    message: text of m2
    "#);
}

#[test]
fn what_a_call_has_printed_is_told_once_and_only_of_what_runs() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Pure]);
    scene.finish("call_0_1");
    scene.message_beside("m2", &[("call_0_0", "line 7"), ("call_0_1", "too late"), ("call_0_0", "line 8")]);
    assert_eq!(scene.count("tool.progress"), 1);
    assert!(fresh(&scene).contains("\"line 7\""));
}

#[test]
fn results_and_notes_stand_in_call_order_then_messages_in_theirs() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe; 3]);
    scene.finish("call_0_2");
    scene.elsewhere(|scene| scene.message("m2"));
    scene.message("m3");
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 ok <deferred running: call_0_0 3>
    result: call_0_1 provider_1 ok <deferred running: call_0_1 3>
    result: call_0_2 provider_2 ok exit 0 "output of call_0_2"
    message: text of m2
    message: text of m3
    "#);
}

#[test]
fn the_outcome_of_a_deferred_call_is_told_later_and_never_as_a_second_result() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message("m2");
    scene.says("I see");
    scene.story();
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok <deferred running: call_0_0 1>
    message: text of m2
    assistant: "I see"
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    "#);
}

#[test]
fn three_parallel_tools_with_a_message_in_between() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Pure, Class::Probe]);
    scene.finish("call_0_1");
    scene.message("m2");
    scene.finish("call_0_2");
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      = start call_0_0 attempt 1, start call_0_2 attempt 1
    > message m2 steer
      message.received m2 steer
      tool.deferred call_0_0 <deferred running: call_0_0 2>
      tool.deferred call_0_2 <deferred running: call_0_2 2>
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1, start call_0_2 attempt 1
    > call_0_2 attempt 1 finishes
      tool.finished call_0_2 attempt 1 ok
      = model attempt 1, start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = model attempt 1
    ");
    scene.says("both are there");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2
    result: call_0_0 provider_0 ok <deferred running: call_0_0 2>
    result: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    result: call_0_2 provider_2 ok <deferred running: call_0_2 2>
    message: text of m2
    assistant: "both are there"
    late: call_0_2 provider_2 ok exit 0 "output of call_0_2"
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    "#);
    scene.says("and answered");
    assert!(scene.story().ends_with("run.finished completed\n  = nothing\n"));
}

#[test]
fn what_is_new_comes_as_late_outcomes_then_messages() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Unsafe]);
    scene.message("m2");
    scene.finish("call_0_1");
    scene.message("m3");
    scene.finish("call_0_0");
    scene.replies(vec![made::call(0, Class::Pure), made::call(1, Class::Unsafe)]);
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_1_0 provider_0 ok <deferred running: call_1_0 0>
    result: call_1_1 provider_1 not ok <newer message>
    late: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    message: text of m3
    "#);
}

#[test]
fn several_messages_at_once_are_shown_by_one_request() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.elsewhere(|scene| {
        scene.message("m2");
        scene.message("m3");
        scene.message("m4");
    });
    scene.notice();
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 ok <deferred running: call_0_0 3>
    message: text of m2
    message: text of m3
    message: text of m4
    ");
    assert_eq!(scene.count("model.requested"), 2);
    assert_eq!(scene.count("tool.deferred"), 1);
}

#[test]
fn a_note_is_given_once_whatever_is_said_later() {
    let mut scene = Scene::configured(|config| config.max_turns = 9);
    scene.calls(&[Class::Unsafe]);
    scene.message("m2");
    scene.says("first");
    scene.message_beside("m3", &[("call_0_0", "much more")]);
    scene.says("second");
    scene.message("m4");
    assert_eq!(scene.count("tool.deferred"), 1);
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok <deferred running: call_0_0 1>
    message: text of m2
    assistant: "first"
    message: text of m3
    assistant: "second"
    message: text of m4
    "#);
}

#[test]
fn a_call_that_could_not_start_yet_is_deferred_as_such_and_starts_when_there_is_room() {
    let mut scene = Scene::calling(Continue, &[Class::Pure; PARALLEL_TOOLS_MAX + 1]);
    scene.message("m2");
    let story = scene.story();
    assert!(story.contains("tool.deferred call_0_8 <deferred not started: call_0_8>"), "{story}");
    scene.finish("call_0_0");
    assert!(scene.story().contains("tool.started call_0_8 attempt 1"));
}

#[test]
fn what_is_lost_after_its_note_is_told_as_late_and_unknown() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message("m2");
    scene.says("I see");
    scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    insta::assert_snapshot!(fresh(&scene), @r#"late: call_0_0 provider_0 not ok <unknown: lost> "half of it""#);
}

#[test]
fn an_outcome_that_comes_before_the_note_was_shown_stands_beside_it() {
    let mut whole = Scene::calling(Continue, &[Class::Unsafe]);
    whole.message("m2");
    let deferred = whole.names().iter().position(|name| *name == "tool.deferred").unwrap();
    let mut scene = whole.cut(deferred + 1);
    scene.elsewhere(|scene| scene.finish("call_0_0"));
    scene.notice();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 ok <deferred running: call_0_0 1>
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    message: text of m2
    "#);
}

#[test]
fn a_message_that_comes_while_the_model_is_asked_again_waits_for_that_reply() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message("m2");
    scene.message("m3");
    scene.story();
    scene.says("to m2");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "to m2"
      message.sent
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @"message: text of m3");
}

#[test]
fn a_queued_message_changes_nothing_for_what_runs() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Queue);
    insta::assert_snapshot!(scene.story(), @"
    > message m2 queue
      message.received m2 queue
      = start call_0_0 attempt 1
    ");
}

#[test]
fn a_note_of_the_background_is_not_given_to_what_waits_for_a_time() {
    let mut scene = Scene::replied(vec![made::wait(0, 60_000).part(), made::call(1, Class::Unsafe)]);
    scene.message("m2");
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 ok <deferred waiting: call_0_0>
    result: call_0_1 provider_1 ok <deferred running: call_0_1 1>
    message: text of m2
    ");
}
