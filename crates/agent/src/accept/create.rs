//! A session begins.

use super::about_person;
use crate::draft::Drafts;
use crate::state::State;
use contract::body::{Origin, Principal, SessionCreated};
use contract::config::Options;
use contract::event::Draft;
use contract::id::Key;
use contract::input::Rejection;

pub fn accept(state: &State, folder: String, options: Options, origin: Option<Origin>, by: Principal) -> Result<Vec<Draft>, Rejection> {
    if state.session.is_some() {
        return Err(Rejection::Exists);
    }
    let about = about_person(&by);
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key("create".to_owned()), about, SessionCreated { folder, options, origin, by });
    Ok(drafts.finish())
}
