//! Executes one effect and reports exactly one end of it, also when the executor itself breaks.

use super::{Message, model, tool};
use crate::Ports;
use crate::drive::Cause;
use crate::text::Trouble;
use agent::State;
use contract::body::{FailureClass, UnknownReason};
use contract::config::Options;
use contract::crash;
use contract::effect::{Effect, EffectId};
use contract::id::StreamId;
use contract::outcome::{ModelOutcome, Outcome, ToolOutcome};
use contract::text::Text;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::UnboundedSender;

/// The future of one effect. Everything it needs of the state is taken now, so that it never looks at a later one.
pub(super) fn work(
    ports: &Ports,
    state: &State,
    stream: &StreamId,
    effect: Effect,
    causes: UnboundedSender<Message>,
) -> impl Future<Output = ()> + Send + 'static {
    let report = Reporter { effect: effect.id(), attempt: effect.attempt(), causes };
    let running = begin(ports.clone(), state, stream, effect, report.clone());
    async move {
        crash::point("effect");
        let caught = CatchPanic(running).await;
        crash::point("outcome");
        match caught {
            Some(Ok(outcome)) => report.end(outcome),
            Some(Err(trouble)) => drop(report.causes.send(Message::Cause(Cause::Broken(trouble)))),
            None => report.end_broken(),
        }
    }
}

type Running = Pin<Box<dyn Future<Output = Result<Outcome, Trouble>> + Send>>;

fn begin(ports: Ports, state: &State, stream: &StreamId, effect: Effect, report: Reporter) -> Running {
    match effect {
        Effect::Prepare(_) => {
            let options = state.session.as_ref().map(|session| session.options.clone()).unwrap_or_default();
            Box::pin(prepare(ports, options))
        }
        Effect::Model { .. } => match model::Asking::new(state, stream) {
            Some(asking) => Box::pin(model::ask(ports, asking)),
            None => Box::pin(std::future::ready(Err(format!("{} is not open", effect.id())))),
        },
        Effect::Start { action, .. } | Effect::Recover { action, .. } => match tool::Attempting::new(state, stream, action) {
            Some(attempting) if matches!(effect, Effect::Start { .. }) => Box::pin(tool::start(ports, attempting)),
            Some(attempting) => Box::pin(tool::recover(ports, attempting, report)),
            None => Box::pin(std::future::ready(Err(format!("{} is not open", effect.id())))),
        },
    }
}

async fn prepare(ports: Ports, options: Options) -> Result<Outcome, Trouble> {
    let config = ports.configure.run_config(&options);
    let bytes = config.to_bytes().map_err(|error| error.to_string())?;
    let sha256 = ports.blobs.put(bytes).await.map_err(|error| error.to_string())?;
    Ok(Outcome::Prepared(config.reference(sha256)))
}

#[derive(Clone)]
pub(super) struct Reporter {
    effect: EffectId,
    attempt: u16,
    causes: UnboundedSender<Message>,
}

impl Reporter {
    /// A loop that has ended recovers the effect later, so nobody need hear of it.
    pub(super) fn end(&self, outcome: Outcome) {
        let cause = Cause::Outcome { effect: self.effect, attempt: self.attempt, outcome };
        drop(self.causes.send(Message::Cause(cause)));
    }

    /// The executor panicked: what it did is not known.
    fn end_broken(&self) {
        let outcome = match self.effect {
            EffectId::Tool(_) => Outcome::Tool(ToolOutcome::Unknown { reason: UnknownReason::Lost, output: Text::Inline(String::new()) }),
            EffectId::Model(_) => Outcome::Model(ModelOutcome::Failed {
                class: FailureClass::Permanent,
                message: Text::Inline("executor panicked".to_owned()),
                retry_after_ms: None,
            }),
            EffectId::Prepare(_) => {
                drop(self.causes.send(Message::Cause(Cause::Broken("the configuration of the run cannot be made".to_owned()))));
                return;
            }
        };
        self.end(outcome);
    }
}

/// Ends with `None` when the future panics.
struct CatchPanic(Running);

impl Future for CatchPanic {
    type Output = Option<Result<Outcome, Trouble>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)));
        match polled {
            Ok(poll) => poll.map(Some),
            Err(_) => Poll::Ready(None),
        }
    }
}
