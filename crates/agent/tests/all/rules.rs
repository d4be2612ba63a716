//! Rules by people: what they deny never runs, what they allow needs no answer, and patterns never see too much.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use agent::Agent;
use contract::ask::{Answer, Grant};
use contract::body::{ResourceKind, ResourceLoaded};
use contract::call::{Class, PreparedCall, Risk, Touches};
use contract::config::{Autonomy, ConfigRef, Policy};
use contract::id::Sha256;
use contract::machine::Machine;
use contract::outcome::Outcome;
use contract::rule::{Rule, RuleEffect};

/// A run with these rules, each written as in a configuration.
fn ruled(autonomy: Autonomy, allow: &[&str], deny: &[&str]) -> Scene {
    let rule = |effect: RuleEffect, text: &&str| Rule::parse(effect, text).unwrap();
    Scene::configured(|config| {
        config.policy.autonomy = autonomy;
        config.policy.rules.extend(allow.iter().map(|text| rule(RuleEffect::Allow, text)));
        config.policy.rules.extend(deny.iter().map(|text| rule(RuleEffect::Deny, text)));
    })
}

/// What becomes of one call: started, asked about or withdrawn.
fn fate(autonomy: Autonomy, allow: &[&str], deny: &[&str], call: PreparedCall) -> &'static str {
    let mut scene = ruled(autonomy, allow, deny);
    scene.replies(vec![call.part()]);
    let fates = ["tool.started", "ask.opened", "action.withdrawn"];
    scene.names().into_iter().find(|name| fates.contains(name)).unwrap()
}

fn file(path: &str) -> PreparedCall {
    made::plain(0, Class::Probe).of_risk(Risk::High).change(|prepared| prepared.paths = vec![path.to_owned()])
}

#[test]
fn a_denied_call_never_runs_and_the_model_is_told_the_rule() {
    let mut scene = ruled(Autonomy::Full, &["shell"], &["shell(*rm *)"]);
    scene.replies(vec![made::command(0, "ls; rm -rf x").part()]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0
      action.decided call_0_0 probe
      action.withdrawn call_0_0 rule <rule: shell(*rm *)>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 not ok <rule: shell(*rm *)>");
}

#[test]
fn a_denial_wins_over_every_autonomy_and_every_allowance() {
    for autonomy in [Autonomy::Ask, Autonomy::Auto, Autonomy::Full] {
        let denied = fate(autonomy, &["shell", "shell(rm *)"], &["shell(rm *)"], made::command(0, "rm x"));
        assert_eq!(denied, "action.withdrawn", "{autonomy:?}");
    }
}

#[test]
fn an_allowing_pattern_needs_no_answer() {
    assert_eq!(fate(Autonomy::Ask, &["shell(git status*)"], &[], made::command(0, "git status -s")), "tool.started");
    assert_eq!(fate(Autonomy::Ask, &["shell(git status*)"], &[], made::command(0, "git push")), "ask.opened");
}

#[test]
fn an_allowing_pattern_does_not_see_into_what_a_shell_would_do() {
    for line in [
        "git status; rm x",
        "git status && rm x",
        "git status | sh",
        "git status > /etc/passwd",
        "git status $(rm x)",
        "git status `rm x`",
        "git status\nrm x",
        "git status & rm x",
        "git status #",
    ] {
        assert_eq!(fate(Autonomy::Auto, &["shell(git status*)"], &[], made::command(0, line)), "ask.opened", "{line}");
    }
}

#[test]
fn all_of_a_call_must_be_allowed_and_any_of_it_may_be_denied() {
    let two = |first: &str, second: &str| {
        made::command(0, first).change(|prepared| prepared.commands = vec![first.to_owned(), second.to_owned()])
    };
    assert_eq!(fate(Autonomy::Auto, &["shell(ls*)"], &[], two("ls", "ls -a")), "tool.started");
    assert_eq!(fate(Autonomy::Auto, &["shell(ls*)"], &[], two("ls", "rm x")), "ask.opened");
    assert_eq!(fate(Autonomy::Full, &[], &["shell(rm*)"], two("ls", "rm x")), "action.withdrawn");
}

#[test]
fn patterns_are_held_against_paths_too() {
    assert_eq!(fate(Autonomy::Auto, &["tool(src/*)"], &[], file("src/main.rs")), "tool.started");
    assert_eq!(fate(Autonomy::Auto, &["tool(src/*)"], &[], file("/etc/passwd")), "ask.opened");
    assert_eq!(fate(Autonomy::Full, &[], &["*(/etc/*)"], file("/etc/passwd")), "action.withdrawn");
}

#[test]
fn a_pattern_never_matches_a_call_of_which_nothing_is_known() {
    let unknown = || made::plain(0, Class::Unsafe).of_risk(Risk::High);
    assert_eq!(fate(Autonomy::Auto, &["tool(*)"], &[], unknown()), "ask.opened");
    assert_eq!(fate(Autonomy::Auto, &["tool"], &[], unknown()), "tool.started");
}

#[test]
fn what_a_person_allowed_for_the_session_does_not_lift_a_denial_of_a_later_run() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.answer("a1", Answer::Approve { grant: Grant::Session });
    scene.finish("call_0_0");
    scene.says("done");
    scene.config.policy.rules = vec![Rule::parse(RuleEffect::Deny, "shell(make*)").unwrap()];
    scene.message("m2");
    scene.prepared();
    scene.story();
    scene.replies(vec![made::command(0, "make install").part()]);
    assert!(scene.story().contains("action.withdrawn call_2_0 rule <rule: shell(make*)>"));
}

