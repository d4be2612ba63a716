//! What each event changes in the account of the monitor, and what it may not be.

use super::actions::{Action, Approval};
use super::asks::Asks;
use super::deliveries::Deliveries;
use super::spent::Spent;
use super::{Ending, Invariant, ModelCall, Monitor, OpenRun, Violation, hold};
use contract::ask::{Answer, Ask, LimitKind, Subject};
use contract::body::{
    AskAnswered, AskSuperseded, Body, FailureClass, MessageReceived, Mode, ModelAborted, ModelCompleted, ModelFailed, ModelRequested,
    Purpose, RunStarted, Scope, Spend, SupersedeReason, ToolStarted, Warning,
};
use contract::call::{Class, Risk};
use contract::config::Autonomy;
use contract::event::Event;
use contract::id::{EventId, RunId};
use contract::limits::{APPROVAL_VALID_MS, EMPTY_REPLIES_MAX};
use contract::request::Part;
use contract::rule::{Rule, RuleEffect, allowing};
use contract::units::{Epoch, Time};

impl Monitor {
    pub(super) fn account(&mut self, event: &Event) -> Result<(), Violation> {
        match &event.draft.body {
            Body::SessionCreated(_)
            | Body::PolicyRuleAdded(_)
            | Body::PolicyRuleRemoved(_)
            | Body::HostQuarantined(_)
            | Body::HostRecovered(_)
            | Body::HostStarted(_)
            | Body::HostStopped(_) => {}
            Body::BudgetWarned(warned) => self.warn(&warned.warning)?,
            Body::DeliveryStarted(started) => self.deliveries.start(event.draft.id, started)?,
            Body::DeliveryFinished(finished) => self.deliveries.end(finished.delivery, true)?,
            Body::DeliveryFailed(failed) => self.deliveries.end(failed.delivery, false)?,
            Body::SessionForked(_) => self.fork(),
            Body::OwnerTaken(taken) => self.epoch = taken.epoch,
            Body::MessageReceived(received) => self.receive(event, received),
            Body::MessageWithdrawn(withdrawn) => self.inbox.withdraw(withdrawn.message)?,
            Body::MessageSent(sent) => {
                hold(self.unsaid.take() == Some(sent.completed), Invariant::SaidOnce, || format!("{} is said", sent.completed))?;
            }
            Body::ResourceLoaded(loaded) => self.taint.load(loaded),
            Body::RunStarted(started) => self.start_run(event, started)?,
            Body::RunPaused(_) => self.run.iter_mut().for_each(|run| run.paused = true),
            Body::RunResumed(_) => self.run.iter_mut().for_each(|run| run.paused = false),
            Body::RunCancelRequested(requested) => self.stop(requested.scope),
            Body::RunFinished(finished) => self.finish_run(finished.run)?,
            Body::ModelRequested(requested) => self.ask_model(event, requested)?,
            Body::ModelCompleted(completed) => self.complete(event.draft.id, completed)?,
            Body::ModelFailed(failed) => self.fail(failed)?,
            Body::ModelRetrying(retrying) => {
                self.begins(event)?;
                self.retry_at = Some(retrying.at);
            }
            Body::ModelAborted(aborted) => self.abort(aborted)?,
            Body::ActionDecided(decided) => self.actions.decide(decided)?,
            Body::ActionWithdrawn(withdrawn) => withdrawn.action.map_or(Ok(()), |action| self.actions.end(action))?,
            Body::AskOpened(opened) => self.open_ask(event, &opened.ask)?,
            Body::AskAnswered(answered) => self.answer(event.time, answered)?,
            Body::AskExpired(expired) => self.asks.expire(expired.ask, event.time)?,
            Body::AskSuperseded(superseded) => self.supersede(superseded)?,
            Body::ToolStarted(started) => self.start_tool(event, started)?,
            Body::ToolAdopted(adopted) => self.actions.adopt(adopted.action, adopted.attempt, adopted.epoch)?,
            Body::ToolProgress(progress) => self.actions.progress(progress.action, progress.attempt)?,
            Body::ToolDeferred(deferred) => self.actions.defer(deferred.action)?,
            Body::ToolBackgrounded(backgrounded) => self.actions.background(backgrounded.action)?,
            Body::ToolCancelRequested(requested) => {
                let run_ends = self.run.as_ref().is_some_and(|run| run.ending.is_some());
                self.actions.stop(requested.action, requested.attempt, requested.deadline, run_ends)?;
            }
            Body::ToolFinished(finished) => {
                self.actions.end_attempt(finished.action, finished.attempt)?;
                self.actions.end(finished.action)?;
            }
            Body::ToolCancelled(cancelled) => self.actions.cancel(cancelled.action, cancelled.attempt)?,
            Body::ToolUnknown(unknown) => self.actions.end_attempt(unknown.action, unknown.attempt)?,
            Body::ToolReconciled(reconciled) => self.actions.end(reconciled.action)?,
            Body::TimerSet(set) => {
                self.begins(event)?;
                self.actions.wait(set.action, set.timer, set.at)?;
            }
            Body::TimerFired(fired) => {
                let at = self.actions.end_wait(fired.timer)?;
                hold(event.time >= at, Invariant::NeverEarly, || format!("{} fired at {:?}", fired.timer, event.time))?;
            }
            Body::TimerCancelled(cancelled) => drop(self.actions.end_wait(cancelled.timer)?),
        }
        Ok(())
    }

