//! Stored events of every version, and what is folded of them: the log of a damaged disk, or of an export that somebody
//! changed and hashed anew.

use agent::context::context;
use agent::{Agent, State};
use contract::body::{BadBody, Body};
use contract::effect::Effect;
use contract::event::{BadEvent, Event};
use contract::id::StreamId;
use contract::machine::{Machine, Rest};
use damage::{damaged, numbers, reshaped};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Events after a changed one that are folded too: what a number is added to is mostly near.
const EVENTS_AFTER: usize = 3;

/// The lines of every golden history, those of earlier versions included, each file by itself.
static LOGS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let files = std::fs::read_dir(histories::folder()).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let mut logs: Vec<_> = logs.collect();
    logs.sort();
    logs.iter().map(|path| std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()).collect()
});

fn line() -> impl Strategy<Value = String> {
    select(LOGS.concat())
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

/// The stream that the line names; one that it does not name any more is asked for as a reader would.
fn stream_of(bytes: &[u8]) -> StreamId {
    let named = serde_json::from_slice::<Value>(bytes).ok().and_then(|value| StreamId::parse(value["stream"].as_str()?).ok());
    named.unwrap_or_else(|| StreamId::parse("session/x").unwrap())
}

/// What is read is stored again in one form, which is read as the same; what is not is refused by a sentence.
fn hold(bytes: &[u8]) -> Result<(), TestCaseError> {
    let stream = stream_of(bytes);
    match Event::decode(&stream, bytes) {
        Ok(event) => {
            let stored = event.encode(&stream).unwrap();
            let again = Event::decode(&stream, &stored).unwrap();
            prop_assert_eq!(&again, &event);
            prop_assert_eq!(again.encode(&stream).unwrap(), stored);
            prop_assert_eq!(again.blobs(), event.blobs());
        }
        Err(BadEvent::Body(bad)) => {
            let name = match &bad {
                BadBody::UnknownType(name) | BadBody::Newer { name, .. } | BadBody::Malformed { name, .. } => name,
            };
            prop_assert!(bad.to_string().contains(name), "{}", bad);
        }
        Err(BadEvent::OtherStream { expected, found }) => prop_assert_ne!(expected.as_str(), found),
        Err(BadEvent::Envelope(error)) => prop_assert!(!error.to_string().is_empty()),
    }
    Ok(())
}

/// JSON of any shape, not deep.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from)
    ];
    let field = select(vec!["config", "ask", "answer", "kind", "policy", "text", "x"]);
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(field.clone(), inner, 0..4).prop_map(|fields| json!(fields)),
        ]
    })
}

proptest! {
    #[test]
    fn damaged_bytes_are_an_event_or_refused(bytes in damaged(line().prop_map(String::into_bytes))) {
        hold(&bytes)?;
    }

    #[test]
    fn an_event_of_another_shape_is_an_event_or_refused(value in reshaped(line().prop_map(|line| parsed(&line)))) {
        hold(value.to_string().as_bytes())?;
    }

    /// Steps from old versions work on whatever an old version may hold.
    #[test]
    fn data_of_any_shape_in_any_version_is_a_body_or_refused(line in line(), name in any::<Index>(), back in 0u16..3, data in json_value()) {
        let (name, current) = Body::CATALOGUE[name.index(Body::CATALOGUE.len())];
        let mut value = parsed(&line);
        (value["type"], value["v"], value["data"]) = (json!(name), json!(current.saturating_sub(back)), data);
        hold(value.to_string().as_bytes())?;
    }

    /// A log in which one event says something else folds as far as it is legal, and whoever owns it can go on or is
    /// told which event is not.
    #[test]
    fn a_log_with_a_reshaped_event_is_folded_or_refused((log, changed, data) in log_with_reshaped_event()) {
        let mut log: Vec<Value> = log.iter().map(|line| parsed(line)).collect();
        log[changed]["data"] = data;
        let stream = stream_of(log[0].to_string().as_bytes());
        prop_assume!(stream.session_id().is_some());
        go_on(Agent::new(stream), &log).map_err(TestCaseError::fail)?;
    }
}

/// A log, the number of one of its events, and other data for it.
fn log_with_reshaped_event() -> impl Strategy<Value = (Vec<String>, usize, Value)> {
    let log = select(&*LOGS).prop_flat_map(|log| (Just(log.clone()), 0..log.len()));
    log.prop_flat_map(|(log, changed)| {
        let data = reshaped(Just(parsed(&log[changed])["data"].clone()));
        (Just(log), Just(changed), data)
    })
}

/// Folds these events as far as they are legal; at each the owner decides what comes next. An error is a law broken.
fn go_on(mut state: State, events: &[Value]) -> Result<State, String> {
    for value in events {
        let bytes = value.to_string();
        let Ok(event) = Event::decode(&stream_of(bytes.as_bytes()), bytes.as_bytes()) else { break };
        if let Err(illegal) = Agent::fold(&mut state, &event) {
            let named = illegal.to_string().contains(event.draft.body.name());
            return if named { Ok(state) } else { Err(illegal.to_string()) };
        }
        let asks_model = Agent::effects(&state).iter().any(|effect| matches!(effect, Effect::Model { .. }));
        if asks_model && (context(&state).is_none() || Agent::rest(&state) != Rest::Busy) {
            return Err(format!("a model is asked at rest, or nothing: {bytes}"));
        }
        Agent::advance(&state, state.time);
    }
    Ok(state)
}

/// Sums of what others say do not wrap: every number of every event, as large as its type allows, one at a time.
#[test]
fn no_number_is_too_large_to_count_with() {
    for log in LOGS.iter().map(|log| log.iter().map(|line| parsed(line)).collect::<Vec<_>>()) {
        let stream = stream_of(log[0].to_string().as_bytes());
        if stream.session_id().is_none() {
            continue;
        }
        let mut state = Agent::new(stream);
        for (at, event) in log.iter().enumerate() {
            for number in numbers(event).iter().filter(|place| !matches!(place.as_str(), "/v" | "/version")) {
                let mut rest: Vec<Value> = log[at..].iter().take(1 + EVENTS_AFTER).cloned().collect();
                // The largest that its type holds.
                let fits = [u64::MAX, u32::MAX.into(), u16::MAX.into()].into_iter().any(|largest| {
                    *rest[0].pointer_mut(number).unwrap() = json!(largest);
                    let bytes = rest[0].to_string();
                    Event::decode(&stream_of(bytes.as_bytes()), bytes.as_bytes()).is_ok()
                });
                assert!(fits || number.starts_with("/data"), "{number}: {event}");
                go_on(state.clone(), &rest).unwrap();
            }
            state = go_on(state, std::slice::from_ref(event)).unwrap();
        }
    }
}
