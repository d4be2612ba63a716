//! Attempts that run, or ran when their owner died, in all sessions.

use crate::calls::CallRow;
use crate::{Seen, list};
use contract::body::Body;
use contract::call::Sandbox;
use contract::id::{ActionId, CallId, MachineId, SessionId};
use contract::units::Time;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunningRow {
    pub session: SessionId,
    pub call: CallId,
    pub action: ActionId,
    pub attempt: u16,
    pub tool: String,
    /// The beginning of its arguments.
    pub args: String,
    pub since: Time,
    pub machine: MachineId,
    /// It does not hold its run.
    pub background: bool,
    /// It was told to end.
    pub stopping: bool,
    /// What holds it, if it is a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
}

pub fn see(seen: &mut Seen<'_>) {
    let Some(key) = seen.call_key() else { return };
    let body = &seen.event.draft.body;
    if let Body::ToolStarted(started) = body {
        let Some(call) = seen.get::<CallRow>(list::CALLS, &key) else { return };
        let row = RunningRow {
            session: seen.session,
            call: call.call,
            action: started.action,
            attempt: started.attempt,
            tool: call.tool,
            args: call.args,
            since: seen.event.time,
            machine: started.machine,
            background: call.background,
            stopping: false,
            sandbox: call.sandbox,
        };
        seen.put(list::RUNNING, &key, seen.position.0, &row);
    } else if matches!(body, Body::ToolFinished(_) | Body::ToolCancelled(_) | Body::ToolUnknown(_)) {
        seen.rows.remove(list::RUNNING, &key);
    } else if matches!(body, Body::ToolBackgrounded(_)) {
        change(seen, &key, |row| row.background = true);
    } else if matches!(body, Body::ToolCancelRequested(_)) {
        change(seen, &key, |row| row.stopping = true);
    }
}

fn change(seen: &mut Seen<'_>, key: &str, change: impl FnOnce(&mut RunningRow)) {
    if let Some(mut row) = seen.get::<RunningRow>(list::RUNNING, key) {
        change(&mut row);
        seen.put(list::RUNNING, key, seen.position.0, &row);
    }
}
