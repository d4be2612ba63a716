//! Lines as the scripted model has them, with the ways in which a provider can fail, and which one has its turn. A line
//! with `models` is no reply: it says which models there are, and how their list fails.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What is said when there are no more lines.
const ENDED: &str = "script ended";
/// Stands for the number of the repetition.
const NUMBER: &str = "{i}";

#[derive(Debug)]
pub struct BadScript {
    pub line: usize,
    pub reason: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    pub text: String,
    pub thinking: String,
    pub calls: Vec<Call>,
    pub usage: Usage,
    /// Nothing is said about usage, as some servers of chat completions do not when they stream.
    pub uncounted: bool,
    /// In the price unit, as some providers report it.
    pub cost: Option<f64>,
    pub fault: Option<Fault>,
    /// What a limited client is told to wait, in the header that has milliseconds.
    pub retry_after_ms: Option<u64>,
    /// How often the fault is played before the next line has its turn.
    pub times: Option<u32>,
    pub repeat: Option<u32>,
    /// The provider interrupts its turn after this line, where the protocol knows that; the next line goes on.
    pub pauses: bool,
    models: Option<Vec<Offer>>,
    fail: Option<Fail>,
    /// Pace is a matter of the scripted model; here everything comes at once.
    #[serde(rename = "delay_ms")]
    _delay_ms: Option<u64>,
    #[serde(rename = "chunk_ms")]
    _chunk_ms: Option<u64>,
}

/// A model that the provider has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Offer {
    pub id: String,
    /// Whether it calls tools; where it is not set, only Ollama says that it does.
    pub tools: Option<bool>,
    /// It is listed, and this account may not ask it.
    pub denied: bool,
}

/// All models, and what goes wrong with every list of them.
#[derive(Clone, Debug)]
pub struct Offers {
    pub models: Vec<Offer>,
    pub fault: Option<Fault>,
    /// Where a script does not say which models there are, any name is one.
    any_name: bool,
}

impl Default for Offers {
    fn default() -> Offers {
        Offers { models: vec![Offer { id: "scripted".to_owned(), ..Offer::default() }], fault: None, any_name: true }
    }
}

impl Offers {
    pub fn may_be_asked(&self, model: &str) -> bool {
        self.any_name || self.models.iter().any(|offer| offer.id == model && !offer.denied)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    #[serde(default = "no_arguments")]
    pub args: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub reasoning: u64,
}

/// The failures that a script of the scripted model knows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {
    class: Class,
    retry_after_ms: Option<u64>,
    after_bytes: Option<usize>,
    times: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Class {
    Transient,
    RateLimited,
    Overloaded,
    ContextTooLong,
    Auth,
    Permanent,
}

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// 429 with `Retry-After: 7`.
    RateLimited,
    /// 429 with a date to come back at, ten seconds after the answer was made.
    RateLimitedUntil,
    /// 429 that no waiting helps against.
    Quota,
    /// 529.
    Overloaded,
    /// 500.
    ServerError,
    /// 400 with the words of the protocol for it.
    ContextTooLong,
    /// 401.
    Auth,
    /// 400.
    BadRequest,
    /// The connection ends inside the text.
    CutText,
    /// The connection ends inside the arguments of a call.
    CutArguments,
    /// The stream ends as if it were whole, but inside the text.
    EndsEarly,
    /// An event that is not JSON.
    Garbage,
    /// Some bytes, then nothing more.
    Silent,
    /// 200 with a page.
    ContentType,
    /// 200 with what calls itself JSON and is none.
    BrokenJson,
    /// 200, some text, then an error.
    ErrorInStream,
    /// 200 and a whole answer that says nothing.
    Empty,
    /// The reply stops at the limit of tokens.
    OutputLimit,
    /// The provider refuses to go on.
    Refused,
}

impl Fault {
    /// Whether a list can go wrong like this.
    fn is_of_lists(self) -> bool {
        match self {
            Fault::RateLimited
            | Fault::Quota
            | Fault::Overloaded
            | Fault::ServerError
            | Fault::Auth
            | Fault::BadRequest
            | Fault::CutText
            | Fault::Garbage
            | Fault::Silent
            | Fault::ContentType
            | Fault::Empty => true,
            Fault::RateLimitedUntil
            | Fault::ContextTooLong
            | Fault::BrokenJson
            | Fault::CutArguments
            | Fault::EndsEarly
            | Fault::ErrorInStream
            | Fault::OutputLimit
            | Fault::Refused => false,
        }
    }
}

#[derive(Debug)]
pub struct Script {
    lines: Vec<Line>,
    /// How often each failing line has been played.
    failed: BTreeMap<usize, u32>,
    offers: Offers,
}

impl Script {
    pub fn parse(text: &str) -> Result<Script, BadScript> {
        let (mut lines, mut offers) = (Vec::new(), Offers::default());
        for (number, source) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#')) {
            let bad = |error: serde_json::Error| BadScript { line: number, reason: error.to_string() };
            let line: Line = serde_json::from_str(source).map_err(bad)?;
            if let Some(models) = line.models {
                if line.fault.is_some_and(|fault| !fault.is_of_lists()) {
                    return Err(BadScript { line: number, reason: "a list does not fail so".to_owned() });
                }
                offers = Offers { models, fault: line.fault, any_name: false };
                continue;
            }
            match line.repeat {
                None => lines.push(line.with_fault()),
                Some(times) => {
                    for i in 1..=times {
                        let line: Line = serde_json::from_str(&source.replace(NUMBER, &i.to_string())).map_err(bad)?;
                        lines.push(line.with_fault());
                    }
                }
            }
        }
        Ok(Script { lines, failed: BTreeMap::new(), offers })
    }

    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// The reply with this number, from 0: a conversation tells by its turns where it is, so nothing is remembered but
    /// how often a failing line was played.
    pub fn reply(&self, number: usize) -> Option<&Line> {
        self.lines.iter().filter(|line| line.fault.is_none()).nth(number)
    }

    /// The line for a conversation with so many replies: one that still has to fail, or the reply that is next.
    pub fn turn(&mut self, replies: usize) -> Line {
        let mut seen = 0;
        for (place, line) in self.lines.iter().enumerate() {
            if line.fault.is_none() {
                if seen == replies {
                    return line.clone();
                }
                seen += 1;
            } else if seen == replies {
                let failed = self.failed.entry(place).or_default();
                if *failed < line.times.unwrap_or(1) {
                    *failed += 1;
                    return line.clone();
                }
            }
        }
        Line { text: ENDED.to_owned(), ..Line::default() }
    }
}

impl Line {
    /// A failure of the scripted model in the words of a provider.
    fn with_fault(mut self) -> Line {
        if let Some(fail) = self.fail {
            self.times = fail.times;
            self.retry_after_ms = fail.retry_after_ms;
            self.fault = Some(match (fail.class, fail.after_bytes) {
                (_, Some(_)) => Fault::CutText,
                (Class::Transient, None) => Fault::ServerError,
                (Class::RateLimited, None) => Fault::RateLimited,
                (Class::Overloaded, None) => Fault::Overloaded,
                (Class::ContextTooLong, None) => Fault::ContextTooLong,
                (Class::Auth, None) => Fault::Auth,
                (Class::Permanent, None) => Fault::BadRequest,
            });
        }
        self
    }
}
