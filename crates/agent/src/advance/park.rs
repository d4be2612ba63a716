//! After a takeover the session may have to wait for a person: by its resume policy, or because it keeps dying.

use crate::draft::{About, Drafts};
use crate::state::{Gate, State};
use contract::ask::{Ask, LimitKind, Subject};
use contract::body::{AskOpened, RunPaused};
use contract::id::AskId;
use contract::limits::RECOVERIES_MAX;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    if state.is_stopping() {
        return;
    }
    let crash_loop = Subject::Limit { limit: LimitKind::CrashLoop, used: state.recoveries.into(), allowed: RECOVERIES_MAX.into() };
    let is_open = state.asks.values().any(|open| open.ask.subject == crash_loop);
    if state.is_crash_looping() && !is_open {
        return open(state, drafts, crash_loop);
    }
    match (state.gate, &state.run) {
        (Some(Gate::Ask), _) => open(state, drafts, Subject::Resume),
        (Some(Gate::Pause), Some(run)) => {
            drafts.intent(About::system(Some(run.started)), RunPaused { run: run.id, by: None, key: None });
        }
        (Some(Gate::Pause), None) | (None, _) => {}
    }
}

/// Opens an ask that the whole session waits for.
pub(super) fn open(state: &State, drafts: &mut Drafts<'_>, subject: Subject) {
    let ask = AskId::at(&state.stream, state.version, subject.kind().name());
    let cause = state.run.as_ref().map(|run| run.started).or(state.session.as_ref().map(|session| session.created));
    drafts.intent(About::system(cause), AskOpened { ask: Ask { ask, subject, until: None } });
}
