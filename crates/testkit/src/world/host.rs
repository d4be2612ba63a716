//! A process: the shipped driver, what it waits for, and the executors it started. All of it dies with the process.

use super::outside::{Outside, Process};
use super::{AppendFate, Move, NOW, Step, VirtualLog, World};
use crate::monitor::{Invariant, Monitor, Violation, hold, result_of};
use crate::scenario::Kind;
use agent::Agent;
use contract::body::{Body, CancelReason, UnknownReason};
use contract::config::ConfigRef;
use contract::effect::{Effect, EffectId};
use contract::id::{ActionId, CallId, HostId, Sha256, StreamId};
use contract::input::Input;
use contract::limits::ITERATIONS_DEFAULT;
use contract::machine::Machine;
use contract::outcome::{Outcome, ToolOutcome};
use contract::port::{Append, AppendError};
use contract::request::Item;
use contract::text::Text;
use runtime::drive::{Caller, Cause, Do, Driver, Leave, Place};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize)]
pub struct Host {
    place: Place,
    driver: Driver<Agent>,
    /// At most one request to the log is under way.
    request: Option<Request>,
    executors: BTreeMap<(EffectId, u16), Executor>,
    /// Makes the session before it is opened.
    #[serde(skip)]
    session_input: Option<Input>,
}

