//! From a request to an answer: who may ask, what is refused, which line is played and how it goes wrong.

use crate::Options;
use crate::dialect::{Dialect, Event, Kind, Refusal};
use crate::http::{Answer, End, Recorded};
use crate::script::{Fault, Line, Script};
use crate::{anthropic, chat, ollama, responses};
use serde_json::{Value, json};

pub fn answer(options: &Options, script: &mut Script, request: &Recorded) -> Answer {
    let path = request.path.split('?').next().unwrap_or_default();
    let dialect = match (request.method.as_str(), path) {
        ("GET", "/v1/models") => return whole(200, &json!({"object": "list", "data": [model("scripted")]})),
        ("GET", "/api/version") => return whole(200, &json!({"version": "0.0.0"})),
        ("GET", "/api/tags") => return whole(200, &json!({"models": [{"name": "scripted", "model": "scripted", "size": 0}]})),
        ("POST", "/v1/chat/completions") => &chat::DIALECT,
        ("POST", "/v1/responses") => &responses::DIALECT,
        ("POST", "/v1/messages") => &anthropic::DIALECT,
        ("POST", "/api/chat") => &ollama::DIALECT,
        _ => {
            let message = format!("no route {} {path}", request.method);
            return whole(404, &json!({"error": {"message": message, "type": "invalid_request_error", "code": null}}));
        }
    };
    if !may_ask(options, request) {
        return refuse(dialect, &Refusal::new(401, "authentication_error", Some("invalid_api_key"), "Incorrect API key provided"), vec![]);
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
    let number = (dialect.replies)(&request.body);
    let line = script.turn(number);
    play(dialect, &request.body, number, &line)
}

fn model(name: &str) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "script"})
}

fn may_ask(options: &Options, request: &Recorded) -> bool {
    let Some(key) = &options.key else { return true };
    let bearer = format!("Bearer {key}");
    request.header("authorization") == Some(&bearer) || request.header("x-api-key") == Some(key)
}

fn play(dialect: &Dialect, request: &Value, number: usize, line: &Line) -> Answer {
    let events = |line: &Line| (dialect.events)(request, number, line);
    let status = |status, kind, code, message: &str| refuse(dialect, &Refusal::new(status, kind, code, message), vec![]);
    let limited = |header: String| {
        let refusal = Refusal::new(429, "rate_limit_error", Some("rate_limit_exceeded"), "Rate limit reached");
        let exactly = line.retry_after_ms.map(|ms| ("retry-after-ms", ms.to_string()));
        refuse(dialect, &refusal, std::iter::once(("retry-after", header)).chain(exactly).collect())
    };
    match line.fault {
        None => stream(dialect, joined(events(line)), End::Streamed),
        Some(Fault::RateLimited) => limited("7".to_owned()),
        Some(Fault::RateLimitedUntil) => limited("Sun, 06 Nov 1994 08:49:47 GMT".to_owned()),
        Some(Fault::Quota) => status(429, "insufficient_quota", Some("insufficient_quota"), "You exceeded your current quota"),
        Some(Fault::Overloaded) => status(529, "overloaded_error", None, "Overloaded"),
        Some(Fault::ServerError) => status(500, "api_error", None, "Internal server error"),
        Some(Fault::ContextTooLong) => status(
            400,
            "invalid_request_error",
            Some("context_length_exceeded"),
            "prompt is too long: it exceeds the maximum context length of 8192 tokens",
        ),
        Some(Fault::Auth) => status(401, "authentication_error", Some("invalid_api_key"), "Incorrect API key provided"),
        Some(Fault::BadRequest) => status(400, "invalid_request_error", None, "Unknown parameter"),
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
        // How it stops is for the events to say.
        Some(Fault::OutputLimit | Fault::Refused) => stream(dialect, joined(events(line)), End::Streamed),
    }
}

fn whole(status: u16, body: &Value) -> Answer {
    let headers = vec![("content-type", "application/json".to_owned())];
    Answer { status, headers, body: body.to_string().into_bytes(), end: End::Whole }
}

fn refuse(dialect: &Dialect, refusal: &Refusal, headers: Vec<(&'static str, String)>) -> Answer {
    let mut answer = whole(refusal.status, &(dialect.error)(refusal));
    answer.headers.extend(headers);
    answer
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
