//! The same job with the real binary through every protocol, over real HTTP.

use crate::desk::{Desk, TASK, desk};
use crate::script::{say, shell, shells};
use provider::{Options, Provider};
use serde_json::{Value, json};
use std::fs;

pub const KEY: &str = "sk-canary-of-providers";
/// Each protocol with what follows the address of the provider.
pub const PROTOCOLS: [(&str, &str); 4] = [("openai-chat", "/v1"), ("openai-responses", "/v1"), ("anthropic", ""), ("ollama", "")];

pub fn provider(lines: &[Value]) -> Provider {
    let script: String = lines.iter().map(|line| format!("{line}\n")).collect();
    Provider::start(&script, Options { key: Some(KEY.to_owned()), port: 0 }).unwrap()
}

/// Describes the provider as the model `work`.
pub fn describe(desk: &Desk, provider: &Provider, protocol: &str, path: &str) -> String {
    let folder = desk.root.join("config/throughline");
    fs::create_dir_all(&folder).unwrap();
    let address = provider.address();
    let entry = format!(
        "[models.work]\nprotocol = \"{protocol}\"\nbase_url = \"{address}{path}\"\napi_key_env = \"WORK_KEY\"\nmodel = \"scripted\"\n\
         price = {{ input = 3.0, output = 15.0 }}\n[defaults]\nmodel = \"work\"\n"
    );
    fs::write(folder.join("config.toml"), entry).unwrap();
    desk.root.join("config").to_str().unwrap().to_owned()
}

fn args<'a>(desk: &'a Desk, more: &[&'a str]) -> Vec<&'a str> {
    let work = desk.work.to_str().unwrap();
    [&["run", "-C", work, "--mode", "full"], more, &[TASK]].concat()
}

#[test]
fn a_job_is_the_same_through_every_protocol() {
    for (protocol, path) in PROTOCOLS {
        let desk = desk();
        let mut first = shells(&["echo one >> effect; echo one", "echo two; exit 7"]);
        first["text"] = json!("I look.");
        first["thinking"] = json!("Two commands will do.");
        first["usage"] = json!({ "input": 1_000, "output": 20, "reasoning": 5 });
        let provider = provider(&[first, shell("echo three >> effect"), say("All done.")]);
        let config = describe(&desk, &provider, protocol, path);
        let variables = [("XDG_CONFIG_HOME", config.as_str()), ("WORK_KEY", KEY)];
        let said = desk.thru_with(&args(&desk, &[]), &variables);
        assert_eq!((said.code, said.stdout.as_str()), (Some(0), "All done.\n"), "{protocol}: {}", said.stderr);
        assert_eq!(desk.read("effect"), "one\nthree\n", "{protocol}");
        for told in ["the model is work", "I look.", "exit 7: two"] {
            assert!(said.stderr.contains(told), "{protocol}: {told} in {}", said.stderr);
        }
        assert_eq!(provider.requests().len(), 3, "{protocol}");
        let session = desk.only_session();
        let events = desk.events(&session);
        assert_eq!(events.count("model.completed"), 3);
        let first = events.of("model.completed")[0];
        assert_eq!((&first["usage"]["input"], &first["usage"]["output"]), (&json!(1_000), &json!(20)), "{protocol}");
        assert_eq!(first["cost_micros"], json!(3_300), "{protocol}: 1000 tokens at 3 and 20 at 15 a million");
        desk.assert_verified();
    }
}

#[test]
fn a_key_that_is_wrong_or_missing_is_said_and_nothing_runs() {
    let desk = desk();
    let provider = provider(&[say("never said")]);
    let config = describe(&desk, &provider, "openai-chat", "/v1");
    for key in [None, Some("another-key-altogether")] {
        let mut variables = vec![("XDG_CONFIG_HOME", config.as_str())];
        variables.extend(key.map(|key| ("WORK_KEY", key)));
        let said = desk.thru_with(&args(&desk, &[]), &variables);
        assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said:?}");
        assert!(said.stderr.contains("WORK_KEY") || said.stderr.contains("401"), "{}", said.stderr);
        assert!(!said.stderr.contains("another-key"), "{}", said.stderr);
        assert!(said.stderr.contains("go on with: thru run --session ses_"), "{}", said.stderr);
    }
}

/// What the story says is what helps: the work goes on where it was.
#[test]
fn a_run_whose_model_failed_goes_on_when_it_answers_again() {
    let desk = desk();
    let fault = json!({ "fault": "bad_request" });
    let provider = provider(&[shell("echo one >> effect"), fault, say("All done.")]);
    let config = describe(&desk, &provider, "openai-chat", "/v1");
    let variables = [("XDG_CONFIG_HOME", config.as_str()), ("WORK_KEY", KEY)];
    let failed = desk.thru_with(&args(&desk, &[]), &variables);
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""), "{}", failed.stderr);
    let session = desk.only_session();
    let again = desk.thru_with(&["run", "--session", &session, "go on"], &variables);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "All done.\n"), "{}", again.stderr);
    assert_eq!(desk.read("effect"), "one\n");
    desk.assert_verified();
}

/// Killed at every line that it prints, and resumed: the model is asked with the same bytes, each command runs once.
#[test]
fn a_job_over_http_survives_being_killed() {
    let lines = [shell("echo one >> effect"), shell("echo two >> effect"), say("All done.")];
    let whole = 14;
    for line in (2..whole).step_by(3) {
        let desk = desk();
        let provider = provider(&lines);
        let config = describe(&desk, &provider, "anthropic", "");
        let variables = [("XDG_CONFIG_HOME", config.as_str()), ("WORK_KEY", KEY)];
        desk.killed_at_line_with(&args(&desk, &["--json"]), line, &variables);
        let resumed = desk.thru_with(&["resume", "--last"], &variables);
        assert_eq!(resumed.code, Some(0), "killed at line {line}: {resumed:?}");
        assert_eq!(desk.read("effect"), "one\ntwo\n", "killed at line {line}");
        desk.events(&desk.only_session()).assert_completed();
        desk.assert_verified();
    }
}
