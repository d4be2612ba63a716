//! What a model says: text is said at once, calls are decided or refused, never both.

use crate::scene::lines::request;
use crate::scene::{Scene, lines, made};
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::limits::CALLS_PER_REPLY_MAX;

#[test]
fn text_before_calls_is_said_first() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::text("I will look"), made::call(0, Class::Pure), made::call(1, Class::Probe)]);
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "I will look" + call_0_0 + call_0_1
      action.decided call_0_0 pure
      action.decided call_0_1 probe
      message.sent
      tool.started call_0_0 attempt 1 epoch 1
      tool.started call_0_1 attempt 1 epoch 1
      = start call_0_0 attempt 1, start call_0_1 attempt 1
    "#);
}

#[test]
fn text_after_calls_is_said_first_too_and_keeps_its_place() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::call(0, Class::Pure), made::text("looking")]);
    scene.finish("call_0_0");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + "looking"
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    "#);
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed call_0_0 + "looking"
      action.decided call_0_0 pure
      message.sent
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
}

#[test]
fn an_invalid_call_goes_back_with_its_note() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::refused(0, "there is no such tool")]);
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 not ok there is no such tool
    ");
    scene.says("sorry");
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed call_0_0
      action.withdrawn call_0_0 invalid there is no such tool
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "sorry"
      message.sent
      run.finished completed
      = nothing
    "#);
}

#[test]
fn an_invalid_call_does_not_stop_its_neighbours() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::call(0, Class::Pure), made::refused(1, "no number"), made::call(2, Class::Unsafe)]);
    scene.finish("call_0_2");
    scene.finish("call_0_0");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    result: call_0_1 provider_1 not ok no number
    result: call_0_2 provider_2 ok exit 0 "output of call_0_2"
    "#);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0 + call_0_1 + call_0_2
      action.decided call_0_0 pure
      action.withdrawn call_0_1 invalid no number
      action.decided call_0_2 unsafe
      tool.started call_0_0 attempt 1 epoch 1
      tool.started call_0_2 attempt 1 epoch 1
      = start call_0_0 attempt 1, start call_0_2 attempt 1
    > call_0_2 attempt 1 finishes
      tool.finished call_0_2 attempt 1 ok
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn calls_beyond_the_most_of_one_reply_are_not_run() {
    let mut scene = Scene::asking(Continue);
    scene.calls(&[Class::Pure; CALLS_PER_REPLY_MAX + 2]);
    let story = scene.story();
    let count = |name: &str| story.lines().filter(|line| line.trim_start().starts_with(name)).count();
    assert_eq!([count("action.decided"), count("action.withdrawn"), count("tool.started")], [CALLS_PER_REPLY_MAX, 2, 8]);
    let withdrawn: String = story.lines().filter(|line| line.contains("withdrawn")).map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(withdrawn, @"
    action.withdrawn call_0_24 invalid <too many>
    action.withdrawn call_0_25 invalid <too many>
    ");
    for index in 0..CALLS_PER_REPLY_MAX {
        scene.finish(&format!("call_0_{index}"));
    }
    let last: String = request(&scene).lines().rev().take(3).map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(last, @r#"
    result: call_0_25 provider_25 not ok <too many>
    result: call_0_24 provider_24 not ok <too many>
    result: call_0_23 provider_23 ok exit 0 "output of call_0_23"
    "#);
}

#[test]
fn a_refused_or_surplus_call_is_never_decided_wherever_the_log_is_cut() {
    let mut scene = Scene::asking(Continue);
    let mut parts = made::calls(&[Class::Pure; CALLS_PER_REPLY_MAX + 1]);
    parts[1] = made::refused(1, "no such tool");
    scene.replies(parts);
    let of_call =
        |call: &str| scene.log.iter().filter(|event| event.draft.call == Some(call.parse().unwrap())).map(lines::event).collect::<Vec<_>>();
    assert_eq!(of_call("call_0_1"), ["action.withdrawn call_0_1 invalid no such tool"]);
    assert_eq!(of_call("call_0_24"), ["action.withdrawn call_0_24 invalid <too many>"]);
    let withdrawn = scene.log.iter().position(|event| event.draft.body.name() == "action.withdrawn").unwrap();
    let mut cut = scene.cut(withdrawn);
    cut.takeover();
    assert!(!cut.story().contains("started call_0_1 "), "a refused call must not start after a cut");
}
