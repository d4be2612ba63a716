//! Arguments of calls: their schema, and errors by which a model can correct itself.
//!
//! What a model sends is held against the very schema that it was offered, by our own validator: ours use a small part of
//! JSON Schema, and an error must name the place, what is expected there and what came. Must not know any tool.

use crate::texts;
use contract::port::PrepareRefused;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Errors told at once: enough to mend a call in one go, few enough to be read.
const ERRORS_MAX: usize = 5;

/// The schema as it is offered to a model, in words that every provider takes: no names of our types, no formats that only
/// Rust has, and an optional field is one that may be left out.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(object) = schema.as_object_mut() {
        for ours in ["$schema", "title", "description"] {
            object.remove(ours);
        }
        for property in object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
            plain(property);
        }
    }
    schema
}

fn plain(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    property.remove("format");
    property.remove("default");
    let kind = property.get("type").and_then(Value::as_array).and_then(|kinds| kinds.iter().find(|kind| *kind != "null")).cloned();
    if let Some(kind) = kind {
        property.insert("type".to_owned(), kind);
    }
}

pub(crate) fn parse<T: DeserializeOwned + JsonSchema>(tool: &str, args: &str) -> Result<T, PrepareRefused> {
    // Some models send nothing at all when they want to give no arguments.
    let args = if args.trim().is_empty() { "{}" } else { args };
    let schema = schema::<T>();
    let refused = |errors: &[String]| PrepareRefused { message: texts::invalid_args(tool, errors, &fields(&schema)) };
    let value: Value = serde_json::from_str(args).map_err(|error| refused(&[texts::not_json(&error, error.is_eof())]))?;
    let errors = check(&schema, &value);
    if !errors.is_empty() {
        return Err(refused(&errors));
    }
    // From the text and not from the value, which has lost a field that was given twice.
    serde_json::from_str(args).map_err(|error| refused(&[error.to_string()]))
}

/// Everything in which the arguments differ from the schema of an object.
fn check(schema: &Value, args: &Value) -> Vec<String> {
    let Some(given) = args.as_object() else { return vec![texts::not_an_object(kind_of(args))] };
    let properties = schema["properties"].as_object();
    let mut errors = Vec::new();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !given.contains_key(name) {
            errors.push(texts::field_missing(name));
        }
    }
    for (name, value) in given {
        match properties.and_then(|properties| properties.get(name)) {
            // An optional field that is null is one that was left out.
            Some(_) if value.is_null() && !is_required(schema, name) => {}
            Some(property) => {
                errors.extend(check_field(property, value).map(|expected| texts::field_wrong(&pointer(name), &expected, value)))
            }
            None => errors.push(texts::field_unknown(&pointer(name))),
        }
    }
    errors.truncate(ERRORS_MAX);
    errors
}

/// What was expected, if this is something else.
fn check_field(property: &Value, value: &Value) -> Option<String> {
    let kind = property["type"].as_str().unwrap_or_default();
    let words = property["enum"].as_array();
    let right = match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => true,
    };
    let allowed = words.is_none_or(|words| words.contains(value));
    let least = property["minimum"].as_f64();
    let large_enough = least.is_none_or(|least| value.as_f64().is_none_or(|number| number >= least));
    if right && allowed && large_enough {
        return None;
    }
    Some(match words {
        Some(words) => texts::one_of(words),
        None => texts::kind_expected(kind, least.filter(|_| kind == "integer")),
    })
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
}

/// The place of a field as RFC 6901 writes it.
fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Each field with its type, required ones first.
fn fields(schema: &Value) -> Vec<String> {
    let mut fields: Vec<(bool, String)> = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let required = is_required(schema, name);
        fields.push((!required, texts::field(name, property["type"].as_str().unwrap_or("any"), required)));
    }
    fields.sort();
    fields.into_iter().map(|(_, text)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        path: String,
        lines: Option<u32>,
    }

    fn refused(args: &str) -> String {
        parse::<Args>("look", args).unwrap_err().message
    }

    #[test]
    fn an_error_names_its_place_what_is_expected_and_what_came() {
        let expected = "Expected one JSON object with: path (string, required), lines (integer, optional).";
        for (args, error) in [
            (r#"{"path":"a","lines":"7"}"#, r#"/lines: expected integer of at least 0, not the string "7""#),
            (r#"{"path":"a","lines":-1}"#, "/lines: expected integer of at least 0, not the number -1"),
            (r#"{"path":"a","lines":1.5}"#, "/lines: expected integer of at least 0, not the number 1.5"),
            (r#"{"path":["a"]}"#, r#"/path: expected string, not the list ["a"]"#),
            (r#"{"path":{"a":{"b":1}}}"#, r#"/path: expected string, not the object {"a":{"b":1}}"#),
            (r#"{"path":null}"#, "/path: expected string, not null"),
            ("", "`path` is missing"),
            (r#"["a",1]"#, "they are a list and not an object"),
            ("7", "they are a number and not an object"),
            (r#"{"path":"a","a/b~":1}"#, "/a~1b~0: there is no such field"),
            (r#"{"path":"a"} x"#, "they are not JSON: trailing characters at line 1 column 14"),
            (r#"{"path":"#, "they end in the middle; were they cut off? EOF while parsing a value at line 1 column 8"),
            (r#"{"path":"a","path":"b"}"#, "duplicate field `path` at line 1 column 18"),
            (
                r#"{"lines":true,"file":1}"#,
                "`path` is missing; /file: there is no such field; /lines: expected integer of at least 0, not the boolean true",
            ),
        ] {
            assert_eq!(refused(args), format!("The arguments of `look` are not valid: {error}. {expected}"));
        }
        let long = refused(&format!("{{\"path\":[\"{}\"]}}", "x".repeat(10_000)));
        assert!(long.len() < 600, "{long}");
        let many = format!("{{{}}}", (0..50).map(|number| format!("\"f{number}\":1")).collect::<Vec<_>>().join(","));
        assert_eq!(refused(&many).matches(';').count(), ERRORS_MAX - 1);
    }

    #[test]
    fn a_field_that_is_too_large_for_its_place_is_refused_too() {
        let refused = refused(r#"{"path":"a","lines":4294967296}"#);
        assert!(refused.contains("invalid value: integer `4294967296`, expected u32"), "{refused}");
    }

    #[test]
    fn good_arguments_are_read() {
        assert_eq!(parse::<Args>("look", r#" {"path":"a","lines":null} "#).unwrap(), Args { path: "a".into(), lines: None });
    }
}
