//! Old shapes of stored data become current ones here, one step a version. Nothing stored is rewritten.

use crate::ask::{Answer, LimitKind, Subject};
use crate::body::{BadBody, Body};
use crate::config::Policy;
use crate::limits::{OUTPUT_TOKENS_DEFAULT, RECOVERIES_MAX};
use serde_json::{Map, Value, json};

/// Turns data of version `from` of one event type into version `from + 1`.
#[derive(Clone, Copy, Debug)]
pub struct Upcaster {
    pub name: &'static str,
    pub from: u16,
    pub step: fn(Value) -> Value,
}

/// All steps from any version ever written to the current one.
pub const UPCASTERS: &[Upcaster] = &[
    // Fields and words were added; what is absent means what it meant before.
    Upcaster { name: "session.created", from: 1, step: unchanged },
    Upcaster { name: "message.received", from: 1, step: unchanged },
    Upcaster { name: "run.paused", from: 1, step: unchanged },
    Upcaster { name: "run.finished", from: 1, step: unchanged },
    Upcaster { name: "model.requested", from: 1, step: unchanged },
    Upcaster { name: "action.decided", from: 1, step: unchanged },
    Upcaster { name: "action.decided", from: 2, step: unchanged },
    Upcaster { name: "action.withdrawn", from: 1, step: unchanged },
    Upcaster { name: "tool.reconciled", from: 1, step: unchanged },
    Upcaster { name: "model.failed", from: 1, step: unchanged },
    Upcaster { name: "run.started", from: 1, step: run_started_2 },
    Upcaster { name: "run.started", from: 2, step: unchanged },
    Upcaster { name: "ask.opened", from: 1, step: ask_opened_2 },
    Upcaster { name: "ask.opened", from: 2, step: unchanged },
    Upcaster { name: "ask.answered", from: 1, step: ask_answered_2 },
    Upcaster { name: "ask.answered", from: 2, step: unchanged },
];

fn unchanged(old: Value) -> Value {
    old
}

/// A run had no policy; from now on the careful one applies to what it has not started yet.
fn run_started_2(mut old: Value) -> Value {
    if let Some(config) = object_in(&mut old, "config") {
        config.insert("policy".to_owned(), json!(Policy::default()));
        config.insert("bytes".to_owned(), json!(0));
        config.insert("output_tokens_max".to_owned(), json!(OUTPUT_TOKENS_DEFAULT));
    }
    old
}

/// An ask had a kind; now it says what exactly is asked.
fn ask_opened_2(mut old: Value) -> Value {
    if let Some(ask) = object_in(&mut old, "ask") {
        let subject = match ask.remove("kind").as_ref().and_then(Value::as_str) {
            Some("crash_loop") => {
                Subject::Limit { limit: LimitKind::CrashLoop, used: RECOVERIES_MAX.into(), allowed: RECOVERIES_MAX.into() }
            }
            _ => Subject::Resume,
        };
        ask.insert("subject".to_owned(), json!(subject));
    }
    old
}

/// An answer was a word; a denial always ended the run.
fn ask_answered_2(mut old: Value) -> Value {
    if let Some(answer) = old.get_mut("answer") {
        let meant = match answer.as_str() {
            Some("approve") => Answer::YES,
            _ => Answer::Deny { message: None, stop: true },
        };
        *answer = json!(meant);
    }
    old
}

/// A field that a step works on. Data without it was never written by this program: it stays as it is, and whoever
/// reads it as the current version says what is wrong with it.
fn object_in<'a>(data: &'a mut Value, field: &str) -> Option<&'a mut Map<String, Value>> {
    data.get_mut(field)?.as_object_mut()
}

pub(crate) fn decode(name: &str, v: u16, data: &str) -> Result<Body, BadBody> {
    decode_with(UPCASTERS, Body::CATALOGUE, name, v, data)
}

fn decode_with(steps: &[Upcaster], catalogue: &[(&str, u16)], name: &str, v: u16, data: &str) -> Result<Body, BadBody> {
    let Some((_, current)) = catalogue.iter().find(|(known, _)| *known == name) else {
        return Err(BadBody::UnknownType(name.to_owned()));
    };
    if v == *current {
        return Body::decode(name, data);
    }
    if v > *current {
        return Err(BadBody::Newer { name: name.to_owned(), found: v, known: *current });
    }
    let malformed = |source| BadBody::Malformed { name: name.to_owned(), v, source };
    let mut value: Value = serde_json::from_str(data).map_err(malformed)?;
    for from in v..*current {
        let step = steps.iter().find(|step| step.name == name && step.from == from);
        value = match step {
            Some(step) => (step.step)(value),
            None => return Err(BadBody::UnknownType(format!("{name} version {from}"))),
        };
    }
    Body::decode(name, &value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if `message.sent` once called its field `reply`, and before that held it in a list.
    const STEPS: &[Upcaster] = &[
        Upcaster { name: "message.sent", from: 1, step: |old| json!({ "reply": old["replies"][0] }) },
        Upcaster { name: "message.sent", from: 2, step: |old| json!({ "completed": old["reply"] }) },
    ];
    const CATALOGUE: &[(&str, u16)] = &[("message.sent", 3)];
    const ID: &str = "evt_00000000000000000000000000";

    fn decoded(v: u16, data: Value) -> Result<Body, BadBody> {
        decode_with(STEPS, CATALOGUE, "message.sent", v, &data.to_string())
    }

    #[test]
    fn every_old_version_becomes_the_current_shape() {
        let current = decoded(3, json!({ "completed": ID })).unwrap();
        assert_eq!(decoded(2, json!({ "reply": ID })).unwrap(), current);
        assert_eq!(decoded(1, json!({ "replies": [ID] })).unwrap(), current);
    }

    #[test]
    fn a_newer_version_and_an_unknown_type_are_named() {
        let newer = decoded(4, json!({})).unwrap_err();
        assert!(matches!(newer, BadBody::Newer { found: 4, known: 3, .. }));
        let unknown = decode_with(STEPS, CATALOGUE, "moon.landed", 1, "{}").unwrap_err();
        assert_eq!(unknown.to_string(), "event type `moon.landed` is not known to this version of the program");
    }

    #[test]
    fn old_data_that_nobody_wrote_is_refused_and_named() {
        for name in ["run.started", "ask.opened", "ask.answered"] {
            for data in ["[]", "5", "null", "{}", r#"{"config":[],"ask":"x"}"#] {
                let refused = decode(name, 1, data).unwrap_err().to_string();
                assert!(refused.starts_with(&format!("data of event type `{name}`")), "{data}: {refused}");
            }
        }
    }

    #[test]
    fn every_event_type_has_a_step_from_each_of_its_old_versions() {
        for (name, current) in Body::CATALOGUE {
            for from in 1..*current {
                assert!(UPCASTERS.iter().any(|step| step.name == *name && step.from == from), "{name} {from}");
            }
        }
    }
}
