//! A model and tools whose answers hold no known values.

use super::Redactor;
use contract::call::Prepared;
use contract::config::ToolSpec;
use contract::id::ActionId;
use contract::port::{
    BoxFuture, Here, Model, ModelCall, ModelFailure, Preparation, Prepare, PrepareRefused, RawCall, RawOutcome, RawPart, RawReply,
    Recovery, Stopping, ToolJob, Tools,
};
use std::sync::Arc;
use std::time::Duration;

pub struct RedactedModel<M> {
    inner: M,
    redactor: Redactor,
}

impl<M> RedactedModel<M> {
    pub fn new(inner: M, redactor: Redactor) -> RedactedModel<M> {
        RedactedModel { inner, redactor }
    }
}

impl<M: Model> Model for RedactedModel<M> {
    fn reply(&self, call: ModelCall) -> BoxFuture<'_, Result<RawReply, ModelFailure>> {
        Box::pin(async move {
            let redact = |text| self.redactor.redact(text);
            match self.inner.reply(call).await {
                Ok(reply) => {
                    Ok(RawReply { parts: reply.parts.into_iter().filter_map(|part| of_part(&self.redactor, part)).collect(), ..reply })
                }
                Err(failure) => Err(ModelFailure { message: redact(failure.message), ..failure }),
            }
        })
    }
}

/// Nothing of an opaque part may be changed, so one that holds a value is left out.
fn of_part(redactor: &Redactor, part: RawPart) -> Option<RawPart> {
    let redact = |text| redactor.redact(text);
    Some(match part {
        RawPart::Text(text) => RawPart::Text(redact(text)),
        RawPart::Call(RawCall { provider_call, tool, args }) => {
            RawPart::Call(RawCall { provider_call, tool: redact(tool), args: redact(args) })
        }
        RawPart::Opaque { bytes, .. } if redactor.finds(&bytes) => return None,
        opaque @ RawPart::Opaque { .. } => opaque,
    })
}

pub struct RedactedTools {
    inner: Arc<dyn Tools>,
    redactor: Redactor,
}

impl RedactedTools {
    pub fn new(inner: Arc<dyn Tools>, redactor: Redactor) -> RedactedTools {
        RedactedTools { inner, redactor }
    }
}

fn of_outcome(redactor: &Redactor, outcome: RawOutcome) -> RawOutcome {
    match outcome {
        RawOutcome::Finished { ok, output, exit, signal } => RawOutcome::Finished { ok, output: redactor.redact(output), exit, signal },
        RawOutcome::Unknown { reason, output } => RawOutcome::Unknown { reason, output: redactor.redact(output) },
        cancelled @ RawOutcome::Cancelled(_) => cancelled,
    }
}

impl Tools for RedactedTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs()
    }

    fn prepare(&self, call: Prepare) -> BoxFuture<'_, Result<Preparation, PrepareRefused>> {
        Box::pin(async move {
            let redact = |text| self.redactor.redact(text);
            let all = |texts: Vec<String>| texts.into_iter().map(redact).collect();
            match self.inner.prepare(call).await {
                Ok(found) => {
                    let Prepared { paths, hosts, commands, .. } = found.prepared;
                    let prepared = Prepared { paths: all(paths), hosts: all(hosts), commands: all(commands), ..found.prepared };
                    Ok(Preparation { prepared, preview: found.preview.map(redact), ..found })
                }
                Err(refused) => Err(PrepareRefused { message: redact(refused.message) }),
            }
        })
    }

    fn start(&self, job: ToolJob) -> BoxFuture<'_, RawOutcome> {
        Box::pin(async move { of_outcome(&self.redactor, self.inner.start(job).await) })
    }

    fn recover<'a>(&'a self, job: ToolJob, here: &'a Here) -> BoxFuture<'a, Recovery> {
        Box::pin(async move {
            match self.inner.recover(job, here).await {
                Recovery::Ended(outcome) => Recovery::Ended(of_outcome(&self.redactor, outcome)),
                Recovery::Running(running) => {
                    let redactor = self.redactor.clone();
                    Recovery::Running(Box::pin(async move { of_outcome(&redactor, running.await) }))
                }
            }
        })
    }

    fn stop(&self, action: ActionId, attempt: u16, grace: Duration) -> BoxFuture<'_, Stopping> {
        self.inner.stop(action, attempt, grace)
    }

    fn tail(&self, action: ActionId, attempt: u16, bytes_max: usize) -> BoxFuture<'_, Option<String>> {
        // More than is asked for, so that no value is cut at its beginning and then not recognised.
        let wider = bytes_max.saturating_add(self.redactor.longest());
        Box::pin(async move {
            let text = self.redactor.redact(self.inner.tail(action, attempt, wider).await?);
            let begins = text.ceil_char_boundary(text.len().saturating_sub(bytes_max));
            Some(text[begins..].to_owned())
        })
    }

    fn kept(&self) -> BoxFuture<'_, Vec<(ActionId, u16)>> {
        self.inner.kept()
    }

    fn forget(&self, action: ActionId, attempt: u16) -> BoxFuture<'_, ()> {
        self.inner.forget(action, attempt)
    }
}
