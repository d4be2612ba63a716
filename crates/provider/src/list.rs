//! Which models there are, as each protocol tells it, and the ways in which a list can be none.

use crate::dialect::{Dialect, Refusal, refuse, whole};
use crate::http::{Answer, End, Recorded};
use crate::script::{Fault, Offer, Offers};
use crate::{anthropic, chat, ollama};
use serde_json::{Value, json};

/// Models of a page where the request does not say how many.
const PAGE_DEFAULT: usize = 20;
/// Models of a page at most.
const PAGE_MAX: usize = 1_000;

/// The routes of lists, and whose words each speaks; one path has two readers, told apart by a header.
pub fn dialect(request: &Recorded, path: &str) -> Option<&'static Dialect> {
    match (request.method.as_str(), path) {
        ("GET", "/v1/models") if request.header("anthropic-version").is_some() || request.header("x-api-key").is_some() => {
            Some(&anthropic::DIALECT)
        }
        ("GET", "/v1/models") => Some(&chat::DIALECT),
        ("GET", "/api/tags") | ("POST", "/api/show") => Some(&ollama::DIALECT),
        _ => None,
    }
}

pub fn answer(dialect: &Dialect, request: &Recorded, path: &str, offers: &Offers) -> Answer {
    if let Some(refusal) = offers.fault.and_then(Refusal::of) {
        return refuse(dialect, &refusal, vec![]);
    }
    let models: &[Offer] = if offers.fault == Some(Fault::Empty) { &[] } else { &offers.models };
    let listed = match path {
        "/api/tags" => Ok(json!({ "models": models.iter().map(tag).collect::<Vec<_>>() })),
        "/api/show" => shown(&request.body, models),
        _ if request.header("anthropic-version").is_some() => page(&request.path, models),
        _ if request.header("x-api-key").is_some() => {
            Err(Refusal::new(400, "invalid_request_error", None, "anthropic-version: header is required"))
        }
        _ => Ok(json!({ "object": "list", "data": models.iter().map(model).collect::<Vec<_>>() })),
    };
    match listed {
        Ok(listed) => spoilt(whole(200, &listed), offers.fault),
        Err(refusal) => refuse(dialect, &refusal, vec![]),
    }
}

fn model(offer: &Offer) -> Value {
    let mut model = json!({"id": offer.id, "object": "model", "created": 0, "owned_by": "script"});
    if let Some(tools) = offer.tools {
        let all = ["max_tokens", "temperature", "tools"];
        model["supported_parameters"] = json!(if tools { &all[..] } else { &all[..2] });
    }
    model
}

fn page(path: &str, models: &[Offer]) -> Result<Value, Refusal> {
    let bad = |message| Refusal::new(400, "invalid_request_error", None, message);
    let query = path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let limit = value("limit").map_or(Ok(PAGE_DEFAULT), str::parse).map_err(|_| bad("limit: Input should be a valid integer"))?;
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(bad("limit: Input should be between 1 and 1000"));
    }
    let after = value("after_id").and_then(|id| models.iter().position(|offer| offer.id == id));
    let rest = &models[after.map_or(0, |place| place + 1)..];
    let data: Vec<Value> = rest
        .iter()
        .take(limit)
        .map(|offer| json!({"type": "model", "id": offer.id, "display_name": offer.id, "created_at": "1970-01-01T00:00:00Z"}))
        .collect();
    let id = |model: Option<&Value>| model.map_or(Value::Null, |model| model["id"].clone());
    Ok(json!({"data": data, "has_more": rest.len() > limit, "first_id": id(data.first()), "last_id": id(data.last())}))
}

fn details() -> Value {
    json!({"parent_model": "", "format": "gguf", "family": "script", "families": ["script"], "parameter_size": "1B", "quantization_level": "Q4_0"})
}

fn tag(offer: &Offer) -> Value {
    json!({
        "name": offer.id, "model": offer.id, "modified_at": "2026-01-01T00:00:00Z", "size": 0,
        "digest": "0000000000000000000000000000000000000000000000000000000000000000", "details": details(),
    })
}

fn shown(request: &Value, models: &[Offer]) -> Result<Value, Refusal> {
    let wanted = request["model"].as_str().ok_or_else(|| Refusal::new(400, "invalid_request_error", None, "model is required"))?;
    let missing = || Refusal::new(404, "not_found_error", None, &format!("model '{wanted}' not found"));
    let offer = models.iter().find(|offer| offer.id == wanted).ok_or_else(missing)?;
    let capabilities: &[&str] = if offer.tools == Some(false) { &["completion"] } else { &["completion", "tools"] };
    Ok(json!({
        "modelfile": "", "parameters": "", "template": "", "details": details(), "capabilities": capabilities,
        "model_info": {"general.architecture": "script", "script.context_length": 8192}, "modified_at": "2026-01-01T00:00:00Z",
    }))
}

fn spoilt(mut answer: Answer, fault: Option<Fault>) -> Answer {
    match fault {
        Some(Fault::Garbage) => answer.body.truncate(answer.body.len() / 2),
        Some(Fault::ContentType) => {
            answer.headers = vec![("content-type", "text/html; charset=utf-8".to_owned())];
            answer.body = b"<html><body>Please log in</body></html>".to_vec();
        }
        Some(Fault::CutText | Fault::Silent) => {
            answer.body.truncate(answer.body.len() / 2);
            answer.end = if fault == Some(Fault::Silent) { End::Silent } else { End::Cut };
        }
        // Every other one is a refusal or nothing; a script cannot ask a list for more.
        Some(_) | None => {}
    }
    answer
}
