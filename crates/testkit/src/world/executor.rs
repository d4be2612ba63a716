//! What a host does for an effect, step by step, against the virtual outside. It dies with its host.

use super::outside::{Outside, Process, Slot};
use super::{Step, World};
use crate::monitor::{Invariant, Violation, hold, result_of};
use crate::scenario::Kind;
use agent::State;
use agent::state::{Delivery, Stage};
use contract::body::{Body, CancelReason, UnknownReason};
use contract::config::ConfigRef;
use contract::effect::{Effect, EffectId};
use contract::id::{ActionId, CallId, MachineId, Sha256};
use contract::limits::{SLOW_CALL_MS_DEFAULT, TURNS_DEFAULT};
use contract::outcome::{DeliveryOutcome, ModelOutcome, Outcome, ToolOutcome};
use contract::text::Text;
use serde::Serialize;

/// Tokens that a reply of the virtual model may have.
const OUTPUT_TOKENS_MAX: u64 = 10;
/// How a command ends that heeds being told to.
const SIGNAL: i32 = 15;

#[derive(Clone, Debug, Serialize)]
pub struct Executor {
    pub effect: Effect,
    job: Job,
    progress: Progress,
}

/// What it needs of the state, taken when it begins, as the shell does.
#[derive(Clone, Debug, Serialize)]
enum Job {
    Prepare,
    Model { sha256: Sha256, replies: u32 },
    Tool(Attempting),
    Deliver(Delivery),
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Attempting {
    slot: Slot,
    kind: Kind,
    args_hash: Sha256,
    machine: MachineId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Progress {
    /// Nothing has happened yet.
    Issued,
    /// The effect happened, or the process was spawned; the outcome is to come.
    Acting,
    /// Given up without an outcome although it acted.
    GivenUp,
}

/// What comes of a step.
pub enum Stepped {
    /// It goes on.
    On,
    /// It says this and goes on.
    Says(Outcome),
    /// It says this and is gone.
    Ends(Outcome),
}

impl Executor {
    /// Fails when the state does not have what the effect is about: then the loop started something that is not open.
    pub fn new(effect: Effect, state: &State) -> Result<Executor, Violation> {
        let job = match effect {
            Effect::Prepare(_) => Some(Job::Prepare),
            Effect::Model { .. } => {
                agent::context::context(state).map(|request| Job::Model { sha256: request.sha256(), replies: state.replies })
            }
            Effect::Deliver(delivery) => state.deliveries.iter().find(|open| open.started == Some(delivery)).cloned().map(Job::Deliver),
            Effect::Start { action, attempt } | Effect::Recover { action, attempt, .. } | Effect::Stop { action, attempt, .. } => {
                attempting(state, action, attempt).map(Job::Tool)
            }
        };
        let not_open = || Violation::new(Invariant::WantedOrDone, format!("{effect:?} is started and not open"));
        Ok(Executor { effect, job: job.ok_or_else(not_open)?, progress: Progress::Issued })
    }

    /// The call it works for, if any.
    #[must_use]
    pub fn call(&self) -> Option<CallId> {
        match &self.job {
            Job::Tool(tool) => Some(tool.slot.call),
            Job::Prepare | Job::Model { .. } | Job::Deliver(_) => None,
        }
    }

    /// The action it may still act for.
    #[must_use]
    pub fn action(&self) -> Option<ActionId> {
        match (&self.job, &self.effect) {
            (Job::Tool(_), Effect::Stop { .. }) | (Job::Prepare | Job::Model { .. } | Job::Deliver(_), _) => None,
            (Job::Tool(tool), _) => Some(tool.slot.action),
        }
    }

    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.progress == Progress::GivenUp
    }

    #[must_use]
    pub fn steps(&self, outside: &Outside, here: MachineId) -> &'static [Step] {
        let Job::Tool(Attempting { slot, kind, machine, .. }) = &self.job else { return &[Step::Next] };
        match (kind, &self.effect, self.progress) {
            // What runs inside an owner, or on another machine, cannot be told to end.
            (_, Effect::Stop { .. }, _) => {
                if *machine == here && outside.can_be_told(*slot) {
                    &[Step::Next]
                } else {
                    &[]
                }
            }
            (_, _, Progress::GivenUp) => &[Step::Late],
            (Kind::Shell, _, Progress::Acting) if outside.runs(*slot) => &[],
            (Kind::Shell, _, _) => &[Step::Next],
            (_, Effect::Start { .. }, _) => &[Step::Next, Step::Lost],
            _ => &[Step::Next],
        }
    }

