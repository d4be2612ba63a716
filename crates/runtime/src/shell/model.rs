//! Asks a model and prepares the calls of its reply, so that what is recorded is already checked.

use super::heard::Listening;
use super::report::Reporter;
use crate::Ports;
use crate::prepare::{Desk, prepare_call};
use crate::text::{Trouble, expand, store};
use agent::State;
use contract::body::{DaySpend, FailureClass, Purpose};
use contract::config::RunConfig;
use contract::id::{EventId, StreamId};
use contract::outcome::{ModelOutcome, Outcome, Reply, ReplyPart};
use contract::port::{Live, ModelCall, ModelFailure, RawPart, RawReply};
use contract::request::ModelRequest;
use contract::text::Room;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// What an open model call needs of the state.
pub(super) struct Asking {
    stream: StreamId,
    request: EventId,
    attempt: u16,
    purpose: Purpose,
    desk: Desk,
    transcript: ModelRequest,
    /// How far a person lets its run go beyond what a day may cost.
    beyond_day: u64,
}

impl Asking {
    pub(super) fn new(state: &State, stream: &StreamId, request: EventId) -> Option<Asking> {
        let model = state.model.as_ref().filter(|model| model.request == request)?;
        Some(Asking {
            stream: stream.clone(),
            request: model.request,
            attempt: model.attempt,
            purpose: model.purpose,
            desk: Desk::of(state, stream)?,
            transcript: agent::context::context(state)?,
            beyond_day: state.run.as_ref()?.day.extended,
        })
    }
}

/// Says that the call is over, also when it is given up in the middle.
struct Over {
    live: Arc<dyn Live>,
    stream: StreamId,
}

impl Drop for Over {
    fn drop(&mut self) {
        self.live.over(&self.stream);
    }
}

pub(super) async fn ask(ports: Ports, asking: Asking, report: Reporter) -> Result<Outcome, Trouble> {
    let config = ports.configs.get(ports.blobs.as_ref(), asking.transcript.config).await?;
    if let Some(day) = spent_day(&ports, &config, asking.beyond_day).await? {
        return Ok(Outcome::Model(ModelOutcome::NotAdmitted(day)));
    }
    let (listening, heard) = Listening::new(ports.live.clone());
    let _over = Over { live: ports.live.clone(), stream: asking.stream.clone() };
    let call = ModelCall {
        stream: asking.stream,
        request: asking.request,
        attempt: asking.attempt,
        purpose: asking.purpose,
        config: config.clone(),
        transcript: expand(ports.blobs.as_ref(), asking.transcript).await?,
        live: Arc::new(listening),
    };
    let mut replying = pin!(reply(&ports, call));
    let replied = match config.slow_call_ms {
        Some(waited_ms) => tokio::select! {
            replied = &mut replying => replied,
            () = heard.nothing_for(Duration::from_millis(waited_ms)) => {
                report.end(Outcome::Model(ModelOutcome::Slow { waited_ms }));
                replying.await
            }
        },
        None => replying.await,
    };
    let outcome = match replied {
        Ok(reply) => ModelOutcome::Replied(prepare(&ports, &asking.desk, reply).await?),
        Err(ModelFailure { class, message, retry_after_ms }) => {
            ModelOutcome::Failed { class, message: store(ports.blobs.as_ref(), message, Room::SHOWN).await?, retry_after_ms }
        }
    };
    Ok(Outcome::Model(outcome))
}

/// What everything together has cost today, if that is all that it may.
async fn spent_day(ports: &Ports, config: &RunConfig, beyond: u64) -> Result<Option<DaySpend>, Trouble> {
    let Some(per_day) = config.per_day_micros else { return Ok(None) };
    let (used, allowed) = (ports.spending.today().await?, per_day.saturating_add(beyond));
    Ok((used >= allowed).then_some(DaySpend { used, allowed }))
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

async fn prepare(ports: &Ports, desk: &Desk, reply: RawReply) -> Result<Reply, Trouble> {
    let blobs = ports.blobs.as_ref();
    let mut parts = Vec::with_capacity(reply.parts.len());
    for part in reply.parts {
        parts.push(match part {
            RawPart::Text(text) => ReplyPart::Text(store(blobs, text, Room::SHOWN).await?),
            RawPart::Opaque { protocol, model, bytes } => {
                ReplyPart::Opaque { protocol, model, bytes: store(blobs, bytes, Room::SMALL).await? }
            }
            RawPart::Call(call) => ReplyPart::Call(Box::new(prepare_call(ports, desk, call).await?)),
        });
    }
    Ok(Reply { parts, usage: reply.usage, cost_micros: reply.cost_micros })
}
