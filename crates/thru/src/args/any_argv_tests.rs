//! Any words on the command line are a command or bad usage, and every wish comes through as it was said.

use super::*;
use crate::fault::code;
use contract::ask::Grant;
use contract::body::Mode;
use contract::config::{Autonomy, Limits, OnUnknown, Policy, ResumePolicy};
use contract::id::AskId;
use contract::limits::ASK_VALID_MS_DEFAULT;
use contract::rule::{Rule, RuleEffect};
use damage::{damaged, damaged_text};
use proptest::prelude::*;
use proptest::sample::select;
use std::os::unix::ffi::OsStringExt;

/// Words that are understood in some place.
const WORDS: &[&str] = &[
    "run",
    "resume",
    "attach",
    "send",
    "status",
    "cost",
    "approvals",
    "approve",
    "deny",
    "stop",
    "pause",
    "fork",
    "export",
    "import",
    "events",
    "verify",
    "doctor",
    "daemon",
    "help",
    "--",
    "-",
    "--help",
    "-h",
    "--version",
    "-V",
    "--json",
    "--unsafe-no-sandbox",
    "--quiet",
    "-q",
    "-C",
    ".",
    "--model",
    "script:x",
    "--fallback",
    "--session",
    "--key",
    "k",
    "--mode",
    "ask",
    "auto",
    "full",
    "--allow",
    "shell(ls*)",
    "--deny",
    "--on-unknown",
    "tell",
    "--ask-timeout",
    "10m",
    "--max-turns",
    "3",
    "--max-tool-calls",
    "--max-tokens",
    "--max-cost",
    "0.5",
    "--timeout",
    "--on-resume",
    "paused",
    "--on-ask",
    "park",
    "wait",
    "--last",
    "--from",
    "--follow",
    "-f",
    "--running",
    "--after",
    "--queue",
    "--steer",
    "--interrupt",
    "--withdraw",
    "--edit",
    "--scope",
    "once",
    "all",
    "turn",
    "--args",
    "{}",
    "--amount",
    "--stop",
    "--at",
    "--fix",
    "--base-url",
    "http://127.0.0.1:1/v1",
    "hello",
    "",
    " ",
];

fn word() -> impl Strategy<Value = OsString> {
    let id = any::<[u8; 16]>().prop_map(|id| SessionId(id).to_string());
    let ask = any::<[u8; 16]>().prop_map(|id| AskId(id).to_string());
    let known = prop_oneof![6 => select(WORDS).prop_map(str::to_owned), 2 => id, 1 => ask].boxed();
    prop_oneof![
        8 => known.clone().prop_map(OsString::from),
        1 => damaged_text(known.clone()).prop_map(OsString::from),
        1 => damaged(known.prop_map(String::into_bytes)).prop_map(OsString::from_vec),
    ]
}

/// A text that a person may mean, of any characters.
fn text() -> impl Strategy<Value = String> {
    ".{1,12}".prop_filter("it says something", |text| !text.trim().is_empty())
}

fn rule() -> impl Strategy<Value = String> {
    "[a-z_*]{1,6}(\\([a-z *-]{1,6}\\))?"
}

fn run() -> impl Strategy<Value = Run> {
    let words =
        (text(), prop::option::of(text()), prop::collection::vec(text(), 0..3), text(), prop::option::of(text()), prop::option::of(text()));
    let numbers = any::<(Option<u32>, Option<u64>, Option<u64>)>();
    let amounts = (prop::option::of(1u64..1_000_000_000), prop::option::of(1u64..1_000_000), prop::option::of(1u64..1_000_000));
    let rules = (prop::collection::vec(rule(), 0..3), prop::collection::vec(rule(), 0..3));
    let choices = (
        select(vec![ResumePolicy::Continue, ResumePolicy::Ask, ResumePolicy::Paused]),
        select(vec![Autonomy::Ask, Autonomy::Auto, Autonomy::Full]),
        select(vec![OnUnknown::Tell, OnUnknown::Ask]),
        prop::option::of(select(vec![OnAsk::Wait, OnAsk::Park, OnAsk::Deny])),
        any::<(Option<bool>, bool, bool)>(),
    );
    (words, numbers, amounts, rules, choices).prop_map(|(words, numbers, amounts, rules, choices)| {
        let (task, model, fallback, folder, key, base_url) = words;
        let (max_turns, tool_calls, tokens) = numbers;
        let (cost_micros, wall_s, ask_s) = amounts;
        let (resume, autonomy, on_unknown, on_ask, (json, quiet, is_unsafe)) = choices;
        let parsed = |effect, texts: Vec<String>| texts.into_iter().map(move |text| Rule::parse(effect, &text).unwrap());
        let rules = parsed(RuleEffect::Deny, rules.0).chain(parsed(RuleEffect::Allow, rules.1)).collect();
        let ask_valid_ms = ask_s.map_or(ASK_VALID_MS_DEFAULT, |seconds| seconds * 1_000);
        let some = |number: Option<u64>| number.map(|number| number.max(1));
        Run {
            task,
            model,
            base_url,
            fallback,
            folder: folder.into(),
            session: None,
            key,
            max_turns: max_turns.map(|turns| turns.max(1)),
            resume,
            policy: Policy { autonomy, rules, on_unknown, ask_valid_ms },
            limits: Limits {
                tool_calls: some(tool_calls),
                tokens: some(tokens),
                cost_micros,
                wall_ms: wall_s.map(|seconds| seconds * 1_000),
            },
            show: Show { json: json.is_some(), deltas: json == Some(true), quiet },
            on_ask,
            sandboxing: if is_unsafe { Sandboxing::Off } else { Sandboxing::On },
        }
    })
}

