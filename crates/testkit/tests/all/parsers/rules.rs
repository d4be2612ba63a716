//! Rules as people write them, and what they match.

use contract::call::Prepared;
use contract::rule::{Rule, RuleEffect};
use damage::damaged_text;
use proptest::prelude::*;

const EFFECTS: [RuleEffect; 4] = [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Confirm, RuleEffect::Deny];

fn rule() -> impl Strategy<Value = String> {
    let pattern = prop_oneof![".{1,20}", "[a-z *\\\\()./]{1,12}"];
    ("[a-zA-Z0-9_*]{1,8}(\\+network)?", prop::option::of(pattern)).prop_map(|(tool, pattern)| match pattern {
        Some(pattern) => format!("{tool}({pattern})"),
        None => tool,
    })
}

fn commands(subject: &str) -> Prepared {
    Prepared { commands: vec![subject.to_owned()], ..Prepared::default() }
}

/// What `*` and a backslash mean, in the plainest way.
fn reference(pattern: &[char], text: &[char]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=text.len()).any(|taken| reference(rest, &text[taken..])),
        (['\\', taken, rest @ ..], [first, more @ ..]) => taken == first && reference(rest, more),
        ([one, rest @ ..], [first, more @ ..]) => one == first && reference(rest, more),
        ([], [_, ..]) | ([_, ..], []) => false,
    }
}

proptest! {
    #[test]
    fn every_rule_is_read_and_comes_back_as_it_was_written(text in rule()) {
        for effect in EFFECTS {
            let rule = Rule::parse(effect, &text).unwrap();
            prop_assert_eq!((rule.effect, rule.to_string()), (effect, text.clone()));
            prop_assert_eq!(serde_json::from_str::<Rule>(&serde_json::to_string(&rule).unwrap()).unwrap(), rule);
        }
    }

    #[test]
    fn any_text_is_a_rule_or_named_in_the_refusal(text in prop_oneof![damaged_text(rule()), ".{0,24}"]) {
        match Rule::parse(RuleEffect::Deny, &text) {
            Ok(rule) => {
                prop_assert_eq!(rule.to_string(), text);
                prop_assert!(!rule.tool.is_empty() && rule.pattern != Some(String::new()));
            }
            Err(bad) => prop_assert!(bad.to_string().contains(&text), "{}", bad),
        }
    }

    #[test]
    fn a_pattern_matches_what_the_plainest_reading_matches(pattern in "[ab*\\\\]{1,7}", subject in "[ab*]{0,7}") {
        let rule = Rule::parse(RuleEffect::Allow, &format!("fetch({pattern})")).unwrap();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(rule.matches("fetch", &commands(&subject)), reference(&chars(&pattern), &chars(&subject)));
    }

    #[test]
    fn the_exact_rule_is_a_rule_that_allows_this_call_only(command in ".{1,20}", other in prop_oneof![".{0,20}", "[*\\\\]{1,3}"]) {
        let rule = Rule::exactly("shell", &commands(&command)).unwrap();
        prop_assert_eq!(Rule::parse(RuleEffect::Allow, &rule.to_string()), Ok(rule.clone()), "a person may type it again");
        prop_assert!(rule.matches("shell", &commands(&command)));
        prop_assert_eq!(rule.matches("shell", &commands(&other)), other == command);
    }

    /// Whoever denies what they allowed before is not surprised by a call that still runs.
    #[test]
    fn what_a_pattern_allows_the_same_pattern_denies(text in rule(), command in "[a-z *\\\\();|]{0,12}") {
        let matches = |effect| Rule::parse(effect, &text).unwrap().matches("shell", &commands(&command));
        prop_assert!(!matches(RuleEffect::Allow) || matches(RuleEffect::Deny));
    }
}
