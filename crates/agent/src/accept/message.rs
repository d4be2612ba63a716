//! A person says something. It is accepted at any moment, whatever runs.
//!
//! What is said while something is asked may be the answer: any text answers a question, a bare yes or no answers
//! whatever else is the only thing asked.

use super::{about_person, answer, check_new};
use crate::draft::{About, Drafts};
use crate::state::{OpenAsk, State};
use crate::words::{Word, word};
use contract::ask::{Answer, AskKind};
use contract::body::{MessageReceived, Mode, Principal, ToolProgress};
use contract::event::{Actor, Draft, Trust};
use contract::id::{Key, MessageId};
use contract::input::{OutputTail, Rejection};
use contract::limits::{INBOX_MAX, MESSAGE_BYTES_MAX};
use contract::planted::{self, Bug};
use contract::text::Text;
use contract::units::{Time, Version};
use std::collections::BTreeSet;

/// What a person said, and how they meant it.
pub struct Said {
    pub key: Key,
    pub text: Text,
    pub mode: Mode,
    pub from: Principal,
    /// How far they had seen the session.
    pub seen: Version,
}

pub fn accept(state: &State, said: Said, tails: Vec<OutputTail>, now: Time) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &said.key)?;
    if let Some(before) = state.inbox.last().filter(|_| planted::active(Bug::DedupeByTime)) {
        return Err(Rejection::Known(before.version));
    }
    if said.text.len() > MESSAGE_BYTES_MAX as u64 {
        return Err(Rejection::TooLong { bytes: said.text.len(), max: MESSAGE_BYTES_MAX as u64 });
    }
    let mut drafts = Drafts::new(state);
    if let Some((open, answer)) = as_answer(state, &said, now)? {
        answer::draft(&mut drafts, state, open, said.key, answer, said.from);
        return Ok(drafts.finish());
    }
    if said.mode != Mode::Status && state.inbox.len() >= INBOX_MAX {
        return Err(Rejection::InboxFull { waiting: state.inbox.len() });
    }
    let mut told = BTreeSet::new();
    for tail in tails.into_iter().filter(|tail| told.insert(tail.action)) {
        progress(&mut drafts, state, &said.key, tail);
    }
    let Said { key, text, mode, from, .. } = said;
    let name = Key::person("message", &key);
    let message = MessageId::from(drafts.fact_id(&name));
    drafts.fact(&name, about_person(&from), MessageReceived { message, key, text, mode, from });
    Ok(drafts.finish())
}

/// The ask that these words answer, if they do.
fn as_answer<'a>(state: &'a State, said: &Said, now: Time) -> Result<Option<(&'a OpenAsk, Answer)>, Rejection> {
    // Whoever interrupts wants what runs to end, and not to answer what it asks.
    if said.mode != Mode::Steer {
        return Ok(None);
    }
    let answerable = state.asks.keys().filter_map(|ask| answer::open_ask(state, *ask, now).ok());
    let open: Vec<&OpenAsk> = answerable.filter(|open| open.version <= said.seen).collect();
    let question = open.iter().find(|open| open.ask.subject.kind() == AskKind::Question);
    let word = word(&said.text.shown());
    match (open.as_slice(), question, word) {
        ([_, _, ..], _, Some(_)) => Err(Rejection::SeveralAsks(open.iter().map(|open| open.ask.ask).collect())),
        (_, Some(question), _) => Ok(Some((*question, Answer::Reply(said.text.clone())))),
        ([only], None, Some(Word::Yes)) => Ok(Some((*only, Answer::YES))),
        ([only], None, Some(Word::No)) => Ok(Some((*only, Answer::NO))),
        (_, None, _) => Ok(None),
    }
}

/// What a call had printed by then; of one that has ended since, its outcome says more.
fn progress(drafts: &mut Drafts<'_>, state: &State, key: &Key, tail: OutputTail) {
    let Some((id, call)) = state.call_of(tail.action) else { return };
    if let Some(attempt) = call.attempt().filter(|attempt| attempt.number == tail.attempt) {
        let about = About { cause: Some(attempt.started), call: Some(id), actor: Actor::Tool(call.tool.clone()), trust: Trust::Tool };
        let name = Key::person(&format!("progress/{}", tail.action), key);
        drafts.fact(&name, about, ToolProgress { action: tail.action, attempt: tail.attempt, output: tail.output });
    }
}
