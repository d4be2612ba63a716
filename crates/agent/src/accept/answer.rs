//! A person answers an ask. The first answer in the log wins.

use super::{about_person, check_new};
use crate::draft::{About, Drafts};
use crate::policy::grantable;
use crate::state::{OpenAsk, State};
use contract::ask::{Answer, AskKind, Grant, Subject};
use contract::body::{AskAnswered, Principal};
use contract::event::Draft;
use contract::id::{AskId, Key};
use contract::input::Rejection;
use contract::rule::Rule;
use contract::units::Time;

pub fn accept(state: &State, ask: AskId, key: Key, answer: Answer, by: Principal, now: Time) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &key)?;
    let open = open_ask(state, ask, now)?;
    let kind = open.ask.subject.kind();
    // Other arguments are another call, which must be prepared and judged first.
    if !answer.fits(kind) || matches!(answer, Answer::Edit { .. }) {
        return Err(Rejection::NotAnAnswer { ask, kind });
    }
    // What cannot be told by a rule cannot be allowed for longer than once.
    if outlasts(&answer) && exact_rule(state, &open.ask.subject).is_none() {
        return Err(Rejection::NotAnAnswer { ask, kind });
    }
    let mut drafts = Drafts::new(state);
    draft(&mut drafts, state, open, key, answer, by);
    Ok(drafts.finish())
}

/// An ask that can be answered at this time.
pub(super) fn open_ask(state: &State, ask: AskId, now: Time) -> Result<&OpenAsk, Rejection> {
    let open = state.asks.get(&ask).ok_or(Rejection::NoSuchAsk(ask))?;
    if open.ask.until.is_some_and(|until| now >= until) {
        return Err(Rejection::AskExpired(ask));
    }
    match state.overtaking(open) {
        Some(_) => Err(Rejection::AskSuperseded(ask)),
        None => Ok(open),
    }
}

pub(super) fn draft(drafts: &mut Drafts<'_>, state: &State, open: &OpenAsk, key: Key, answer: Answer, by: Principal) {
    let about = About { cause: Some(open.opened), call: open.ask.subject.call(), ..about_person(&by) };
    let rule = if outlasts(&answer) { exact_rule(state, &open.ask.subject) } else { None };
    drafts.fact(&Key::person("answer", &key), about, AskAnswered { ask: open.ask.ask, key, answer, rule, by });
}

/// Whether it allows more than the one call that was asked about.
fn outlasts(answer: &Answer) -> bool {
    match answer {
        Answer::Approve { grant: Grant::Session | Grant::Always } => true,
        Answer::Approve { grant: Grant::Once } | Answer::Edit { .. } | Answer::Deny { .. } | Answer::Reply(_) | Answer::Extend { .. } => {
            false
        }
    }
}

/// The narrowest rule that allows the held call again.
fn exact_rule(state: &State, subject: &Subject) -> Option<Rule> {
    if subject.kind() != AskKind::Tool {
        return None;
    }
    let call = state.calls.get(&subject.call()?)?;
    grantable(state, call)
}
