//! Names, files and variables, as people write them.

use super::*;
use contract::config::{Prices, Protocol, Sampling};
use damage::damaged_text;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

#[derive(Clone, Default)]
struct Variables(BTreeMap<&'static str, String>);

impl Environment for Variables {
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

/// A home and a project in it.
struct Desk {
    root: tempfile::TempDir,
    variables: Variables,
}

fn desk() -> Desk {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("config/throughline")).unwrap();
    fs::create_dir_all(root.path().join("project/.throughline")).unwrap();
    fs::create_dir_all(root.path().join("project/deep/down")).unwrap();
    let config = root.path().join("config").to_str().unwrap().to_owned();
    Desk { root, variables: Variables(BTreeMap::from([("XDG_CONFIG_HOME", config)])) }
}

impl Desk {
    fn user(self, text: &str) -> Desk {
        fs::write(self.root.path().join("config/throughline/config.toml"), text).unwrap();
        self
    }

    fn project(self, text: &str) -> Desk {
        fs::write(self.root.path().join("project/.throughline/config.toml"), text).unwrap();
        self
    }

    fn set(mut self, name: &'static str, value: &str) -> Desk {
        self.variables.0.insert(name, value.to_owned());
        self
    }

    fn load(&self) -> Result<Settings, BadFile> {
        let sources = Sources { environment: Arc::new(self.variables.clone()), trust: self.trust() };
        Settings::load(&sources, &self.root.path().join("project/deep/down"))
    }

    fn trust(&self) -> Trust {
        Trust::at(self.root.path().join("data"))
    }

    fn rules(&self) -> Vec<String> {
        self.load().unwrap().rules().map(|(rule, _)| format!("{:?} {rule}", rule.effect)).collect()
    }

    fn endpoint(&self, name: &str, base_url: Option<&str>) -> Result<contract::config::Endpoint, BadName> {
        self.load().unwrap().endpoint(&self.variables, name, base_url)
    }

    fn refusal(&self) -> String {
        self.load().unwrap_err().to_string()
    }
}

const WORK: &str = r#"
[models.work]
protocol = "openai-chat"
base_url = "https://models.example/v1/"
api_key_env = "WORK_KEY"
model = "large"
context_window = 200000
price = { input = 3.0, output = 15.0, cache_read = 0.3 }
temperature = 0.5
stop = ["END"]

[defaults]
model = "work"
fallback = ["ollama/small"]
"#;

#[test]
fn a_model_is_what_its_entry_says() {
    let found = desk().user(WORK).endpoint("work", None).unwrap();
    assert_eq!((found.name.as_str(), found.protocol, found.model.as_str()), ("work", Protocol::OpenaiChat, "large"));
    assert_eq!(found.base_url, "https://models.example/v1", "one form of an address");
    assert_eq!((found.key.as_deref(), found.context_window), (Some("WORK_KEY"), Some(200_000)));
    let prices = Prices { input: 3_000_000, output: 15_000_000, cache_read: Some(300_000), cache_write: None };
    assert_eq!(found.prices, Some(prices));
    assert_eq!(found.sampling, Sampling { temperature: Some(0.5), stop: vec!["END".into()], ..Sampling::default() });
}

#[test]
fn a_preset_needs_only_the_name_of_a_model() {
    let found = desk().endpoint("deepseek/deepseek-chat", None).unwrap();
    assert_eq!((found.base_url.as_str(), found.model.as_str()), ("https://api.deepseek.com", "deepseek-chat"));
    assert_eq!(found.key.as_deref(), Some("DEEPSEEK_API_KEY"));
    let slashes = desk().endpoint("openrouter/maker/model", None).unwrap();
    assert_eq!(slashes.model, "maker/model", "names of models may have slashes");
    let moved = desk().set("OLLAMA_HOST", "10.0.0.1:99").endpoint("ollama/x", None).unwrap();
    assert_eq!((moved.base_url.as_str(), moved.key), ("http://10.0.0.1:99", None));
    assert_eq!(desk().endpoint("openai", None), Err(BadName::ProviderOnly("openai")));
}

#[test]
fn only_an_address_that_gets_no_key_is_completed() {
    let cases = [
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:", "http://gpu-box:11434"),
        (":99", "http://127.0.0.1:99"),
        ("gpu-box/models/", "http://gpu-box:11434/models"),
        ("::1", "http://[::1]:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:99", "http://[::1]:99"),
        ("https://gpu-box", "https://gpu-box"),
    ];
    for (set, address) in cases {
        assert_eq!(desk().set("OLLAMA_HOST", set).endpoint("ollama/x", None).unwrap().base_url, address, "{set}");
    }
    for bare in ["proxy.example/v1", "proxy.example", "proxy.example:8080", "//proxy.example"] {
        let moved = desk().set("OPENAI_BASE_URL", bare).endpoint("openai/x", None);
        assert_eq!(moved, Err(BadName::BadAddress(bare.into())), "nothing is guessed");
    }
}

#[test]
fn an_address_on_the_command_line_wins() {
    let there = Some("http://127.0.0.1:8000/v1");
    let found = desk().user(WORK).endpoint("work", there).unwrap();
    assert_eq!((found.base_url.as_str(), found.key.as_deref()), ("http://127.0.0.1:8000/v1", Some("WORK_KEY")));
    let bare = desk().endpoint("anything", there).unwrap();
    assert_eq!((bare.protocol, bare.model.as_str(), bare.key), (Protocol::OpenaiChat, "anything", None));
    let keyed = desk().set("OPENAI_API_KEY", "k").endpoint("anything", there).unwrap();
    assert_eq!(keyed.key.as_deref(), Some("OPENAI_API_KEY"), "the handle and never the key");
    assert_eq!(desk().endpoint("anything", Some("ftp://x")), Err(BadName::BadAddress("ftp://x".into())));
    assert_eq!(desk().endpoint("anything", None), Err(BadName::Unknown("anything".into())));
}

#[test]
fn the_nearest_wish_counts() {
    let chosen = |desk: &Desk| desk.load().unwrap().choose(&desk.variables);
    assert_eq!(chosen(&desk()), Wish::Nothing);
    let by_user = desk().user(WORK);
    let path = by_user.root.path().join("config/throughline/config.toml");
    assert_eq!(chosen(&by_user), Wish::Named(Chosen { name: "work".into(), why: Why::File(path) }));
    assert_eq!(by_user.load().unwrap().fallback(), ["ollama/small"]);
    let by_project = by_user.project("[defaults]\nmodel = \"ollama/x\"");
    let path = by_project.root.path().join("project/.throughline/config.toml");
    assert_eq!(chosen(&by_project), Wish::Named(Chosen { name: "ollama/x".into(), why: Why::File(path) }));
    let by_variable = by_project.set("THRU_MODEL", "openai/y");
    assert_eq!(chosen(&by_variable), Wish::Named(Chosen { name: "openai/y".into(), why: Why::Variable("THRU_MODEL") }));
}

#[test]
fn what_a_person_described_is_chosen_only_where_there_is_no_choice() {
    let entry = |name: &str| format!("[models.{name}]\nprotocol = \"ollama\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"m\"\n");
    let one = desk().user(&entry("b"));
    let path = one.root.path().join("config/throughline/config.toml");
    let chosen = |desk: &Desk| desk.load().unwrap().choose(&desk.variables);
    assert_eq!(chosen(&one), Wish::Named(Chosen { name: "b".into(), why: Why::Only(path) }));
    let two = desk().user(&format!("{}{}", entry("b"), entry("a")));
    assert_eq!(chosen(&two), Wish::Several(vec!["a".into(), "b".into()]));
    let same = one.project(&entry("b"));
    same.trust().add(&same.root.path().join("project"), settings_of(&same.root.path().join("project")).as_deref()).unwrap();
    assert!(matches!(chosen(&same), Wish::Named(Chosen { why: Why::Only(_), .. })), "described twice is one model");
}

#[test]
fn providers_are_looked_at_in_their_order_with_what_speaks_for_them() {
    let found = |desk: &Desk, kept: &[&str]| {
        let kept: Vec<String> = kept.iter().map(|&name| name.to_owned()).collect();
        let all = candidates(&desk.variables, &kept);
        all.into_iter().map(|one| (one.preset.name, one.because)).collect::<Vec<_>>()
    };
    assert_eq!(found(&desk(), &["OTHER"]), [("ollama", Because::NoKey)]);
    let keyed = desk().set("OPENAI_API_KEY", "k").set("DASHSCOPE_API_KEY", "k");
    assert_eq!(
        found(&keyed, &["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]),
        [
            ("anthropic", Because::Kept("ANTHROPIC_API_KEY")),
            ("openai", Because::Variable("OPENAI_API_KEY")),
            ("qwen", Because::Variable("DASHSCOPE_API_KEY")),
            ("ollama", Because::NoKey),
        ]
    );
    let order: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    assert_eq!(order, ["anthropic", "openai", "deepseek", "ark", "openrouter", "moonshot", "qwen", "zhipu", "ollama"]);
}

const RULES: &str = r#"
[[policy.rules]]
effect = "allow"
rule = "shell(git status*)"
matches = ["git status -s", "git status"]
differs = ["git status; rm x", "git status > x", "$GIT status"]

[[policy.rules]]
effect = "ask"
rule = "shell+network(git push*)"
matches = ["git push"]
confirm = "always"

[[policy.rules]]
effect = "deny"
rule = "write_file(*.pem)"
matches = ["keys/a.pem"]
differs = ["a.pem.md"]
"#;

#[test]
fn rules_of_files_are_checked_by_their_own_examples() {
    assert_eq!(desk().user(RULES).rules(), ["Allow shell(git status*)", "Confirm shell+network(git push*)", "Deny write_file(*.pem)"]);
    for (from, to, reason) in [
        ("\"git status -s\"", "\"git stash\"", "line 2: the rule shell(git status*) does not match its example `git stash`"),
        ("\"git status; rm x\"", "\"git status x\"", "line 2: the rule shell(git status*) matches its example `git status x`"),
        ("shell(git status*)", "shell(", "line 2: `shell(` is not a rule"),
        ("write_file(*.pem)", "wirte_file(*.pem)", "line 14: the rule wirte_file(*.pem) names no tool"),
        ("effect = \"ask\"", "effect = \"deny\"", "line 8: confirm = \"always\" is for rules that ask"),
        ("write_file(*.pem)", "wait_for", "line 14: the rule wait_for can have no examples"),
        ("confirm", "comfirm", "line 12"),
    ] {
        let refused = desk().user(&RULES.replace(from, to)).refusal();
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn a_project_nobody_trusts_can_only_make_a_run_more_careful() {
    let careful = desk().project("[[policy.rules]]\neffect = \"deny\"\nrule = \"shell(rm *)\"");
    assert_eq!(careful.rules(), ["Deny shell(rm *)"]);
    assert!(desk().project(WORK).refusal().ends_with("sets the model work and is not trusted"));
    let allowing = desk().project(RULES);
    assert!(allowing.refusal().ends_with("sets a rule that allows shell(git status*) and is not trusted"));
    let project = allowing.root.path().join("project");
    let (wishes, text) = wishes_of(&project).unwrap();
    assert_eq!(wishes.len(), 1);
    allowing.trust().add(&project, text.as_deref()).unwrap();
    assert_eq!(allowing.rules().len(), 3);
    let changed = allowing.project(&RULES.replace("git status*", "git s*"));
    assert!(changed.refusal().ends_with("is not trusted"), "what changed must be looked at again");
}

#[test]
fn a_bad_file_is_refused_with_the_place() {
    let refusal = |text: &str| desk().user(text).refusal();
    assert!(refusal("[models.x]\nprotocol = \"smoke\"").contains("smoke"));
    assert!(refusal("[defaults]\nmodle = \"x\"").contains("line 2"));
    assert!(refusal(&WORK.replace("0.5", "3.5")).contains("models.work: temperature must be between 0 and 2"));
    assert!(refusal(&WORK.replace("https:", "file:")).contains("models.work: base_url `file://models.example/v1/` is no http"));
    assert!(refusal(&WORK.replace("15.0", "-1.0")).contains("models.work: a price must be between 0 and"));
    assert!(refusal(&WORK.replace("200000", "0")).contains("at least 1"));
}

proptest! {
    #[test]
    fn a_damaged_file_is_another_one_or_refused_with_a_reason(text in damaged_text(Just(WORK.to_owned()))) {
        match file::File::parse(&text) {
            Ok(file) => {
                for entry in file.models.values() {
                    prop_assert!(entry.base_url.starts_with("http"));
                    prop_assert!(entry.temperature.is_none_or(|temperature| (0.0..=2.0).contains(&temperature)));
                }
            }
            Err(reason) => prop_assert!(!reason.is_empty()),
        }
    }

    #[test]
    fn any_name_is_a_model_or_a_clear_error(name in ".{0,30}", base_url in prop::option::of("(http://)?.{0,20}")) {
        match Settings::default().endpoint(&Variables::default(), &name, base_url.as_deref()) {
            Ok(found) => {
                prop_assert_eq!(&found.name, &name);
                prop_assert!(found.base_url.starts_with("http://") || found.base_url.starts_with("https://"));
            }
            Err(error) => prop_assert!(error.to_string().contains('`')),
        }
    }
}
