//! The schema of everything the log can hold, as one document derived from the code.
//!
//! It is checked in, so that a changed event shows in a review and outsiders need no Rust to read the log.

use crate::metadata::Metadata;
use crate::problem::{self, Problem};
use contract::body::Body;
use contract::event::Envelope;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

const FILE: &str = "schema/events.schema.json";

/// Name of the definition of the stored object.
const ENVELOPE: &str = "Envelope";

pub fn write() -> Result<(), Problem> {
    let path = path()?;
    let failed = |source| Problem::File { path: path.clone(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(&path, current()?).map_err(failed)?;
    println!("schema: {} event types", Body::CATALOGUE.len());
    Ok(())
}

pub fn check() -> Result<(), Problem> {
    let path = path()?;
    if problem::read(&path)? != current()? {
        return Err(Problem::Stale { path: FILE.into(), command: "schema" });
    }
    println!("schema: {} event types, the file is current", Body::CATALOGUE.len());
    Ok(())
}

fn path() -> Result<PathBuf, Problem> {
    Ok(Metadata::load()?.workspace_root.join(FILE))
}

fn current() -> Result<String, Problem> {
    let mut document =
        serde_json::to_string_pretty(&sorted(document()?)).map_err(|error| Problem::malformed("the schema of the events", error))?;
    document.push('\n');
    Ok(document)
}

/// A stored object is an envelope whose data has the shape that its type and version promise.
fn document() -> Result<Value, Problem> {
    let mut definitions = Map::new();
    define(&mut definitions, ENVELOPE.to_owned(), schemars::schema_for!(Envelope<'static>))?;
    let mut events = Vec::new();
    for (name, v, schema) in Body::schemas() {
        let definition = format!("{name}.v{v}");
        let data = json!({ "$ref": format!("#/$defs/{definition}") });
        events.push(json!({ "properties": { "type": { "const": name }, "v": { "const": v }, "data": data } }));
        define(&mut definitions, definition, schema)?;
    }
    Ok(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Event",
        "description": "One stored event: the envelope, and the data of each event type in its current version.",
        "$ref": format!("#/$defs/{ENVELOPE}"),
        "oneOf": events,
        "$defs": definitions,
    }))
}

/// Adds a schema and the definitions it brings; references point to the root, so all definitions move there.
fn define(definitions: &mut Map<String, Value>, name: String, schema: schemars::Schema) -> Result<(), Problem> {
    let mut schema = schema.to_value();
    let mut brought = Map::new();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
        if let Some(Value::Object(inner)) = fields.remove("$defs") {
            brought = inner;
        }
    }
    brought.insert(name, schema);
    for (name, schema) in brought {
        if definitions.get(&name).is_some_and(|known| *known != schema) {
            return Err(Problem::SharedName(name));
        }
        definitions.insert(name, schema);
    }
    Ok(())
}

/// Fields by name, whatever order the JSON library was built to keep.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_event_type_is_there_and_every_reference_leads_somewhere() {
        let document = document().unwrap();
        for (name, v) in Body::CATALOGUE {
            assert!(document["$defs"].get(format!("{name}.v{v}")).is_some(), "{name}");
        }
        let mut found = Vec::new();
        references(&document, &mut found);
        for reference in found {
            let name = reference.strip_prefix("#/$defs/").unwrap();
            assert!(document["$defs"].get(name).is_some(), "{reference}");
        }
    }

    #[test]
    fn the_document_is_the_same_each_time() {
        assert_eq!(current().unwrap(), current().unwrap());
    }

    #[test]
    fn two_shapes_of_one_name_are_refused() {
        let mut definitions = Map::new();
        define(&mut definitions, "A".into(), schemars::json_schema!({ "type": "string" })).unwrap();
        assert!(define(&mut definitions, "A".into(), schemars::json_schema!({ "type": "number" })).is_err());
    }
}
