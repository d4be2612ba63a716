//! Open calls: start what may run, ask about what needs an answer, end what may not, and never run twice what could
//! have had an effect.

use super::{budget, halt};
use crate::draft::{About, Drafts};
use crate::ledger::{self, Reached};
use crate::policy::{Judgement, judge};
use crate::prompts;
use crate::state::{Call, Halt, Lost, Run, Stage, State};
use contract::ask::{Ask, Subject};
use contract::body::{ActionWithdrawn, AskOpened, OwnerTaken, Purpose, TimerSet, ToolReconciled, ToolStarted, Verdict, WithdrawReason};
use contract::call::{Class, Wants};
use contract::config::OnUnknown;
use contract::id::{AskId, CallId, TimerId};
use contract::limits::{ATTEMPTS_MAX, PARALLEL_TOOLS_MAX};
use contract::planted::{self, Bug};
use contract::text::Text;
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    let Some(owner) = &state.owner else { return };
    withdraw_undecided(state, drafts);
    let mut deciding = Deciding { state, owner, now, drafts, running: state.running(), started: 0, reached: None };
    for (id, call) in &state.calls {
        match &call.stage {
            Stage::Started(_) | Stage::Held(_) | Stage::Waiting { .. } => {}
            Stage::Refused(reason, note) => deciding.end(*id, call, *reason, note.clone()),
            Stage::Judged(verdict, message) => deciding.judged(*id, call, *verdict, message.as_ref()),
            Stage::Unknown if !call.class.repeatable() => deciding.unknown(*id, call),
            Stage::Unknown | Stage::Decided => deciding.decide(*id, call),
        }
    }
    // What fits is started first; the ask comes when nothing else is left to say.
    if let Some(reached) = deciding.reached.filter(|_| drafts.is_empty()) {
        budget::open(state, drafts, reached);
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

/// One round over the open calls.
struct Deciding<'s, 'd, 'x> {
    state: &'s State,
    owner: &'s OwnerTaken,
    now: Time,
    drafts: &'x mut Drafts<'d>,
    running: usize,
    /// First attempts of this round.
    started: u64,
    /// The limit that stands in the way of a call.
    reached: Option<Reached>,
}

