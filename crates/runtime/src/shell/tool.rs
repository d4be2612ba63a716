//! Runs a tool attempt, or finds out what became of one.

use super::report::Reporter;
use crate::Ports;
use crate::text::{Trouble, store, whole};
use agent::State;
use agent::state::Call;
use contract::id::{ActionId, BootId, CallId, MachineId, StreamId};
use contract::outcome::{Outcome, ToolOutcome};
use contract::port::{Here, RawOutcome, Recovery, Stopping, Target, ToolJob};
use contract::text::Room;
use contract::units::Time;
use std::path::PathBuf;
use std::time::Duration;

/// Pause before an attempt that nobody listens for is told to stop again.
const STOP_AGAIN: Duration = Duration::from_millis(50);
/// Time after its deadline at which an attempt must have ended: longer than its supervisor tries to end the last process.
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// What an open attempt needs of the state.
pub(super) struct Attempting {
    stream: StreamId,
    call: Call,
    attempt: u16,
    machine: MachineId,
    boot: BootId,
    folder: PathBuf,
    target: Option<Target>,
}

impl Attempting {
    pub(super) fn new(state: &State, stream: &StreamId, action: ActionId, now: Time) -> Option<Attempting> {
        let (_, call) = state.call_of(action)?;
        let attempt = call.attempt()?;
        Some(Attempting {
            stream: stream.clone(),
            call: call.clone(),
            attempt: attempt.number,
            machine: attempt.machine,
            boot: attempt.boot.clone(),
            folder: PathBuf::from(&state.session.as_ref()?.folder),
            target: call.prepared.target.and_then(|target| running(state, target, now)),
        })
    }

    async fn job(self, ports: &Ports) -> Result<ToolJob, Trouble> {
        Ok(ToolJob {
            stream: self.stream,
            action: self.call.action,
            attempt: self.attempt,
            args: whole(ports.blobs.as_ref(), &self.call.args).await?,
            tool: self.call.tool,
            folder: self.folder,
            witness: self.call.prepared.witness,
            sandbox: self.call.prepared.sandbox,
            class: self.call.class,
            target: self.target,
            machine: self.machine,
            boot: self.boot,
            live: ports.live.clone(),
        })
    }
}

/// The running attempt of a call that another one is about.
fn running(state: &State, call: CallId, now: Time) -> Option<Target> {
    let open = state.calls.get(&call)?;
    let attempt = open.attempt()?;
    Some(Target { call, tool: open.tool.clone(), action: open.action, attempt: attempt.number, since: attempt.since, now })
}

/// Tells a running attempt to end until it was heard, and again when it has not ended long after its time. Its outcome
/// comes from whoever waits for it, so this has none.
pub(super) async fn stop(ports: Ports, action: ActionId, attempt: u16, deadline: Time) -> Result<Outcome, Trouble> {
    loop {
        let grace = Duration::from_millis(deadline.0.saturating_sub(ports.clock.now().0));
        match ports.tools.stop(action, attempt, grace).await {
            Stopping::Told => {
                let left = Duration::from_millis(deadline.0.saturating_sub(ports.clock.now().0));
                tokio::time::sleep(left + STOP_PATIENCE).await;
            }
            Stopping::NotReached => tokio::time::sleep(STOP_AGAIN).await,
        }
    }
}

pub(super) async fn start(ports: Ports, attempting: Attempting) -> Result<Outcome, Trouble> {
    let job = attempting.job(&ports).await?;
    let raw = ports.tools.start(job).await;
    outcome(&ports, raw).await
}

pub(super) async fn recover(ports: Ports, attempting: Attempting, report: Reporter) -> Result<Outcome, Trouble> {
    let job = attempting.job(&ports).await?;
    let here = Here { machine: ports.place.machine, boot: ports.place.boot.clone() };
    let raw = match ports.tools.recover(job, &here).await {
        Recovery::Ended(raw) => raw,
        Recovery::Running(running) => {
            report.end(Outcome::Tool(ToolOutcome::Adopted));
            running.await
        }
    };
    outcome(&ports, raw).await
}

async fn outcome(ports: &Ports, raw: RawOutcome) -> Result<Outcome, Trouble> {
    let blobs = ports.blobs.as_ref();
    Ok(Outcome::Tool(match raw {
        RawOutcome::Finished { ok, output, exit, signal } => {
            ToolOutcome::Finished { ok, output: store(blobs, output, Room::SHOWN).await?, exit, signal }
        }
        RawOutcome::Cancelled(reason) => ToolOutcome::Cancelled(reason),
        RawOutcome::Unknown { reason, output } => ToolOutcome::Unknown { reason, output: store(blobs, output, Room::SHOWN).await? },
    }))
}
