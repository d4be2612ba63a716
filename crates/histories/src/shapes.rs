//! Whether the histories together hold every shape that can be stored, so that none of them can change unseen.

use super::Fault;
use contract::body::Body;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One line of a file.
pub(super) struct Stored {
    pub name: String,
    pub v: u64,
    /// The whole stored object.
    pub line: Value,
}

/// Fields of an envelope that may be left out.
const LEFT_OUT: &[&str] = &["session", "run", "correlation", "causation", "call"];
/// Words of an envelope, by their field.
const WORDS: &[(&str, &[&str])] = &[
    ("level", &["core", "subagent"]),
    ("actor", &["user", "agent", "tool", "system"]),
    ("trust", &["system", "user", "tool", "untrusted"]),
];

/// Words of envelopes that no history holds, and fields that are never there or never left out.
pub(super) fn missing_envelopes(stored: &[&Stored]) -> Vec<Fault> {
    let fault = |what: String| Fault::new("envelope", what);
    let mut faults = Vec::new();
    for field in LEFT_OUT {
        if stored.iter().all(|stored| stored.line.get(field).is_none()) {
            faults.push(fault(format!("`{field}` occurs in no history")));
        }
        if stored.iter().all(|stored| stored.line.get(field).is_some()) {
            faults.push(fault(format!("`{field}` is left out in no history")));
        }
    }
    for (field, wanted) in WORDS {
        let mut words = BTreeSet::new();
        stored.iter().for_each(|stored| data_words(&stored.line[field], &mut words));
        let missing = wanted.iter().filter(|word| !words.contains(**word));
        faults.extend(missing.map(|word| fault(format!("{field} `{word}` occurs in no history"))));
    }
    faults
}

/// Shapes that must be whole in some history, but not in each event type that has them: most texts are always short, and the
/// rule of an answer always allows.
const SHARED_SHAPES: &[&str] = &["RuleEffect", "Text"];

/// Event types, fields and words of the current schema that no history holds, and fields that are never left out.
pub(super) fn missing_shapes(stored: &[&Stored]) -> Vec<Fault> {
    let mut found: BTreeMap<(&str, u64), Vec<&Value>> = BTreeMap::new();
    stored.iter().for_each(|stored| found.entry((stored.name.as_str(), stored.v)).or_default().push(&stored.line["data"]));
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
