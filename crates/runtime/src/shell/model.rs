//! Asks a model and prepares the calls of its reply, so that what is recorded is already checked.

use crate::Ports;
use crate::text::{Trouble, expand, store};
use agent::State;
use contract::body::{FailureClass, Purpose};
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::config::RunConfig;
use contract::id::{EventId, Sha256, StreamId};
use contract::limits::{NAME_BYTES_MAX, PREPARED_BYTES_MAX};
use contract::outcome::{ModelOutcome, Outcome, Reply, ReplyPart};
use contract::port::{ModelCall, ModelFailure, Prepare, RawCall, RawPart, RawReply};
use contract::request::ModelRequest;
use contract::text::Room;
use std::path::PathBuf;
use std::sync::Arc;

/// What an open model call needs of the state.
pub(super) struct Asking {
    stream: StreamId,
    request: EventId,
    attempt: u16,
    purpose: Purpose,
    folder: PathBuf,
    transcript: ModelRequest,
}

impl Asking {
    pub(super) fn new(state: &State, stream: &StreamId) -> Option<Asking> {
        let model = state.model.as_ref()?;
        Some(Asking {
            stream: stream.clone(),
            request: model.request,
            attempt: model.attempt,
            purpose: model.purpose,
            folder: PathBuf::from(&state.session.as_ref()?.folder),
            transcript: agent::context::context(state)?,
        })
    }
}

pub(super) async fn ask(ports: Ports, asking: Asking) -> Result<Outcome, Trouble> {
    let call = ModelCall {
        stream: asking.stream,
        request: asking.request,
        attempt: asking.attempt,
        purpose: asking.purpose,
        config: Arc::new(config(&ports, asking.transcript.config).await?),
        transcript: expand(ports.blobs.as_ref(), asking.transcript).await?,
        live: ports.live.clone(),
    };
    let outcome = match reply(&ports, call).await {
        Ok(reply) => ModelOutcome::Replied(prepare(&ports, &asking.folder, reply).await?),
        Err(ModelFailure { class, message, retry_after_ms }) => {
            ModelOutcome::Failed { class, message: store(ports.blobs.as_ref(), message, Room::SHOWN).await?, retry_after_ms }
        }
    };
    Ok(Outcome::Model(outcome))
}

/// Asks the model unless it has failed so often that it is left alone for a while.
async fn reply(ports: &Ports, call: ModelCall) -> Result<RawReply, ModelFailure> {
    let name = call.transcript.model.clone();
    if let Some(retry_after_ms) = ports.breakers.open_for_ms(&name, ports.clock.now()) {
        let message = format!("{name} failed too often");
        return Err(ModelFailure { class: FailureClass::Overloaded, message, retry_after_ms: Some(retry_after_ms) });
    }
    let replied = ports.model.reply(call).await;
    let failed = replied.as_ref().is_err_and(|failure| failure.class.passes());
    ports.breakers.note(&name, !failed, ports.clock.now());
    replied
}

async fn config(ports: &Ports, sha256: Sha256) -> Result<RunConfig, Trouble> {
    let bytes = ports.blobs.get(sha256).await.map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("configuration sha256:{sha256} is missing"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("configuration sha256:{sha256} cannot be read: {error}"))
}

async fn prepare(ports: &Ports, folder: &std::path::Path, reply: RawReply) -> Result<Reply, Trouble> {
    let blobs = ports.blobs.as_ref();
    let mut parts = Vec::with_capacity(reply.parts.len());
    for part in reply.parts {
        parts.push(match part {
            RawPart::Text(text) => ReplyPart::Text(store(blobs, text, Room::SHOWN).await?),
            RawPart::Opaque { protocol, model, bytes } => {
                ReplyPart::Opaque { protocol, model, bytes: store(blobs, bytes, Room::SMALL).await? }
            }
            RawPart::Call(call) => ReplyPart::Call(Box::new(prepare_call(ports, folder, call).await?)),
        });
    }
    Ok(Reply { parts, usage: reply.usage, cost_micros: reply.cost_micros })
}

/// Lists that are too long for an event are left out, so that no rule can allow what it does not see.
fn bounded(prepared: Prepared) -> Prepared {
    let stored = serde_json::to_vec(&(&prepared.paths, &prepared.hosts, &prepared.commands));
    if stored.is_ok_and(|bytes| bytes.len() <= PREPARED_BYTES_MAX) {
        return prepared;
    }
    Prepared { paths: Vec::new(), hosts: Vec::new(), commands: Vec::new(), ..prepared }
}

async fn prepare_call(ports: &Ports, folder: &std::path::Path, mut call: RawCall) -> Result<PreparedCall, Trouble> {
    let blobs = ports.blobs.as_ref();
    // A name that long is no tool of ours, so the call is refused below; an id that long cannot be sent back anyway.
    for name in [&mut call.tool, &mut call.provider_call] {
        if name.len() > NAME_BYTES_MAX {
            *name = name.chars().take(NAME_BYTES_MAX / 4).collect();
        }
    }
    let asked = Prepare { tool: call.tool.clone(), args: call.args.clone(), folder: folder.to_owned() };
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
