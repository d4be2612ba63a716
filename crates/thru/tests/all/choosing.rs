//! Nobody named a model: who is asked, how it proves itself, and what is said of it.

use crate::desk::{Desk, Said, TASK, desk};
use crate::input::assert_fault;
use provider::{Options, Provider};
use serde_json::{Value, json};
use std::fs;

const KEY: &str = "sk-canary-of-choosing";
const ANSWER: &str = "All done.";

/// A provider that has these models, and says the same whatever it is asked.
fn provider(models: Value) -> Provider {
    provider_of(json!({ "models": models }))
}

fn provider_of(models: Value) -> Provider {
    let script = format!("{models}\n{}\n", json!({ "text": ANSWER }));
    Provider::start(&script, Options { key: Some(KEY.to_owned()), port: 0 }).unwrap()
}

/// A local one, which wants no key.
fn local(models: Value) -> Provider {
    let script = format!("{}\n{}\n", json!({ "models": models }), json!({ "text": ANSWER }));
    Provider::start(&script, Options::default()).unwrap()
}

fn unnamed(desk: &Desk, more: &[&str], variables: &[(&str, &str)]) -> Said {
    let work = desk.work.to_str().unwrap();
    let said = desk.thru_with(&[&["run", "-C", work], more, &[TASK]].concat(), variables);
    assert!(!format!("{said:?}").contains(KEY), "{said:?}");
    said
}

fn asked(provider: &Provider) -> Vec<String> {
    provider.requests().iter().map(|sent| format!("{} {}", sent.method, sent.path)).collect()
}

fn model_of(desk: &Desk) -> String {
    desk.events(&desk.only_session()).of("session.created")[0]["options"]["model"].as_str().unwrap().to_owned()
}

#[test]
fn one_key_is_enough_and_the_choice_is_proven_and_said() {
    let desk = desk();
    let models = json!([{"id": "gpt-4o"}, {"id": "gpt-5-mini"}, {"id": "gpt-5"}, {"id": "whisper-1"}]);
    let provider = provider(models);
    let base = format!("{}/v1", provider.address());
    let said = unnamed(&desk, &[], &[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &base)]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "All done.\n"), "{said:?}");
    let first = said.stderr.lines().next().unwrap();
    assert!(first.starts_with("the model is openai/gpt-5: OPENAI_API_KEY is set, and it answered in "), "{first}");
    assert!(first.ends_with(" ms; choose another with --model, THRU_MODEL or config.toml"), "{first}");
    // The list, the proof, the work.
    assert_eq!(asked(&provider), ["GET /v1/models", "POST /v1/chat/completions", "POST /v1/chat/completions"]);
    assert!(provider.requests()[1..].iter().all(|sent| sent.body["model"] == "gpt-5"));
    assert_eq!(model_of(&desk), "openai/gpt-5");
    desk.assert_verified();
}

#[test]
fn a_kept_key_is_a_key_and_nothing_else_is_said_when_it_should_be_quiet() {
    let desk = desk();
    let provider = provider(json!([{"id": "claude-sonnet-4-5-20250929"}, {"id": "claude-opus-4-1-20250805"}]));
    let base = provider.address();
    fs::create_dir_all(&desk.home).unwrap();
    let file = desk.home.join("secrets.toml");
    fs::write(&file, format!("ANTHROPIC_API_KEY = \"{KEY}\"\n")).unwrap();
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let quiet = unnamed(&desk, &["--quiet"], &[("ANTHROPIC_BASE_URL", &base)]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (Some(0), "All done.\n", ""), "{quiet:?}");
    assert_eq!(model_of(&desk), "anthropic/claude-sonnet-4-5-20250929");
    let told = unnamed(&desk, &[], &[("ANTHROPIC_BASE_URL", &base)]);
    assert!(told.stderr.starts_with("the model is anthropic/claude-sonnet-4-5-20250929: ANTHROPIC_API_KEY is kept, and"), "{told:?}");
    // A file that others can read is named, and no key in it is used.
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    assert_fault(&unnamed(&desk, &[], &[("ANTHROPIC_BASE_URL", &base)]), 3, &["secrets.toml can be read by others"]);
}

