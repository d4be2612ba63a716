//! One classification of everything that can go wrong: what a person may do about it, and whether asking again helps.

use crate::keys::Key;
use contract::body::FailureClass;
use contract::port::ModelFailure;
use serde_json::Value;
use web::HttpError;

/// Bytes of a message that people are shown; some providers repeat the whole request in theirs.
const MESSAGE_BYTES_MAX: usize = 1_000;

/// What a provider says about its failure, from the body of an error or from an event inside an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Where the failure is the whole answer.
    pub status: Option<u16>,
    /// Its type and its code, in the provider's words.
    pub kinds: Vec<String>,
    pub message: String,
}

impl Said {
    /// Reads the body of an error in any of the forms that providers and the gateways before them use.
    pub fn read(status: Option<u16>, body: &[u8]) -> Said {
        let text = String::from_utf8_lossy(body);
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => Said::of(status, &value),
            Err(_) => Said { status, kinds: Vec::new(), message: text.into_owned() },
        }
    }

    pub fn of(status: Option<u16>, value: &Value) -> Said {
        let outer = value.get(0).unwrap_or(value);
        let error = outer.get("error").filter(|error| !error.is_null()).unwrap_or(outer);
        let kinds = ["type", "code", "status"].iter().filter_map(|field| error.get(field)).filter_map(word).collect();
        let said = [error.get("message"), error.get("detail"), outer.get("message"), outer.get("detail"), Some(error)];
        let message = said.into_iter().flatten().find_map(Value::as_str).map_or_else(|| value.to_string(), str::to_owned);
        Said { status, kinds, message }
    }

    pub fn class(&self) -> FailureClass {
        let is = |words: &[&str]| self.kinds.iter().any(|kind| words.contains(&kind.as_str()));
        // Some providers put the status they would have answered with into the event.
        let status = self.status.filter(|status| *status >= 300).or_else(|| self.kinds.iter().find_map(|kind| kind.parse().ok()));
        if is(&["context_length_exceeded", "model_context_window_exceeded", "request_too_large"]) || self.is_about_length(status) {
            return FailureClass::ContextTooLong;
        }
        if status == Some(402) || is(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"]) {
            return FailureClass::Permanent;
        }
        // Also as a 403: the key is right, and another model may answer it.
        if is(&["model_not_found"]) {
            return FailureClass::Permanent;
        }
        if matches!(status, Some(401 | 403)) || is(&["authentication_error", "permission_error", "invalid_api_key"]) {
            return FailureClass::Auth;
        }
        if matches!(status, Some(503 | 529)) || is(&["overloaded_error", "overloaded", "server_overloaded", "engine_overloaded_error"]) {
            return FailureClass::Overloaded;
        }
        if status == Some(429) || is(&["rate_limit_error", "rate_limit_exceeded"]) {
            return FailureClass::RateLimited;
        }
        if is(&["invalid_request_error", "not_found_error"]) {
            return FailureClass::Permanent;
        }
        match status {
            Some(408 | 409 | 425 | 500..) | None => FailureClass::Transient,
            Some(_) => FailureClass::Permanent,
        }
    }

    /// Most servers have no word for it but a sentence.
    fn is_about_length(&self, status: Option<u16>) -> bool {
        const SENTENCES: &[&str] = &[
            "context length",
            "context window",
            "context size",
            "prompt is too long",
            "prompt too long",
            "input is too long",
            "maximum context",
            "reduce the length of the messages",
        ];
        let message = self.message.to_lowercase();
        match status {
            Some(413) => true,
            Some(400 | 422 | 500) | None => SENTENCES.iter().any(|sentence| message.contains(sentence)),
            Some(_) => false,
        }
    }
}

/// A number is as good as a name.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => write!(f, "status {status}: ")?,
            None => f.write_str("error inside the answer: ")?,
        }
        f.write_str(if self.message.trim().is_empty() { "no message" } else { &self.message })
    }
}

/// The headers that say when to come back.
#[derive(Clone, Copy, Debug, Default)]
pub struct RetryAfter<'a> {
    pub after: Option<&'a str>,
    pub after_ms: Option<&'a str>,
    /// When the answer was made: a moment to come back at is held against the server's own clock.
    pub date: Option<&'a str>,
}

impl RetryAfter<'_> {
    pub fn ms(self) -> Option<u64> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        if let Some(ms) = self.after_ms.and_then(number) {
            return Some(ms.ceil() as u64);
        }
        let after = self.after?;
        if let Some(seconds) = number(after) {
            return Some((seconds * 1_000.0).ceil() as u64);
        }
        let at = httpdate::parse_http_date(after).ok()?;
        let now = httpdate::parse_http_date(self.date?).ok()?;
        Some(at.duration_since(now).map_or(0, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }
}

pub fn of_status(said: &Said, retry_after: RetryAfter<'_>) -> ModelFailure {
    failure(said.class(), said.to_string(), retry_after.ms())
}

pub fn of_http(error: &HttpError) -> ModelFailure {
    let class = match error {
        HttpError::Connect { .. }
        | HttpError::ConnectTime { .. }
        | HttpError::Tls { .. }
        | HttpError::Silent { .. }
        | HttpError::Cut(_)
        | HttpError::TooLong { .. } => FailureClass::Transient,
        HttpError::NoAuthorities(_) | HttpError::Malformed(_) => FailureClass::Permanent,
    };
    failure(class, error.to_string(), None)
}