#[derive(Clone, Debug, Serialize)]
enum Request {
    Acquire,
    Read,
    Append(Append),
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Executor {
    effect: Effect,
    progress: Progress,
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

impl Host {
    #[must_use]
    pub fn new(stream: StreamId, place: Place) -> Host {
        let driver = Driver::new(stream, place.clone());
        Host { place, driver, request: None, executors: BTreeMap::new(), session_input: None }
    }

    #[must_use]
    pub fn id(&self) -> HostId {
        self.place.host
    }

    #[must_use]
    pub fn has_left(&self) -> bool {
        self.driver.has_left()
    }

    pub fn give_first(&mut self, input: Input) {
        self.session_input = Some(input);
    }

    pub fn open(&mut self, world: &mut World) -> Result<(), Violation> {
        if let Some(input) = self.session_input.take() {
            self.on(world, Cause::Input { caller: None, input })?;
        }
        self.on(world, Cause::Open)
    }

    pub fn moves(&self, index: usize, unknowns: bool, log: &VirtualLog, outside: &Outside, moves: &mut Vec<Move>) {
        match &self.request {
            Some(Request::Acquire | Request::Read) => moves.push(Move::Answered(index)),
            Some(Request::Append(_)) => {
                moves.push(Move::Append(index, AppendFate::Told));
                if unknowns {
                    moves.push(Move::Append(index, AppendFate::StoredUntold));
                    moves.push(Move::Append(index, AppendFate::LostUntold));
                }
            }
            None => {}
        }
        for ((effect, attempt), executor) in &self.executors {
            for step in self.steps(executor, outside) {
                moves.push(Move::Executes(index, *effect, *attempt, step));
            }
        }
        if self.request.is_none() && !self.has_left() && log.version() > self.driver.state().version {
            moves.push(Move::Notices(index));
        }
    }

    fn steps(&self, executor: &Executor, outside: &Outside) -> Vec<Step> {
        let (kind, call) = match (&executor.effect, self.call(&executor.effect)) {
            (Effect::Prepare(_) | Effect::Model { .. }, _) => return vec![Step::Next],
            (Effect::Start { .. } | Effect::Recover { .. }, Some((call, kind))) => (kind, call),
            // The call has ended meanwhile; only what was given up can still be heard of.
            (Effect::Start { .. } | Effect::Recover { .. }, None) => {
                return if executor.progress == Progress::GivenUp { vec![Step::Late] } else { vec![Step::Next] };
            }
        };
        let process = outside.process(call, executor.effect.attempt());
        let running = matches!(process, Some(Process::Spawned | Process::Running));
        match (kind, &executor.effect, executor.progress) {
            (_, _, Progress::GivenUp) => vec![Step::Late],
            // A watcher of a process has nothing to do until the process has ended.
            (Kind::Shell, _, Progress::Acting) if running => vec![],
            (Kind::Shell, _, _) => vec![Step::Next],
            (_, Effect::Start { .. }, Progress::Acting) => vec![Step::Next, Step::Lost],
            _ => vec![Step::Next],
        }
    }

    fn call(&self, effect: &Effect) -> Option<(CallId, Kind)> {
        let (Effect::Start { action, .. } | Effect::Recover { action, .. }) = effect else { return None };
        let (id, call) = self.driver.state().call_of(*action)?;
        Some((id, Kind::of(&call.tool)?))
    }

    fn on(&mut self, world: &mut World, cause: Cause) -> Result<(), Violation> {
        for a_do in self.driver.on(cause, NOW) {
            match a_do {
                Do::Acquire => self.request = Some(Request::Acquire),
                Do::Read { from: _ } => self.request = Some(Request::Read),
                Do::Append { append, .. } => {
                    mint(&append, &mut world.monitor)?;
                    self.request = Some(Request::Append(append));
                }
                Do::Start(effect) => {
                    self.executors.insert((effect.id(), effect.attempt()), Executor { effect, progress: Progress::Issued });
                }
                Do::Stop(effect) => drop(self.executors.remove(&(effect.id(), effect.attempt()))),
                Do::Answer { caller, answer } => world.people.answered(caller, &answer, &world.monitor)?,
                Do::Quarantine { reason, .. } => return Err(Violation::new(Invariant::ReachesRest, format!("quarantined: {reason}"))),
                Do::Release { .. } => {}
                Do::Leave(leave) => {
                    let expected = matches!(leave, Leave::Fenced);
                    hold(expected, Invariant::ReachesRest, || format!("left: {leave:?}"))?;
                    self.executors.clear();
                    self.request = None;
                }
            }
        }
        Ok(())
    }

    pub fn input(&mut self, world: &mut World, caller: Caller, input: Input) -> Result<(), Violation> {
        self.on(world, Cause::Input { caller: Some(caller), input })
    }

    pub fn notice(&mut self, world: &mut World) -> Result<(), Violation> {
        self.on(world, Cause::Changed)
    }

    pub fn answered(&mut self, world: &mut World) -> Result<(), Violation> {
        match self.request.take() {
            Some(Request::Acquire) => {
                let epoch = world.log.acquire();
                self.on(world, Cause::Acquired(epoch))
            }
            Some(Request::Read) => {
                let from = self.driver.state().version.0 as usize;
                let events = world.log.read().split_off(from.min(world.log.events.len()));
                self.on(world, Cause::Read { events, more: false })
            }
            request => {
                self.request = request;
                Ok(())
            }
        }
    }

    pub fn append(&mut self, world: &mut World, fate: AppendFate) -> Result<(), Violation> {
        let Some(Request::Append(append)) = self.request.take() else { return Ok(()) };
        if fate == AppendFate::LostUntold {
            return self.on(world, Cause::Unknown);
        }
        let done = world.log.append(&append, Some(self.driver.epoch()), &mut world.monitor)?;
        let cause = match done {
            Ok(_) if fate == AppendFate::StoredUntold => Cause::Unknown,
            Ok(appended) => Cause::Appended { last: appended.last },
            Err(AppendError::Fenced { .. }) => Cause::Fenced,
            Err(_) => Cause::Conflict,
        };
        self.on(world, cause)
    }

    pub fn execute(&mut self, world: &mut World, effect: EffectId, attempt: u16, step: Step) -> Result<(), Violation> {
        let Some(executor) = self.executors.get(&(effect, attempt)).copied() else { return Ok(()) };
        match (executor.effect, effect) {
            (Effect::Prepare(_), _) => self.end(world, effect, attempt, Outcome::Prepared(config(world))),
            (Effect::Model { .. }, _) => self.ask_model(world, effect, attempt),
            (Effect::Start { .. }, EffectId::Tool(action)) => self.run_tool(world, action, attempt, executor, step),
            (Effect::Recover { .. }, EffectId::Tool(action)) => self.recover(world, action, attempt, executor),
            (Effect::Start { .. } | Effect::Recover { .. }, EffectId::Prepare(_) | EffectId::Model(_)) => Ok(()),
        }
    }

    fn end(&mut self, world: &mut World, effect: EffectId, attempt: u16, outcome: Outcome) -> Result<(), Violation> {
        self.executors.remove(&(effect, attempt));
        self.on(world, Cause::Outcome { effect, attempt, outcome })
    }

    fn ask_model(&mut self, world: &mut World, effect: EffectId, attempt: u16) -> Result<(), Violation> {
        let state = self.driver.state();
        let proven = world.log.events.iter().rev().find_map(|event| match &event.draft.body {
            Body::ModelRequested(requested) if EffectId::Model(event.draft.id) == effect => Some(requested.request_sha256),
            _ => None,
        });
        let (Some(request), Some(proven)) = (agent::context::context(state), proven) else {
            return Err(Violation::new(Invariant::StartedBeforeEffect, format!("{effect} is not in the log")));
        };
        world.monitor.request(&request, proven)?;
        let replies = request.items.iter().filter(|item| matches!(item.as_ref(), Item::Assistant(_))).count();
        // Empty replies leave no item, so the machine's own count says how far the script is.
        let number = (state.replies as usize).max(replies);
        let outcome = world.scenario.reply(number);
        self.end(world, effect, attempt, Outcome::Model(outcome))
    }

    fn run_tool(&mut self, world: &mut World, action: ActionId, attempt: u16, executor: Executor, step: Step) -> Result<(), Violation> {
        let effect = EffectId::Tool(action);
        let finished = Outcome::Tool(ToolOutcome::Finished { ok: true, output: result_of(attempt), exit: Some(0), signal: None });
        let Some((call, kind)) = self.call(&executor.effect) else {
            return self.end(world, effect, attempt, finished);
        };
        match (kind, executor.progress, step) {
            (Kind::Shell, Progress::Issued, _) => {
                world.outside.spawn(call, action, attempt);
                self.progress(effect, attempt, Progress::Acting);
                Ok(())
            }
            (Kind::Shell, _, _) => {
                let outcome = ended(world.outside.process(call, attempt), attempt);
                self.end(world, effect, attempt, Outcome::Tool(outcome))
            }
            (_, Progress::Issued, _) => {
                world.outside.run(call, action, attempt, &world.monitor)?;
                self.progress(effect, attempt, Progress::Acting);
                Ok(())
            }
            (_, Progress::Acting, Step::Lost) => {
                self.progress(effect, attempt, Progress::GivenUp);
                let unknown = ToolOutcome::Unknown { reason: UnknownReason::Lost, output: Text::from("") };
                self.on(world, Cause::Outcome { effect, attempt, outcome: Outcome::Tool(unknown) })
            }
            (_, Progress::Acting | Progress::GivenUp, _) => self.end(world, effect, attempt, finished),
        }
    }

    fn recover(&mut self, world: &mut World, action: ActionId, attempt: u16, executor: Executor) -> Result<(), Violation> {
        let effect = EffectId::Tool(action);
        let Some((call, kind)) = self.call(&executor.effect) else {
            self.executors.remove(&(effect, attempt));
            return Ok(());
        };
        let outcome = match kind {
            Kind::Shell => match world.outside.process(call, attempt) {
                None | Some(Process::Spawned | Process::Stillborn) => {
                    world.outside.make_void(call, action, attempt);
                    ToolOutcome::Cancelled(CancelReason::NeverStarted)
                }
                Some(Process::Running) => {
                    self.progress(effect, attempt, Progress::Acting);
                    return self.on(world, Cause::Outcome { effect, attempt, outcome: Outcome::Tool(ToolOutcome::Adopted) });
                }
                process => ended(process, attempt),
            },
            Kind::Write if world.outside.ran(call) > 0 => {
                ToolOutcome::Finished { ok: true, output: result_of(attempt), exit: None, signal: None }
            }
            Kind::Write => ToolOutcome::Cancelled(CancelReason::NoEffect),
            Kind::Look | Kind::Mail | Kind::Pay => ToolOutcome::Unknown { reason: UnknownReason::Died, output: Text::from("") },
        };
        self.end(world, effect, attempt, Outcome::Tool(outcome))
    }

    fn progress(&mut self, effect: EffectId, attempt: u16, progress: Progress) {
        if let Some(executor) = self.executors.get_mut(&(effect, attempt)) {
            executor.progress = progress;
        }
    }

    /// What must hold of a host after every move.
    pub fn check(&self, log: &VirtualLog, monitor: &Monitor) -> Result<(), Violation> {
        let state = self.driver.state();
        if !self.driver.is_settled() || state.version != log.version() {
            return Ok(());
        }
        hold(*state == log.state, Invariant::FoldEqualsLive, || format!("{state:?}\nand\n{:?}", log.state))?;
        let tools = Agent::effects(state).iter().filter(|effect| matches!(effect, Effect::Start { .. } | Effect::Recover { .. })).count();
        let expected = if state.is_parked() { 0 } else { monitor.open_attempts() };
        hold(tools == expected, Invariant::WantedOrDone, || format!("{tools} wanted, {expected} open"))
    }
}

fn ended(process: Option<Process>, attempt: u16) -> ToolOutcome {
    match process {
        Some(Process::Exited) => ToolOutcome::Finished { ok: true, output: result_of(attempt), exit: Some(0), signal: None },
        Some(Process::Dead) => ToolOutcome::Unknown { reason: UnknownReason::Died, output: Text::from("part") },
        Some(Process::Void | Process::Stillborn | Process::Spawned | Process::Running) | None => {
            ToolOutcome::Cancelled(CancelReason::NeverStarted)
        }
    }
}

fn config(world: &World) -> ConfigRef {
    ConfigRef {
        sha256: Sha256::of(b"config"),
        model: "scripted".to_owned(),
        max_turns: world.scenario.options.max_turns.unwrap_or(ITERATIONS_DEFAULT),
    }
}

/// Tells the monitor which names the facts of an append have.
pub fn mint(append: &Append, monitor: &mut Monitor) -> Result<(), Violation> {
    for draft in &append.drafts {
        if let Body::MessageReceived(received) = &draft.body {
            monitor.minted(received.key.clone(), draft.id)?;
        }
    }
    Ok(())
}
