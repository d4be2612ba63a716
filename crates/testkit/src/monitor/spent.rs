//! The account of what a session used up, held against what it may.

use super::{Invariant, Violation, hold};
use contract::ask::{Answer, LimitKind};
use contract::body::{Purpose, Spend};
use contract::config::{ConfigRef, Limits};
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
    #[serde(skip)]
    max_turns: u64,
    /// Replies in the last run.
    turns: u64,
    /// A person wants no more than its last reply.
    last_turn: bool,
}

impl Spent {
    pub fn start_run(&mut self, config: &ConfigRef) {
        self.limits = config.limits;
        self.max_turns = config.max_turns.into();
        (self.turns, self.last_turn) = (0, false);
        self.extended.remove(&LimitKind::Turns);
    }

    /// A model is asked, and may cost so much.
    pub fn reserve(&self, purpose: Purpose, reserve: Spend) -> Result<(), Violation> {
        let last = purpose == Purpose::LastReply;
        hold(last == self.last_turn, Invariant::WithinLimits, || format!("a {purpose:?} after {} turns", self.turns))?;
        if !last {
            self.check(LimitKind::Turns, self.turns + 1, Some(self.max_turns))?;
        }
        let with = self.spent.plus(reserve);
        self.check(LimitKind::Tokens, with.tokens, self.limits.tokens)?;
        self.check(LimitKind::Cost, with.cost_micros, self.limits.cost_micros)
    }

    /// A model replied, and has cost so much.
    pub fn reply(&mut self, spent: Spend) {
        self.turns += 1;
        self.spend(spent);
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
            LimitKind::Turns => Some(self.max_turns),
            LimitKind::CrashLoop | LimitKind::Loop | LimitKind::Day => return,
        };
        let more = match answer {
            Answer::Approve { .. } => first.unwrap_or_default().max(1),
            Answer::Extend { amount } => *amount,
            Answer::Deny { .. } | Answer::Edit { .. } | Answer::Reply(_) => return,
        };
        *self.extended.entry(limit).or_default() += more;
    }

    /// A person gives the run no more turns.
    pub fn refuse_turns(&mut self) {
        self.last_turn = true;
    }

    fn check(&self, limit: LimitKind, used: u64, first: Option<u64>) -> Result<(), Violation> {
        let Some(first) = first else { return Ok(()) };
        let allowed = first + self.extended.get(&limit).copied().unwrap_or_default();
        hold(used <= allowed, Invariant::WithinLimits, || format!("{used} of {allowed} {limit:?}"))
    }
}
