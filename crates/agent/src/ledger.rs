//! What a session has used up, and what it may: limits of its runs and what people added to them.

use crate::state::{Run, State, Turns};
use contract::ask::LimitKind;
use contract::body::Spend;
use contract::limits::TOKEN_BYTES;
use contract::units::Time;

/// A limit that stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub limit: LimitKind,
    pub used: u64,
    pub allowed: u64,
}

/// What the next model call may cost at most, as far as anyone knows.
#[must_use]
pub fn reserve(state: &State, run: &Run) -> Spend {
    let messages = state.showable().map(|message| message.text.len()).fold(0, u64::saturating_add);
    let shown = run.config.bytes.saturating_add(state.transcript.bytes()).saturating_add(messages);
    let input = shown.div_ceil(TOKEN_BYTES);
    let output = run.config.output_tokens_max;
    let cost_micros = run.config.prices.map_or(state.ledger.dearest_micros, |prices| prices.cost(input, output));
    Spend { tokens: input.saturating_add(output), cost_micros }
}

/// The limit that a model call with this reserve would break.
#[must_use]
pub fn before_model(state: &State, run: &Run, reserve: Spend) -> Option<Reached> {
    let limits = run.config.limits;
    let spent = state.ledger.spent;
    over(state, LimitKind::Cost, spent.cost_micros, reserve.cost_micros, limits.cost_micros)
        .or_else(|| over(state, LimitKind::Tokens, spent.tokens, reserve.tokens, limits.tokens))
        .or_else(|| out_of_turns(run))
}

/// A run that is given no more turns still has its last reply.
fn out_of_turns(run: &Run) -> Option<Reached> {
    let Turns { taken, extended, last } = run.turns;
    let allowed = u64::from(run.config.max_turns).saturating_add(extended);
    (taken >= allowed && !last).then_some(Reached { limit: LimitKind::Turns, used: taken, allowed })
}

/// The limit that starting one more call, beside these, would break.
#[must_use]
pub fn before_tool(state: &State, run: &Run, beside: u64) -> Option<Reached> {
    over(state, LimitKind::ToolCalls, state.ledger.tool_calls.saturating_add(beside), 1, run.config.limits.tool_calls)
}

/// When the run has worked for as long as it may, if it goes on without a pause.
#[must_use]
pub fn out_of_time_at(run: &Run) -> Option<Time> {
    let allowed = run.config.limits.wall_ms?.saturating_add(run.clock.extended_ms);
    Some(run.clock.started.plus_ms(run.clock.waited_ms).plus_ms(allowed))
}

#[must_use]
pub fn out_of_time(run: &Run, now: Time) -> Option<Reached> {
    out_of_time_at(run).filter(|at| now >= *at)?;
    let allowed = run.config.limits.wall_ms?.saturating_add(run.clock.extended_ms);
    let used = now.0.saturating_sub(run.clock.started.0).saturating_sub(run.clock.waited_ms);
    Some(Reached { limit: LimitKind::WallTime, used, allowed })
}

/// What an approval without an amount gives: as much again as was allowed at first.
#[must_use]
pub fn as_much_again(run: &Run, limit: LimitKind) -> u64 {
    let limits = run.config.limits;
    let amount = match limit {
        LimitKind::Cost => limits.cost_micros,
        LimitKind::Tokens => limits.tokens,
        LimitKind::ToolCalls => limits.tool_calls,
        LimitKind::WallTime => limits.wall_ms,
        LimitKind::Turns => Some(run.config.max_turns.into()),
        // What others have spent meanwhile comes on top, or nothing would go on.
        LimitKind::Day => run.day.refused.map(|day| {
            let first = day.allowed.saturating_sub(run.day.extended);
            first.saturating_add(day.used.saturating_sub(day.allowed))
        }),
        LimitKind::CrashLoop | LimitKind::Loop => None,
    };
    amount.unwrap_or_default().max(1)
}

fn allowed(state: &State, limit: LimitKind, first: u64) -> u64 {
    first.saturating_add(state.ledger.extended.get(&limit).copied().unwrap_or_default())
}

fn over(state: &State, limit: LimitKind, used: u64, more: u64, first: Option<u64>) -> Option<Reached> {
    let allowed = allowed(state, limit, first?);
    (used.saturating_add(more) > allowed).then_some(Reached { limit, used, allowed })
}
