//! What may be chosen by chance: steps, replies, outcomes and what a session is set up with.

use super::NAMES;
use crate::scene::Scene;
use crate::scene::made::{self, Change};
use contract::ask::Grant;
use contract::body::{FailureClass, Mode, Scope, UnknownReason, Usage};
use contract::call::{Class, Risk};
use contract::config::{Autonomy, ConfigRef, Limits, OnUnknown, ResumePolicy};
use contract::effect::EffectId;
use contract::limits::{APPROVAL_VALID_MS, REPLY_PARTS_MAX};
use contract::outcome::{DeliveryOutcome, ModelOutcome, Outcome, Reply, ReplyPart, ToolOutcome};
use contract::text::Text;
use proptest::prelude::*;

/// What a person calls an input: by its number, or by one of the program's own names.
pub type Name = Option<usize>;

#[derive(Clone, Debug)]
pub struct Play {
    pub step: Step,
    /// Whether the owner notices at once.
    pub noticed: bool,
}

#[derive(Clone, Debug)]
pub enum Step {
    Message(Said, Mode, Name),
    Withdraw(usize, Name),
    /// A key that was used before.
    Repeat(usize),
    /// Outcome of the chosen wanted effect.
    Done(usize, Choice),
    /// Outcome of the chosen effect of the log, open or not, of the chosen attempt.
    Stale(usize, u16, Choice),
    /// By a host on the same machine, or on another.
    Takeover {
        afar: bool,
    },
    OldEpoch,
    Resume(Name),
    Pause(Name),
    Stop(Scope, Name),
    Answer(usize, Told, Name),
    Edit(usize, Name),
    /// Time passes.
    Pass(u64),
    /// What the machine waits for is due.
    Due,
}

#[derive(Clone, Copy, Debug)]
pub enum Said {
    Text,
    /// Beside what running calls have printed.
    Beside,
    Yes,
    No,
}

#[derive(Clone, Copy, Debug)]
pub enum Told {
    Approve(Grant),
    Deny { why: bool, stop: bool },
    Reply,
    Extend(u64),
}

