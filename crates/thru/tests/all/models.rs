//! Which model is asked: what was named, what was set once, and what cannot be.

use crate::desk::{Desk, Said, TASK, desk};
use crate::input::assert_fault;
use crate::script::say;
use std::fs;

/// A run that names no model, with variables of the environment.
fn unnamed(desk: &Desk, variables: &[(&str, &str)]) -> Said {
    let work = desk.work.to_str().unwrap();
    desk.thru_with(&["run", "-C", work, TASK], variables)
}

fn set_once(desk: &Desk, text: &str) {
    let folder = desk.root.join("config/throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn what_was_set_once_is_asked_and_said() {
    let desk = desk();
    desk.script(&[say("Done.")]);
    let script = format!("script:{}", desk.root.join("job.jsonl").display());
    set_once(&desk, &format!("[defaults]\nmodel = \"{script}\""));
    let config = desk.root.join("config");
    let said = unnamed(&desk, &[("XDG_CONFIG_HOME", config.to_str().unwrap())]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "Done.\n"), "{said:?}");
    assert!(said.stderr.contains("the model is script:") && said.stderr.contains("config.toml says"), "{}", said.stderr);
    let said = unnamed(&desk, &[("THRU_MODEL", &script)]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "Done.\n"), "{said:?}");
    assert!(said.stderr.contains("as THRU_MODEL says"), "{}", said.stderr);
}

#[test]
fn what_cannot_be_asked_is_3_and_says_what_to_write() {
    let desk = desk();
    assert_fault(&unnamed(&desk, &[]), 3, &["no model was named", "--model PROVIDER/MODEL"]);
    assert_fault(&unnamed(&desk, &[("THRU_MODEL", "openai")]), 3, &["names a provider", "--model openai/MODEL"]);
    assert_fault(&unnamed(&desk, &[("THRU_MODEL", "gpt")]), 3, &["`gpt` is not known"]);
    set_once(&desk, "[defaults]\nmodle = 1");
    let config = desk.root.join("config");
    let broken = unnamed(&desk, &[("XDG_CONFIG_HOME", config.to_str().unwrap())]);
    assert_fault(&broken, 3, &["config.toml: line 2", "modle", "nothing was started"]);
}

#[test]
fn what_a_protocol_would_refuse_is_refused_at_the_start() {
    let desk = desk();
    let entry =
        "[models.x]\nprotocol = \"anthropic\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"m\"\nreasoning = \"4096\"\ntemperature = 0.5";
    set_once(&desk, entry);
    let config = desk.root.join("config");
    let refused = unnamed(&desk, &[("XDG_CONFIG_HOME", config.to_str().unwrap()), ("THRU_MODEL", "x")]);
    assert_fault(&refused, 3, &["the model `x` cannot be asked so", "temperature"]);
    assert!(!desk.home.exists(), "nothing was made");
}

#[test]
fn a_project_nobody_trusts_may_name_a_model_and_not_where_it_is() {
    let desk = desk();
    let folder = desk.work.join(".throughline");
    fs::create_dir_all(&folder).unwrap();
    let entry = "[models.x]\nprotocol = \"ollama\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"m\"";
    fs::write(folder.join("config.toml"), entry).unwrap();
    assert_fault(&unnamed(&desk, &[]), 3, &["sets the model x", "not trusted", "thru trust "]);
}

#[test]
fn models_are_listed_with_what_they_need() {
    let desk = desk();
    set_once(
        &desk,
        "[models.work]\nprotocol = \"anthropic\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"m\"\n[defaults]\nmodel = \"work\"",
    );
    let config = desk.root.join("config");
    let variables = [("XDG_CONFIG_HOME", config.to_str().unwrap()), ("DEEPSEEK_API_KEY", "canary")];
    let listed = desk.thru_with(&["models"], &variables);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    for line in
        ["asked when no model is named", "deepseek/MODEL  has its key", "openai/MODEL  needs OPENAI_API_KEY", "ollama/MODEL  needs no key"]
    {
        assert!(listed.stdout.contains(line), "{line} in {}", listed.stdout);
    }
    assert!(!listed.stdout.contains("canary"));
    let json = desk.thru_with(&["models", "--json"], &variables);
    assert!(json.stdout.starts_with("{\"default\":true,"), "{}", json.stdout);
    let file = config.join("throughline/config.toml");
    assert!(listed.stdout.ends_with(&format!("without --model: the model is work, as {} says\n", file.display())), "{}", listed.stdout);
}

#[test]
fn a_model_is_asked_one_question_and_what_is_wrong_is_said() {
    let desk = desk();
    desk.script(&[say("ready")]);
    let answered = desk.thru(&["models", "test", "script:job.jsonl"]);
    assert!(answered.code == Some(0) && answered.stdout.ends_with("tokens: ready\n"), "{answered:?}");
    assert!(!desk.home.join("journal.db").exists(), "nothing is stored");
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("http://{free}/v1");
    assert_fault(&desk.thru(&["models", "test", "x", "--base-url", &nobody]), 1, &["the model did not answer", "nothing was stored"]);
}
