//! What the model is shown by the open call. Pure, so that any past request can be computed again and checked.

use crate::state::State;
use contract::request::ModelRequest;

#[must_use]
pub fn context(state: &State) -> Option<ModelRequest> {
    let run = state.run.as_ref()?;
    state.model.as_ref()?;
    Some(ModelRequest { model: run.model.clone(), config: run.config.sha256, items: state.transcript.sealed().to_vec() })
}
