//! After a takeover the session may have to wait for a person: by its resume policy, or because it keeps dying.

use crate::draft::{About, Drafts};
use crate::state::{Gate, State};
use contract::ask::{Ask, AskKind};
use contract::body::{AskOpened, RunPaused};
use contract::id::{AskId, derive};
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    let is_open = |kind| state.asks.values().any(|ask| ask.kind == kind);
    if state.is_crash_looping() && !is_open(AskKind::CrashLoop) {
        return open(state, drafts, AskKind::CrashLoop);
    }
    match (state.gate, &state.run) {
        (Some(Gate::Ask), _) => open(state, drafts, AskKind::Resume),
        (Some(Gate::Pause), Some(run)) => drafts.intent(About::system(Some(run.started)), RunPaused { run: run.id }),
        (Some(Gate::Pause), None) | (None, _) => {}
    }
}

fn open(state: &State, drafts: &mut Drafts<'_>, kind: AskKind) {
    let name = match kind {
        AskKind::Resume => "resume",
        AskKind::CrashLoop => "crash_loop",
    };
    let ask = AskId(derive("ask", &[state.stream.as_str().as_bytes(), &state.version.0.to_be_bytes(), name.as_bytes()]));
    let cause = state.run.as_ref().map(|run| run.started).or(state.session.as_ref().map(|session| session.created));
    drafts.intent(About::system(cause), AskOpened { ask: Ask { ask, kind, until: None } });
}
