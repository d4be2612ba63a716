//! A call of high risk is held until a person has said yes to that very call.

use crate::scene::Scene;
use crate::scene::lines::{fresh, request};
use crate::scene::made::{self, Change};
use agent::Agent;
use contract::ask::{Answer, Subject};
use contract::call::{Class, Risk};
use contract::config::ResumePolicy;
use contract::id::Sha256;
use contract::machine::{Machine, Rest};
use contract::text::Text;

fn denial(message: Option<&str>, stop: bool) -> Answer {
    Answer::Deny { message: message.map(Text::from), stop }
}

#[test]
fn a_call_of_high_risk_waits_for_a_yes_and_then_runs_as_it_was_asked_about() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.replies(vec![made::command(0, "make install").part()]);
    scene.answer("a1", Answer::YES);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0
      action.decided call_0_0 probe
      ask.opened call_0_0 shell high
      = nothing
    > answer a1 approve
      ask.answered call_0_0 approve
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn the_ask_names_the_very_call_with_its_hash_and_what_its_preview_saw() {
    let call = made::command(0, "make install").change(|prepared| prepared.witness = Some(Sha256::of(b"seen")));
    let hash = call.args_hash;
    let scene = Scene::replied(vec![call.part()]);
    let open = scene.state.asks.values().next().unwrap();
    let Subject::Tool { call, action, tool, args_hash, witness, risk } = &open.ask.subject else { panic!("{:?}", open.ask.subject) };
    assert_eq!((call.to_string().as_str(), tool.as_str(), *risk), ("call_0_0", "shell", Risk::High));
    assert_eq!((*action, *args_hash, *witness), (scene.action("call_0_0"), hash, Some(Sha256::of(b"seen"))));
}

#[test]
fn while_a_call_is_held_the_others_run_and_the_session_waits_for_both() {
    let parts = vec![made::call(0, Class::Pure), made::command(1, "make install").part(), made::call(2, Class::Unsafe)];
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.replies(parts);
    scene.finish("call_0_2");
    scene.finish("call_0_0");
    assert!(matches!(Agent::rest(&scene.state), Rest::Until(_)), "nothing is wanted until the ask ends");
    scene.answer("a1", Answer::YES);
    scene.finish("call_0_1");
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0 + call_0_1 + call_0_2
      action.decided call_0_0 pure
      action.decided call_0_1 probe
      action.decided call_0_2 unsafe
      tool.started call_0_0 attempt 1 epoch 1
      ask.opened call_0_1 shell high
      tool.started call_0_2 attempt 1 epoch 1
      = start call_0_0 attempt 1, start call_0_2 attempt 1
    > call_0_2 attempt 1 finishes
      tool.finished call_0_2 attempt 1 ok
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = nothing
    > answer a1 approve
      ask.answered call_0_1 approve
      tool.started call_0_1 attempt 1 epoch 1
      = start call_0_1 attempt 1
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2
    result: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    result: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    result: call_0_2 provider_2 ok exit 0 "output of call_0_2"
    "#);
}

#[test]
fn each_held_call_has_its_own_ask_and_its_own_answer() {
    let mut scene = Scene::replied(vec![made::command(0, "one").part(), made::command(1, "two").part()]);
    assert_eq!(scene.state.asks.len(), 2);
    scene.answer_about("call_0_1", "a1", Answer::YES);
    scene.answer_about("call_0_0", "a2", Answer::NO);
    scene.finish("call_0_1");
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ask.answered call_0_1 approve
      tool.started call_0_1 attempt 1 epoch 1
      = start call_0_1 attempt 1
    > answer a2 deny
      ask.answered call_0_0 deny
      action.withdrawn call_0_0 denied <denied>
      = start call_0_1 attempt 1
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 not ok <denied>
    result: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    "#);
}

