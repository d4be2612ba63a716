//! A model call of an earlier owner: its answer, if there was one, is lost. It is recorded as interrupted.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{FailureClass, ModelFailed};
use contract::text::Text;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    let Some(model) = state.model.as_ref().filter(|model| model.epoch < state.epoch()) else {
        return;
    };
    let failed = ModelFailed {
        request: model.request,
        attempt: model.attempt,
        class: FailureClass::Interrupted,
        recoverable: true,
        retry_after_ms: None,
        day: None,
        message: Text::Inline(String::new()),
    };
    drafts.intent(About::system(Some(model.request)), failed);
}
