//! A person takes back a message. What a model was shown, or what its run was started for, stays said.

use super::{about_person, check_new};
use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{MessageWithdrawn, Principal};
use contract::event::Draft;
use contract::id::Key;
use contract::input::Rejection;

pub fn accept(state: &State, key: Key, message: &Key, by: Principal) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &key)?;
    let trigger = state.run.as_ref().map(|run| run.message);
    let waiting = state.inbox.iter().find(|waiting| waiting.key == *message && Some(waiting.id) != trigger);
    let Some(waiting) = waiting else {
        return Err(Rejection::NotWaiting(message.clone()));
    };
    let mut drafts = Drafts::new(state);
    let about = About { cause: Some(waiting.event), ..about_person(&by) };
    drafts.fact(&Key::person("withdraw", &key), about, MessageWithdrawn { message: waiting.id, key, by });
    Ok(drafts.finish())
}