/// What came of an effect, for each kind of effect.
#[derive(Clone, Debug)]
pub struct Choice {
    parts: Vec<Piece>,
    failure: Option<FailureClass>,
    tool: u8,
    tokens: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum Piece {
    Text,
    Empty,
    Blank,
    Opaque,
    Call(Class, Risk, Option<u64>),
    Wait(u64, bool),
    Question,
    Refused,
}

/// What a session is made with.
#[derive(Clone, Debug)]
pub struct Setting {
    pub resume: ResumePolicy,
    pub child: bool,
    autonomy: Autonomy,
    on_unknown: OnUnknown,
    ask_valid_ms: Option<u64>,
    limits: Limits,
    max_turns: u32,
}

impl Setting {
    pub fn resolve(&self, config: &mut ConfigRef) {
        config.policy.autonomy = self.autonomy;
        config.policy.on_unknown = self.on_unknown;
        config.policy.ask_valid_ms = self.ask_valid_ms.unwrap_or(config.policy.ask_valid_ms);
        config.limits = self.limits;
        config.max_turns = self.max_turns;
    }
}

pub fn setting() -> impl Strategy<Value = Setting> {
    let resume = prop_oneof![2 => Just(ResumePolicy::Continue), 1 => Just(ResumePolicy::Ask), 1 => Just(ResumePolicy::Paused)];
    let autonomy = prop_oneof![Just(Autonomy::Ask), Just(Autonomy::Auto), Just(Autonomy::Full)];
    let on_unknown = prop_oneof![Just(OnUnknown::Tell), Just(OnUnknown::Ask)];
    let limit = |most: std::ops::Range<u64>| prop::option::weighted(0.2, most);
    let limits = (limit(0..6), limit(8_000..40_000), limit(1_000..60_000)).prop_map(|(tool_calls, tokens, wall_ms)| Limits {
        tool_calls,
        tokens,
        wall_ms,
        ..Limits::default()
    });
    let patience = prop::option::weighted(0.3, 500u64..5_000);
    (resume, prop::bool::weighted(0.2), autonomy, on_unknown, patience, limits, 1u32..6).prop_map(
        |(resume, child, autonomy, on_unknown, ask_valid_ms, limits, max_turns)| Setting {
            resume,
            child,
            autonomy,
            on_unknown,
            ask_valid_ms,
            limits,
            max_turns,
        },
    )
}

pub fn plays() -> impl Strategy<Value = Vec<Play>> {
    let step = prop_oneof![
        4 => (said(), mode(), name()).prop_map(|(said, mode, name)| Step::Message(said, mode, name)),
        1 => (any::<usize>(), name()).prop_map(|(which, name)| Step::Withdraw(which, name)),
        1 => any::<usize>().prop_map(Step::Repeat),
        12 => (any::<usize>(), choice()).prop_map(|(which, choice)| Step::Done(which, choice)),
        1 => (any::<usize>(), 0u16..4, choice()).prop_map(|(which, attempt, choice)| Step::Stale(which, attempt, choice)),
        2 => prop::bool::weighted(0.25).prop_map(|afar| Step::Takeover { afar }),
        1 => Just(Step::OldEpoch),
        1 => name().prop_map(Step::Resume),
        1 => name().prop_map(Step::Pause),
        1 => (prop_oneof![Just(Scope::Turn), Just(Scope::All)], name()).prop_map(|(scope, name)| Step::Stop(scope, name)),
        4 => (any::<usize>(), told(), name()).prop_map(|(which, told, name)| Step::Answer(which, told, name)),
        1 => (any::<usize>(), name()).prop_map(|(which, name)| Step::Edit(which, name)),
        2 => prop_oneof![1u64..60_000, Just(APPROVAL_VALID_MS)].prop_map(Step::Pass),
        2 => Just(Step::Due),
    ];
    let play = (step, prop::bool::weighted(0.85)).prop_map(|(step, noticed)| Play { step, noticed });
    prop::collection::vec(play, 1..32)
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![6 => Just(Said::Text), 2 => Just(Said::Beside), 1 => Just(Said::Yes), 1 => Just(Said::No)]
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![4 => Just(Mode::Steer), 1 => Just(Mode::Queue), 2 => Just(Mode::Interrupt), 1 => Just(Mode::Status)]
}

fn told() -> impl Strategy<Value = Told> {
    prop_oneof![
        4 => prop_oneof![Just(Grant::Once), Just(Grant::Session), Just(Grant::Always)].prop_map(Told::Approve),
        2 => (any::<bool>(), any::<bool>()).prop_map(|(why, stop)| Told::Deny { why, stop }),
        1 => Just(Told::Reply),
        1 => (0u64..10_000).prop_map(Told::Extend),
    ]
}

fn name() -> impl Strategy<Value = Name> {
    prop::option::weighted(0.15, 0..NAMES.len())
}

fn a_call() -> impl Strategy<Value = Piece> {
    let class = prop_oneof![Just(Class::Pure), Just(Class::Idempotent), Just(Class::Probe), Just(Class::Unsafe)];
    let risk = prop_oneof![3 => Just(Risk::Low), 1 => Just(Risk::Medium), 2 => Just(Risk::High)];
    let patience = prop_oneof![3 => Just(None), 1 => Just(Some(0)), 1 => Just(Some(3_000))];
    (class, risk, patience).prop_map(|(class, risk, patience)| Piece::Call(class, risk, patience))
}

/// A reply of calls alone.
pub fn calls() -> impl Strategy<Value = Vec<Piece>> {
    let wait = (0u64..5_000, any::<bool>()).prop_map(|(ms, about)| Piece::Wait(ms, about));
    prop::collection::vec(prop_oneof![8 => a_call(), 1 => wait, 1 => Just(Piece::Question)], 1..10)
}

fn choice() -> impl Strategy<Value = Choice> {
    let piece = prop_oneof![
        3 => Just(Piece::Text),
        1 => Just(Piece::Empty),
        1 => Just(Piece::Blank),
        1 => Just(Piece::Opaque),
        6 => a_call(),
        1 => (0u64..5_000, any::<bool>()).prop_map(|(ms, about)| Piece::Wait(ms, about)),
        1 => Just(Piece::Question),
        1 => Just(Piece::Refused),
    ];
    let failure = prop_oneof![Just(FailureClass::Interrupted), Just(FailureClass::Transient), Just(FailureClass::ContextTooLong)];
    let most = REPLY_PARTS_MAX - 2..REPLY_PARTS_MAX + 3;
    let parts = prop_oneof![
        9 => prop::collection::vec(piece.clone(), 0..3),
        9 => prop::collection::vec(piece.clone(), 0..12),
        1 => prop::collection::vec(piece.clone(), 20..40),
        1 => prop::collection::vec(piece, most),
    ];
    let end = (prop::option::weighted(0.15, failure), 0u8..9, 0u64..9_000);
    (parts, end).prop_map(|(parts, (failure, tool, tokens))| Choice { parts, failure, tool, tokens })
}

impl Choice {
    pub fn outcome(&self, effect: EffectId, scene: &Scene) -> Outcome {
        match effect {
            EffectId::Prepare(_) => Outcome::Prepared { config: Box::new(scene.config.clone()), resources: Vec::new() },
            EffectId::Model(_) => Outcome::Model(match self.failure {
                Some(class) => ModelOutcome::Failed { class, message: Text::from("why"), retry_after_ms: None },
                None => {
                    let usage = Usage { input: self.tokens, ..Usage::default() };
                    ModelOutcome::Replied(Reply { parts: Choice::parts(&self.parts), usage, cost_micros: None })
                }
            }),
            EffectId::Deliver(_) if self.tool == 0 => Outcome::Delivery(DeliveryOutcome::Failed("full".into())),
            EffectId::Deliver(_) => Outcome::Delivery(DeliveryOutcome::Finished),
            EffectId::Tool(_) | EffectId::Stop(_) => Outcome::Tool(self.tool()),
        }
    }

    pub fn parts(pieces: &[Piece]) -> Vec<ReplyPart> {
        let part = |(number, piece): (usize, &Piece)| match piece {
            Piece::Text => made::text("text"),
            Piece::Empty => made::text(""),
            Piece::Blank => made::text(" \n"),
            Piece::Opaque => made::opaque("opaque"),
            Piece::Call(class, risk, patience) => {
                let call = made::command(number % 3, "a line").of_class(*class).of_risk(*risk);
                call.change(|prepared| prepared.patience_ms = *patience).part()
            }
            Piece::Wait(ms, false) => made::wait(number, *ms).part(),
            Piece::Wait(ms, true) => made::wait(number, *ms).about("call_0_0").part(),
            Piece::Question => made::question(number, "which?").part(),
            Piece::Refused => made::refused(number, "refused"),
        };
        pieces.iter().enumerate().map(part).collect()
    }

    fn tool(&self) -> ToolOutcome {
        match self.tool {
            0 => made::never_started(),
            1 => made::no_effect(),
            2 => made::unknown(UnknownReason::Died),
            3 => made::unknown(UnknownReason::Lost),
            4 => ToolOutcome::Finished { ok: false, output: Text::from(""), exit: Some(1), signal: None },
            5 => ToolOutcome::Adopted,
            6 => made::killed(),
            _ => made::finished("done"),
        }
    }
}
