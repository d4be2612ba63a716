//! A person says something. It is accepted at any moment, whatever runs.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{MessageReceived, Mode, Principal};
use contract::event::{Actor, Draft, Trust};
use contract::id::{Key, MessageId};
use contract::input::Rejection;
use contract::limits::MESSAGE_BYTES_MAX;
use contract::text::Text;

pub fn accept(state: &State, key: Key, text: Text, mode: Mode, from: Principal) -> Result<Vec<Draft>, Rejection> {
    if state.session.is_none() {
        return Err(Rejection::NoSession);
    }
    if let Some(version) = state.seen.get(&key) {
        return Err(Rejection::Known(*version));
    }
    if text.len() > MESSAGE_BYTES_MAX as u64 {
        return Err(Rejection::TooLong { bytes: text.len(), max: MESSAGE_BYTES_MAX as u64 });
    }
    let mut drafts = Drafts::new(state);
    let name = Key::person("message", &key);
    let message = MessageId::from(drafts.fact_id(&name));
    let about = About { cause: None, call: None, actor: Actor::User(from.clone()), trust: Trust::User };
    drafts.fact(&name, about, MessageReceived { message, key, text, mode, from });
    Ok(drafts.finish())
}
