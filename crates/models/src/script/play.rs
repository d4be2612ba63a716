//! Plays the chosen line: waits, shows the words to whoever is watching, then replies or fails.

use super::choose::Turn;
use super::convert::{End, Fail, Line, Pace, Said};
use super::error::ScriptError;
use super::wire::WireCall;
use contract::body::{FailureClass, Usage};
use contract::port::{Frame, ModelCall, ModelFailure, RawCall, RawPart, RawReply};
use serde_json::Value;
use std::time::Duration;

/// What the model says when its script has no more lines.
const ENDED: &str = "script ended";

/// Stands for the number of the repetition.
const NUMBER: &str = "{i}";

pub async fn play(file: &str, turn: Turn<'_>, call: &ModelCall) -> Result<RawReply, ModelFailure> {
    let Some(line) = turn.line else {
        let said = Said { thinking: String::new(), text: ENDED.to_owned() };
        show(&said, Pace { delay_ms: 0, chunk_ms: None }, call).await;
        return Ok(reply(turn, said.text, Vec::new(), Usage::default(), None, call));
    };
    pause(line.pace.delay_ms).await;
    let mut said = numbered_words(line, turn.i);
    match &line.end {
        End::Reply { calls, usage, cost_micros } => {
            show(&said, line.pace, call).await;
            let calls = calls.iter().enumerate().map(|(index, asked)| raw_call(line, turn.i, index, asked)).collect();
            Ok(reply(turn, said.text, calls, *usage, *cost_micros, call))
        }
        End::Fail(fail) => {
            said.text.truncate(said.text.floor_char_boundary(fail.after_bytes));
            show(&said, line.pace, call).await;
            Err(on_purpose(file, line, fail))
        }
    }
}

/// A script that cannot be gone on with fails for good: no later attempt could read the log differently.
pub fn unplayable(error: ScriptError) -> ModelFailure {
    ModelFailure { class: FailureClass::Permanent, message: error.to_string(), retry_after_ms: None }
}

fn on_purpose(file: &str, line: &Line, fail: &Fail) -> ModelFailure {
    let error = ScriptError::OnPurpose { file: file.to_owned(), line: line.number };
    ModelFailure { class: fail.class, message: error.to_string(), retry_after_ms: fail.retry_after_ms }
}

fn reply(turn: Turn<'_>, text: String, calls: Vec<RawCall>, usage: Usage, cost_micros: Option<u64>, call: &ModelCall) -> RawReply {
    let text = (!text.is_empty()).then_some(RawPart::Text(text));
    let place = turn.place.part(&call.transcript.model);
    let parts = text.into_iter().chain(calls.into_iter().map(RawPart::Call)).chain([place]).collect();
    RawReply { parts, usage, cost_micros }
}

fn raw_call(line: &Line, i: u32, index: usize, asked: &WireCall) -> RawCall {
    let mut asked = asked.clone();
    if line.numbered {
        asked.tool = numbered(&asked.tool, i);
        number_strings(&mut asked.args, i);
    }
    RawCall { provider_call: format!("script-{}-{i}-{index}", line.number), tool: asked.tool, args: asked.args.to_string() }
}

fn numbered_words(line: &Line, i: u32) -> Said {
    if !line.numbered {
        return line.said.clone();
    }
    Said { thinking: numbered(&line.said.thinking, i), text: numbered(&line.said.text, i) }
}

fn numbered(text: &str, i: u32) -> String {
    text.replace(NUMBER, &i.to_string())
}

/// Field names stay as they are: two of them could become one.
fn number_strings(value: &mut Value, i: u32) {
    match value {
        Value::String(text) => *text = numbered(text, i),
        Value::Array(values) => values.iter_mut().for_each(|value| number_strings(value, i)),
        Value::Object(fields) => fields.values_mut().for_each(|value| number_strings(value, i)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

async fn show(said: &Said, pace: Pace, call: &ModelCall) {
    for (offset, chunk) in chunks(&said.thinking, pace) {
        call.live.show(Frame::ModelThinking {
            stream: call.stream.clone(),
            request: call.request,
            attempt: call.attempt,
            offset,
            text: chunk.to_owned(),
        });
        pause(pace.chunk_ms.unwrap_or(0)).await;
    }
    for (offset, chunk) in chunks(&said.text, pace) {
        call.live.show(Frame::ModelText {
            stream: call.stream.clone(),
            request: call.request,
            attempt: call.attempt,
            offset,
            text: chunk.to_owned(),
        });
        pause(pace.chunk_ms.unwrap_or(0)).await;
    }
}

/// Word by word with the white space after it, or all at once; each with the byte it begins at.
fn chunks(text: &str, pace: Pace) -> Vec<(u64, &str)> {
    let pieces: Vec<&str> = match pace.chunk_ms {
        Some(_) => text.split_inclusive(char::is_whitespace).collect(),
        None => Some(text).filter(|text| !text.is_empty()).into_iter().collect(),
    };
    let place = |end: &mut u64, piece: &'_ str| Some(std::mem::replace(end, *end + piece.len() as u64));
    pieces.iter().copied().scan(0, place).zip(pieces.iter().copied()).collect()
}

async fn pause(ms: u64) {
    if ms > 0 {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}
