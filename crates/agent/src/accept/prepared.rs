//! The configuration of a run is resolved: what it was made of is recorded, and the run starts.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{ResourceLoaded, RunStarted};
use contract::config::ConfigRef;
use contract::effect::EffectId;
use contract::event::{Draft, Trust};
use contract::id::{Key, RunId};
use contract::input::Rejection;

pub fn accept(
    state: &State,
    effect: EffectId,
    attempt: u16,
    config: ConfigRef,
    resources: Vec<ResourceLoaded>,
) -> Result<Vec<Draft>, Rejection> {
    let waiting = state.next_message().filter(|message| state.run.is_none() && effect == EffectId::Prepare(message.id));
    let Some(message) = waiting else {
        return Err(Rejection::Stale { effect, attempt });
    };
    let key = Key::outcome(effect, attempt, "run");
    let mut drafts = Drafts::new(state);
    let run = RunId::from(drafts.fact_id(&key));
    for (number, loaded) in resources.into_iter().enumerate() {
        let trust = if loaded.trusted { Trust::User } else { Trust::Untrusted };
        let about = About { trust, ..About::system(Some(message.event)) };
        drafts.fact(&Key::outcome(effect, attempt, &format!("resource/{number}")), about, loaded);
    }
    drafts.fact(&key, About::system(Some(message.event)), RunStarted { run, message: message.id, config });
    Ok(drafts.finish())
}
