//! The account of tool calls: which attempt is open, what had its effect, what surely has none.

use super::{Invariant, Violation, hold};
use contract::body::ActionDecided;
use contract::call::Class;
use contract::id::{ActionId, CallId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// By call and not by action, because the order of actions is the order of their hashes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Actions(BTreeMap<CallId, Action>);

#[derive(Clone, Debug, Serialize)]
struct Action {
    action: ActionId,
    class: Class,
    /// Attempts started so far; the last one is open or not.
    attempts: u16,
    open: bool,
    /// The last attempt had its effect.
    acted: bool,
    /// Attempts recorded as surely without effect.
    cancelled: BTreeSet<u16>,
    ended: bool,
}

impl Actions {
    pub fn decide(&mut self, decided: &ActionDecided) -> Result<(), Violation> {
        let action = Action {
            action: decided.action,
            class: decided.class,
            attempts: 0,
            open: false,
            acted: false,
            cancelled: BTreeSet::new(),
            ended: false,
        };
        let before = self.0.insert(decided.call, action);
        hold(before.is_none(), Invariant::ActionEndsOnce, || format!("{} is decided again", decided.call))
    }

    pub fn start(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        let account = self.not_ended(action)?;
        hold(!account.open && attempt == account.attempts + 1, Invariant::AttemptEndsOnce, || format!("{action} attempt {attempt}"))?;
        account.open = true;
        account.acted = false;
        account.attempts = attempt;
        Ok(())
    }

    pub fn end_attempt(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        self.running(action, attempt)?.open = false;
        Ok(())
    }

    pub fn cancel(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        let account = self.running(action, attempt)?;
        hold(!account.acted, Invariant::CancelledHadNoEffect, || format!("{action} attempt {attempt} had its effect"))?;
        account.open = false;
        account.cancelled.insert(attempt);
        Ok(())
    }

    pub fn end(&mut self, action: ActionId, attempted: bool) -> Result<(), Violation> {
        let account = self.not_ended(action)?;
        hold(!account.open || attempted, Invariant::AttemptEndsOnce, || format!("{action} ended with an open attempt"))?;
        account.open = false;
        account.ended = true;
        Ok(())
    }

    /// A late effect of an attempt whose outcome was recorded as unknown is allowed: that is what unknown means.
    pub fn effect(&mut self, action: ActionId, attempt: u16, ran_before: u16, live: bool) -> Result<(), Violation> {
        let what = || format!("{action} attempt {attempt}");
        let Some(account) = self.0.values_mut().find(|account| account.action == action) else {
            return Err(Violation::new(Invariant::StartedBeforeEffect, format!("{} is not decided", what())));
        };
        hold(account.attempts >= attempt, Invariant::StartedBeforeEffect, what)?;
        hold(!account.cancelled.contains(&attempt), Invariant::CancelledHadNoEffect, what)?;
        let repeatable = account.class.repeatable();
        hold(repeatable || ran_before == 0, Invariant::RunsAtMostOnce, || format!("{} ran {ran_before} times before", what()))?;
        hold(!live, Invariant::OneProcess, what)?;
        account.acted |= account.attempts == attempt;
        Ok(())
    }

    pub fn forget(&mut self, may_act: impl Fn(ActionId) -> bool) {
        self.0.retain(|_, account| !account.ended || may_act(account.action));
    }

    pub fn knows(&self, call: CallId) -> bool {
        self.0.contains_key(&call)
    }

    pub fn open(&self) -> usize {
        self.0.values().filter(|account| !account.ended).count()
    }

    pub fn open_attempts(&self) -> usize {
        self.0.values().filter(|account| account.open).count()
    }

    pub fn is_running(&self, action: ActionId, attempt: u16) -> bool {
        self.0.values().any(|account| account.action == action && account.open && account.attempts == attempt)
    }

    /// The attempt is adopted, which only an open one can be.
    pub fn adopt(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        self.running(action, attempt).map(drop)
    }

    fn running(&mut self, action: ActionId, attempt: u16) -> Result<&mut Action, Violation> {
        let account = self.not_ended(action)?;
        let fits = account.open && attempt == account.attempts;
        hold(fits, Invariant::AttemptEndsOnce, || format!("{action} attempt {attempt}"))?;
        Ok(account)
    }

    fn not_ended(&mut self, action: ActionId) -> Result<&mut Action, Violation> {
        let found = self.0.values_mut().find(|account| account.action == action && !account.ended);
        found.ok_or_else(|| Violation::new(Invariant::ActionEndsOnce, format!("{action} is not open")))
    }
}
