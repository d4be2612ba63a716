//! Golden histories: logs as the program once wrote them, kept for ever, so that no change makes an old log unreadable.
//!
//! Each scenario here plays the agent machine with fixed ids and times. A file is written once and never again. The
//! check reads every file, folds it and compares what it folds to; of the scenarios it demands only that today's code
//! still writes the same event types in the same order, because texts may change. A scenario that must write something
//! else gets a new name: the old file stays and is still folded.

// The scenarios stand beside the files they write.
#[path = "../histories/scenarios.rs"]
mod scenarios;
#[path = "../histories/writer.rs"]
mod writer;

use agent::Agent;
use agent::context::context;
use agent::state::Stage;
use contract::body::Body;
use contract::event::Event;
use contract::id::{Sha256, StreamId};
use contract::machine::Machine;
use scenarios::{SCENARIOS, Scenario};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use writer::Writer;

/// One log, by the name of its file.
#[derive(Clone, Debug)]
pub struct History {
    pub name: &'static str,
    pub stream: StreamId,
    pub events: Vec<Event>,
}

/// What is wrong with a history, by the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub history: String,
    pub what: String,
}

impl Fault {
    fn new(history: impl Display, what: impl Display) -> Fault {
        Fault { history: history.to_string(), what: what.to_string() }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.history, self.what)
    }
}

/// Where the files are.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("histories")
}

/// Writes what is missing, and names it; a file that exists is never touched.
pub fn write_new(folder: &Path) -> Result<Vec<String>, Fault> {
    let mut written = Vec::new();
    for scenario in SCENARIOS {
        let history = play(scenario)?;
        let mut lines = String::new();
        for event in &history.events {
            let bytes = event.encode(&history.stream).map_err(|error| Fault::new(history.name, error))?;
            lines += &String::from_utf8_lossy(&bytes);
            lines.push('\n');
        }
        written.extend(write_missing(folder, &format!("{}.jsonl", history.name), &lines)?);
    }
    for name in names(folder)? {
        let read = read(folder, &name)?;
        written.extend(write_missing(folder, &format!("{name}.state"), &read.state)?);
    }
    Ok(written)
}

fn write_missing(folder: &Path, file: &str, text: &str) -> Result<Option<String>, Fault> {
    let path = folder.join(file);
    if path.exists() {
        return Ok(None);
    }
    std::fs::write(&path, text).map_err(|error| Fault::new(file, error))?;
    Ok(Some(file.to_owned()))
}

/// Everything that is wrong with the files in this folder.
#[must_use]
pub fn check(folder: &Path) -> Vec<Fault> {
    let names = match names(folder) {
        Ok(names) => names,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    let mut kept = BTreeMap::new();
    for name in names {
        match read(folder, &name) {
            Ok(read) => {
                faults.extend(check_state(folder, &name, &read.state));
                kept.insert(name, read);
            }
            Err(fault) => faults.push(fault),
        }
    }
    faults.extend(SCENARIOS.iter().filter_map(|scenario| check_scenario(scenario, &kept)));
    faults.extend(missing_shapes(kept.values().flat_map(|read| &read.stored)));
    faults
}

/// A file as it was read.
struct Read {
    /// Type, version and data of each line, as stored.
    stored: Vec<(String, u64, Value)>,
    /// What the log folds to.
    state: String,
}

fn names(folder: &Path) -> Result<BTreeSet<String>, Fault> {
    let entries = std::fs::read_dir(folder).map_err(|error| Fault::new(folder.display(), error))?;
    let files = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(files.filter_map(|file| file.strip_suffix(".jsonl").map(str::to_owned)).collect())
}

fn read(folder: &Path, name: &str) -> Result<Read, Fault> {
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).map_err(|error| Fault::new(name, error))?;
    let (mut stored, mut events, mut stream) = (Vec::new(), Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        let fault = |what: &dyn Display| Fault::new(name, format!("line {number}: {what}"));
        let value: Value = serde_json::from_str(line).map_err(|error| fault(&error))?;
        let of_line = StreamId::parse(value["stream"].as_str().unwrap_or_default()).map_err(|error| fault(&error))?;
        let stream = stream.get_or_insert(of_line);
        let event = Event::decode(stream, line.as_bytes()).map_err(|error| fault(&error))?;
        let v = value["v"].as_u64().unwrap_or_default();
        let written = event.encode(stream).map_err(|error| fault(&error))?;
        if v == u64::from(event.draft.body.v()) && written != line.as_bytes() {
            return Err(fault(&format!(
                "{} is written differently by today's code: its shape needs a new version",
                event.draft.body.name()
            )));
        }
        stored.push((event.draft.body.name().to_owned(), v, value["data"].clone()));
        events.push(event);
    }
    let stream = stream.ok_or_else(|| Fault::new(name, "is empty"))?;
    let state = summary(stream, &events).map_err(|what| Fault::new(name, what))?;
    Ok(Read { stored, state })
}

