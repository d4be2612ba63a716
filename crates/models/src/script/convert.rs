//! From a line of the file to a line that can be played: every check happens here, before the first call.

use super::error::BadLine;
use super::wire::{WireCall, WireFail, WireLine, WirePurpose};
use contract::body::{FailureClass, Purpose, Usage};
use regex::Regex;

/// Millionths of a price unit.
const MICROS_PER_UNIT: f64 = 1_000_000.0;

#[derive(Debug)]
pub struct Line {
    /// As an editor counts, from 1.
    pub number: u32,
    pub purpose: WirePurpose,
    /// Answers only sessions started by another session.
    pub child: bool,
    /// Answers out of turn when the newest message matches.
    pub when: Option<Regex>,
    /// How often the line is played in a row.
    pub times: u32,
    /// Whether `{i}` stands for the number of the repetition.
    pub numbered: bool,
    pub pace: Pace,
    pub said: Said,
    pub end: End,
}

#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub delay_ms: u64,
    /// Pause after each word; without it the whole text is one frame.
    pub chunk_ms: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct Said {
    pub thinking: String,
    pub text: String,
}

/// How a line ends.
#[derive(Debug)]
pub enum End {
    Reply { calls: Vec<WireCall>, usage: Usage, cost_micros: Option<u64> },
    Fail(Fail),
}

#[derive(Clone, Copy, Debug)]
pub struct Fail {
    pub class: FailureClass,
    pub retry_after_ms: Option<u64>,
    /// How many bytes of the text are shown before the failure.
    pub after_bytes: usize,
    /// How many attempts fail before the next line has its turn.
    pub attempts: u16,
}

impl Line {
    /// Whether the line is meant for calls of this purpose. All sessions are roots as long as none can start another.
    pub fn answers(&self, purpose: Purpose) -> bool {
        let meant = match purpose {
            Purpose::Reply | Purpose::LastReply => self.purpose == WirePurpose::Reply,
        };
        meant && !self.child
    }
}

pub fn line(number: u32, source: &str) -> Result<Line, BadLine> {
    let wire: WireLine = serde_json::from_str(source)?;
    let says = wire.text.is_some() || wire.thinking.is_some() || !wire.calls.is_empty() || wire.fail.is_some();
    if !says {
        return Err(BadLine::SaysNothing);
    }
    if wire.repeat == Some(0) {
        return Err(BadLine::Zero("repeat"));
    }
    if wire.when.is_some() && wire.repeat.is_some() {
        return Err(BadLine::WhenRepeated);
    }
    Ok(Line {
        number,
        purpose: wire.purpose,
        child: wire.child,
        when: wire.when.as_deref().map(Regex::new).transpose().map_err(BadLine::When)?,
        times: wire.repeat.unwrap_or(1),
        numbered: wire.repeat.is_some(),
        pace: Pace { delay_ms: wire.delay_ms, chunk_ms: wire.chunk_ms },
        end: end(&wire)?,
        said: Said { thinking: wire.thinking.unwrap_or_default(), text: wire.text.unwrap_or_default() },
    })
}

fn end(wire: &WireLine) -> Result<End, BadLine> {
    if let Some(wanted) = &wire.fail {
        return fail(wire, wanted).map(End::Fail);
    }
    let cost_micros = wire.cost.map(micros).transpose()?;
    Ok(End::Reply { calls: wire.calls.clone(), usage: wire.usage.unwrap_or_default(), cost_micros })
}

fn fail(wire: &WireLine, fail: &WireFail) -> Result<Fail, BadLine> {
    // Whoever writes a reply beside `fail` expects this line to answer afterwards, but the next one does.
    let out_of_place = [
        ("calls", !wire.calls.is_empty()),
        ("usage", wire.usage.is_some()),
        ("cost", wire.cost.is_some()),
        ("text", wire.text.is_some() && fail.after_bytes.is_none()),
        ("thinking", wire.thinking.is_some() && fail.after_bytes.is_none()),
    ];
    if let Some((field, _)) = out_of_place.into_iter().find(|(_, present)| *present) {
        return Err(BadLine::FailWithReply(field));
    }
    if fail.after_bytes.is_some() && wire.text.is_none() {
        return Err(BadLine::NothingToBreakOff);
    }
    if fail.times == 0 {
        return Err(BadLine::Zero("times"));
    }
    Ok(Fail {
        class: fail.class.into(),
        retry_after_ms: fail.retry_after_ms,
        after_bytes: fail.after_bytes.unwrap_or(0),
        attempts: fail.times,
    })
}

fn micros(cost: f64) -> Result<u64, BadLine> {
    if cost < 0.0 {
        return Err(BadLine::NegativeCost);
    }
    Ok((cost * MICROS_PER_UNIT).round() as u64)
}