    /// Everything that is open belongs to the session that was forked, and nothing of it to this one.
    fn fork(&mut self) {
        self.epoch = Epoch::default();
        (self.run, self.model, self.unsaid, self.retry_at) = (None, None, None, None);
        self.actions.let_go();
        self.asks = Asks::default();
        (self.deliveries, self.day_is_spent) = (Deliveries::default(), false);
        self.inbox.leave();
        self.spent = Spent::default();
        self.keys.clear();
        self.minted.clear();
    }

    fn receive(&mut self, event: &Event, received: &MessageReceived) {
        self.inbox.receive(received, event.version);
        if let Some(run) = self.run.as_mut().filter(|_| received.mode == Mode::Interrupt) {
            run.interrupted = true;
            self.actions.halt(false);
        }
    }

    fn start_run(&mut self, event: &Event, started: &RunStarted) -> Result<(), Violation> {
        self.begins(event)?;
        self.inbox.start(started.message)?;
        self.requests.configure(started.config.sha256);
        self.spent.start_run(&started.config);
        self.policy = started.config.policy.clone();
        self.day_is_spent = false;
        let run = OpenRun {
            id: started.run,
            paused: false,
            ending: None,
            interrupted: false,
            empty_replies: 0,
            is_over: false,
            warned: (false, false),
        };
        let open = self.run.replace(run);
        hold(open.is_none(), Invariant::RunFinishesOnce, || format!("{} while {open:?}", started.run))
    }

    /// Something of the run begins that a person would have to wait for.
    fn begins(&self, event: &Event) -> Result<(), Violation> {
        let name = event.draft.body.name();
        hold(!self.is_parked(), Invariant::ParkedStartsNothing, || {
            format!("{name} at version {} while {:?} are open: {:?}", event.version, self.asks, self.run)
        })?;
        // What is in the background is no part of the run.
        let account = event.draft.call.and_then(|call| self.actions.open().find(|account| account.decided.call == call));
        let of_run = account.is_none_or(|account| account.foreground);
        match self.run.as_ref().and_then(|run| run.ending).filter(|_| of_run) {
            None => Ok(()),
            Some(Ending::Denied) => Err(Violation::new(Invariant::NoStartAfterDenial, format!("{name} at {}", event.version))),
            Some(Ending::Stopped) => Err(Violation::new(Invariant::NoStartAfterStop, format!("{name} at {}", event.version))),
        }
    }

    fn start_tool(&mut self, event: &Event, started: &ToolStarted) -> Result<(), Violation> {
        self.begins(event)?;
        let account = self.actions.get(started.action)?;
        let what = || format!("{} attempt {}", started.action, started.attempt);
        hold(!account.halted, Invariant::NoStartAfterStop, what)?;
        let unseen = self.run.is_some() && self.inbox.has_unseen() && account.class() != Class::Pure;
        hold(!unseen, Invariant::NoStartPastMessage, what)?;
        if self.is_asked_about(account) {
            let fits = |approved: &Approval| approved.args_hash == account.decided.args_hash;
            let Some(approved) = account.approved.filter(fits) else {
                return Err(Violation::new(Invariant::HeldUntilAnswered, what()));
            };
            hold(event.time < approved.until, Invariant::ApprovalInTime, || format!("{} at {:?}", what(), event.time))?;
        }
        self.taint.start(account.decided.prepared.touches);
        if account.is_first_start() {
            self.spent.call()?;
        }
        self.actions.start(started)
    }

