//! One real question to a model, to know that it answers.

use crate::clock::SystemClock;
use crate::configure::{ConfigError, resolve};
use crate::models::{ByName, Keyring};
use crate::settings::{Secrets, Sources};
use crate::{Home, ModelNameError, OpenError, models, random};
use contract::body::{Purpose, Usage};
use contract::config::{Limits, Options, Policy, RunConfig};
use contract::id::{EventId, SessionId, Sha256, StreamId};
use contract::port::{Clock, Model, ModelCall, ModelFailure, RawPart, Silent};
use contract::request::{Item, ModelRequest};
use contract::text::Text;
use std::path::Path;
use std::sync::Arc;

/// Short to ask and short to answer.
const QUESTION: &str = "Reply with the single word: ready";
/// Tokens that the answer may have: models that think first need some for that.
const ANSWER_TOKENS_MAX: u64 = 2_048;

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    pub text: String,
    pub usage: Usage,
    pub cost_micros: Option<u64>,
    pub millis: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Script(#[from] ModelNameError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{}", .0.message)]
    Failed(ModelFailure),
}

/// Asks the model, as a run in this folder would. Nothing is stored.
pub async fn probe(home: &Home, sources: &Sources, folder: &Path, name: &str, base_url: Option<String>) -> Result<Probed, ProbeError> {
    models::check_script(name)?;
    let options = Options { model: Some(name.to_owned()), base_url, ..Options::default() };
    let mut endpoints = resolve(sources, &options, folder)?.endpoints;
    for endpoint in &mut endpoints {
        endpoint.sampling.max_output_tokens.get_or_insert(ANSWER_TOKENS_MAX);
    }
    let config = RunConfig {
        model: name.to_owned(),
        fallback: Vec::new(),
        endpoints,
        system: String::new(),
        tools: Vec::new(),
        max_turns: 1,
        policy: Policy::default(),
        limits: Limits::default(),
        prices: None,
        output_tokens_max: ANSWER_TOKENS_MAX,
        standing: Vec::new(),
        warn_cost_micros: None,
        slow_call_ms: None,
        per_day_micros: None,
        resources: Vec::new(),
    };
    let items = vec![Arc::new(Item::Message(Text::from(QUESTION)))];
    let call = ModelCall {
        stream: StreamId::session(SessionId(random()?)),
        request: EventId(random()?),
        attempt: 1,
        purpose: Purpose::Reply,
        transcript: ModelRequest { model: name.to_owned(), config: Sha256::of(b""), items },
        config: Arc::new(config),
        live: Arc::new(Silent),
    };
    let model = ByName::new(Arc::new(Keyring::new(sources.clone(), Secrets::at(home.folder()))));
    let began = SystemClock.now();
    let reply = model.reply(call).await.map_err(ProbeError::Failed)?;
    let text = reply.parts.iter().filter_map(|part| if let RawPart::Text(text) = part { Some(text.as_str()) } else { None }).collect();
    Ok(Probed { text, usage: reply.usage, cost_micros: reply.cost_micros, millis: SystemClock.now().0.saturating_sub(began.0) })
}
