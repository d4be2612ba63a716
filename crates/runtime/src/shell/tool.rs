//! Runs a tool attempt, or finds out what became of one.

use super::report::Reporter;
use crate::Ports;
use crate::text::{Trouble, store, whole};
use agent::State;
use agent::state::{Call, Stage};
use contract::id::{ActionId, BootId, MachineId, StreamId};
use contract::outcome::{Outcome, ToolOutcome};
use contract::port::{Here, RawOutcome, Recovery, ToolJob};
use contract::text::Room;
use std::path::PathBuf;

/// What an open attempt needs of the state.
pub(super) struct Attempting {
    stream: StreamId,
    call: Call,
    attempt: u16,
    machine: MachineId,
    boot: BootId,
    folder: PathBuf,
}

impl Attempting {
    pub(super) fn new(state: &State, stream: &StreamId, action: ActionId) -> Option<Attempting> {
        let (_, call) = state.call_of(action)?;
        let attempt = match &call.stage {
            Stage::Started(attempt) => attempt,
            Stage::Decided | Stage::Unknown => return None,
        };
        Some(Attempting {
            stream: stream.clone(),
            call: call.clone(),
            attempt: attempt.number,
            machine: attempt.machine,
            boot: attempt.boot.clone(),
            folder: PathBuf::from(&state.session.as_ref()?.folder),
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
            witness: self.call.witness,
            class: self.call.class,
            machine: self.machine,
            boot: self.boot,
            live: ports.live.clone(),
        })
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
