//! The account of what a session used up, held against what it may.

use super::{Invariant, Violation, hold};
use contract::ask::{Answer, LimitKind};
use contract::body::Spend;
use contract::config::Limits;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Spent {
    spent: Spend,
    /// Actions that were started.
    tool_calls: u64,
    /// What people added.
    extended: BTreeMap<LimitKind, u64>,
    /// Of the last run.
    #[serde(skip)]
    limits: Limits,
}

impl Spent {
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// A model is asked, and may cost so much.
    pub fn reserve(&self, reserve: Spend) -> Result<(), Violation> {
        let with = self.spent.plus(reserve);
        self.check(LimitKind::Tokens, with.tokens, self.limits.tokens)?;
        self.check(LimitKind::Cost, with.cost_micros, self.limits.cost_micros)
    }

    pub fn spend(&mut self, spent: Spend) {
        self.spent = self.spent.plus(spent);
    }

    /// An action is started for the first time.
    pub fn call(&mut self) -> Result<(), Violation> {
        self.tool_calls += 1;
        self.check(LimitKind::ToolCalls, self.tool_calls, self.limits.tool_calls)
    }

    /// A person answered what to do about a limit.
    pub fn extend(&mut self, limit: LimitKind, answer: &Answer) {
        let first = match limit {
            LimitKind::Cost => self.limits.cost_micros,
            LimitKind::Tokens => self.limits.tokens,
            LimitKind::ToolCalls => self.limits.tool_calls,
            LimitKind::WallTime => self.limits.wall_ms,
            LimitKind::CrashLoop | LimitKind::Loop => return,
        };
        let more = match answer {
            Answer::Approve { .. } => first.unwrap_or_default(),
            Answer::Extend { amount } => *amount,
            Answer::Deny { .. } | Answer::Edit { .. } | Answer::Reply(_) => return,
        };
        *self.extended.entry(limit).or_default() += more;
    }

    fn check(&self, limit: LimitKind, used: u64, first: Option<u64>) -> Result<(), Violation> {
        let Some(first) = first else { return Ok(()) };
        let allowed = first + self.extended.get(&limit).copied().unwrap_or_default();
        hold(used <= allowed, Invariant::WithinLimits, || format!("{used} of {allowed} {limit:?}"))
    }
}
