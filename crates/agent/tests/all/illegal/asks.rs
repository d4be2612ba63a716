//! Asks that no correct writer opens or answers.

use super::{again, folded};
use crate::scene::made::{self, Change};
use crate::scene::{Scene, person};
use contract::ask::{Answer, Ask, Subject};
use contract::body::{
    ActionDecided, ActionWithdrawn, AskAnswered, AskExpired, AskOpened, AskSuperseded, Body, SupersedeReason, ToolStarted, WithdrawReason,
};
use contract::call::Class;
use contract::config::ResumePolicy;
use contract::id::{ActionId, AskId, BootId, Key, MachineId};
use contract::text::Text;
use contract::units::Epoch;

#[test]
fn nobody_answers_what_nobody_asked() {
    let scene = Scene::new();
    let answered = AskAnswered { ask: AskId([1; 16]), key: Key("a".into()), answer: Answer::NO, rule: None, by: person() };
    insta::assert_snapshot!(folded(&scene, answered), @"event ask.answered at version 3 is illegal while there is no open ask ask_…");
}

#[test]
fn an_ask_is_opened_once() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    insta::assert_snapshot!(folded(&scene, again(&scene, "ask.opened")), @"event ask.opened at version 9 is illegal while the ask ask_… is open");
}

#[test]
fn an_ask_holds_a_call_that_waits_to_be_decided() {
    let scene = Scene::replied(vec![made::command(0, "make install").part(), made::call(1, Class::Pure)]);
    let Body::AskOpened(opened) = again(&scene, "ask.opened") else { panic!("no ask") };
    let about = |call: &str, action: ActionId| {
        let call = call.parse().unwrap();
        let subject = Subject::Question { call, action, question: Text::from("?") };
        AskOpened { ask: Ask { ask: AskId([1; 16]), subject, ..opened.ask.clone() } }
    };
    let said = [
        folded(&scene, about("call_0_0", scene.action("call_0_0"))),
        folded(&scene, about("call_0_0", ActionId([1; 16]))),
        folded(&scene, about("call_0_7", scene.action("call_0_1"))),
    ];
    insta::assert_snapshot!(said.concat(), @"
    event ask.opened at version 11 is illegal while call_0_0 is Held(ask_…)
    event ask.opened at version 11 is illegal while call_0_0 is Held(ask_…)
    event ask.opened at version 11 is illegal while call_0_7 is not open
    ");
    assert!(folded(&scene, about("call_0_1", scene.action("call_0_1"))).contains("call_0_1 is Started"));
}

#[test]
fn an_ask_ends_as_its_kind_and_its_time_allow() {
    let scene = Scene::replied(vec![made::command(0, "make install").part()]);
    let ask = scene.last_ask().unwrap();
    let answered = |answer: Answer| AskAnswered { ask, key: Key("a".into()), answer, rule: None, by: person() };
    let said = [
        folded(&scene, AskExpired { ask }),
        folded(&scene, AskExpired { ask: AskId([1; 16]) }),
        folded(&scene, AskSuperseded { ask: AskId([1; 16]), reason: SupersedeReason::Stopped }),
        folded(&scene, answered(Answer::Reply(Text::from("blue")))),
        folded(&scene, answered(Answer::Extend { amount: 1 })),
        folded(&scene, answered(Answer::YES)),
        folded(&scene, AskSuperseded { ask, reason: SupersedeReason::NewerMessage }),
    ];
    insta::assert_snapshot!(said.concat(), @"
    event ask.expired at version 9 is illegal while the ask may still be answered
    event ask.expired at version 9 is illegal while there is no open ask ask_…
    event ask.superseded at version 9 is illegal while there is no open ask ask_…
    event ask.answered at version 9 is illegal while the ask is of kind tool
    event ask.answered at version 9 is illegal while the ask is of kind tool
    ask.answered is legal
    ask.superseded is legal
    ");
}

#[test]
fn a_held_call_does_not_start_and_is_not_withdrawn() {
    let scene = Scene::replied(vec![made::command(0, "make install").part()]);
    let action = scene.action("call_0_0");
    let started = ToolStarted { action, attempt: 1, epoch: Epoch(1), machine: MachineId([3; 16]), boot: BootId("boot".into()) };
    let call = "call_0_0".parse().unwrap();
    let withdrawn = ActionWithdrawn { call, action: Some(action), reason: WithdrawReason::Denied, note: Text::from("") };
    insta::assert_snapshot!([folded(&scene, started), folded(&scene, withdrawn)].concat(), @"
    event tool.started at version 9 is illegal while attempt 0 of the call is Held(ask_…)
    event action.withdrawn at version 9 is illegal while call_0_0 is Held(ask_…)
    ");
}

#[test]
fn only_an_edited_call_is_replaced_and_only_by_the_edited_one() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    let Body::ActionDecided(decided) = again(&scene, "action.decided") else { panic!("no call") };
    let replacing = |replaces: ActionId| ActionDecided { action: ActionId([1; 16]), replaces: Some(replaces), ..decided.clone() };
    let held = folded(&scene, replacing(decided.action));
    scene.edit("call_0_0", "e1", made::command(0, "make -n install"));
    let answered = scene.names().iter().rposition(|name| *name == "ask.answered").unwrap();
    let edited = scene.cut(answered + 1);
    assert!(held.contains("call_0_0 is Held("), "{held}");
    let other = folded(&edited, replacing(ActionId([2; 16])));
    assert!(other.contains("call_0_0 is Refused(NeverDecided, "), "{other}");
    assert_eq!(folded(&edited, replacing(decided.action)), "action.decided is legal\n");
}