fn check_state(folder: &Path, name: &str, state: &str) -> Option<Fault> {
    let kept = std::fs::read_to_string(folder.join(format!("{name}.state")));
    match kept {
        Err(error) => Some(Fault::new(format!("{name}.state"), format!("{error}: `cargo xtask histories` writes it"))),
        Ok(kept) if kept == state => None,
        Ok(_) => Some(Fault::new(name, "folds to another state than before: if that is meant, delete its .state file and write it anew")),
    }
}

fn check_scenario(scenario: &Scenario, kept: &BTreeMap<String, Read>) -> Option<Fault> {
    let today = match play(scenario) {
        Ok(history) => history,
        Err(fault) => return Some(fault),
    };
    let Some(read) = kept.get(scenario.0) else {
        return Some(Fault::new(scenario.0, "has no file: `cargo xtask histories` writes it"));
    };
    let before = read.stored.iter().map(|(name, _, _)| name.as_str());
    let now: Vec<&str> = today.events.iter().map(|event| event.draft.body.name()).collect();
    let before: Vec<&str> = before.collect();
    if before == now {
        return None;
    }
    let line = before.iter().zip(&now).take_while(|(before, now)| before == now).count();
    let at = |names: &[&str]| names.get(line).map_or("nothing".to_owned(), |name| (*name).to_owned());
    let what = format!("line {}: today's code writes {}, not {}: rename the scenario and keep the file", line + 1, at(&now), at(&before));
    Some(Fault::new(scenario.0, what))
}

/// Shapes that must be whole in some history, but not in each event type that has them: most texts are always short.
const SHARED_SHAPES: &[&str] = &["Text"];

/// Event types, fields and words of the current schema that no history holds, and fields that are never left out.
fn missing_shapes<'a>(stored: impl Iterator<Item = &'a (String, u64, Value)>) -> Vec<Fault> {
    let mut found: BTreeMap<(&str, u64), Vec<&Value>> = BTreeMap::new();
    stored.for_each(|(name, v, data)| found.entry((name.as_str(), *v)).or_default().push(data));
    let mut anywhere = BTreeSet::new();
    found.values().flatten().for_each(|data| data_words(data, &mut anywhere));
    let mut faults = Vec::new();
    for (name, v, schema) in Body::schemas() {
        let Some(data) = found.get(&(name, u64::from(v))) else {
            faults.push(Fault::new(name, format!("version {v} occurs in no history")));
            continue;
        };
        let mut schema = schema.to_value();
        let mut shared = BTreeSet::new();
        if let Some(shapes) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
            SHARED_SHAPES.iter().filter_map(|shape| shapes.remove(*shape)).for_each(|shape| schema_words(&shape, &mut shared));
        }
        let (mut wanted, mut words) = (BTreeSet::new(), BTreeSet::new());
        schema_words(&schema, &mut wanted);
        data.iter().for_each(|data| data_words(data, &mut words));
        let missing = wanted.difference(&words).chain(shared.difference(&anywhere));
        faults.extend(missing.map(|word| Fault::new(name, format!("`{word}` occurs in no history"))));
        faults.extend(never_left_out(&schema, data).map(|field| Fault::new(name, format!("`{field}` is left out in no history"))));
    }
    faults
}

