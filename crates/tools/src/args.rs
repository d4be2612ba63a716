//! Arguments of calls: their schema, and errors by which a model can correct itself.
//!
//! Must not know any tool.

use crate::texts;
use contract::port::PrepareRefused;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

/// The schema as it is offered to a model, without what only describes our types.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(object) = schema.as_object_mut() {
        for ours in ["$schema", "title", "description"] {
            object.remove(ours);
        }
    }
    schema
}

pub(crate) fn parse<T: DeserializeOwned + JsonSchema>(tool: &str, args: &str) -> Result<T, PrepareRefused> {
    // Some models send nothing at all when they want to give no arguments.
    let args = if args.trim().is_empty() { "{}" } else { args };
    read(args).map_err(|(at, error)| PrepareRefused { message: texts::invalid_args(tool, &at, &error, &fields(&schema::<T>())) })
}

fn read<T: DeserializeOwned>(args: &str) -> Result<T, (String, serde_json::Error)> {
    let whole = |error| (".".to_owned(), error);
    // A struct could also be read from a list, which no schema of ours allows.
    if !args.trim_start().starts_with('{') {
        return Err(whole(serde_json::Error::custom("not an object")));
    }
    let mut json = serde_json::Deserializer::from_str(args);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| (error.path().to_string(), error.into_inner()))?;
    json.end().map_err(whole)?;
    Ok(read)
}

/// Each field with its type, required ones first.
fn fields(schema: &Value) -> Vec<String> {
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name));
    let mut fields: Vec<(bool, String)> = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        // An optional field is written as a list of its type and null.
        let kinds = property["type"].as_array().map_or(std::slice::from_ref(&property["type"]), Vec::as_slice);
        let kind = kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null");
        fields.push((!required(name), texts::field(name, kind.unwrap_or("any"), required(name))));
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
    fn an_error_names_its_place_and_what_is_expected() {
        let expected = "Expected one JSON object with: path (string, required), lines (integer, optional).";
        assert_eq!(
            refused(r#"{"path":"a","lines":"x"}"#),
            format!(
                "The arguments of `look` are not valid at `lines`: invalid type: string \"x\", expected u32 at line 1 column 23. {expected}"
            )
        );
        for (args, part) in [
            ("", "missing field `path`"),
            (r#"["a",1]"#, "not an object"),
            (r#"{"path":"a","file":1}"#, "at `file`: unknown field `file`"),
            (r#"{"path":"a"} x"#, "trailing characters"),
            (r#"{"path":"#, "EOF"),
        ] {
            let message = refused(args);
            assert!(message.contains(part) && message.ends_with(expected), "{message}");
        }
    }

    #[test]
    fn good_arguments_are_read() {
        assert_eq!(parse::<Args>("look", r#" {"path":"a","lines":null} "#).unwrap(), Args { path: "a".into(), lines: None });
    }
}
