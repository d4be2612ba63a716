//! What a person allows for good is brought to where later sessions look, once and for sure.

use crate::scene::Scene;
use crate::scene::made::{self, Change};
use contract::ask::{Answer, Grant};
use contract::body::{Body, Scope};
use contract::call::{Class, Risk};
use contract::outcome::DeliveryOutcome;
use contract::rule::{Rule, RuleEffect};

const ALWAYS: Answer = Answer::Approve { grant: Grant::Always };

#[test]
fn a_yes_for_good_counts_at_once_and_is_brought_to_the_policy() {
    let mut scene = Scene::held();
    scene.story();
    scene.answer("a1", ALWAYS);
    scene.delivered(DeliveryOutcome::Finished);
    insta::assert_snapshot!(scene.story(), @"
    > answer a1 approve for good
      ask.answered call_0_0 approve for good by shell(make install)
      delivery.started shell(make install) in folder to policy/user
      tool.started call_0_0 attempt 1 epoch 1
      = start call_0_0 attempt 1, deliver
    > delivered
      delivery.finished
      = start call_0_0 attempt 1
    ");
    assert_eq!(scene.state.rules.len(), 1);
}

#[test]
fn it_is_brought_by_the_next_owner_too_and_is_over_once() {
    let mut scene = Scene::held();
    scene.answer("a1", ALWAYS);
    scene.takeover();
    assert!(scene.effects().contains("deliver"), "{}", scene.effects());
    scene.delivered(DeliveryOutcome::Finished);
    scene.story();
    scene.delivered(DeliveryOutcome::Finished);
    assert_eq!(scene.story(), "> delivered\n  ! stale: deliver\n");
}

/// A session that was carried to another machine could have been made by anybody.
#[test]
fn nothing_is_brought_of_what_was_answered_on_another_machine() {
    let mut scene = Scene::held();
    scene.answer("a1", ALWAYS);
    scene.story();
    scene.takeover_from_afar();
    assert!(!scene.effects().contains("deliver"), "{}", scene.effects());
    assert_eq!((scene.count("delivery.started"), scene.count("delivery.failed"), scene.state.deliveries.len()), (1, 1, 0));
    let mut unnoticed = Scene::held();
    unnoticed.elsewhere(|scene| scene.answer("a1", ALWAYS));
    unnoticed.takeover_from_afar();
    assert_eq!((unnoticed.count("delivery.failed"), unnoticed.state.deliveries.len()), (1, 0));
}

#[test]
fn what_the_policy_refuses_is_recorded_and_counts_for_the_session_all_the_same() {
    let mut scene = Scene::held();
    scene.answer("a1", ALWAYS);
    scene.delivered(DeliveryOutcome::Failed("too many".into()));
    assert_eq!((scene.count("delivery.failed"), scene.state.rules.len(), scene.state.deliveries.len()), (1, 1, 0));
}

#[test]
fn it_is_brought_also_when_its_run_has_been_stopped() {
    let mut scene = Scene::held();
    scene.answer("a1", ALWAYS);
    scene.stop("s1", Scope::All);
    scene.tool("call_0_0", made::finished("stopped"));
    assert_eq!(scene.effects(), "deliver");
    scene.delivered(DeliveryOutcome::Finished);
    let last = scene.log.last().unwrap();
    assert!(matches!(last.draft.body, Body::DeliveryFinished(_)));
    let first = scene.log.iter().find(|event| matches!(event.draft.body, Body::MessageReceived(_))).unwrap();
    assert_eq!(last.draft.correlation, Some(first.draft.id), "it is walked back to the message behind it");
}

#[test]
fn an_answer_that_another_process_took_is_brought_by_the_owner() {
    let mut scene = Scene::held();
    scene.elsewhere(|scene| scene.answer("a1", ALWAYS));
    assert_eq!(scene.count("delivery.started"), 0);
    scene.notice();
    assert_eq!(scene.count("delivery.started"), 1);
}

#[test]
fn what_no_pattern_can_tell_is_not_allowed_for_good() {
    let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).of_risk(Risk::High).part()]);
    scene.story();
    scene.answer("a1", ALWAYS);
    assert_eq!(scene.story(), "> answer a1 approve for good\n  ! an ask of kind tool cannot be answered so\n");
}

#[test]
fn a_fork_leaves_what_is_to_be_brought_to_the_session_it_comes_from() {
    let mut scene = Scene::held();
    scene.answer("a1", ALWAYS);
    let fork = crate::forks::forked(&scene);
    assert_eq!((fork.deliveries.len(), fork.rules.len()), (0, 1));
}

#[test]
fn what_was_allowed_for_good_is_stronger_than_a_rule_that_asks_and_weaker_than_one_that_denies() {
    let rule = |effect, text| Rule::parse(effect, text).unwrap();
    let started = |rules: Vec<Rule>| {
        let mut scene = Scene::configured(|config| {
            config.standing = vec![rule(RuleEffect::Allow, "shell(make install)")];
            config.policy.rules = rules;
        });
        scene.replies(vec![made::command(0, "make install").part()]);
        (scene.count("tool.started"), scene.count("ask.opened"), scene.count("action.withdrawn"))
    };
    assert_eq!(started(Vec::new()), (1, 0, 0));
    assert_eq!(started(vec![rule(RuleEffect::Ask, "shell(make *)")]), (1, 0, 0));
    assert_eq!(started(vec![rule(RuleEffect::Confirm, "shell(make *)")]), (0, 1, 0));
    assert_eq!(started(vec![rule(RuleEffect::Deny, "shell(make *)")]), (0, 0, 1));
}