#[test]
fn a_no_goes_back_to_the_model_and_the_run_goes_on() {
    let mut scene = Scene::held();
    scene.answer("a1", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny
      ask.answered call_0_0 deny
      action.withdrawn call_0_0 denied <denied>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 not ok <denied>");
    scene.says("then not");
    assert!(scene.story().ends_with("run.finished completed\n  = nothing\n"));
}

#[test]
fn a_no_may_say_why() {
    let mut scene = Scene::held();
    scene.answer("a1", denial(Some("use the staging server"), false));
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 not ok <denied with message: use the staging server>");
}

#[test]
fn a_no_may_end_the_run_and_stops_what_runs_beside_it() {
    let parts = vec![made::command(0, "one").part(), made::call(1, Class::Unsafe), made::command(2, "two").part()];
    let mut scene = Scene::replied(parts);
    scene.answer_about("call_0_0", "a1", denial(Some("leave it"), true));
    scene.tool("call_0_1", made::killed());
    insta::assert_snapshot!(scene.story(), @r#"
    > answer a1 deny "leave it" and stop
      ask.answered call_0_0 deny "leave it" and stop
      ask.superseded call_0_2 stopped
      tool.cancel_requested call_0_1 attempt 1 in 5000 ms <stopping stopped>
      action.withdrawn call_0_0 denied <denied with message: leave it>
      action.withdrawn call_0_2 stopped <stopped>
      = start call_0_1 attempt 1, stop call_0_1 attempt 1
    > call_0_1 attempt 1 fails
      tool.finished call_0_1 attempt 1 not ok
      run.finished cancelled denied
      = nothing
    "#);
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2
    result: call_0_0 provider_0 not ok <denied with message: leave it>
    result: call_0_1 provider_1 not ok signal 15 <stopping stopped> "so far"
    result: call_0_2 provider_2 not ok <stopped>
    message: text of m2
    "#);
}

#[test]
fn the_first_answer_wins_and_its_repeat_is_known() {
    let mut scene = Scene::held();
    let ask = scene.last_ask().unwrap();
    scene.answer_to(ask, "a1", Answer::YES);
    scene.story();
    scene.answer_to(ask, "a1", Answer::YES);
    scene.answer_to(ask, "a2", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ! already recorded at version 9
    > answer a2 deny
      ! there is no such ask
    ");
}

#[test]
fn answers_that_do_not_fit_leave_the_ask_open() {
    let mut scene = Scene::held();
    for (key, answer) in [
        ("a1", Answer::Reply(Text::from("blue"))),
        ("a2", Answer::Extend { amount: 3 }),
        ("a3", Answer::Edit { args: Text::from("{}"), args_hash: Sha256::of(b"{}") }),
    ] {
        scene.answer(key, answer);
    }
    insta::assert_snapshot!(scene.story(), @r#"
    > answer a1 reply "blue"
      ! an ask of kind tool cannot be answered so
    > answer a2 extend by 3
      ! an ask of kind tool cannot be answered so
    > answer a3 edit {}
      ! an ask of kind tool cannot be answered so
    "#);
    assert_eq!(scene.state.asks.len(), 1);
}

#[test]
fn a_held_call_is_still_held_under_the_next_owner() {
    let mut scene = Scene::held();
    scene.takeover();
    scene.takeover();
    assert_eq!(scene.state.recoveries, 0, "whoever waits for a person does not crash");
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = nothing
    > taken 3
      owner.taken epoch 3
      = nothing
    > answer a1 approve
      ask.answered call_0_0 approve
      tool.started call_0_0 attempt 1 epoch 3
      = start call_0_0 attempt 1
    ");
}

#[test]
fn a_session_that_asks_after_takeovers_asks_also_beside_a_held_call() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.replies(vec![made::command(0, "make install").part(), made::call(1, Class::Unsafe)]);
    scene.story();
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      ask.opened resume
      = nothing
    ");
}

#[test]
fn whoever_resumes_the_session_has_not_approved_a_call() {
    let mut scene = Scene::held();
    scene.resume("r1");
    insta::assert_snapshot!(scene.story(), @"
    > resume r1
      run.resumed r1
      = nothing
    ");
    assert_eq!((scene.state.asks.len(), scene.count("tool.started")), (1, 0));
}