#[test]
fn a_wait_and_a_question_obey_denials_too() {
    assert_eq!(fate(Autonomy::Full, &[], &["wait_for"], made::wait(0, 1_000)), "action.withdrawn");
    assert_eq!(fate(Autonomy::Full, &[], &["request_user"], made::question(0, "which?")), "action.withdrawn");
}

#[test]
fn the_policy_of_a_run_is_that_of_its_start() {
    let mut scene = Scene::replied(vec![made::command(0, "make install").part()]);
    scene.config.policy.autonomy = Autonomy::Full;
    scene.takeover();
    assert_eq!((scene.state.asks.len(), scene.effects().as_str()), (1, "nothing"));
}

#[test]
fn a_call_whose_parts_were_too_many_to_keep_is_denied_by_any_pattern_and_allowed_by_none() {
    let unlisted = || made::command(0, "").change(|prepared| (prepared.commands, prepared.unlisted) = (Vec::new(), true));
    assert_eq!(fate(Autonomy::Auto, &["shell(*)"], &[], unlisted()), "ask.opened");
    assert_eq!(fate(Autonomy::Full, &[], &["shell(rm *)"], unlisted()), "action.withdrawn");
}

/// A call that shows what is private, or what strangers wrote, or could tell somebody outside.
fn touching(number: usize, line: &str, touches: Touches) -> PreparedCall {
    made::command(number, line).change(|prepared| prepared.touches = touches)
}

/// A session that may do everything and was shown what is private and what strangers wrote.
fn tainted() -> Scene {
    let mut scene = ruled(Autonomy::Full, &["shell"], &[]);
    let seen = [touching(0, "cat notes", Touches::PRIVATE), touching(1, "curl a", Touches::NETWORK)];
    scene.replies(seen.into_iter().map(|call| call.part()).collect());
    assert_eq!((scene.count("tool.started"), scene.count("ask.opened")), (2, 0), "neither alone is a danger");
    scene.finish("call_0_0");
    scene.finish("call_0_1");
    scene.story();
    scene
}

#[test]
fn what_has_seen_both_tells_nobody_outside_without_a_word() {
    let mut scene = tainted();
    scene.replies(vec![touching(0, "curl b", Touches::NETWORK).part(), touching(1, "cat more", Touches::PRIVATE).part()]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_1_0 + call_1_1
      action.decided call_1_0 probe
      action.decided call_1_1 probe
      ask.opened call_1_0 shell high
      tool.started call_1_1 attempt 1 epoch 1
      = start call_1_1 attempt 1
    ");
    scene.takeover();
    assert_eq!(scene.state.asks.len(), 1, "it is known after a crash too");
    scene.answer("a1", Answer::YES);
    assert_eq!(scene.attempts("call_1_0"), 1);
}

#[test]
fn an_answer_from_before_does_not_count_and_one_from_after_does() {
    let mut scene = tainted();
    for (round, asked) in [(1, true), (2, false)] {
        let before = scene.count("ask.opened");
        scene.replies(vec![touching(0, "curl b", Touches::NETWORK).part()]);
        assert_eq!(scene.count("ask.opened") > before, asked, "round {round}");
        if asked {
            scene.answer("a1", Answer::Approve { grant: Grant::Session });
        }
        scene.finish(&format!("call_{round}_0"));
    }
}

#[test]
fn rules_of_a_project_are_recorded_and_those_of_strangers_make_it_careful() {
    let mut scene = Scene::new();
    scene.message("m1");
    scene.story();
    let rules = |name: &str, trusted: bool| ResourceLoaded {
        kind: ResourceKind::Rules,
        name: name.to_owned(),
        content: Sha256::of(name.as_bytes()),
        bytes: 7,
        cut: false,
        trusted,
    };
    let wanted = Agent::effects(&scene.state)[0].id();
    let config = ConfigRef { policy: Policy { autonomy: Autonomy::Full, ..Policy::default() }, ..scene.config.clone() };
    scene.done(
        "prepared",
        wanted,
        1,
        Outcome::Prepared { config: Box::new(config), resources: vec![rules("AGENTS.md", true), rules("CLAUDE.md", false)] },
    );
    insta::assert_snapshot!(scene.story(), @"
    > prepared
      resource.loaded AGENTS.md
      resource.loaded CLAUDE.md untrusted
      run.started
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    scene.replies(vec![touching(0, "cat notes", Touches::PRIVATE).part(), touching(1, "curl a", Touches::NETWORK).part()]);
    assert_eq!((scene.count("tool.started"), scene.count("ask.opened")), (2, 0));
    scene.finish("call_0_0");
    scene.finish("call_0_1");
    scene.replies(vec![touching(0, "curl a", Touches::NETWORK).part()]);
    assert_eq!(scene.count("ask.opened"), 1);
}