pub fn permanent(message: String) -> ModelFailure {
    failure(FailureClass::Permanent, message, None)
}

/// What may go well the next time.
pub fn broken(message: String) -> ModelFailure {
    failure(FailureClass::Transient, message, None)
}

pub fn auth(message: String) -> ModelFailure {
    failure(FailureClass::Auth, message, None)
}

pub fn failure(class: FailureClass, message: String, retry_after_ms: Option<u64>) -> ModelFailure {
    ModelFailure { class, message, retry_after_ms }
}

/// The failure as people and the log may see it: without the key, which must go before anything is cut, without what a
/// terminal would take for a command, and within its limit.
pub fn for_people(failure: ModelFailure, key: Option<&Key>) -> ModelFailure {
    let hidden = key.map_or_else(|| failure.message.clone(), |key| key.hide_in(&failure.message));
    let mut message: String = hidden.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if message.len() > MESSAGE_BYTES_MAX {
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
        message.push('…');
    }
    ModelFailure { message, ..failure }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureClass::{Auth, ContextTooLong, Overloaded, Permanent, RateLimited, Transient};

    #[test]
    fn every_status_and_body_has_one_class() {
        let table: &[(Option<u16>, &str, FailureClass)] = &[
            (
                Some(400),
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                ContextTooLong,
            ),
            (
                Some(400),
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                ContextTooLong,
            ),
            (Some(400), r#"{"error":"input length exceeds maximum context length"}"#, ContextTooLong),
            (
                Some(413),
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
                ContextTooLong,
            ),
            (Some(400), r#"{"error":{"message":"Unknown parameter","type":"invalid_request_error","code":null}}"#, Permanent),
            (Some(401), r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#, Auth),
            (Some(403), "forbidden", Auth),
            (Some(403), r#"{"error":{"message":"Project does not have access to model `x`","code":"model_not_found"}}"#, Permanent),
            (Some(402), r#"{"error":{"message":"Insufficient Balance","code":"invalid_request_error"}}"#, Permanent),
            (Some(404), r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#, Permanent),
            (Some(408), "", Transient),
            (Some(409), "", Transient),
            (Some(429), r#"{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}"#, RateLimited),
            (Some(429), r#"{"error":{"message":"Too many tokens: reduce the context length","type":"tokens"}}"#, RateLimited),
            (
                Some(429),
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                Permanent,
            ),
            (Some(429), r#"{"error":{"message":"busy","type":"engine_overloaded_error"}}"#, Overloaded),
            (Some(500), r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#, Transient),
            (Some(502), "<html>bad gateway</html>", Transient),
            (Some(503), r#"[{"error":{"message":"unavailable","code":503,"status":"UNAVAILABLE"}}]"#, Overloaded),
            (Some(529), r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded),
            (Some(301), "", Permanent),
            (None, r#"{"error":{"message":"provider went away","code":502}}"#, Transient),
            (None, r#"{"error":{"message":"slow down","code":429}}"#, RateLimited),
            (None, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded),
            (None, r#"{"error":{"message":"bad","type":"invalid_request_error"}}"#, Permanent),
            (None, r#"{"error":"an error was encountered while running the model"}"#, Transient),
        ];
        for (status, body, class) in table {
            assert_eq!(Said::read(*status, body.as_bytes()).class(), *class, "{status:?} {body}");
        }
    }

    #[test]
    fn messages_name_the_status_and_are_bounded_and_printable() {
        let failure = of_status(&Said::read(Some(400), br#"{"error":{"message":"no\u001b[31m"}}"#), RetryAfter::default());
        assert_eq!(for_people(failure, None).message, "status 400: no [31m");
        let long = for_people(of_status(&Said::read(Some(500), "é".repeat(5_000).as_bytes()), RetryAfter::default()), None);
        assert!(long.message.len() <= MESSAGE_BYTES_MAX + 3 && long.message.ends_with('…'));
        assert_eq!(Said::read(Some(500), b"").to_string(), "status 500: no message");
    }

    #[test]
    fn a_key_is_hidden_also_where_the_message_is_cut() {
        let key = Key::new("sk-0123456789");
        for before in MESSAGE_BYTES_MAX - 30..MESSAGE_BYTES_MAX + 5 {
            let message = format!("{}{}", "x".repeat(before), key.value());
            let shown = for_people(failure(Transient, message, None), Some(&key)).message;
            assert!(!shown.contains("sk-"), "{shown}");
        }
    }

    #[test]
    fn a_wait_is_read_in_each_of_its_forms() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        let after = |after| RetryAfter { after: Some(after), after_ms: None, date }.ms();
        assert_eq!(after("7"), Some(7_000));
        assert_eq!(after("0.5"), Some(500));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10_000));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:07 GMT"), Some(0));
        assert_eq!(after("soon"), None);
        assert_eq!(after("-3"), None);
        assert_eq!(RetryAfter { after: Some("7"), after_ms: Some("250"), date: None }.ms(), Some(250));
        assert_eq!(RetryAfter { after: Some("Sun, 06 Nov 1994 08:49:47 GMT"), ..RetryAfter::default() }.ms(), None);
    }
}
