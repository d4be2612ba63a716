//! For how long a yes counts, and how much needs one.

use crate::scene::made::{self, Change};
use crate::scene::{Scene, lines};
use contract::ask::{Answer, Grant};
use contract::body::Body;
use contract::call::{Class, Risk};
use contract::config::Autonomy;

#[test]
fn a_yes_for_the_session_stores_the_exact_rule_and_equal_calls_run_by_it() {
    let mut scene = Scene::held();
    scene.answer("a1", Answer::Approve { grant: Grant::Session });
    scene.finish("call_0_0");
    scene.story();
    scene.replies(vec![made::command(0, "make install").part(), made::command(1, "make install; rm x").part()]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_1_0 + call_1_1
      action.decided call_1_0 probe
      action.decided call_1_1 probe
      tool.started call_1_0 attempt 1 epoch 1
      ask.opened call_1_1 shell high
      = start call_1_0 attempt 1
    ");
    let rules: Vec<String> = scene.state.rules.iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["shell(make install)"]);
}

#[test]
fn a_yes_for_the_session_outlives_the_run_and_the_owner() {
    let mut scene = Scene::held();
    scene.answer("a1", Answer::Approve { grant: Grant::Session });
    scene.finish("call_0_0");
    scene.says("done");
    scene.takeover();
    scene.message("m2");
    scene.prepared();
    scene.story();
    scene.replies(vec![made::command(0, "make install").part()]);
    assert!(scene.story().contains("tool.started call_2_0 attempt 1 epoch 2"));
}

#[test]
fn what_no_pattern_can_tell_is_not_allowed_for_the_session() {
    let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).of_risk(Risk::High).part()]);
    scene.story();
    scene.answer("a1", Answer::Approve { grant: Grant::Session });
    assert_eq!(scene.story(), "> answer a1 approve for the session\n  ! an ask of kind tool cannot be answered so\n");
    scene.answer("a2", Answer::YES);
    assert_eq!(scene.effects(), "start call_0_0 attempt 1");
}

#[test]
fn a_yes_for_one_call_says_nothing_of_an_equal_one() {
    let mut scene = Scene::held();
    scene.answer("a1", Answer::YES);
    scene.finish("call_0_0");
    scene.replies(vec![made::command(0, "make install").part()]);
    assert_eq!((scene.count("ask.opened"), scene.count("tool.started")), (2, 1));
}

#[test]
fn how_much_is_asked_about_is_a_matter_of_autonomy() {
    let risks = [Risk::Low, Risk::Medium, Risk::High];
    let calls = || risks.iter().enumerate().map(|(number, risk)| made::plain(number, Class::Unsafe).of_risk(*risk).part()).collect();
    let mut stories = Vec::new();
    for autonomy in [Autonomy::Ask, Autonomy::Auto, Autonomy::Full] {
        let mut scene = Scene::configured(|config| config.policy.autonomy = autonomy);
        scene.replies(calls());
        let began = |event: &&contract::Event| matches!(event.draft.body, Body::AskOpened(_) | Body::ToolStarted(_));
        stories.push(scene.log.iter().filter(began).map(lines::event).collect::<Vec<_>>().join(", "));
    }
    insta::assert_snapshot!(stories.join("\n"), @"
    tool.started call_0_0 attempt 1 epoch 1, ask.opened call_0_1 tool medium, ask.opened call_0_2 tool high
    tool.started call_0_0 attempt 1 epoch 1, tool.started call_0_1 attempt 1 epoch 1, ask.opened call_0_2 tool high
    tool.started call_0_0 attempt 1 epoch 1, tool.started call_0_1 attempt 1 epoch 1, tool.started call_0_2 attempt 1 epoch 1
    ");
}
