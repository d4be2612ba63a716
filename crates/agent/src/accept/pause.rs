//! A person wants the run to stand still: what it has begun goes on, nothing else begins.

use super::{about_person, check_new};
use crate::draft::Drafts;
use crate::state::State;
use contract::body::{Principal, RunPaused};
use contract::event::Draft;
use contract::id::Key;
use contract::input::Rejection;

pub fn accept(state: &State, key: Key, by: Principal) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &key)?;
    let Some(run) = state.run.as_ref().filter(|run| !run.paused && run.stop.is_none()) else {
        return Err(Rejection::NothingToPause);
    };
    let mut drafts = Drafts::new(state);
    let about = about_person(&by);
    drafts.fact(&Key::person("pause", &key), about, RunPaused { run: run.id, by: Some(by), key: Some(key) });
    Ok(drafts.finish())
}