/// Fields that may be absent and never are.
fn never_left_out<'a>(schema: &'a Value, data: &'a [&Value]) -> impl Iterator<Item = &'a String> {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let fields = schema["properties"].as_object().into_iter().flat_map(|fields| fields.keys());
    let optional = fields.filter(|field| !required.iter().any(|name| name == *field));
    optional.filter(|field| data.iter().all(|data| data.get(field).is_some()))
}

/// Names of fields and fixed values anywhere in a schema.
fn schema_words(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            words.extend(fields.get("properties").and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys().cloned()));
            words.extend(fields.get("const").and_then(Value::as_str).map(str::to_owned));
            let listed = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
            words.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| schema_words(value, words));
        }
        Value::Array(values) => values.iter().for_each(|value| schema_words(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn data_words(data: &Value, words: &mut BTreeSet<String>) {
    match data {
        Value::Object(fields) => {
            words.extend(fields.keys().cloned());
            fields.values().for_each(|value| data_words(value, words));
        }
        Value::Array(values) => values.iter().for_each(|value| data_words(value, words)),
        Value::String(word) => drop(words.insert(word.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a log folds to, in words of its own: a state may be laid out anew without changing what it means.
fn summary(stream: StreamId, events: &[Event]) -> Result<String, String> {
    let summary = if stream.kind() == "host" { of_host(events)? } else { of_session(stream, events)? };
    Ok(serde_json::to_string_pretty(&summary).map_err(|error| error.to_string())? + "\n")
}

fn of_host(events: &[Event]) -> Result<Value, String> {
    let mut quarantined = BTreeMap::new();
    for event in events {
        if let Body::HostQuarantined(stopped) = &event.draft.body {
            quarantined.insert(stopped.stream.to_string(), stopped.reason.clone());
        } else if let Body::HostRecovered(recovered) = &event.draft.body {
            quarantined.remove(recovered.stream.as_str());
        } else {
            return Err(format!("{} does not belong to a host", event.draft.body.name()));
        }
    }
    Ok(json!({ "version": events.len(), "quarantined": quarantined }))
}

fn of_session(stream: StreamId, events: &[Event]) -> Result<Value, String> {
    let mut state = Agent::new(stream);
    for event in events {
        Agent::fold(&mut state, event).map_err(|illegal| illegal.to_string())?;
        let shown = context(&state).map(|request| request.sha256());
        if matches!(&event.draft.body, Body::ModelRequested(requested) if Some(requested.request_sha256) != shown) {
            return Err(format!("the request at version {} is not what the model was shown", event.version));
        }
    }
    let shown: Vec<u8> = state.transcript.sealed().iter().flat_map(|item| item.line()).collect();
    let calls: BTreeMap<String, String> =
        state.calls.iter().map(|(id, call)| (id.to_string(), format!("{} after {}", stage(&call.stage), call.attempts))).collect();
    Ok(json!({
        "version": state.version,
        "time": state.time,
        "level": state.level(),
        "epoch": state.epoch(),
        "recoveries": state.recoveries,
        "parked": state.is_parked(),
        "run": state.run.as_ref().map(|run| json!({ "id": run.id, "iteration": run.iteration, "attempts": run.attempts })),
        "inbox": state.inbox.iter().map(|message| message.id).collect::<Vec<_>>(),
        "keys": state.seen.iter().map(|(key, version)| (key.to_string(), version)).collect::<BTreeMap<_, _>>(),
        "model": state.model.as_ref().map(|model| json!({ "request": model.request, "purpose": model.purpose })),
        "calls": calls,
        "asks": state.asks.values().map(|ask| ask.kind).collect::<Vec<_>>(),
        "replies": state.replies,
        "items_shown": state.transcript.sealed().len(),
        "items_sha256": Sha256::of(&shown),
        "effects": Agent::effects(&state),
    }))
}

fn stage(stage: &Stage) -> &'static str {
    match stage {
        Stage::Decided => "decided",
        Stage::Started(_) => "started",
        Stage::Unknown { .. } => "unknown",
    }
}

fn play(scenario: &Scenario) -> Result<History, Fault> {
    let mut writer = Writer::new();
    (scenario.1)(&mut writer).map_err(|what| Fault::new(scenario.0, format!("today's code does not play it: {what}")))?;
    Ok(History { name: scenario.0, stream: writer.state.stream.clone(), events: writer.events })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(faults: &[Fault]) -> Vec<String> {
        faults.iter().map(ToString::to_string).collect()
    }

    /// A copy of the golden files, to be spoilt.
    fn copied(name: &str) -> PathBuf {
        let copy = std::env::temp_dir().join(format!("histories-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&copy).unwrap();
        for entry in std::fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
        }
        copy
    }

    fn faults_after(name: &str, spoil: impl Fn(&Path)) -> Vec<String> {
        let copy = copied(name);
        spoil(&copy);
        let faults = said(&check(&copy));
        std::fs::remove_dir_all(&copy).unwrap();
        faults
    }

    fn rewrite(path: &Path, change: impl Fn(String) -> String) {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, change(text)).unwrap();
    }

    #[test]
    fn every_history_is_still_read_as_it_was_written() {
        assert_eq!(said(&check(&folder())), Vec::<String>::new());
    }

    #[test]
    fn what_is_there_is_never_written_again() {
        let copy = copied("kept");
        std::fs::remove_file(copy.join("answer.state")).unwrap();
        rewrite(&copy.join("host.state"), |text| text + " ");
        assert_eq!(write_new(&copy).unwrap(), ["answer.state"]);
        assert_eq!(said(&check(&copy)).len(), 1, "the spoilt file is still spoilt");
        std::fs::remove_dir_all(&copy).unwrap();
    }

    #[test]
    fn a_missing_event_type_and_a_missing_word_are_named() {
        let faults = faults_after("missing", |folder| {
            std::fs::remove_file(folder.join("host.jsonl")).unwrap();
            std::fs::remove_file(folder.join("failures.jsonl")).unwrap();
        });
        assert!(faults.contains(&"host.quarantined: version 1 occurs in no history".to_owned()), "{faults:?}");
        assert!(faults.contains(&"model.failed: `rate_limited` occurs in no history".to_owned()), "{faults:?}");
        assert!(faults.contains(&"host: has no file: `cargo xtask histories` writes it".to_owned()), "{faults:?}");
    }

    #[test]
    fn a_changed_shape_an_illegal_event_and_another_state_are_named() {
        let shape = faults_after("shape", |folder| rewrite(&folder.join("answer.jsonl"), |text| text.replacen("{\"id\"", "{ \"id\"", 1)));
        assert!(shape[0].starts_with("answer: line 1: session.created is written differently"), "{shape:?}");
        let illegal = faults_after("illegal", |folder| {
            rewrite(&folder.join("answer.jsonl"), |text| {
                text.lines().filter(|line| !line.contains("run.started")).map(|line| format!("{line}\n")).collect()
            });
        });
        assert!(illegal[0].starts_with("answer: event model.requested at version 5 is illegal"), "{illegal:?}");
        let state =
            faults_after("state", |folder| rewrite(&folder.join("answer.state"), |text| text.replace("\"replies\": 2", "\"replies\": 3")));
        assert!(state[0].starts_with("answer: folds to another state than before"), "{state:?}");
        let shown = faults_after("shown", |folder| rewrite(&folder.join("answer.jsonl"), |text| text.replace("Please", "Do not")));
        assert_eq!(shown[0], "answer: the request at version 5 is not what the model was shown");
    }

    #[test]
    fn texts_may_change_and_the_order_of_events_may_not() {
        let text = faults_after("text", |folder| {
            rewrite(&folder.join("answer.jsonl"), |text| text.replace("Done again.", "As we said years ago."));
            std::fs::remove_file(folder.join("answer.state")).unwrap();
            write_new(folder).unwrap();
        });
        assert_eq!(text, Vec::<String>::new());
        let order = faults_after("order", |folder| {
            rewrite(&folder.join("answer.jsonl"), |text| text.lines().take(5).map(|line| format!("{line}\n")).collect());
        });
        let expected = "answer: line 6: today's code writes model.completed, not nothing: rename the scenario and keep the file";
        assert!(order.contains(&expected.to_owned()), "{order:?}");
    }
}
