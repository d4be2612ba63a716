//! A person wants the work to stop. The wish is durable before anything is stopped.

use super::{about_person, check_new};
use crate::draft::Drafts;
use crate::state::State;
use contract::body::{Principal, RunCancelRequested, Scope};
use contract::event::Draft;
use contract::id::Key;
use contract::input::Rejection;

pub fn accept(state: &State, key: Key, scope: Scope, by: Principal) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &key)?;
    let going = match (&state.run, scope) {
        (Some(run), Scope::Turn) => run.stop.is_none(),
        (Some(_), Scope::All) => true,
        (None, Scope::Turn) => state.next_message().is_some(),
        (None, Scope::All) => state.next_message().is_some() || !state.calls.is_empty(),
    };
    if !going {
        return Err(Rejection::NothingToStop);
    }
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key::person("stop", &key), about_person(&by), RunCancelRequested { key, scope, by });
    Ok(drafts.finish())
}
