//! Prepares a call, whoever made it: a model, or a person who edits what a model asked for.

use crate::Ports;
use crate::text::{Trouble, store};
use agent::State;
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::id::{CallId, Sha256, StreamId};
use contract::limits::{NAME_BYTES_MAX, PREPARED_BYTES_MAX};
use contract::port::{Prepare, RawCall};
use contract::text::Room;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What a call of a session stands on.
#[derive(Clone, Debug)]
pub struct Desk {
    stream: StreamId,
    folder: PathBuf,
    /// Calls that have not ended, by tool.
    open: Vec<(CallId, String)>,
    /// What files held when the session last read or wrote them.
    known: Arc<BTreeMap<String, Sha256>>,
}

impl Desk {
    #[must_use]
    pub fn of(state: &State, stream: &StreamId) -> Option<Desk> {
        let open = state.calls.iter().map(|(id, call)| (*id, call.tool.clone())).collect();
        let known = state.files.iter().map(|(path, file)| (path.clone(), file.content)).collect();
        let folder = PathBuf::from(&state.session.as_ref()?.folder);
        Some(Desk { stream: stream.clone(), folder, open, known: Arc::new(known) })
    }
}

/// Lists that are too long for an event are left out: no rule can allow what it does not see, and every rule that denies
/// part of the tool denies it.
fn bounded(prepared: Prepared) -> Prepared {
    let stored = serde_json::to_vec(&(&prepared.paths, &prepared.hosts, &prepared.commands, &prepared.line));
    if stored.is_ok_and(|bytes| bytes.len() <= PREPARED_BYTES_MAX) {
        return prepared;
    }
    Prepared { paths: Vec::new(), hosts: Vec::new(), commands: Vec::new(), line: None, unlisted: true, ..prepared }
}

/// Checks and describes one call; has no effect.
pub async fn prepare_call(ports: &Ports, desk: &Desk, mut call: RawCall) -> Result<PreparedCall, Trouble> {
    let blobs = ports.blobs.as_ref();
    // A name that long is no tool of ours, so the call is refused below; an id that long cannot be sent back anyway.
    for name in [&mut call.tool, &mut call.provider_call] {
        if name.len() > NAME_BYTES_MAX {
            *name = name.chars().take(NAME_BYTES_MAX / 4).collect();
        }
    }
    let Desk { stream, folder, open, known } = desk.clone();
    let asked = Prepare { stream, tool: call.tool.clone(), args: call.args.clone(), folder, open, known };
    let (class, risk, prepared, refused) = match ports.tools.prepare(asked).await {
        Ok(found) => {
            let preview = match found.preview {
                Some(preview) => Some(store(blobs, preview, Room::SMALL).await?),
                None => None,
            };
            (found.class, found.risk, bounded(Prepared { preview, ..found.prepared }), None)
        }
        // Nothing is known of a call that cannot be prepared, so it counts as the most dangerous kind.
        Err(refused) => (Class::Unsafe, Risk::High, Prepared::default(), Some(store(blobs, refused.message, Room::SMALL).await?)),
    };
    Ok(PreparedCall {
        provider_call: call.provider_call,
        tool: call.tool,
        args_hash: Sha256::of(call.args.as_bytes()),
        args: store(blobs, call.args, Room::SMALL).await?,
        class,
        risk,
        prepared: Box::new(prepared),
        refused,
    })
}
