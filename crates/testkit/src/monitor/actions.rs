//! The account of tool calls: which attempt is open, what was approved, what had its effect, what surely has none.

use super::{Invariant, Violation, hold};
use contract::body::{ActionDecided, ToolStarted};
use contract::call::Class;
use contract::effect::Effect;
use contract::id::{ActionId, CallId, Sha256, TimerId};
use contract::units::{Epoch, Time};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// By call and not by action, because the order of actions is the order of their hashes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Actions(BTreeMap<CallId, Action>);

#[derive(Clone, Debug, Serialize)]
pub struct Action {
    pub action: ActionId,
    /// The state of the session has it too while the action is open.
    #[serde(skip)]
    pub decided: Arc<ActionDecided>,
    /// Attempts started so far; the last one is open or not.
    attempts: u16,
    open: Option<OpenAttempt>,
    /// The last attempt had its effect.
    acted: bool,
    /// Attempts recorded as surely without effect.
    cancelled: BTreeSet<u16>,
    pub approved: Option<Approval>,
    /// A person wants other arguments; the action that has them follows.
    edited: Option<Approval>,
    timer: Option<(TimerId, Time)>,
    pub foreground: bool,
    deferred: bool,
    /// A person stopped or interrupted it.
    pub halted: bool,
    ended: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct OpenAttempt {
    epoch: Epoch,
    adopted: Option<Epoch>,
    deadline: Option<Time>,
}

/// A person said yes to these arguments, until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Approval {
    pub args_hash: Sha256,
    pub until: Time,
}

/// A tool has its effect.
#[derive(Clone, Copy, Debug)]
pub struct Acted {
    pub action: ActionId,
    pub attempt: u16,
    pub args_hash: Sha256,
    /// How often the action had its effect before.
    pub ran_before: u16,
    /// Whether another process of the call lives.
    pub live: bool,
}

impl Actions {
    pub fn decide(&mut self, decided: &ActionDecided) -> Result<(), Violation> {
        let again = || format!("{} is decided again", decided.call);
        let before = self.0.remove(&decided.call);
        let (approved, deferred, foreground) = match (&before, decided.replaces) {
            (None, None) => (None, false, true),
            (Some(before), Some(replaced)) if before.action == replaced && before.open.is_none() && !before.ended => {
                let fits = before.edited.is_some_and(|edited| edited.args_hash == decided.args_hash);
                hold(fits, Invariant::RunsAsApproved, || format!("{} replaces {replaced}", decided.action))?;
                (before.edited, before.deferred, before.foreground)
            }
            (Some(_), _) | (None, Some(_)) => return Err(Violation::new(Invariant::ActionEndsOnce, again())),
        };
        let action = Action {
            action: decided.action,
            decided: Arc::new(decided.clone()),
            attempts: 0,
            open: None,
            acted: false,
            cancelled: BTreeSet::new(),
            approved,
            edited: None,
            timer: None,
            foreground,
            deferred,
            halted: false,
            ended: false,
        };
        self.0.insert(decided.call, action);
        Ok(())
    }

    pub fn start(&mut self, started: &ToolStarted) -> Result<(), Violation> {
        let ToolStarted { action, attempt, epoch, .. } = started;
        let account = self.not_ended(*action)?;
        let fits = account.open.is_none() && account.timer.is_none() && *attempt == account.attempts + 1;
        hold(fits, Invariant::AttemptEndsOnce, || format!("{action} attempt {attempt}"))?;
        account.open = Some(OpenAttempt { epoch: *epoch, adopted: None, deadline: None });
        account.acted = false;
        account.attempts = *attempt;
        Ok(())
    }

    pub fn end_attempt(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        self.running(action, attempt)?.open = None;
        Ok(())
    }

    pub fn cancel(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        let account = self.running(action, attempt)?;
        hold(!account.acted, Invariant::CancelledHadNoEffect, || format!("{action} attempt {attempt} had its effect"))?;
        account.open = None;
        account.cancelled.insert(attempt);
        Ok(())
    }