    /// Whether a person must say yes to the call before it runs.
    fn is_asked_about(&self, account: &Action) -> bool {
        let decided = &account.decided;
        let speaks = |effect| self.policy.rules.iter().any(|rule| rule.effect == effect && rule.matches(&decided.tool, &decided.prepared));
        let is_allowed_by = |rules: &mut dyn Iterator<Item = &Rule>| allowing(rules, &decided.tool, &decided.prepared).is_some();
        let from = match self.policy.autonomy {
            _ if speaks(RuleEffect::Confirm) => return true,
            // Started again, it says nothing that the model did not know before.
            _ if account.is_first_start() && self.taint.holds_back(decided) => return true,
            Autonomy::Full => return false,
            _ if speaks(RuleEffect::Ask) => return !is_allowed_by(&mut self.rules.iter()),
            Autonomy::Auto if account.is_first_start() && self.taint.could_leak(decided) => Risk::Low,
            Autonomy::Auto => Risk::High,
            Autonomy::Ask => Risk::Medium,
        };
        decided.risk >= from && !is_allowed_by(&mut self.policy.rules.iter().chain(&self.rules))
    }

    fn stop(&mut self, scope: Scope) {
        self.inbox.stop(self.run.is_some());
        if self.run.is_some() || scope == Scope::All {
            self.actions.halt(scope == Scope::All);
        }
        self.end_run(Ending::Stopped);
    }

    /// Whether a run was open that ends now.
    fn end_run(&mut self, ending: Ending) -> bool {
        self.run.iter_mut().for_each(|run| run.ending = Some(ending));
        self.run.is_some()
    }

    fn answer(&mut self, now: Time, answered: &AskAnswered) -> Result<(), Violation> {
        let (subject, until) = self.asks.answer(answered.ask, now, self.inbox.overtaking())?;
        self.rules.extend(answered.rule.clone());
        self.deliveries.answer(answered);
        let held = subject.call().and_then(|call| self.actions.open().find(|account| account.decided.call == call));
        let looks = held.is_some_and(|account| account.decided.prepared.touches.private);
        self.taint.answer(answered.rule.as_ref(), looks);
        let hour = now.plus_ms(APPROVAL_VALID_MS);
        let until = until.map_or(hour, |until| until.min(hour));
        match (&subject, &answered.answer) {
            (Subject::Tool { action, args_hash, .. }, Answer::Approve { .. }) => {
                self.actions.approve(*action, Approval { args_hash: *args_hash, until })?;
            }
            (Subject::Tool { action, .. }, Answer::Edit { args_hash, .. }) => {
                self.actions.edit(*action, Approval { args_hash: *args_hash, until })?;
            }
            // The answer is the result of the call.
            (Subject::Question { action, .. }, Answer::Reply(_)) => self.actions.end(*action)?,
            (Subject::Limit { limit: LimitKind::CrashLoop, .. } | Subject::Resume, Answer::Deny { .. }) => {
                if !self.end_run(Ending::Denied) {
                    self.inbox.deny_next();
                }
            }
            (Subject::Limit { limit: LimitKind::Turns, .. }, Answer::Deny { stop: false, .. }) => self.spent.refuse_turns(),
            (Subject::Limit { .. }, Answer::Deny { .. }) | (_, Answer::Deny { stop: true, .. }) => drop(self.end_run(Ending::Denied)),
            (Subject::Limit { limit: LimitKind::Day, .. }, _) => self.day_is_spent = false,
            (Subject::Limit { limit, .. }, answer) => self.spent.extend(*limit, answer),
            (Subject::Tool { .. } | Subject::Question { .. } | Subject::Reconcile { .. } | Subject::Resume, _) => {}
        }
        Ok(())
    }

    fn supersede(&mut self, superseded: &AskSuperseded) -> Result<(), Violation> {
        let subject = self.asks.supersede(superseded.ask)?;
        let action = subject.call().and_then(|call| self.actions.open().find(|account| account.decided.call == call));
        let run_ends = self.run.as_ref().is_some_and(|run| run.ending.is_some());
        let nothing_to_do = self.run.is_none() && self.inbox.next().is_none();
        let in_scope = match superseded.reason {
            SupersedeReason::NewerMessage => {
                matches!(subject, Subject::Tool { .. } | Subject::Question { .. }) && self.inbox.overtaking().is_some()
            }
            SupersedeReason::Stopped => {
                action.map_or(run_ends || nothing_to_do, |account| account.halted || (account.foreground && run_ends))
            }
        };
        hold(in_scope, Invariant::StopsItsScope, || format!("{} is overtaken: {subject:?}", superseded.ask))
    }

    fn finish_run(&mut self, run: RunId) -> Result<(), Violation> {
        let open = self.run.take();
        hold(open.as_ref().is_some_and(|open| open.id == run), Invariant::RunFinishesOnce, || format!("{run} while {open:?}"))?;
        hold(self.model.is_none(), Invariant::ModelCallEndsOnce, || format!("{run} finished with an open model call"))?;
        hold(self.unsaid.is_none(), Invariant::SaidOnce, || format!("{run} finished and {:?} was not said", self.unsaid))?;
        self.inbox.finish();
        self.retry_at = None;
        let foreground = self.actions.open().filter(|account| account.foreground).count();
        hold(foreground == 0, Invariant::ActionsEnd, || format!("{run} finished with {foreground} open actions"))
    }

