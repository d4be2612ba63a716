//! What a session may use up: at a limit it waits for a person, who extends it or ends the run.

use crate::scene::{Scene, made};
use agent::Agent;
use contract::ask::Answer;
use contract::body::{FailureClass, Spend, Usage};
use contract::call::Class;
use contract::config::{Limits, Prices};
use contract::machine::Machine;

const USAGE: Usage = Usage { input: 1_000, output: 200, cache_read: 300, cache_write: 500, reasoning: 100 };

fn limited(limits: Limits) -> Scene {
    Scene::configured(|config| {
        config.limits = limits;
        config.max_turns = 99;
        config.output_tokens_max = 1_000;
        config.prices = Some(Prices { input: 3_000_000, output: 15_000_000, cache_read: None, cache_write: None });
    })
}

fn tool_calls(most: u64) -> Scene {
    limited(Limits { tool_calls: Some(most), ..Limits::default() })
}

#[test]
fn as_many_calls_start_as_may_and_the_next_one_waits_for_a_person() {
    let mut scene = tool_calls(2);
    scene.calls(&[Class::Pure; 3]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0 + call_0_1 + call_0_2
      action.decided call_0_0 pure
      action.decided call_0_1 pure
      action.decided call_0_2 pure
      tool.started call_0_0 attempt 1 epoch 1
      tool.started call_0_1 attempt 1 epoch 1
      ask.opened tool_calls 2 of 2
      = start call_0_0 attempt 1, start call_0_1 attempt 1
    ");
    scene.finish("call_0_0");
    assert_eq!(scene.effects(), "start call_0_1 attempt 1", "what was begun goes on");
}

#[test]
fn a_yes_gives_as_much_again_and_an_amount_gives_that() {
    let mut scene = tool_calls(2);
    scene.calls(&[Class::Pure; 8]);
    scene.story();
    scene.answer("a1", Answer::YES);
    scene.answer("a2", Answer::Extend { amount: 1 });
    scene.answer("a3", Answer::Extend { amount: 100 });
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve
      ask.answered approve
      tool.started call_0_2 attempt 1 epoch 1
      tool.started call_0_3 attempt 1 epoch 1
      ask.opened tool_calls 4 of 4
      = start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_3 attempt 1
    > answer a2 extend by 1
      ask.answered extend by 1
      tool.started call_0_4 attempt 1 epoch 1
      ask.opened tool_calls 5 of 5
      = start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_3 attempt 1, start call_0_4 attempt 1
    > answer a3 extend by 100
      ask.answered extend by 100
      tool.started call_0_5 attempt 1 epoch 1
      tool.started call_0_6 attempt 1 epoch 1
      tool.started call_0_7 attempt 1 epoch 1
      = start call_0_0 attempt 1, start call_0_1 attempt 1, start call_0_2 attempt 1, start call_0_3 attempt 1, start call_0_4 attempt 1, start call_0_5 attempt 1, start call_0_6 attempt 1, start call_0_7 attempt 1
    ");
}

#[test]
fn a_no_ends_the_run_at_its_limit() {
    let mut scene = tool_calls(1);
    scene.calls(&[Class::Pure; 2]);
    scene.story();
    scene.answer("a1", Answer::NO);
    scene.tool("call_0_0", made::killed());
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny
      ask.answered deny
      tool.cancel_requested call_0_0 attempt 1 in 5000 ms <stopping stopped>
      action.withdrawn call_0_1 stopped <stopped>
      = start call_0_0 attempt 1, stop call_0_0 attempt 1
    > call_0_0 attempt 1 fails
      tool.finished call_0_0 attempt 1 not ok
      run.finished limit budget
      = nothing
    ");
}

#[test]
fn an_action_counts_once_however_often_it_is_tried() {
    let mut scene = tool_calls(1);
    scene.calls(&[Class::Pure]);
    scene.tool("call_0_0", made::never_started());
    scene.tool("call_0_0", made::unknown(contract::body::UnknownReason::Lost));
    assert_eq!((scene.state.ledger.tool_calls, scene.count("tool.started"), scene.state.asks.len()), (1, 3, 0));
}

#[test]
fn calls_are_counted_over_all_runs_of_a_session() {
    let mut scene = tool_calls(2);
    scene.calls(&[Class::Pure]);
    scene.finish("call_0_0");
    scene.says("done");
    scene.message("m2");
    scene.prepared();
    scene.story();
    scene.calls(&[Class::Pure; 2]);
    assert!(scene.story().contains("ask.opened tool_calls 2 of 2"));
}

#[test]
fn tokens_are_counted_by_what_replies_used_and_the_next_may_use_at_most() {
    let mut scene = limited(Limits { tokens: Some(4_000), ..Limits::default() });
    scene.replies_for(made::calls(&[Class::Pure]), USAGE, None);
    assert_eq!(scene.state.ledger.spent.tokens, 2_000);
    scene.finish("call_0_0");
    scene.replies_for(made::calls(&[Class::Pure]), USAGE, None);
    scene.story();
    scene.finish("call_1_0");
    insta::assert_snapshot!(scene.story(), @"
    > call_1_0 attempt 1 finishes
      tool.finished call_1_0 attempt 1 ok
      ask.opened tokens 4000 of 4000
      = nothing
    ");
    scene.answer("a1", Answer::Extend { amount: 5_000 });
    assert_eq!(scene.effects(), "model attempt 1");
}

#[test]
fn cost_is_what_the_provider_says_else_by_the_list() {
    let mut scene = limited(Limits::default());
    scene.replies_for(made::calls(&[Class::Pure]), USAGE, None);
    // 1,800 tokens in at 3 and 200 out at 15 millionths.
    assert_eq!(scene.state.ledger.spent.cost_micros, 1_800 * 3 + 200 * 15);
    scene.finish("call_0_0");
    scene.replies_for(made::calls(&[Class::Pure]), USAGE, Some(77));
    assert_eq!(scene.state.ledger.spent.cost_micros, 8_400 + 77);
}

#[test]
fn a_call_that_could_cost_too_much_is_not_made() {
    let mut scene = limited(Limits { cost_micros: Some(20_000), ..Limits::default() });
    scene.replies_for(made::calls(&[Class::Pure]), USAGE, None);
    scene.story();
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      ask.opened cost 8400 of 20000
      = nothing
    ");
    scene.answer("a1", Answer::YES);
    assert_eq!(scene.effects(), "model attempt 1");
}

#[test]
fn the_first_call_of_a_run_may_be_too_much_already() {
    let mut scene = limited(Limits { tokens: Some(10), ..Limits::default() });
    assert_eq!(scene.effects(), "nothing");
    scene.answer("a1", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny
      ask.answered deny
      run.finished limit budget
      = nothing
    ");
}

#[test]
fn a_lost_or_aborted_call_is_charged_its_reserve() {
    let reserve = |scene: &Scene| scene.state.model.as_ref().map(|model| model.reserve).unwrap_or_default();
    let mut lost = limited(Limits::default());
    let reserved = reserve(&lost);
    assert!(reserved.tokens > 1_000 && reserved.cost_micros > 15_000, "{reserved:?}");
    lost.takeover();
    assert_eq!(lost.state.ledger.spent, reserved);
    let mut aborted = limited(Limits::default());
    aborted.send("m2", contract::body::Mode::Interrupt);
    assert_eq!(aborted.state.ledger.spent, reserved);
    let mut failed = limited(Limits::default());
    failed.fails(FailureClass::Transient);
    assert_eq!(failed.state.ledger.spent, Spend::default(), "a provider that refuses charges nothing");
}

#[test]
fn takeovers_alone_can_use_a_limit_up() {
    let mut scene = limited(Limits { tokens: Some(2_500), ..Limits::default() });
    scene.takeover();
    scene.story();
    scene.takeover();
    let told = scene.story();
    assert!(told.contains("ask.opened tokens") && !told.contains("model.requested"), "{told}");
}

#[test]
fn a_run_works_for_so_long_and_is_then_asked_about() {
    let mut scene = limited(Limits { wall_ms: Some(60_000), ..Limits::default() });
    scene.calls(&[Class::Unsafe]);
    scene.story();
    scene.wait(1);
    scene.wait(0);
    scene.finish("call_0_0");
    scene.pass(1_000_000);
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > it is almost time
      = start call_0_0 attempt 1
    > it is time
      ask.opened wall_time 60000 of 60000
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = nothing
    > 1000000 ms later
      = nothing
    > answer a1 approve
      ask.answered approve
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn the_time_a_person_is_waited_for_does_not_count() {
    let mut scene = limited(Limits { wall_ms: Some(60_000), ..Limits::default() });
    let started = scene.now;
    scene.pass(10_000);
    scene.pause("p1");
    scene.pass(500_000);
    assert_eq!(Agent::due(&scene.state), None);
    scene.resume("r1");
    // A second passes with each input, and from the pause to the resume one more.
    assert_eq!(Agent::due(&scene.state), Some(started.plus_ms(60_000 + 501_000)));
}

#[test]
fn a_no_to_more_time_ends_the_run_and_its_model_call() {
    let mut scene = limited(Limits { wall_ms: Some(60_000), ..Limits::default() });
    scene.wait(0);
    scene.story();
    scene.answer("a1", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny
      ask.answered deny
      model.aborted stopped
      run.finished limit budget
      = nothing
    ");
}

#[test]
fn a_limit_answers_to_words_and_not_to_a_resume() {
    let mut scene = tool_calls(1);
    scene.calls(&[Class::Pure; 2]);
    scene.resume("r1");
    assert_eq!(scene.state.asks.len(), 1, "going on is not all that is asked");
    scene.words("w1", "ok");
    assert_eq!(scene.effects(), "start call_0_0 attempt 1, start call_0_1 attempt 1");
}

#[test]
fn a_message_leaves_a_limit_open() {
    let mut scene = tool_calls(1);
    scene.calls(&[Class::Pure; 2]);
    scene.message("m2");
    assert_eq!((scene.state.asks.len(), scene.count("model.requested")), (1, 1));
}