#[test]
fn whoever_does_not_answer_is_passed_over_and_named() {
    let desk = desk();
    let (first, second) = (provider(json!([{"id": "claude-sonnet-9"}])), provider(json!([{"id": "deepseek-chat"}])));
    let (one, two) = (first.address(), format!("{}/v1", second.address()));
    // The provider repeats the first word of its sentence, which is the key here.
    let variables = [
        ("ANTHROPIC_API_KEY", "Incorrect"),
        ("ANTHROPIC_BASE_URL", one.as_str()),
        ("DEEPSEEK_API_KEY", KEY),
        ("DEEPSEEK_BASE_URL", two.as_str()),
    ];
    let said = unnamed(&desk, &[], &variables);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "All done.\n"), "{said:?}");
    let lines: Vec<&str> = said.stderr.lines().take(2).collect();
    assert_eq!(lines[0], "anthropic was passed over: status 401: [key] API key provided");
    assert!(lines[1].starts_with("the model is deepseek/deepseek-chat: DEEPSEEK_API_KEY is set, and it answered in "), "{lines:?}");
    let json = unnamed(&desk, &["--json"], &variables);
    let opened: Value = serde_json::from_str(json.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&opened["type"], &opened["chosen"]["model"]), (&json!("stream.opened"), &json!("deepseek/deepseek-chat")));
    assert_eq!(opened["chosen"]["key"], json!({"name": "DEEPSEEK_API_KEY", "place": "environment"}));
    let passed = json!([{"name": "anthropic", "why": "status 401: [key] API key provided"}]);
    assert_eq!((&opened["chosen"]["passed_over"], opened["chosen"]["ms"].is_u64()), (&passed, true));
    assert_eq!(json.stderr, "");
}

#[test]
fn a_model_that_may_not_be_asked_makes_room_for_another_of_the_same_provider() {
    let desk = desk();
    let provider = provider(json!([{"id": "gpt-7", "denied": true}, {"id": "gpt-6"}, {"id": "gpt-5"}]));
    let base = format!("{}/v1", provider.address());
    let said = unnamed(&desk, &[], &[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &base)]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stderr.starts_with("openai/gpt-7 was passed over: status 404: The model `gpt-7` does not exist"), "{said:?}");
    assert_eq!(model_of(&desk), "openai/gpt-6");
}

#[test]
fn with_nobody_left_everything_that_was_tried_is_named_and_nothing_begins() {
    let desk = desk();
    let ways = ["thru auth set", "Ollama", "--model PROVIDER/MODEL", "--model script:FILE", "nothing was started"];
    let nobody = unnamed(&desk, &[], &[]);
    assert_fault(&nobody, 3, &[&["no model was named, and none was found: ollama: 127.0.0.1:1 cannot be reached"], &ways[..]].concat());
    for (models, why) in [
        (json!({"models": [], "fault": "server_error"}), "openai: status 500: Internal server error"),
        (json!({"models": [{"id": "gpt-5"}], "fault": "garbage"}), "openai: status 200: no list of models"),
        (json!({"models": []}), "openai: it has no models"),
        (json!({"models": [{"id": "a"}, {"id": "b"}]}), "openai: none of its 2 models is known to be a general one; name one with --model"),
        (json!({"models": [{"id": "gpt-5", "tools": false}]}), "openai: none of its models calls tools"),
        (json!({"models": [{"id": "gpt-5", "denied": true}]}), "openai/gpt-5: status 404: "),
    ] {
        let provider = provider_of(models);
        let base = format!("{}/v1", provider.address());
        let said = unnamed(&desk, &[], &[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &base)]);
        assert_fault(&said, 3, &["no model was named, and none was found: ", why, ", ollama: 127.0.0.1:1 cannot be reached"]);
    }
    let json = unnamed(&desk, &["--json"], &[]);
    assert_eq!((json.code, &json.closed()["outcome"], json.stdout.lines().count()), (Some(3), &json!("configuration"), 1), "{json:?}");
    assert!(!desk.home.exists(), "nothing was made");
}

#[test]
fn a_local_model_is_taken_if_it_calls_tools() {
    let desk = desk();
    let deaf = local(json!([{"id": "tiny:latest", "tools": false}, {"id": "other:1b", "tools": false}]));
    let said = unnamed(&desk, &[], &[("OLLAMA_HOST", &deaf.address())]);
    assert_fault(&said, 3, &["ollama: none of its models calls tools"]);
    assert_eq!(asked(&deaf), ["GET /api/tags", "POST /api/show", "POST /api/show"], "no model is loaded for nothing");
    let able = local(json!([{"id": "tiny:latest", "tools": false}, {"id": "good:8b", "tools": true}]));
    let host = able.address().strip_prefix("http://").unwrap().to_owned();
    let said = unnamed(&desk, &[], &[("OLLAMA_HOST", &host)]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "All done.\n"), "{said:?}");
    assert!(said.stderr.starts_with("the model is ollama/good:8b: it needs no key, and it answered in "), "{said:?}");
}