    pub fn step(&mut self, world: &mut World, here: MachineId, step: Step) -> Result<Stepped, Violation> {
        match self.job.clone() {
            Job::Prepare => {
                Ok(Stepped::Ends(Outcome::Prepared { config: Box::new(config(world)), resources: world.scenario.resources.clone() }))
            }
            Job::Model { replies, .. } if self.progress == Progress::Issued && world.scenario.is_slow(replies) => {
                self.progress = Progress::Acting;
                Ok(Stepped::Says(Outcome::Model(ModelOutcome::Slow { waited_ms: SLOW_CALL_MS_DEFAULT })))
            }
            Job::Model { sha256, replies } => ask_model(world, self.effect.id(), sha256, replies),
            Job::Deliver(delivery) => self.deliver(world, &delivery),
            Job::Tool(tool) => match self.effect {
                Effect::Stop { deadline, .. } => {
                    world.outside.tell(tool.slot, deadline);
                    Ok(Stepped::On)
                }
                Effect::Recover { .. } => Ok(self.recover(world, tool, tool.machine == here)),
                Effect::Start { .. } | Effect::Prepare(_) | Effect::Model { .. } | Effect::Deliver(_) => self.run(world, tool, step),
            },
        }
    }

    fn deliver(&mut self, world: &mut World, delivery: &Delivery) -> Result<Stepped, Violation> {
        if world.scenario.refuses_rules {
            return Ok(Stepped::Ends(Outcome::Delivery(DeliveryOutcome::Failed("full".to_owned()))));
        }
        if self.progress == Progress::Acting {
            return Ok(Stepped::Ends(Outcome::Delivery(DeliveryOutcome::Finished)));
        }
        self.progress = Progress::Acting;
        world.outside.deliver(delivery, &world.log.stream, &mut world.monitor)?;
        Ok(Stepped::On)
    }

    fn run(&mut self, world: &mut World, tool: Attempting, step: Step) -> Result<Stepped, Violation> {
        let Attempting { slot, kind, args_hash, .. } = tool;
        match (kind, self.progress, step) {
            (Kind::Shell, Progress::Issued, _) => {
                world.outside.spawn(slot, args_hash);
                self.progress = Progress::Acting;
                Ok(Stepped::On)
            }
            (Kind::Shell, _, _) => Ok(ends(ended(world.outside.process(slot), slot.attempt))),
            (_, Progress::Issued, Step::Lost) => Ok(ends(lost())),
            // Another owner claimed it meanwhile.
            (Kind::Write, Progress::Issued, _) if world.outside.process(slot) == Some(Process::Void) => {
                Ok(ends(ToolOutcome::Cancelled(CancelReason::NeverStarted)))
            }
            (_, Progress::Issued, _) => {
                world.outside.run(slot, args_hash, &mut world.monitor)?;
                self.progress = Progress::Acting;
                Ok(Stepped::On)
            }
            (_, Progress::Acting, Step::Lost) => {
                self.progress = Progress::GivenUp;
                Ok(Stepped::Says(Outcome::Tool(lost())))
            }
            (_, Progress::Acting | Progress::GivenUp, _) => Ok(ends(finished(slot.attempt, Some(0)))),
        }
    }

