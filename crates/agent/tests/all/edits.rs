//! A person approves a call with other arguments: those run, and the model is told.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::Body;
use contract::call::{Class, PreparedCall};
use contract::limits::APPROVAL_VALID_MS;
use contract::rule::{Rule, RuleEffect};
use contract::text::Text;

#[test]
fn what_runs_is_what_the_person_wrote_and_the_result_names_it() {
    let mut scene = Scene::held();
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @r#"
    > edit e1 call_0_0 {"command":"make -n install"}
      ask.answered call_0_0 edit {"command":"make -n install"}
      action.decided call_0_0 probe instead: {"command":"make -n install"}
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @r#"result: call_0_0 provider_0 ok exit 0 <edited: {"command":"make -n install"}> "output of call_0_0""#);
}

#[test]
fn the_assistant_turn_keeps_the_original_arguments() {
    let mut scene = Scene::held();
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    scene.finish("call_0_0");
    let shown = String::from_utf8(agent::context::context(&scene.state).unwrap().canonical()).unwrap();
    assert!(shown.contains(r#""tool":"shell","args":{"inline":"{\"command\":\"make install\"}"}"#), "{shown}");
}

#[test]
fn the_edited_call_is_another_action_in_the_same_place() {
    let mut scene = Scene::held();
    let before = scene.action("call_0_0");
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    let after = scene.action("call_0_0");
    assert_ne!(before, after, "another idempotency key");
    let replaces = scene.log.iter().find_map(|event| match &event.draft.body {
        Body::ActionDecided(decided) if decided.action == after => decided.replaces,
        _ => None,
    });
    assert_eq!(replaces, Some(before));
    assert_eq!(scene.state.calls.len(), 1);
}

#[test]
fn an_edit_that_cannot_run_leaves_the_ask_open() {
    let mut scene = Scene::held();
    scene.edit("call_0_0", "e1", PreparedCall { refused: Some(Text::from("no such folder")), ..made::command(0, "cd nowhere") });
    scene.edit("call_0_0", "e2", made::plain(0, Class::Pure));
    insta::assert_snapshot!(scene.story(), @r#"
    > edit e1 call_0_0 {"command":"cd nowhere"}
      ! the edited call cannot run: no such folder
    > edit e2 call_0_0 {"number":0}
      ! an ask of kind tool cannot be answered so
    "#);
    scene.answer("a1", Answer::YES);
    assert!(scene.story().contains("tool.started call_0_0 attempt 1"));
}

#[test]
fn an_edit_that_a_rule_forbids_leaves_the_ask_open() {
    let deny = Rule::parse(RuleEffect::Deny, "shell(*rm *)").unwrap();
    let mut scene = Scene::configured(|config| config.policy.rules.push(deny));
    scene.replies(vec![made::command(0, "make install").part()]);
    scene.story();
    scene.edit("call_0_0", "e1", made::command(0, "rm -rf build"));
    insta::assert_snapshot!(scene.story(), @r#"
    > edit e1 call_0_0 {"command":"rm -rf build"}
      ! the rule shell(*rm *) forbids it
    "#);
    assert_eq!(scene.state.asks.len(), 1);
}

#[test]
fn an_edit_counts_once() {
    let mut scene = Scene::held();
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    scene.story();
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    scene.edit("call_0_0", "e2", made::command(0, "make clean"));
    insta::assert_snapshot!(scene.story(), @r#"
    > edit e1 call_0_0 {"command":"make -n install"}
      ! already recorded at version 9
    > edit e2 call_0_0 {"command":"make clean"}
      ! there is no such ask
    "#);
}

#[test]
fn an_edit_approves_nothing_else() {
    let mut scene = Scene::held();
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    scene.finish("call_0_0");
    scene.replies(vec![made::command(0, "make -n install").part()]);
    assert_eq!((scene.count("ask.opened"), scene.count("tool.started")), (2, 1));
}

#[test]
fn the_approval_of_an_edit_ends_with_the_ask_it_answered() {
    for (patience_ms, valid_ms) in [(5_000, 4_000), (10 * APPROVAL_VALID_MS, APPROVAL_VALID_MS)] {
        let mut scene = Scene::configured(|config| config.policy.ask_valid_ms = patience_ms);
        scene.replies(vec![made::command(0, "make install").part()]);
        let until = scene.now.plus_ms(patience_ms);
        scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
        let approved = scene.state.calls.values().next().unwrap().approved_until;
        assert_eq!(approved, Some(scene.now.plus_ms(valid_ms)));
        assert!(approved.is_some_and(|approved| approved <= until));
    }
}

#[test]
fn an_edit_that_was_cut_off_from_its_decision_runs_nothing() {
    let mut whole = Scene::held();
    whole.edit("call_0_0", "e1", made::command(0, "make -n install"));
    let answered = whole.names().iter().rposition(|name| *name == "ask.answered").unwrap();
    let mut scene = whole.cut(answered + 1);
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      action.withdrawn call_0_0 never_decided <never decided>
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn what_stands_in_a_note_already_keeps_it_when_its_arguments_are_changed() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.answer("a1", Answer::YES);
    scene.message("m2");
    scene.says("it runs");
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    scene.story();
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @r#"
    > edit e1 call_0_0 {"command":"make -n install"}
      ask.answered call_0_0 edit {"command":"make -n install"}
      action.decided call_0_0 probe instead: {"command":"make -n install"}
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @r#"late: call_0_0 provider_0 ok exit 0 <edited: {"command":"make -n install"}> "output of call_0_0""#);
}

#[test]
fn what_runs_in_the_background_stays_there_when_its_arguments_are_changed() {
    let mut scene = Scene::replied(vec![made::command(0, "serve").patience(0).part()]);
    scene.answer("a1", Answer::YES);
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::never_started());
    scene.edit("call_0_0", "e1", made::command(0, "serve --port 1"));
    scene.says("it runs");
    assert_eq!((scene.count("run.finished"), scene.effects().as_str()), (1, "start call_0_0 attempt 1"));
}

#[test]
fn what_may_have_run_is_not_changed_any_more() {
    let mut scene = Scene::replied(vec![made::command(0, "rsync a b").of_class(Class::Idempotent).part()]);
    scene.answer("a1", Answer::YES);
    scene.now = scene.now.plus_ms(APPROVAL_VALID_MS);
    scene.tool("call_0_0", made::unknown(contract::body::UnknownReason::Lost));
    scene.story();
    scene.edit("call_0_0", "e1", made::command(0, "rsync a c"));
    scene.answer("a2", Answer::NO);
    insta::assert_snapshot!(scene.story(), @r#"
    > edit e1 call_0_0 {"command":"rsync a c"}
      ! an ask of kind tool cannot be answered so
    > answer a2 deny
      ask.answered call_0_0 deny
      tool.reconciled call_0_0 told <unknown: lost>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
}