    pub fn end(&mut self, action: ActionId) -> Result<(), Violation> {
        let account = self.not_ended(action)?;
        hold(account.open.is_none(), Invariant::AttemptEndsOnce, || format!("{action} ended with an open attempt"))?;
        hold(account.timer.is_none(), Invariant::TimerEndsOnce, || format!("{action} ended with an open timer"))?;
        account.ended = true;
        Ok(())
    }

    pub fn wait(&mut self, action: ActionId, timer: TimerId, at: Time) -> Result<(), Violation> {
        let account = self.not_ended(action)?;
        let first = account.timer.replace((timer, at)).is_none() && account.open.is_none();
        hold(first, Invariant::TimerEndsOnce, || format!("{timer} is set again"))
    }

    /// A wait ends, and its action with it; returns the time it was set to.
    pub fn end_wait(&mut self, timer: TimerId) -> Result<Time, Violation> {
        let waiting = self.0.values_mut().find(|account| account.timer.is_some_and(|(open, _)| open == timer));
        let ended = waiting.and_then(|account| {
            account.ended = true;
            account.timer.take()
        });
        ended.map(|(_, at)| at).ok_or_else(|| Violation::new(Invariant::TimerEndsOnce, format!("{timer} is not open")))
    }

    pub fn defer(&mut self, action: ActionId) -> Result<(), Violation> {
        let again = std::mem::replace(&mut self.not_ended(action)?.deferred, true);
        hold(!again, Invariant::NoteIsFinal, || format!("{action} is deferred again"))
    }

    pub fn background(&mut self, action: ActionId) -> Result<(), Violation> {
        let account = self.not_ended(action)?;
        let fits = account.deferred && std::mem::replace(&mut account.foreground, false);
        hold(fits, Invariant::NoteIsFinal, || format!("{action} goes into the background without a note"))
    }

    /// The attempt is to end.
    pub fn stop(&mut self, action: ActionId, attempt: u16, deadline: Time, run_ends: bool) -> Result<(), Violation> {
        let account = self.running(action, attempt)?;
        let wanted = account.halted || (account.foreground && run_ends);
        hold(wanted, Invariant::StopsItsScope, || format!("{action} is ended"))?;
        if let Some(open) = &mut account.open {
            open.deadline = Some(deadline);
        }
        Ok(())
    }

    /// A person stopped what is in the foreground, or everything.
    pub fn halt(&mut self, background_too: bool) {
        for account in self.0.values_mut().filter(|account| account.foreground || background_too) {
            account.halted = true;
        }
    }

    /// Whatever is open goes on in another session.
    pub fn let_go(&mut self) {
        for account in self.0.values_mut() {
            (account.open, account.timer, account.ended) = (None, None, true);
        }
    }

    pub fn approve(&mut self, action: ActionId, approval: Approval) -> Result<(), Violation> {
        self.not_ended(action)?.approved = Some(approval);
        Ok(())
    }

    pub fn edit(&mut self, action: ActionId, approval: Approval) -> Result<(), Violation> {
        self.not_ended(action)?.edited = Some(approval);
        Ok(())
    }

    /// A late effect of an attempt whose outcome was recorded as unknown is allowed: that is what unknown means.
    pub fn acted(&mut self, acted: &Acted) -> Result<(), Violation> {
        let Acted { action, attempt, args_hash, ran_before, live } = acted;
        let what = || format!("{action} attempt {attempt}");
        let Some(account) = self.0.values_mut().find(|account| account.action == *action) else {
            return Err(Violation::new(Invariant::StartedBeforeEffect, format!("{} is not decided", what())));
        };
        hold(account.attempts >= *attempt, Invariant::StartedBeforeEffect, what)?;
        hold(!account.cancelled.contains(attempt), Invariant::CancelledHadNoEffect, what)?;
        let repeatable = account.decided.class.repeatable();
        hold(repeatable || *ran_before == 0, Invariant::RunsAtMostOnce, || format!("{} ran {ran_before} times before", what()))?;
        hold(!live, Invariant::OneProcess, what)?;
        let approved = account.approved.is_none_or(|approved| approved.args_hash == *args_hash);
        hold(approved && account.decided.args_hash == *args_hash, Invariant::RunsAsApproved, what)?;
        account.acted |= account.attempts == *attempt;
        Ok(())
    }