    fn recover(&mut self, world: &mut World, tool: Attempting, same_machine: bool) -> Stepped {
        let Attempting { slot, kind, args_hash, .. } = tool;
        let unknown = |reason| ToolOutcome::Unknown { reason, output: Text::from("") };
        if !same_machine {
            return ends(unknown(UnknownReason::OtherMachine));
        }
        match kind {
            Kind::Shell => match world.outside.process(slot) {
                None | Some(Process::Spawned | Process::Stillborn) => {
                    world.outside.make_void(slot, args_hash);
                    ends(ToolOutcome::Cancelled(CancelReason::NeverStarted))
                }
                Some(Process::Running) => {
                    self.progress = Progress::Acting;
                    Stepped::Says(Outcome::Tool(ToolOutcome::Adopted))
                }
                process => ends(ended(process, slot.attempt)),
            },
            Kind::Write if world.outside.ran(slot.call, slot.action) > 0 => ends(finished(slot.attempt, None)),
            Kind::Write => {
                world.outside.make_void(slot, args_hash);
                ends(ToolOutcome::Cancelled(CancelReason::NoEffect))
            }
            Kind::Look | Kind::Mail | Kind::Pay | Kind::Wait | Kind::Question => ends(unknown(UnknownReason::Died)),
        }
    }
}

fn attempting(state: &State, action: ActionId, attempt: u16) -> Option<Attempting> {
    let (call, open) = state.call_of(action)?;
    let Stage::Started(started) = &open.stage else { return None };
    let slot = Slot { call, action, attempt };
    let kind = Kind::of(&open.tool)?;
    (started.number == attempt).then_some(Attempting { slot, kind, args_hash: open.args_hash, machine: started.machine })
}

fn ask_model(world: &World, effect: EffectId, sha256: Sha256, replies: u32) -> Result<Stepped, Violation> {
    let recorded = world.log.events.iter().rev().find(|event| EffectId::Model(event.draft.id) == effect);
    let proven = recorded.and_then(|event| if let Body::ModelRequested(requested) = &event.draft.body { Some(requested) } else { None });
    let Some(proven) = proven else {
        return Err(Violation::new(Invariant::StartedBeforeEffect, format!("{effect} is not in the log")));
    };
    hold(sha256 == proven.request_sha256, Invariant::RequestProven, || format!("{effect} sends {sha256}"))?;
    Ok(Stepped::Ends(Outcome::Model(world.scenario.reply(replies as usize, proven.attempt, &proven.model))))
}

fn ends(outcome: ToolOutcome) -> Stepped {
    Stepped::Ends(Outcome::Tool(outcome))
}

fn lost() -> ToolOutcome {
    ToolOutcome::Unknown { reason: UnknownReason::Lost, output: Text::from("") }
}

fn finished(attempt: u16, exit: Option<i32>) -> ToolOutcome {
    ToolOutcome::Finished { ok: true, output: result_of(attempt), exit, signal: None }
}

fn ended(process: Option<Process>, attempt: u16) -> ToolOutcome {
    match process {
        Some(Process::Exited) => finished(attempt, Some(0)),
        Some(Process::Killed) => ToolOutcome::Finished { ok: false, output: result_of(attempt), exit: None, signal: Some(SIGNAL) },
        Some(Process::Dead) => ToolOutcome::Unknown { reason: UnknownReason::Died, output: Text::from("part") },
        Some(Process::Void | Process::Stillborn | Process::Spawned | Process::Running) | None => {
            ToolOutcome::Cancelled(CancelReason::NeverStarted)
        }
    }
}

fn config(world: &World) -> ConfigRef {
    let options = &world.scenario.options;
    ConfigRef {
        sha256: Sha256::of(b"config"),
        bytes: 0,
        model: "scripted".to_owned(),
        fallback: options.fallback.clone(),
        max_turns: options.max_turns.unwrap_or(TURNS_DEFAULT),
        policy: options.policy.clone(),
        limits: options.limits,
        prices: None,
        output_tokens_max: OUTPUT_TOKENS_MAX,
        standing: Vec::new(),
        warn_cost_micros: None,
    }
}
