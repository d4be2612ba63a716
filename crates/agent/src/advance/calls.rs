//! Open calls: start what may run, end what may not, and never run twice what could have had an effect.

use crate::draft::{About, Drafts};
use crate::prompts;
use crate::state::{Call, Run, Stage, State};
use contract::body::{ActionWithdrawn, OwnerTaken, Purpose, ToolReconciled, ToolStarted, UnknownReason, Verdict, WithdrawReason};
use contract::id::CallId;
use contract::limits::{ATTEMPTS_MAX, PARALLEL_TOOLS_MAX};
use contract::text::Text;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    let (Some(run), Some(owner)) = (&state.run, &state.owner) else {
        return;
    };
    withdraw_undecided(state, drafts);
    let mut running = state.running();
    for (id, call) in &state.calls {
        let startable = running < PARALLEL_TOOLS_MAX;
        match &call.stage {
            Stage::Started(_) => {}
            Stage::Unknown if !may_repeat(run, call) => end(state, run, drafts, *id, call),
            Stage::Decided if forbidden(state, run, call).is_some() => end(state, run, drafts, *id, call),
            Stage::Unknown | Stage::Decided if startable => {
                running += 1;
                start(drafts, owner, *id, call);
            }
            Stage::Unknown | Stage::Decided => {}
        }
    }
}

/// Ends a call that will not be started, or not again. What may have run is never called "not run".
fn end(state: &State, run: &Run, drafts: &mut Drafts<'_>, id: CallId, call: &Call) {
    match (&call.lost, forbidden(state, run, call)) {
        (Some(lost), _) => reconcile(drafts, id, call, lost.reason),
        (None, Some((reason, note))) => withdraw(drafts, id, call, reason, note),
        (None, None) => {}
    }
}

fn withdraw_undecided(state: &State, drafts: &mut Drafts<'_>) {
    let Some(reply) = &state.reply else { return };
    for call in reply.undecided.keys() {
        let note = prompts::withdrawn_never_decided();
        let withdrawn = ActionWithdrawn { call: *call, action: None, reason: WithdrawReason::NeverDecided, note };
        drafts.intent(About::agent(reply.completed).call(*call), withdrawn);
    }
}

/// Why the call may not start, or not again.
fn forbidden(state: &State, run: &Run, call: &Call) -> Option<(WithdrawReason, Text)> {
    if run.denied {
        return Some((WithdrawReason::Denied, prompts::withdrawn_denied()));
    }
    // An attempt that surely had no effect may be repeated, but a tool that cannot start must not be tried for ever.
    if call.attempts >= ATTEMPTS_MAX {
        return Some((WithdrawReason::Limit, prompts::withdrawn_never_started()));
    }
    let last = state.reply.as_ref().is_some_and(|reply| reply.purpose == Purpose::LastReply);
    last.then(|| (WithdrawReason::Limit, prompts::withdrawn_limit()))
}

fn may_repeat(run: &Run, call: &Call) -> bool {
    call.class.repeatable() && call.attempts < ATTEMPTS_MAX && !run.denied
}

fn start(drafts: &mut Drafts<'_>, owner: &OwnerTaken, id: CallId, call: &Call) {
    let started = ToolStarted {
        action: call.action,
        attempt: call.attempts + 1,
        epoch: owner.epoch,
        machine: owner.machine,
        boot: owner.boot.clone(),
    };
    drafts.intent(About::agent(call.decided).call(id), started);
}

fn withdraw(drafts: &mut Drafts<'_>, id: CallId, call: &Call, reason: WithdrawReason, note: Text) {
    let withdrawn = ActionWithdrawn { call: id, action: Some(call.action), reason, note };
    drafts.intent(About::agent(call.decided).call(id), withdrawn);
}

fn reconcile(drafts: &mut Drafts<'_>, id: CallId, call: &Call, reason: UnknownReason) {
    let reconciled = ToolReconciled { action: call.action, verdict: Verdict::Told, note: prompts::unknown_outcome(reason) };
    drafts.intent(About::agent(call.decided).call(id), reconciled);
}