    pub fn forget(&mut self, may_act: impl Fn(ActionId) -> bool) {
        self.0.retain(|_, account| !account.ended || may_act(account.action));
    }

    pub fn knows(&self, call: CallId) -> bool {
        self.0.contains_key(&call)
    }

    /// Whether the call has not ended.
    pub fn is_open(&self, call: CallId) -> bool {
        self.0.get(&call).is_some_and(|account| !account.ended)
    }

    pub fn open(&self) -> impl Iterator<Item = &Action> {
        self.0.values().filter(|account| !account.ended)
    }

    pub fn get(&self, action: ActionId) -> Result<&Action, Violation> {
        let found = self.open().find(|account| account.action == action);
        found.ok_or_else(|| Violation::new(Invariant::ActionEndsOnce, format!("{action} is not open")))
    }

    /// What was stopped must be ending, if its owner has decided everything.
    pub fn check_ended(&self, run_ends: bool) -> Result<(), Violation> {
        let goes_on = |account: &&Action| {
            let stopped = account.halted || (account.foreground && run_ends);
            stopped && (account.timer.is_some() || account.open.is_some_and(|open| open.deadline.is_none()))
        };
        let found = self.open().find(goes_on);
        hold(found.is_none(), Invariant::StopEndsScope, || format!("{found:?} goes on"))
    }

    /// What open attempts want of the world under the owner of this epoch; a session that waits only goes on with what
    /// that owner has begun, and with what must end.
    pub fn effects(&self, epoch: Epoch, parked: bool) -> impl Iterator<Item = Effect> {
        let open = self.0.values().filter_map(|account| Some((account, account.open.as_ref()?)));
        let wanted = open.filter(move |(_, open)| !parked || open.epoch == epoch || open.adopted == Some(epoch) || open.deadline.is_some());
        wanted.flat_map(move |(account, open)| account.effects(open, epoch))
    }

    pub fn is_running(&self, action: ActionId, attempt: u16) -> bool {
        self.0.values().any(|account| account.action == action && account.open.is_some() && account.attempts == attempt)
    }

    /// The attempt is adopted, which only an open one can be.
    pub fn adopt(&mut self, action: ActionId, attempt: u16, epoch: Epoch) -> Result<(), Violation> {
        let account = self.running(action, attempt)?;
        if let Some(open) = &mut account.open {
            open.adopted = Some(epoch);
        }
        Ok(())
    }

    /// Says something of a running attempt without changing it.
    pub fn progress(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        self.running(action, attempt).map(drop)
    }

    fn running(&mut self, action: ActionId, attempt: u16) -> Result<&mut Action, Violation> {
        let account = self.not_ended(action)?;
        let fits = account.open.is_some() && attempt == account.attempts;
        hold(fits, Invariant::AttemptEndsOnce, || format!("{action} attempt {attempt}"))?;
        Ok(account)
    }

    fn not_ended(&mut self, action: ActionId) -> Result<&mut Action, Violation> {
        let found = self.0.values_mut().find(|account| account.action == action && !account.ended);
        found.ok_or_else(|| Violation::new(Invariant::ActionEndsOnce, format!("{action} is not open")))
    }
}

impl Action {
    pub fn class(&self) -> Class {
        self.decided.class
    }

    pub fn is_first_start(&self) -> bool {
        self.attempts == 0
    }

    pub fn is_running(&self) -> bool {
        self.open.is_some()
    }

    fn effects(&self, open: &OpenAttempt, epoch: Epoch) -> impl Iterator<Item = Effect> + use<> {
        let (action, attempt, class) = (self.action, self.attempts, self.decided.class);
        let run = if open.epoch == epoch { Effect::Start { action, attempt } } else { Effect::Recover { action, attempt, class } };
        let stop = open.deadline.map(|deadline| Effect::Stop { action, attempt, deadline });
        std::iter::once(run).chain(stop)
    }
}
