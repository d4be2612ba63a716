//! A host takes the stream. From this event on only its epoch decides.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::OwnerTaken;
use contract::event::Draft;
use contract::id::{BootId, HostId, Key, MachineId};
use contract::input::Rejection;
use contract::units::Epoch;

pub fn accept(state: &State, epoch: Epoch, host: HostId, machine: MachineId, boot: BootId) -> Result<Vec<Draft>, Rejection> {
    let Some(session) = &state.session else {
        return Err(Rejection::NoSession);
    };
    if epoch <= state.epoch() {
        return Err(Rejection::OldEpoch { offered: epoch, current: state.epoch() });
    }
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key::owner(epoch), About::system(Some(session.created)), OwnerTaken { epoch, host, machine, boot });
    Ok(drafts.finish())
}
