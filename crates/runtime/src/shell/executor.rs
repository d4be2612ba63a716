//! Executes one effect and reports exactly one end of it, also when the executor itself breaks.

use super::report::Reporter;
use super::{Message, deliver, model, tool};
use crate::text::Trouble;
use crate::{Ports, standing};
use agent::State;
use contract::config::Options;
use contract::crash;
use contract::effect::Effect;
use contract::id::StreamId;
use contract::outcome::Outcome;
use std::panic::AssertUnwindSafe;
use std::path::Path;
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
    let report = Reporter::new(effect, causes);
    let running = begin(ports.clone(), state, stream, effect, report.clone());
    async move {
        crash::point("effect");
        let caught = CatchPanic(running).await;
        crash::point("outcome");
        match caught {
            Some(Ok(outcome)) => report.end(outcome),
            Some(Err(trouble)) => report.give_up(trouble),
            None => report.end_broken(),
        }
    }
}

type Running = Pin<Box<dyn Future<Output = Result<Outcome, Trouble>> + Send>>;

fn begin(ports: Ports, state: &State, stream: &StreamId, effect: Effect, report: Reporter) -> Running {
    match effect {
        Effect::Prepare(_) => {
            let session = state.session.as_ref();
            let options = session.map(|session| session.options.clone()).unwrap_or_default();
            let folder = session.map(|session| session.folder.clone()).unwrap_or_default();
            Box::pin(prepare(ports, options, folder))
        }
        Effect::Model { request, .. } => match model::Asking::new(state, stream, request) {
            Some(asking) => Box::pin(model::ask(ports, asking, report)),
            None => Box::pin(std::future::ready(Err(format!("{} is not open", effect.id())))),
        },
        Effect::Start { action, .. } | Effect::Recover { action, .. } => {
            match tool::Attempting::new(state, stream, action, ports.clock.now()) {
                Some(attempting) if matches!(effect, Effect::Start { .. }) => Box::pin(tool::start(ports, attempting)),
                Some(attempting) => Box::pin(tool::recover(ports, attempting, report)),
                None => Box::pin(std::future::ready(Err(format!("{} is not open", effect.id())))),
            }
        }
        Effect::Deliver(delivery) => match deliver::Delivering::new(state, stream, delivery) {
            Some(delivering) => Box::pin(deliver::deliver(ports, delivering)),
            None => Box::pin(std::future::ready(Err(format!("{} is not open", effect.id())))),
        },
        Effect::Stop { action, attempt, deadline } => Box::pin(tool::stop(ports, action, attempt, deadline)),
    }
}

async fn prepare(ports: Ports, options: Options, folder: String) -> Result<Outcome, Trouble> {
    let mut config = ports.configure.run_config(&options, Path::new(&folder))?;
    let standing = standing::state(ports.log.as_ref()).await.map_err(|error| error.to_string())?;
    config.standing = standing.in_folder(&folder).map(|standing| standing.rule.clone()).collect();
    let bytes = config.to_bytes().map_err(|error| error.to_string())?;
    let length = bytes.len() as u64;
    let sha256 = ports.blobs.put(bytes).await.map_err(|error| error.to_string())?;
    let reference = config.reference(sha256, length);
    Ok(Outcome::Prepared { config: Box::new(reference), resources: config.resources })
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
