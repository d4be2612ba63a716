//! A session begins where another one was. No input of a session: the one that it is about does not exist yet.

use super::about_person;
use crate::draft::Drafts;
use crate::prompts;
use crate::state::State;
use contract::body::{Principal, SessionForked};
use contract::event::Draft;
use contract::id::{Key, SessionId, Sha256, StreamId};
use contract::input::Rejection;

/// The first event of a fork. `state` is the other session at the version where it is forked, under the name of the
/// fork; `hash` is the other session's chain hash there.
pub fn fork(state: &State, from: SessionId, hash: Sha256, by: Principal) -> Result<Vec<Draft>, Rejection> {
    if state.session.is_none() {
        return Err(Rejection::NoSession);
    }
    if state.stream == StreamId::session(from) {
        return Err(Rejection::Exists);
    }
    let about = about_person(&by);
    let forked = SessionForked { from, at: state.version, hash, note: prompts::forked(), by };
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key("fork".to_owned()), about, forked);
    Ok(drafts.finish())
}
