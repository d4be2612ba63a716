//! A person says go on. It is recorded also while nothing stands still, because an owner may have died unseen.

use super::{about_person, answer, check_new};
use crate::draft::Drafts;
use crate::rest::rest;
use crate::state::State;
use contract::ask::Answer;
use contract::body::{Principal, RunResumed};
use contract::event::Draft;
use contract::id::Key;
use contract::input::Rejection;
use contract::machine::Rest;

pub fn accept(state: &State, key: Key, by: Principal) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &key)?;
    if !state.is_parked() && rest(state) == Rest::Waiting {
        return Err(Rejection::NothingToResume);
    }
    let mut drafts = Drafts::new(state);
    // Whoever resumes a session has said that it may go on, and nothing else.
    for open in state.asks.values().filter(|open| open.ask.subject.is_answered_by_resume()) {
        let answered = Key(format!("{key}/{}", open.ask.ask));
        answer::draft(&mut drafts, state, open, answered, Answer::YES, by.clone());
    }
    let about = about_person(&by);
    drafts.fact(&Key::person("resume", &key), about, RunResumed { key, by });
    Ok(drafts.finish())
}