impl Deciding<'_, '_, '_> {
    /// A call that is to be started, or started again.
    fn decide(&mut self, id: CallId, call: &Call) {
        if let Some((reason, note)) = self.forbidden(call) {
            return self.end(id, call, reason, note);
        }
        let Some(run) = &self.state.run else {
            return self.start_without_run(id, call);
        };
        match (judge(self.state, call), &call.prepared.wants) {
            (Judgement::Deny(rule), _) => self.end(id, call, WithdrawReason::Rule, prompts::withdrawn_rule(rule)),
            (Judgement::Ask(_), _) if !self.is_approved(call) => self.ask(run, id, call),
            (_, Some(Wants::Answer { question })) => self.question(id, call, question),
            (_, Some(Wants::Wait { ms })) => self.wait(id, call, *ms),
            (_, None) if self.may_spend(run, call) => self.start(id, call),
            (_, None) => {}
        }
    }

    /// What runs in the background was allowed when it was first started; nothing new is started without a run.
    fn start_without_run(&mut self, id: CallId, call: &Call) {
        let still_approved = call.approved_until.is_none() || self.is_approved(call);
        if call.attempts > 0 && still_approved {
            return self.start(id, call);
        }
        self.end(id, call, WithdrawReason::Expired, prompts::withdrawn_lapsed());
    }

    /// Why the call may not start, or not again.
    fn forbidden(&self, call: &Call) -> Option<(WithdrawReason, Text)> {
        if let Some(halt) = halt::reason(self.state, call) {
            return Some(match halt {
                Halt::Stopped => (WithdrawReason::Stopped, prompts::withdrawn_stopped()),
                Halt::NewerMessage => (WithdrawReason::NewerMessage, prompts::withdrawn_newer_message()),
            });
        }
        // An attempt that surely had no effect may be repeated, but a tool that cannot start must not be tried for ever.
        if call.attempts >= ATTEMPTS_MAX {
            return Some((WithdrawReason::Limit, prompts::withdrawn_never_started()));
        }
        let last = self.state.reply.as_ref().is_some_and(|reply| reply.purpose == Purpose::LastReply);
        if last {
            return Some((WithdrawReason::Limit, prompts::withdrawn_limit()));
        }
        // The model had not seen the message when it made the call; only what changes nothing and needs nobody's word is
        // run all the same.
        let asks = matches!(call.prepared.wants, Some(Wants::Answer { .. })) || (judge(self.state, call).asks() && !self.is_approved(call));
        let harmless = call.class == Class::Pure && !asks;
        let stale = !harmless && self.state.showable().next().is_some();
        stale.then(|| (WithdrawReason::NewerMessage, prompts::withdrawn_newer_message()))
    }

    fn is_approved(&self, call: &Call) -> bool {
        call.approved_until.is_some_and(|until| self.now < until || planted::active(Bug::ApprovalForEver))
    }

    fn ask(&mut self, run: &Run, id: CallId, call: &Call) {
        let subject = Subject::Tool {
            call: id,
            action: call.action,
            tool: call.tool.clone(),
            args_hash: call.args_hash,
            witness: call.prepared.witness,
            risk: call.risk,
        };
        self.open(id, call, subject, Some(self.now.plus_ms(run.config.policy.ask_valid_ms)));
    }

    fn question(&mut self, id: CallId, call: &Call, question: &Text) {
        let subject = Subject::Question { call: id, action: call.action, question: question.clone() };
        self.open(id, call, subject, None);
    }

    fn open(&mut self, id: CallId, call: &Call, subject: Subject, until: Option<Time>) {
        let ask = AskId::at(&self.state.stream, self.state.version, &id.to_string());
        self.drafts.intent(About::agent(call.decided).call(id), AskOpened { ask: Ask { ask, subject, until } });
    }

    fn wait(&mut self, id: CallId, call: &Call, ms: u64) {
        let set = TimerSet { timer: TimerId::of(call.action), action: call.action, at: self.now.plus_ms(ms) };
        self.drafts.intent(About::agent(call.decided).call(id), set);
    }

    /// Whether the ledger has room for one more call; an action counts once.
    fn may_spend(&mut self, run: &Run, call: &Call) -> bool {
        if call.attempts > 0 || self.running >= PARALLEL_TOOLS_MAX {
            return true;
        }
        let reached = ledger::before_tool(self.state, run, self.started);
        self.reached = self.reached.or(reached);
        reached.is_none()
    }

    fn start(&mut self, id: CallId, call: &Call) {
        if self.running >= PARALLEL_TOOLS_MAX {
            return;
        }
        self.running += 1;
        self.started += u64::from(call.attempts == 0);
        let started = ToolStarted {
            action: call.action,
            attempt: call.attempts + 1,
            epoch: self.owner.epoch,
            machine: self.owner.machine,
            boot: self.owner.boot.clone(),
        };
        self.drafts.intent(About::agent(call.decided).call(id), started);
    }

    /// Ends a call that will not be started, or not again. What may have run is never called "not run".
    fn end(&mut self, id: CallId, call: &Call, reason: WithdrawReason, note: Text) {
        if let Some(lost) = &call.lost {
            return self.tell(id, call, lost);
        }
        let withdrawn = ActionWithdrawn { call: id, action: Some(call.action), reason, note };
        self.drafts.intent(About::agent(call.decided).call(id), withdrawn);
    }

    /// Nobody can find out what became of it.
    fn unknown(&mut self, id: CallId, call: &Call) {
        // Without a run nothing waits for the answer: the next one is told.
        let asks = self.state.run.as_ref().is_some_and(|run| run.config.policy.on_unknown == OnUnknown::Ask);
        match &call.lost {
            Some(_) if asks && halt::reason(self.state, call).is_none() => {
                let subject = Subject::Reconcile { call: id, action: call.action, attempt: call.attempts, tool: call.tool.clone() };
                self.open(id, call, subject, None);
            }
            Some(lost) => self.tell(id, call, lost),
            None => {}
        }
    }

    fn tell(&mut self, id: CallId, call: &Call, lost: &Lost) {
        self.reconcile(id, call, Verdict::Told, prompts::unknown_outcome(lost.reason));
    }

    fn judged(&mut self, id: CallId, call: &Call, verdict: Verdict, message: Option<&Text>) {
        let note = prompts::judged(verdict == Verdict::Happened, message);
        self.reconcile(id, call, verdict, note);
    }

    fn reconcile(&mut self, id: CallId, call: &Call, verdict: Verdict, note: Text) {
        let reconciled = ToolReconciled { action: call.action, verdict, note };
        self.drafts.intent(About::agent(call.decided).call(id), reconciled);
    }
}
