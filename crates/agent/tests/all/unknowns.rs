//! Nobody knows what became of an action: a session may ask a person instead of telling the model.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::{Mode, Scope, UnknownReason};
use contract::call::Class;
use contract::config::OnUnknown;
use contract::outcome::ReplyPart;
use contract::text::Text;

fn asking(parts: Vec<ReplyPart>) -> Scene {
    let mut scene = Scene::configured(|config| config.policy.on_unknown = OnUnknown::Ask);
    scene.replies(parts);
    scene.story();
    scene
}

fn lost() -> Scene {
    let mut scene = asking(vec![made::call(0, Class::Unsafe)]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene
}

#[test]
fn a_person_says_that_it_happened() {
    let mut scene = lost();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 is unknown: died
      tool.unknown call_0_0 attempt 1 died
      ask.opened call_0_0 reconcile attempt 1
      = nothing
    > answer a1 approve
      ask.answered call_0_0 approve
      tool.reconciled call_0_0 happened <happened>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 ok <happened> "half of it""#);
}

#[test]
fn a_person_says_that_it_did_not_happen() {
    let mut scene = lost();
    scene.answer("a1", Answer::Deny { message: Some(Text::from("The table is empty.")), stop: false });
    insta::assert_snapshot!(scene.story(), @r#"
    > call_0_0 attempt 1 is unknown: died
      tool.unknown call_0_0 attempt 1 died
      ask.opened call_0_0 reconcile attempt 1
      = nothing
    > answer a1 deny "The table is empty."
      ask.answered call_0_0 deny "The table is empty."
      tool.reconciled call_0_0 not_happened <not happened: The table is empty.>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 not ok <not happened: The table is empty.> "half of it""#);
}

#[test]
fn a_person_says_that_it_did_not_happen_and_ends_the_run() {
    let mut scene = lost();
    scene.story();
    scene.answer("a1", Answer::Deny { message: None, stop: true });
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny and stop
      ask.answered call_0_0 deny and stop
      tool.reconciled call_0_0 not_happened <not happened>
      run.finished cancelled denied
      = nothing
    ");
}

#[test]
fn a_word_says_it_too() {
    let mut scene = lost();
    scene.story();
    scene.words("w1", "确认");
    assert!(scene.story().contains("tool.reconciled call_0_0 happened"));
}

#[test]
fn a_message_leaves_the_ask_open_and_the_model_is_told_that_it_is_asked() {
    let mut scene = lost();
    scene.story();
    scene.message("m2");
    scene.says("I will wait");
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @r#"
    > message m2 steer
      message.received m2 steer
      tool.deferred call_0_0 <deferred unknown: call_0_0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > reply
      model.completed "I will wait"
      message.sent
      = nothing
    > answer a1 approve
      ask.answered call_0_0 approve
      tool.reconciled call_0_0 happened <happened>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @r#"late: call_0_0 provider_0 ok <happened> "half of it""#);
}

#[test]
fn what_may_be_repeated_is_repeated_and_nobody_is_asked() {
    let mut scene = asking(vec![made::call(0, Class::Pure), made::call(1, Class::Idempotent)]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene.tool("call_0_1", made::unknown(UnknownReason::Died));
    assert_eq!((scene.state.asks.len(), scene.attempts("call_0_0"), scene.attempts("call_0_1")), (0, 2, 2));
}

#[test]
fn a_stop_leaves_it_unknown_and_tells_so() {
    let mut scene = lost();
    scene.story();
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      ask.superseded call_0_0 stopped
      tool.reconciled call_0_0 told <unknown: died>
      run.finished cancelled stopped
      = nothing
    ");
}

#[test]
fn a_stop_of_the_turn_leaves_the_ask_about_a_background_call_open() {
    let mut scene = asking(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene.story();
    scene.stop("s1", Scope::Turn);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 turn
      run.cancel_requested s1 turn
      model.aborted stopped
      run.finished cancelled stopped
      = nothing
    ");
    scene.answer("a1", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 deny
      ask.answered call_0_0 deny
      tool.reconciled call_0_0 not_happened <not happened>
      = nothing
    ");
}

#[test]
fn a_stop_of_everything_ends_the_ask_about_a_background_call() {
    let mut scene = asking(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene.says("somebody is asked");
    scene.story();
    scene.stop("s1", Scope::All);
    insta::assert_snapshot!(scene.story(), @"
    > stop s1 all
      run.cancel_requested s1 all
      ask.superseded call_0_0 stopped
      tool.reconciled call_0_0 told <unknown: died>
      = nothing
    ");
}

#[test]
fn what_is_lost_while_it_is_being_stopped_is_told_and_not_asked() {
    let mut scene = asking(vec![made::call(0, Class::Unsafe)]);
    scene.send("m2", Mode::Interrupt);
    scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    assert_eq!(scene.state.asks.len(), 0);
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 not ok <unknown: lost> "half of it"
    message: text of m2
    "#);
}

#[test]
fn the_ask_names_the_attempt() {
    let mut scene = asking(vec![made::call(0, Class::Unsafe)]);
    scene.tool("call_0_0", made::never_started());
    scene.tool("call_0_0", made::unknown(UnknownReason::OtherMachine));
    assert!(scene.story().contains("ask.opened call_0_0 reconcile attempt 2"));
}

#[test]
fn the_ask_outlives_its_owner() {
    let mut scene = lost();
    scene.takeover();
    scene.answer("a1", Answer::YES);
    assert!(scene.story().contains("tool.reconciled call_0_0 happened"));
    assert_eq!(scene.count("ask.opened"), 1);
}
