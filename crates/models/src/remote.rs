//! Models behind an address: asks the endpoint in its protocol and reads its answer to the end.
//!
//! The only file that does both; requests and replies are converted by the folder of each protocol, without IO.

use crate::asking::Asking;
use crate::drafts::Drafts;
use crate::endpoint::check;
use crate::failure::{self, RetryAfter, Said};
use crate::keys::{Key, Keys};
use crate::live::Shown;
use crate::protocol::{asking_on, credentials, is_stream, media_type};
use crate::reader::Reader;
use crate::reply::{Naming, Whole};
use contract::body::Usage;
use contract::config::{Endpoint, Protocol};
use contract::limits::TOKEN_BYTES;
use contract::port::{ModelCall, ModelFailure, RawPart, RawReply};
use contract::request::{Item, Part};
use contract::text::Text;
use hyper::header::{ACCEPT, CONTENT_TYPE, DATE, HeaderName, HeaderValue, RETRY_AFTER};
use std::sync::Arc;
use web::{Answer, Client, HttpError, HttpLimits, Post};

/// Bytes of an error that are read; its message stands at its beginning.
pub(crate) const ERROR_BYTES_MAX: usize = 64 * 1024;
/// How often a provider may interrupt its own turn; each time the turn so far is sent back.
const PAUSES_MAX: usize = 8;

const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// Asks models of any protocol. Holds connections, so a process needs one.
pub struct Remote {
    pub(crate) client: Client,
    keys: Arc<dyn Keys>,
    drafts: Drafts,
}

impl Remote {
    #[must_use]
    pub fn new(keys: Arc<dyn Keys>, limits: HttpLimits) -> Remote {
        Remote { client: Client::new(limits), keys, drafts: Drafts::default() }
    }

    /// Whether a request has needed TLS yet.
    #[must_use]
    pub fn has_tls(&self) -> bool {
        self.client.has_tls()
    }

    /// One reply of the model behind the endpoint. Dropping the future closes the connection.
    pub async fn reply(&self, call: &ModelCall, endpoint: &Endpoint) -> Result<RawReply, ModelFailure> {
        check(endpoint).map_err(|error| failure::permanent(error.to_string()))?;
        let key = self.key(endpoint)?;
        let replied = self.turn(call, endpoint, key.as_ref()).await;
        replied.map_err(|failure| failure::for_people(failure, key.as_ref()))
    }

    pub(crate) fn key(&self, endpoint: &Endpoint) -> Result<Option<Key>, ModelFailure> {
        let Some(handle) = &endpoint.key else { return Ok(None) };
        match self.keys.find(handle) {
            Some(key) if !key.is_empty() => Ok(Some(key)),
            Some(_) | None => Err(failure::auth(format!("the key `{handle}` is not set"))),
        }
    }

    /// A turn is one answer, or several where the provider interrupts itself.
    async fn turn(&self, call: &ModelCall, endpoint: &Endpoint, key: Option<&Key>) -> Result<RawReply, ModelFailure> {
        let mut items = call.transcript.items.clone();
        let mut shown = Shown::of(call);
        let mut reply = RawReply::default();
        for _ in 0..=PAUSES_MAX {
            let asking = asking_on(&self.drafts, call, endpoint, &items).map_err(|error| failure::permanent(error.to_string()))?;
            let asked = asking.body.len();
            let mut whole = self.answer(asking, call, endpoint, key, &mut shown).await?;
            if whole.is_uncounted {
                whole.usage = estimate(asked, &whole.parts);
            }
            let cost = whole.cost_micros.or_else(|| endpoint.prices.map(|prices| prices.cost_of(&whole.usage)));
            reply.cost_micros = match (reply.cost_micros, cost) {
                (Some(before), Some(cost)) => Some(before.saturating_add(cost)),
                (before, cost) => before.or(cost),
            };
            reply.usage = sum(reply.usage, whole.usage);
            if whole.paused {
                items.push(Arc::new(Item::Assistant(whole.parts.iter().map(sent_back).collect())));
            }
            reply.parts.extend(whole.parts);
            if !whole.paused {
                return Ok(reply);
            }
        }
        Err(failure::permanent(format!("the provider interrupted its turn more than {PAUSES_MAX} times")))
    }

    async fn answer(
        &self,
        asking: Asking,
        call: &ModelCall,
        endpoint: &Endpoint,
        key: Option<&Key>,
        shown: &mut Shown<'_>,
    ) -> Result<Whole, ModelFailure> {
        let mut post = Post::new(asking.url, asking.body).header(ACCEPT, HeaderValue::from_static(media_type(endpoint.protocol)));
        for (name, value) in asking.headers.into_iter().chain(key_header(endpoint, key)?) {
            post = post.header(name, value);
        }
        let answer = self.client.post(post).await.map_err(|error| failure::of_http(&error))?;
        let answer = accepted(answer, endpoint.protocol).await?;
        let naming = Naming { model: endpoint.name.clone(), request: call.request };
        read(answer, Reader::new(endpoint.protocol, naming), shown).await
    }
}

