//! From a request to an answer: who may ask, what is refused, which line is played and how it goes wrong.

use crate::Options;
use crate::dialect::{Dialect, Event, Kind, Refusal, refuse, whole};
use crate::http::{Answer, End, Recorded};
use crate::script::{Fault, Line, Script};
use crate::{anthropic, chat, list, ollama, responses};
use serde_json::{Value, json};

pub fn answer(options: &Options, script: &mut Script, request: &Recorded) -> Answer {
    let path = request.path.split('?').next().unwrap_or_default();
    let listing = list::dialect(request, path);
    let dialect = match (request.method.as_str(), path) {
        ("GET", "/api/version") => return whole(200, &json!({"version": "0.0.0"})),
        ("POST", "/v1/chat/completions") => Some(&chat::DIALECT),
        ("POST", "/v1/responses") => Some(&responses::DIALECT),
        ("POST", "/v1/messages") => Some(&anthropic::DIALECT),
        ("POST", "/api/chat") => Some(&ollama::DIALECT),
        _ => listing,
    };
    let Some(dialect) = dialect else {
        let message = format!("no route {} {path}", request.method);
        return whole(404, &json!({"error": {"message": message, "type": "invalid_request_error", "code": null}}));
    };
    if !may_ask(options, request) {
        return refuse(dialect, &Refusal::new(401, "authentication_error", Some("invalid_api_key"), "Incorrect API key provided"), vec![]);
    }
    if listing.is_some() {
        return list::answer(dialect, request, path, script.offers());
    }
    if path == "/v1/messages" && request.header("anthropic-version").is_none() {
        return refuse(dialect, &Refusal::new(400, "invalid_request_error", None, "anthropic-version: header is required"), vec![]);
    }
    if request.body.get("stream").is_some_and(|stream| stream != true) {
        return refuse(dialect, &Refusal::new(400, "invalid_request_error", None, "this provider only streams"), vec![]);
    }
    if let Some(reason) = (dialect.refusal)(&request.body, script) {
        return refuse(dialect, &Refusal::new(400, "invalid_request_error", None, &reason), vec![]);
    }
    if let Some(model) = request.body["model"].as_str().filter(|model| !script.offers().may_be_asked(model)) {
        let message = format!("The model `{model}` does not exist or you do not have access to it.");
        return refuse(dialect, &Refusal::new(404, "not_found_error", Some("model_not_found"), &message), vec![]);
    }
    let number = (dialect.replies)(&request.body);
    let line = script.turn(number);
    play(dialect, &request.body, number, &line)
}

fn may_ask(options: &Options, request: &Recorded) -> bool {
    let Some(key) = &options.key else { return true };
    let bearer = format!("Bearer {key}");
    request.header("authorization") == Some(&bearer) || request.header("x-api-key") == Some(key)
}

fn play(dialect: &Dialect, request: &Value, number: usize, line: &Line) -> Answer {
    let events = |line: &Line| (dialect.events)(request, number, line);
    if let Some(refusal) = line.fault.and_then(Refusal::of) {
        let after = match line.fault {
            Some(Fault::RateLimited) => Some("7"),
            Some(Fault::RateLimitedUntil) => Some("Sun, 06 Nov 1994 08:49:47 GMT"),
            Some(_) | None => None,
        };
        let exactly = line.retry_after_ms.filter(|_| after.is_some()).map(|ms| ("retry-after-ms", ms.to_string()));
        let headers = after.map(|after| ("retry-after", after.to_owned())).into_iter().chain(exactly);
        return refuse(dialect, &refusal, headers.collect());
    }
    match line.fault {
        None => stream(dialect, joined(events(line)), End::Streamed),
        Some(Fault::CutText) => stream(dialect, cut_inside(events(line), Kind::Text), End::Cut),
        Some(Fault::CutArguments) => stream(dialect, cut_inside(events(line), Kind::Arguments), End::Cut),
        Some(Fault::EndsEarly) => stream(dialect, cut_inside(events(line), Kind::Text), End::Streamed),
        Some(Fault::Silent) => stream(dialect, cut_inside(events(line), Kind::Text), End::Silent),
        Some(Fault::Garbage) => {
            let mut body = cut_inside(events(line), Kind::Text);
            body.extend_from_slice(b"\n\nevent: \x00\ndata: {\"choices\": [}\n\n{{{\n");
            stream(dialect, body, End::Streamed)
        }
        Some(Fault::ContentType) => Answer {
            status: 200,
            headers: vec![("content-type", "text/html; charset=utf-8".to_owned())],
            body: b"<html><body>Please log in</body></html>".to_vec(),
            end: End::Whole,
        },
        Some(Fault::BrokenJson) => Answer {
            status: 200,
            headers: vec![("content-type", "application/json".to_owned())],
            body: b"{\"choices\": [".to_vec(),
            end: End::Whole,
        },
        Some(Fault::ErrorInStream) => {
            let events = events(line).into_iter();
            let mut body = joined(
                events
                    .scan(true, |go_on, event| {
                        let is_first = std::mem::replace(go_on, *go_on && event.kind != Kind::Text);
                        is_first.then_some(event)
                    })
                    .collect(),
            );
            body.extend((dialect.error_event)(&Refusal::new(529, "overloaded_error", None, "Overloaded")));
            stream(dialect, body, End::Streamed)
        }
        Some(Fault::Empty) => stream(dialect, joined(events(&Line::default())), End::Streamed),
        // How it stops is for the events to say; what is a refusal was refused.
        Some(
            Fault::OutputLimit
            | Fault::Refused
            | Fault::RateLimited
            | Fault::RateLimitedUntil
            | Fault::Quota
            | Fault::Overloaded
            | Fault::ServerError
            | Fault::ContextTooLong
            | Fault::Auth
            | Fault::BadRequest,
        ) => stream(dialect, joined(events(line)), End::Streamed),
    }
}

fn stream(dialect: &Dialect, body: Vec<u8>, end: End) -> Answer {
    Answer { status: 200, headers: vec![("content-type", dialect.media_type.to_owned())], body, end }
}

fn joined(events: Vec<Event>) -> Vec<u8> {
    events.into_iter().flat_map(|event| event.bytes).collect()
}

/// Everything up to the middle of the last event of a kind.
fn cut_inside(events: Vec<Event>, kind: Kind) -> Vec<u8> {
    let last = events.iter().rposition(|event| event.kind == kind).unwrap_or(0);
    let mut bytes = Vec::new();
    for (place, event) in events.iter().enumerate().take(last + 1) {
        let upto = if place == last { event.bytes.len() / 2 } else { event.bytes.len() };
        bytes.extend_from_slice(&event.bytes[..upto]);
    }
    bytes
}
