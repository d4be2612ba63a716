//! Arguments of every tool: what is taken is what the schema offered, and what is not is refused so that a model can
//! correct itself.

use super::testing::{CALL, Desk, desk_with_open_call};
use super::*;
use damage::{damaged_text, reshaped};
use proptest::prelude::*;
use serde_json::json;
use std::cell::LazyCell;

thread_local! {
    /// A desk for each tool; preparing changes nothing, so one serves all cases.
    static DESKS: LazyCell<Vec<Desk>> = const {
        LazyCell::new(|| {
            let desk = |tool: &Tool| {
                let desk = desk_with_open_call(tool.name);
                desk.write("a.txt", "one\ntwo\n");
                desk.write("sub/b.rs", "fn main() {}");
                desk
            };
            TOOLS.iter().map(desk).collect()
        })
    };
}

fn prepare(tool: usize, args: &str) -> Result<Preparation, String> {
    DESKS.with(|desks| desks[tool].prepare_text(args))
}

/// Arguments as the schema of a tool offers them: every required field, some of the others.
fn offered(schema: &Value) -> impl Strategy<Value = Value> + use<> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: Vec<BoxedStrategy<Option<(String, Value)>>> = Vec::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let (name, value) = (name.clone(), field(&name.clone(), property));
        let is_required = required.contains(&name.as_str());
        let given = if is_required { Just(true).boxed() } else { any::<bool>().boxed() };
        fields.push((given, value).prop_map(move |(given, value)| given.then(|| (name.clone(), value))).boxed());
    }
    fields.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect()))
}

fn field(name: &str, property: &Value) -> BoxedStrategy<Value> {
    if let Some(words) = property["enum"].as_array() {
        return prop::sample::select(words.clone()).boxed();
    }
    let has = |kind: &str| kinds(property).contains(&kind);
    if has("boolean") {
        any::<bool>().prop_map(Value::from).boxed()
    } else if has("integer") {
        prop_oneof![0u64..5, any::<u64>()].prop_map(Value::from).boxed()
    } else if has("number") {
        prop_oneof![(0.0..9e5), any::<f64>().prop_filter("JSON has no others", |number| number.is_finite())].prop_map(Value::from).boxed()
    } else if name == "call" {
        prop_oneof![Just(json!(CALL)), Just(json!("call_9_9"))].boxed()
    } else {
        prop_oneof![Just(json!("a.txt")), Just(json!("one")), ".{0,12}".prop_map(Value::from)].boxed()
    }
}

fn kinds(property: &Value) -> Vec<&str> {
    match &property["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

/// Whether arguments are what the schema offered, as far as our schemas go.
fn is_offered(schema: &Value, args: &Value) -> bool {
    let Some(given) = args.as_object() else { return false };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let all_there = required.into_iter().all(|name| given.contains_key(name));
    let known = given.iter().all(|(name, value)| {
        let property = &schema["properties"][name];
        let required = schema["required"].as_array().into_iter().flatten().any(|other| other == name);
        let kind = match value {
            // What is null was left out.
            Value::Null if !required && !property.is_null() => return true,
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_u64() && kinds(property).contains(&"integer") => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) | Value::Object(_) => "none of ours",
        };
        kinds(property).contains(&kind) && property["enum"].as_array().is_none_or(|words| words.contains(value))
    });
    all_there && known
}

fn tool_and_args() -> impl Strategy<Value = (usize, Value)> {
    (0..TOOLS.len()).prop_flat_map(|tool| (Just(tool), offered(&(TOOLS[tool].schema)())))
}

/// The sentence by which arguments that the schema does not offer are refused.
fn is_about_the_schema(tool: usize, message: &str) -> bool {
    message.starts_with(&format!("The arguments of `{}` are not valid", TOOLS[tool].name))
        && message.contains("Expected one JSON object with: ")
}

/// The laws for one text.
fn hold(tool: usize, args: &str) -> Result<(), TestCaseError> {
    let schema = (TOOLS[tool].schema)();
    let value: Option<Value> = serde_json::from_str(args).ok();
    let nothing = args.trim().is_empty();
    let offered = value.as_ref().is_some_and(|value| is_offered(&schema, value)) || (nothing && is_offered(&schema, &json!({})));
    match prepare(tool, args) {
        Ok(prepared) => {
            prop_assert!(offered, "{} took {args}", TOOLS[tool].name);
            prop_assert_eq!(prepare(tool, args), Ok(prepared), "preparing has no effect");
        }
        Err(message) => {
            prop_assert!(!message.trim().is_empty());
            // One with a duplicate field is JSON and offered, and still refused.
            prop_assert!(offered || is_about_the_schema(tool, &message), "{message}");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_the_schema_offers_is_never_refused_for_its_shape((tool, args) in tool_and_args()) {
        prop_assert!(is_offered(&(TOOLS[tool].schema)(), &args));
        if let Err(message) = prepare(tool, &args.to_string()) {
            prop_assert!(!is_about_the_schema(tool, &message), "{message}");
        }
    }

    #[test]
    fn reshaped_arguments_are_offered_or_refused((tool, args) in tool_and_args().prop_flat_map(|(tool, args)| (Just(tool), reshaped(Just(args))))) {
        hold(tool, &args.to_string())?;
    }

    #[test]
    fn damaged_arguments_are_offered_or_refused(
        (tool, args) in tool_and_args().prop_flat_map(|(tool, args)| (Just(tool), damaged_text(Just(args.to_string()))))
    ) {
        hold(tool, &args)?;
    }

    #[test]
    fn any_text_is_offered_or_refused(tool in 0..TOOLS.len(), args in ".{0,30}") {
        hold(tool, &args)?;
    }
}

/// What OpenAI, Anthropic and Ollama all take, and all of them hand to a model as it is.
#[test]
fn every_schema_is_one_that_all_providers_take() {
    let name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    for tool in TOOLS {
        let schema = (tool.schema)();
        let mut keys: Vec<&str> = schema.as_object().unwrap().keys().map(String::as_str).collect();
        keys.retain(|key| !["required"].contains(key));
        assert_eq!(keys, ["additionalProperties", "properties", "type"], "{}", tool.name);
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)), "{}", tool.name);
        assert!(tool.name.len() <= 64 && tool.name.bytes().all(name_byte), "{}", tool.name);
        assert!((1..=1_024).contains(&tool.description.len()), "{}: {}", tool.name, tool.description.len());
        for (name, property) in schema["properties"].as_object().unwrap() {
            let known = ["description", "enum", "maximum", "minimum", "type"];
            assert!(property.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{}.{name}: {property}", tool.name);
            assert!(["string", "integer", "number", "boolean"].contains(&property["type"].as_str().unwrap()), "{}.{name}", tool.name);
            assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{}.{name}", tool.name);
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        assert!(required.iter().all(|name| schema["properties"].get(name.as_str().unwrap()).is_some()), "{}", tool.name);
    }
}

#[test]
fn arguments_that_go_ever_deeper_are_refused() {
    for tool in 0..TOOLS.len() {
        for deep in [format!("{{\"path\":{}", "[".repeat(1 << 20)), "{\"path\":".repeat(1 << 17)] {
            let refused = prepare(tool, &deep).unwrap_err();
            assert!(is_about_the_schema(tool, &refused), "{}", &refused[..200]);
        }
    }
}