/// The header that carries the key.
pub(crate) fn key_header(endpoint: &Endpoint, key: Option<&Key>) -> Result<Option<(HeaderName, HeaderValue)>, ModelFailure> {
    let Some(key) = key else { return Ok(None) };
    let handle = endpoint.key.as_deref().unwrap_or_default();
    let unsendable = || failure::auth(format!("the key `{handle}` has characters that no header can carry"));
    credentials(endpoint.protocol, key).map(Some).ok_or_else(unsendable)
}

/// The answer if it is the stream that was asked for; what it says instead otherwise.
async fn accepted(answer: Answer, protocol: Protocol) -> Result<Answer, ModelFailure> {
    let status = answer.status();
    let media = answer.header(&CONTENT_TYPE).map(|value| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    if status == 200 && is_stream(protocol, media.as_deref()) {
        return Ok(answer);
    }
    let [after, after_ms, date] = [RETRY_AFTER, RETRY_AFTER_MS, DATE].map(|name| answer.header(&name).map(str::to_owned));
    let body = answer.beginning(ERROR_BYTES_MAX).await;
    let retry_after = RetryAfter { after: after.as_deref(), after_ms: after_ms.as_deref(), date: date.as_deref() };
    if status != 200 {
        return Err(failure::of_status(&Said::read(Some(status), &body), retry_after));
    }
    let (read, media) = (serde_json::from_slice::<serde_json::Value>(&body), media.unwrap_or_default());
    Err(match read {
        Ok(said) if said.get("error").is_some_and(|error| !error.is_null()) => failure::of_status(&Said::of(None, &said), retry_after),
        // Something on the way broke it, which may not happen again; a page or another answer will be there again.
        Err(_) if media == "application/json" && body.len() < ERROR_BYTES_MAX => {
            failure::broken("status 200: the answer is no JSON".to_owned())
        }
        Ok(_) | Err(_) => failure::permanent(format!("status 200: {media} instead of {}", media_type(protocol))),
    })
}

async fn read(mut answer: Answer, mut reader: Reader, shown: &mut Shown<'_>) -> Result<Whole, ModelFailure> {
    while !reader.is_over() {
        match answer.chunk().await {
            Ok(Some(chunk)) => {
                shown.heard();
                reader.push(&chunk, shown).map_err(|fault| fault.failure())?;
            }
            Ok(None) => break,
            // What the provider called whole stays so, however its connection ends.
            Err(HttpError::Cut(_) | HttpError::Silent { .. }) if reader.is_whole() => break,
            Err(error) => return Err(failure::of_http(&error)),
        }
    }
    answer.keep_connection();
    reader.end(shown).map_err(|fault| fault.failure())
}

/// A part of an interrupted turn as it is shown to the provider again; calls of its own tools have no number here.
fn sent_back(part: &RawPart) -> Part {
    match part {
        RawPart::Text(text) => Part::Text(Text::Inline(text.clone())),
        RawPart::Call(call) => Part::Call {
            call: contract::id::CallId { reply: 0, index: 0 },
            provider_call: call.provider_call.clone(),
            tool: call.tool.clone(),
            args: Text::Inline(call.args.clone()),
        },
        RawPart::Opaque { protocol, model, bytes } => {
            Part::Opaque { protocol: protocol.clone(), model: model.clone(), bytes: Text::Inline(bytes.clone()) }
        }
    }
}

/// What the bytes of a request and of its reply stand for: a limit of tokens must hold also where nobody counts them.
fn estimate(asked: usize, parts: &[RawPart]) -> Usage {
    let bytes = |part: &RawPart| match part {
        RawPart::Text(text) => text.len(),
        RawPart::Call(call) => call.tool.len() + call.args.len(),
        RawPart::Opaque { bytes, .. } => bytes.len(),
    };
    let tokens = |bytes: usize| (bytes as u64).div_ceil(TOKEN_BYTES);
    Usage { input: tokens(asked), output: tokens(parts.iter().map(bytes).sum()), ..Usage::default() }
}

fn sum(one: Usage, other: Usage) -> Usage {
    Usage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cache_read: one.cache_read.saturating_add(other.cache_read),
        cache_write: one.cache_write.saturating_add(other.cache_write),
        reasoning: one.reasoning.saturating_add(other.reasoning),
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("client", &self.client).finish_non_exhaustive()
    }
}
