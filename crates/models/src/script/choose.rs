//! Which line has its turn: decided from the call alone.
//!
//! The lines that could answer stand in a row: first those whose `when` matches, then the main sequence after the
//! place of the last reply. Failing lines at the head of the row use up the attempts of the call, each as many as it
//! asks for; the line that is reached then has its turn. Nothing of a failure is carried on except through the place
//! of the reply that follows it, so a call that gave up for good meets the same failure when it is asked again.

use super::convert::{End, Line};
use super::error::ScriptError;
use super::place::Place;
use contract::port::ModelCall;
use contract::request::{Item, ModelRequest};

/// A line in its turn, or the end of the script.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub line: Option<&'a Line>,
    /// Number of the repetition; for a line out of turn, number of the reply, so that its calls have names of their own.
    pub i: u32,
    /// The place that the reply carries.
    pub place: Place,
}

pub fn choose<'a>(file: &str, lines: &'a [Line], call: &ModelCall) -> Result<Turn<'a>, ScriptError> {
    let place = Place::find(file, &call.transcript)?;
    let meant = || lines.iter().filter(|line| line.answers(call.purpose));
    let newest = newest_message(&call.transcript);
    let reply_number = 1 + replies(&call.transcript);
    let out_of_turn = meant()
        .filter(|line| matches!((&line.when, &newest), (Some(when), Some(message)) if when.is_match(message)))
        .map(|line| Turn { line: Some(line), i: reply_number, place });
    let main = || meant().filter(|line| line.when.is_none());
    let in_turn = main().flat_map(|line| after(place, line));
    let mut attempt = call.attempt.max(1);
    for turn in out_of_turn.chain(in_turn) {
        match turn.line.map(|line| &line.end) {
            Some(End::Fail(fail)) if attempt > fail.attempts => attempt -= fail.attempts,
            Some(End::Fail(_) | End::Reply { .. }) | None => return Ok(turn),
        }
    }
    // The end carries the last place, else a failing last line would fail again in the next turn.
    let last = main().next_back().map_or(Place::START, |line| Place { line: line.number, i: line.times });
    Ok(Turn { line: None, i: 1, place: last.max(place) })
}

/// The repetitions of a line that come after the place.
fn after(place: Place, line: &Line) -> impl Iterator<Item = Turn<'_>> {
    let first = match line.number.cmp(&place.line) {
        std::cmp::Ordering::Less => line.times.saturating_add(1),
        std::cmp::Ordering::Equal => place.i.saturating_add(1),
        std::cmp::Ordering::Greater => 1,
    };
    (first..=line.times).map(move |i| Turn { line: Some(line), i, place: Place { line: line.number, i } })
}

/// The newest message that no reply has followed yet; an answered one must not be answered out of turn again.
fn newest_message(transcript: &ModelRequest) -> Option<String> {
    let unanswered = transcript.items.iter().rev().take_while(|item| !matches!(item.as_ref(), Item::Assistant(_)));
    unanswered.filter_map(|item| if let Item::Message(text) = item.as_ref() { Some(text.shown()) } else { None }).next()
}

fn replies(transcript: &ModelRequest) -> u32 {
    let count = transcript.items.iter().filter(|item| matches!(item.as_ref(), Item::Assistant(_))).count();
    u32::try_from(count).unwrap_or(u32::MAX - 1)
}