/// The words by which somebody wishes for this run. A value joined to its flag may begin with a dash.
fn words_of(run: &Run) -> Vec<OsString> {
    let mut words: Vec<String> = vec!["thru".into(), "run".into(), format!("-C={}", run.folder.display())];
    let mut flag = |name: &str, value: Option<String>| words.extend(value.map(|value| format!("--{name}={value}")));
    flag("model", run.model.clone());
    flag("base-url", run.base_url.clone());
    run.fallback.iter().for_each(|model| flag("fallback", Some(model.clone())));
    flag("key", run.key.clone());
    flag("max-turns", run.max_turns.map(|turns| turns.to_string()));
    flag("max-tool-calls", run.limits.tool_calls.map(|calls| calls.to_string()));
    flag("max-tokens", run.limits.tokens.map(|tokens| tokens.to_string()));
    flag("max-cost", run.limits.cost_micros.map(|micros| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)));
    flag("timeout", run.limits.wall_ms.map(|ms| format!("{}s", ms / 1_000)));
    flag("ask-timeout", Some(format!("{}", run.policy.ask_valid_ms / 1_000)));
    for rule in &run.policy.rules {
        let name = match rule.effect {
            RuleEffect::Allow => "allow",
            RuleEffect::Deny => "deny",
            RuleEffect::Ask | RuleEffect::Confirm => unreachable!("no flag has such a rule"),
        };
        flag(name, Some(rule.to_string()));
    }
    let resume = match run.resume {
        ResumePolicy::Continue => "continue",
        ResumePolicy::Ask => "ask",
        ResumePolicy::Paused => "paused",
    };
    let mode = match run.policy.autonomy {
        Autonomy::Ask => "ask",
        Autonomy::Auto => "auto",
        Autonomy::Full => "full",
    };
    let on_unknown = match run.policy.on_unknown {
        OnUnknown::Tell => "tell",
        OnUnknown::Ask => "ask",
    };
    let on_ask = run.on_ask.map(|on_ask| match on_ask {
        OnAsk::Wait => "wait",
        OnAsk::Park => "park",
        OnAsk::Deny => "deny",
    });
    flag("on-resume", Some(resume.into()));
    flag("mode", Some(mode.into()));
    flag("on-unknown", Some(on_unknown.into()));
    flag("on-ask", on_ask.map(str::to_owned));
    words.extend(run.show.json.then(|| if run.show.deltas { "--json=deltas" } else { "--json" }.to_owned()));
    words.extend((run.sandboxing == Sandboxing::Off).then(|| "--unsafe-no-sandbox".to_owned()));
    words.extend(run.show.quiet.then(|| "--quiet".to_owned()));
    words.extend(["--".to_owned(), run.task.clone()]);
    words.into_iter().map(OsString::from).collect()
}

proptest! {
    #[test]
    fn any_words_are_a_command_or_bad_usage(words in prop::collection::vec(word(), 0..9)) {
        match parse(std::iter::once("thru".into()).chain(words.clone())) {
            Ok(Command::Print(text)) => prop_assert!(!text.trim().is_empty()),
            Ok(command) => prop_assert!(!command.wants_json() || words.iter().any(|word| word.to_string_lossy().starts_with("--json"))),
            Err(fault) => {
                prop_assert_eq!((fault.kind, fault.code), ("usage", code::USAGE), "{}", fault.message);
                prop_assert!(!fault.message.trim().is_empty() && !fault.message.contains('\n') && !fault.hint.is_empty(), "{:?}", fault);
            }
        }
    }

    #[test]
    fn every_wish_for_a_run_comes_through(run in run()) {
        prop_assert_eq!(parse(words_of(&run)), Ok(Command::Run(Box::new(run))));
    }

    #[test]
    fn what_is_said_to_a_session_comes_through(id: [u8; 16], text in text(), key in prop::option::of(text()), json: bool, event in 1u64..) {
        let session = SessionId(id);
        let common = |line: &[&str]| {
            let key = key.iter().map(|key| format!("--key={key}"));
            let words = ["thru", line[0]].map(str::to_owned).into_iter().chain(json.then(|| "--json".to_owned())).chain(key);
            words.chain(line[1..].iter().map(|word| (*word).to_owned())).map(OsString::from).collect::<Vec<_>>()
        };
        let (id, number) = (session.to_string(), event.to_string());
        let send = |what| Ok(Command::Send(Send { session, what, key: key.clone(), json }));
        let mode = if text.starts_with('?') { Mode::Status } else { Mode::Steer };
        prop_assert_eq!(parse(common(&["send", &id, "--", &text])), send(Said::Message { text: text.clone(), mode }));
        let queued = Said::Message { text: text.clone(), mode: Mode::Queue };
        prop_assert_eq!(parse(common(&["send", "--queue", &id, "--", &text])), send(queued));
        let edited = Said::Edit { event: Version(event), text: text.clone(), mode: None };
        prop_assert_eq!(parse(common(&["send", &id, "--edit", &number, "--", &text])), send(edited));
        let ask = AskId(session.0);
        let approve = |how| Ok(Command::Approve(Approve { ask, how, key: key.clone(), json }));
        let (asked, args, amount) = (ask.to_string(), format!("--args={text}"), format!("--amount={text}"));
        prop_assert_eq!(parse(common(&["approve", &asked])), approve(Approval::Grant(Grant::Once)));
        prop_assert_eq!(parse(common(&["approve", &asked, &args])), approve(Approval::Edit(text.clone())));
        prop_assert_eq!(parse(common(&["approve", &asked, &amount])), approve(Approval::Extend(text.clone())));
        let denied = Deny { ask, message: Some(text.clone()), stop: true, key: key.clone(), json };
        prop_assert_eq!(parse(common(&["deny", "--stop", &asked, "--", &text])), Ok(Command::Deny(denied)));
    }
}
