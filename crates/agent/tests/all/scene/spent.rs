//! What a session uses stays within its limits and what people added to them.

use contract::ask::{Answer, LimitKind, Subject};
use contract::body::{AskAnswered, Body, FailureClass, Purpose, Spend};
use contract::config::ConfigRef;
use contract::event::Event;
use contract::id::AskId;
use std::collections::BTreeMap;

#[derive(Default)]
struct Account<'a> {
    config: Option<&'a ConfigRef>,
    spent: Spend,
    reserved: Spend,
    tool_calls: u64,
    /// Replies of the last run, and whether a person wants no more than its last one.
    turns: u64,
    last_turn: bool,
    asks: BTreeMap<AskId, LimitKind>,
    added: BTreeMap<LimitKind, u64>,
}

pub fn check(log: &[Event]) {
    let mut account = Account::default();
    for event in log {
        account.note(event);
    }
}

impl<'a> Account<'a> {
    fn note(&mut self, event: &'a Event) {
        let at = event.version;
        match &event.draft.body {
            Body::RunStarted(started) => self.start_run(&started.config),
            Body::AskOpened(opened) => {
                if let Subject::Limit { limit, .. } = opened.ask.subject {
                    self.asks.insert(opened.ask.ask, limit);
                }
            }
            Body::AskAnswered(answered) => self.answer(answered),
            Body::ModelRequested(requested) => {
                self.reserved = requested.reserve;
                assert_eq!(requested.purpose == Purpose::LastReply, self.last_turn, "after {} turns at {at}", self.turns);
                if !self.last_turn {
                    self.within(LimitKind::Turns, self.turns + 1, at);
                }
                let most = self.spent.plus(self.reserved);
                self.within(LimitKind::Tokens, most.tokens, at);
                self.within(LimitKind::Cost, most.cost_micros, at);
            }
            Body::ModelCompleted(completed) => {
                self.turns += 1;
                let usage = completed.usage;
                let prices = self.config.and_then(|config| config.prices);
                let input = usage.input + usage.cache_read + usage.cache_write;
                let by_price = prices.map_or(0, |prices| (input * prices.input + usage.output * prices.output).div_ceil(1_000_000));
                let cost_micros = completed.cost_micros.unwrap_or(by_price);
                self.spent = self.spent.plus(Spend { tokens: input + usage.output, cost_micros });
            }
            Body::ModelFailed(failed) if failed.class == FailureClass::Interrupted => self.spent = self.spent.plus(self.reserved),
            Body::ModelAborted(_) => self.spent = self.spent.plus(self.reserved),
            Body::ToolStarted(started) if started.attempt == 1 => {
                self.tool_calls += 1;
                self.within(LimitKind::ToolCalls, self.tool_calls, at);
            }
            _ => {}
        }
    }

    fn start_run(&mut self, config: &'a ConfigRef) {
        self.config = Some(config);
        (self.turns, self.last_turn) = (0, false);
        self.added.remove(&LimitKind::Turns);
    }

    fn first(&self, limit: LimitKind) -> Option<u64> {
        let config = self.config?;
        let limits = config.limits;
        match limit {
            LimitKind::Cost => limits.cost_micros,
            LimitKind::Tokens => limits.tokens,
            LimitKind::ToolCalls => limits.tool_calls,
            LimitKind::WallTime => limits.wall_ms,
            LimitKind::Turns => Some(config.max_turns.into()),
            LimitKind::CrashLoop | LimitKind::Loop | LimitKind::Day => None,
        }
    }

    fn answer(&mut self, answered: &AskAnswered) {
        let Some(limit) = self.asks.remove(&answered.ask) else { return };
        self.last_turn |= limit == LimitKind::Turns && matches!(answered.answer, Answer::Deny { stop: false, .. });
        let amount = match answered.answer {
            Answer::Approve { .. } => self.first(limit).unwrap_or_default().max(1),
            Answer::Extend { amount } => amount,
            Answer::Deny { .. } | Answer::Edit { .. } | Answer::Reply(_) => 0,
        };
        *self.added.entry(limit).or_default() += amount;
    }

    fn within(&self, limit: LimitKind, most: u64, at: contract::Version) {
        let added = self.added.get(&limit).copied().unwrap_or_default();
        if let Some(allowed) = self.first(limit) {
            assert!(most <= allowed + added, "{limit:?} of {most} at {at} is more than {allowed} and {added}");
        }
    }
}
