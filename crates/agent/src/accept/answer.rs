//! A person answers an ask. The first answer in the log wins.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::ask::Answer;
use contract::body::{AskAnswered, Principal};
use contract::event::{Actor, Draft, Trust};
use contract::id::{AskId, Key};
use contract::input::Rejection;
use contract::units::Time;

pub fn accept(state: &State, ask: AskId, key: Key, answer: Answer, by: Principal, now: Time) -> Result<Vec<Draft>, Rejection> {
    if let Some(version) = state.seen.get(&key) {
        return Err(Rejection::Known(*version));
    }
    let Some(open) = state.asks.get(&ask) else {
        return Err(Rejection::NoSuchAsk(ask));
    };
    if open.until.is_some_and(|until| now >= until) {
        return Err(Rejection::AskExpired(ask));
    }
    let about = About { cause: None, call: None, actor: Actor::User(by.clone()), trust: Trust::User };
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key::person("answer", &key), about, AskAnswered { ask, key, answer, by });
    Ok(drafts.finish())
}
