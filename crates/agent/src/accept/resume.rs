//! A person says go on. It is recorded also while nothing stands still, because an owner may have died unseen.

use crate::draft::{About, Drafts};
use crate::rest::rest;
use crate::state::State;
use contract::ask::Answer;
use contract::body::{AskAnswered, Principal, RunResumed};
use contract::event::{Actor, Draft, Trust};
use contract::id::Key;
use contract::input::Rejection;
use contract::machine::Rest;

pub fn accept(state: &State, key: Key, by: Principal) -> Result<Vec<Draft>, Rejection> {
    if state.session.is_none() {
        return Err(Rejection::NoSession);
    }
    if let Some(version) = state.seen.get(&key) {
        return Err(Rejection::Known(*version));
    }
    if !state.is_parked() && rest(state) == Rest::Waiting {
        return Err(Rejection::NothingToResume);
    }
    let about = About { cause: None, call: None, actor: Actor::User(by.clone()), trust: Trust::User };
    let mut drafts = Drafts::new(state);
    // Whoever resumes a session answers whatever it was parked on.
    for ask in state.asks.keys() {
        let answered = Key(format!("{key}/{ask}"));
        drafts.fact(
            &Key::person("answer", &answered),
            about.clone(),
            AskAnswered { ask: *ask, key: answered, answer: Answer::Approve, by: by.clone() },
        );
    }
    drafts.fact(&Key::person("resume", &key), about, RunResumed { key, by });
    Ok(drafts.finish())
}