fn describe(desk: &Desk, names: &[&str], provider: &Provider) -> String {
    let entry = |name: &&str| {
        let address = provider.address();
        format!("[models.{name}]\nprotocol = \"ollama\"\nbase_url = \"{address}\"\napi_key_env = \"WORK_KEY\"\nmodel = \"{name}\"\n")
    };
    let folder = desk.root.join("config/throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), names.iter().map(entry).collect::<String>()).unwrap();
    desk.root.join("config").to_str().unwrap().to_owned()
}

#[test]
fn nobody_chooses_among_what_a_person_described() {
    let desk = desk();
    let provider = provider(json!([{"id": "one"}, {"id": "two"}]));
    let config = describe(&desk, &["two", "one"], &provider);
    let variables = [("XDG_CONFIG_HOME", config.as_str()), ("WORK_KEY", KEY), ("OPENAI_API_KEY", KEY)];
    let several = unnamed(&desk, &[], &variables);
    assert_fault(&several, 3, &["several are described: one, two", "--model NAME", "[defaults] model = ", "nothing was started"]);
    assert_eq!(asked(&provider), Vec::<String>::new());
    let doctor = desk.thru_with(&["doctor"], &variables);
    assert!(doctor.stdout.contains("warn model: without --model: nothing, because none of these is the default: one, two"), "{doctor:?}");
    describe(&desk, &["one"], &provider);
    let only = unnamed(&desk, &[], &variables);
    assert_eq!((only.code, only.stdout.as_str()), (Some(0), "All done.\n"), "{only:?}");
    assert!(only.stderr.starts_with("the model is one, the only one in ") && only.stderr.contains("config.toml"), "{only:?}");
    assert_eq!(asked(&provider), ["POST /api/chat"], "what a person described needs no proof");
}

#[test]
fn a_session_keeps_its_model_whatever_would_be_chosen_now() {
    let desk = desk();
    let (first, second) = (provider(json!([{"id": "gpt-5"}])), provider(json!([{"id": "claude-sonnet-9"}])));
    let (one, two) = (format!("{}/v1", first.address()), second.address());
    let before = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", one.as_str())];
    assert_eq!(unnamed(&desk, &["--key", "job"], &before).code, Some(0));
    let session = desk.only_session();
    let now = [&before[..], &[("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", two.as_str())]].concat();
    let asked_before = asked(&first).len();
    // The same job again, more words to it, and going on with it.
    let again = unnamed(&desk, &["--key", "job"], &now);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "All done.\n"), "{again:?}");
    assert_eq!(asked(&first).len(), asked_before, "the job was done");
    let more = desk.thru_with(&["run", "--session", &session, "And now the words"], &now);
    assert_eq!(more.code, Some(0), "{more:?}");
    assert!(!more.stderr.contains("the model is"), "{more:?}");
    assert_eq!(asked(&first).len(), asked_before + 1);
    assert_eq!(desk.thru_with(&["resume", &session], &now).code, Some(0));
    assert_eq!((model_of(&desk).as_str(), asked(&second)), ("openai/gpt-5", Vec::new()));
}

#[test]
fn what_would_be_chosen_is_listed_without_asking_and_tested_by_asking() {
    let desk = desk();
    let provider = provider(json!([{"id": "gpt-5"}]));
    let base = format!("{}/v1", provider.address());
    let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", base.as_str())];
    let listed = desk.thru_with(&["models"], &variables);
    let last =
        "without --model: the first that answers, of openai (OPENAI_API_KEY is set), ollama (it needs no key); `thru models test` asks\n";
    assert!(listed.code == Some(0) && listed.stdout.ends_with(last), "{listed:?}");
    let json = desk.thru_with(&["models", "--json"], &variables);
    let unnamed = json!({"unnamed": {"candidates": [
        {"provider": "openai", "key": {"name": "OPENAI_API_KEY", "place": "environment"}},
        {"provider": "ollama", "key": null},
    ]}});
    assert_eq!(json.closed(), unnamed);
    assert_eq!(asked(&provider), Vec::<String>::new());
    let doctor = desk.thru_with(&["doctor"], &variables);
    assert!(doctor.stdout.contains("ok   model: without --model: the first that answers, of openai ("), "{doctor:?}");
    assert_eq!(asked(&provider), Vec::<String>::new());
    let tested = desk.thru_with(&["models", "test"], &variables);
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert!(tested.stdout.starts_with("the model is openai/gpt-5: OPENAI_API_KEY is set"), "{tested:?}");
    assert!(tested.stdout.ends_with(&format!("tokens: {ANSWER}\n")), "{tested:?}");
    assert_eq!(asked(&provider), ["GET /v1/models", "POST /v1/chat/completions"], "one question is enough");
    let tested = desk.thru_with(&["models", "test", "--json"], &variables);
    assert_eq!((&tested.closed()["name"], &tested.closed()["chosen"]["model"]), (&json!("openai/gpt-5"), &json!("openai/gpt-5")));
    assert_fault(&desk.thru(&["models", "test"]), 3, &["none was found"]);
    assert!(!desk.home.exists(), "nothing was made");
}

#[test]
fn an_address_without_a_model_is_not_guessed_at() {
    let desk = desk();
    let provider = provider(json!([{"id": "gpt-5"}]));
    let base = format!("{}/v1", provider.address());
    let said = unnamed(&desk, &["--base-url", &base], &[("OPENAI_API_KEY", KEY)]);
    assert_fault(&said, 3, &["no model was named for http://127.0.0.1:", "say --model"]);
    let named = unnamed(&desk, &["--base-url", &base], &[("OPENAI_API_KEY", KEY), ("THRU_MODEL", "gpt-5")]);
    assert_eq!((named.code, named.stdout.as_str()), (Some(0), "All done.\n"), "{named:?}");
}
