//! The configuration of a run is resolved: the run starts.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::RunStarted;
use contract::config::ConfigRef;
use contract::effect::EffectId;
use contract::event::Draft;
use contract::id::{Key, RunId};
use contract::input::Rejection;

pub fn accept(state: &State, effect: EffectId, attempt: u16, config: ConfigRef) -> Result<Vec<Draft>, Rejection> {
    let waiting = state.next_message().filter(|message| state.run.is_none() && effect == EffectId::Prepare(message.id));
    let Some(message) = waiting else {
        return Err(Rejection::Stale { effect, attempt });
    };
    let key = Key::outcome(effect, attempt, "run");
    let mut drafts = Drafts::new(state);
    let run = RunId::from(drafts.fact_id(&key));
    drafts.fact(&key, About::system(Some(message.event)), RunStarted { run, message: message.id, config });
    Ok(drafts.finish())
}
