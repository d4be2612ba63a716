//! The configuration of a run, which is stored as a blob: any later reader sees what the model saw, or is told why not.

use contract::call::{Class, Risk};
use contract::config::{Endpoint, Limits, Policy, Prices, Protocol, RunConfig, Sampling, ToolSpec};
use contract::rule::{Rule, RuleEffect};
use damage::{damaged, reshaped};
use proptest::prelude::*;
use serde_json::{Value, json};

fn config() -> RunConfig {
    let tool = ToolSpec {
        name: "shell".into(),
        description: "Runs.".into(),
        schema: json!({ "type": "object", "properties": { "command": { "type": "string" } } }),
        class: Class::Probe,
        risk: Risk::High,
    };
    RunConfig {
        model: "script:x".into(),
        fallback: vec!["script:y".into(), "work".into()],
        endpoints: vec![Endpoint {
            name: "work".into(),
            protocol: Protocol::OpenaiChat,
            base_url: "https://example.invalid/v1".into(),
            model: "m".into(),
            key: Some("WORK_KEY".into()),
            context_window: Some(200_000),
            prices: Some(Prices { input: 3, output: 15, cache_read: Some(1), cache_write: None }),
            sampling: Sampling { temperature: Some(0.5), stop: vec!["end".into()], ..Sampling::default() },
        }],
        system: "Be brief.\n".into(),
        tools: vec![tool],
        max_turns: 20,
        policy: Policy { rules: vec![Rule::parse(RuleEffect::Deny, "shell(rm *)").unwrap()], ..Policy::default() },
        limits: Limits { tokens: Some(9), ..Limits::default() },
        prices: Some(Prices { input: 3, output: 15, cache_read: None, cache_write: Some(4) }),
        output_tokens_max: 4_096,
        standing: Vec::new(),
        warn_cost_micros: None,
        slow_call_ms: None,
        per_day_micros: None,
        resources: Vec::new(),
    }
}

/// The same configuration has the same bytes, whatever bytes it was read from.
fn hold(bytes: &[u8]) -> Result<(), TestCaseError> {
    match serde_json::from_slice::<RunConfig>(bytes) {
        Ok(read) => {
            let written = read.to_bytes().unwrap();
            let again: RunConfig = serde_json::from_slice(&written).unwrap();
            prop_assert_eq!(&again, &read);
            prop_assert_eq!(again.to_bytes().unwrap(), written);
        }
        Err(error) => prop_assert!(!error.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_read_of_damaged_bytes_has_bytes_of_its_own(bytes in damaged(Just(config().to_bytes().unwrap()))) {
        hold(&bytes)?;
    }

    #[test]
    fn what_is_read_of_another_shape_has_bytes_of_its_own(value in reshaped(Just(serde_json::to_value(config()).unwrap()))) {
        hold(value.to_string().as_bytes())?;
    }

    #[test]
    fn prices_never_wrap(input: u64, output: u64, tokens: u64, more: u64) {
        let prices = Prices { input, output, cache_read: None, cache_write: None };
        prop_assert!(prices.cost(tokens, more.saturating_add(1)) >= prices.cost(tokens, more));
    }
}

#[test]
fn a_configuration_comes_back_as_it_was() {
    let bytes = config().to_bytes().unwrap();
    assert_eq!(serde_json::from_slice::<RunConfig>(&bytes).unwrap(), config());
    assert!(serde_json::from_slice::<Value>(&bytes).is_ok());
}