    fn ask_model(&mut self, event: &Event, requested: &ModelRequested) -> Result<(), Violation> {
        self.taint.shown();
        self.begins(event)?;
        let what = || format!("asked at version {}", event.version);
        let early = self.retry_at.take().is_some_and(|at| event.time < at);
        hold(!early, Invariant::NeverEarly, || format!("requested at {:?}", event.time))?;
        let is_over = self.run.as_ref().is_some_and(|run| run.is_over);
        hold(!is_over, Invariant::LastIsLast, what)?;
        if let Some(run) = self.run.as_mut().filter(|run| run.interrupted) {
            let goes_on = self.actions.open().any(|account| account.foreground && account.halted && account.is_running());
            hold(!goes_on, Invariant::InterruptFirst, what)?;
            run.interrupted = false;
        }
        hold(!self.day_is_spent, Invariant::WithinLimits, || format!("{} on a day that is spent", what()))?;
        self.spent.reserve(requested.purpose, requested.reserve)?;
        self.asks.check_overtaken(self.inbox.overtaking())?;
        self.requests.ask(&requested.model, self.inbox.show());
        let ModelRequested { attempt, epoch, purpose, reserve, .. } = requested;
        let call = ModelCall { request: event.draft.id, attempt: *attempt, epoch: *epoch, purpose: *purpose, reserve: *reserve };
        let open = self.model.replace(call);
        hold(open.is_none(), Invariant::ModelCallEndsOnce, || format!("requested while {open:?} is open"))
    }

    fn complete(&mut self, id: EventId, completed: &ModelCompleted) -> Result<(), Violation> {
        let call = self.end_model(completed.request, completed.attempt)?;
        let has_text = completed.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.is_empty()));
        let has_calls = completed.parts.iter().any(|part| matches!(part, Part::Call { .. }));
        hold(self.unsaid.is_none(), Invariant::SaidOnce, || format!("{:?} was not said", self.unsaid))?;
        self.unsaid = has_text.then_some(id);
        self.spent.reply(Spend { tokens: completed.usage.tokens(), cost_micros: completed.cost_micros.unwrap_or_default() });
        if let Some(run) = &mut self.run {
            run.empty_replies = if has_text || has_calls { 0 } else { run.empty_replies + 1 };
            run.is_over = call.purpose == Purpose::LastReply || run.empty_replies >= EMPTY_REPLIES_MAX;
        }
        Ok(())
    }

    fn fail(&mut self, failed: &ModelFailed) -> Result<(), Violation> {
        let open = self.end_model(failed.request, failed.attempt)?;
        if failed.class == FailureClass::Interrupted {
            self.spent.spend(open.reserve);
        }
        self.day_is_spent |= failed.class == FailureClass::DayLimit;
        self.run.iter_mut().for_each(|run| run.is_over = !failed.recoverable);
        Ok(())
    }

    fn abort(&mut self, aborted: &ModelAborted) -> Result<(), Violation> {
        let wanted = self.run.as_ref().is_some_and(|run| run.ending.is_some() || run.interrupted);
        hold(wanted, Invariant::StopsItsScope, || format!("{} is given up", aborted.request))?;
        let open = self.end_model(aborted.request, aborted.attempt)?;
        self.spent.spend(open.reserve);
        Ok(())
    }

    fn open_ask(&mut self, event: &Event, ask: &Ask) -> Result<(), Violation> {
        // Why the session stands still may be more than one thing.
        if ask.subject.call().is_some() {
            self.begins(event)?;
        }
        self.asks.open(ask, event.version)
    }

    fn warn(&mut self, warning: &Warning) -> Result<(), Violation> {
        let Some(run) = &mut self.run else {
            return Err(Violation::new(Invariant::RunIsOpen, format!("{warning:?} without a run")));
        };
        let told = match warning {
            Warning::Cost { .. } => &mut run.warned.0,
            Warning::SlowCall { .. } => &mut run.warned.1,
        };
        hold(!std::mem::replace(told, true), Invariant::ToldOnce, || format!("{warning:?} is told again"))
    }

    fn end_model(&mut self, request: EventId, attempt: u16) -> Result<ModelCall, Violation> {
        let open = self.model.take();
        let fits = open.filter(|open| open.request == request && open.attempt == attempt);
        fits.ok_or_else(|| Violation::new(Invariant::ModelCallEndsOnce, format!("{request} attempt {attempt} while {open:?}")))
    }
}
