//! Models by their names, as `--model` and the configuration give them.

use crate::redact::Redactor;
use crate::settings::{PRESETS, Secrets, Settings, Sources};
use contract::body::FailureClass;
use contract::port::{BoxFuture, Model, ModelCall, ModelFailure, RawReply};
use models::{HttpLimits, Key, Keys, Remote, ScriptError, ScriptedModel};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const SCRIPT: &str = "script:";

#[derive(Debug, thiserror::Error)]
pub enum ModelNameError {
    #[error("the model `{0}` is not known")]
    Unknown(String),
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// Finds the model that a run names, so that a resumed session needs nothing but its log.
pub struct ByName {
    loaded: Mutex<BTreeMap<String, Arc<ScriptedModel>>>,
    remote: Remote,
}

/// Keys by their names: a variable of the environment, else what is kept in the file of secrets.
pub struct Keyring {
    sources: Sources,
    secrets: Secrets,
    redactor: Redactor,
}

impl Keyring {
    /// What is at hand now is known as secret at once; what comes later, when it is used.
    pub fn new(sources: Sources, secrets: Secrets) -> Keyring {
        let keyring = Keyring { sources, secrets, redactor: Redactor::default() };
        for handle in keyring.handles() {
            drop(keyring.find(&handle));
        }
        keyring
    }

    /// Names under which keys are looked for; whatever has one of them is for models and for nobody else.
    pub fn handles(&self) -> BTreeSet<String> {
        let presets = PRESETS.iter().filter_map(|preset| preset.key_env).map(str::to_owned);
        let kept = self.secrets.names().unwrap_or_default();
        let trusted = self.sources.trust.list().unwrap_or_default();
        // A file that cannot be read is named to whoever starts a run with it.
        let files = trusted.iter().map(PathBuf::as_path).chain([Path::new("/")]);
        let settings = files.map(|folder| Settings::load(&self.sources, folder).unwrap_or_default());
        let named = settings.flat_map(|settings| settings.key_handles().map(str::to_owned).collect::<Vec<_>>());
        presets.chain(kept).chain(named).collect()
    }

    /// Knows every key that was found.
    pub fn redactor(&self) -> Redactor {
        self.redactor.clone()
    }
}

impl Keys for Keyring {
    fn find(&self, handle: &str) -> Option<Key> {
        let kept = || self.secrets.get(handle).ok()?.map(|secret| secret.expose().to_owned());
        let value = self.sources.environment.get(handle).or_else(kept)?;
        self.redactor.learn(handle, &value);
        Some(Key::new(&value))
    }
}

/// Whether the name is that of a script.
pub fn is_script(name: &str) -> bool {
    name.starts_with(SCRIPT)
}

/// Reads a script before a session is made with it; any other name is the configuration's.
pub fn check_script(name: &str) -> Result<(), ModelNameError> {
    if is_script(name) { load(name).map(drop) } else { Ok(()) }
}

fn load(name: &str) -> Result<ScriptedModel, ModelNameError> {
    let Some(file) = name.strip_prefix(SCRIPT) else {
        return Err(ModelNameError::Unknown(name.to_owned()));
    };
    Ok(ScriptedModel::load(file)?)
}

impl ByName {
    pub fn new(keys: Arc<dyn Keys>) -> ByName {
        ByName { loaded: Mutex::default(), remote: Remote::new(keys, HttpLimits::default()) }
    }

    fn find(&self, name: &str) -> Result<Arc<ScriptedModel>, ModelFailure> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(name) {
            return Ok(model.clone());
        }
        let model = load(name).map_err(|error| ModelFailure {
            class: FailureClass::Permanent,
            message: error.to_string(),
            retry_after_ms: None,
        })?;
        let model = Arc::new(model);
        loaded.insert(name.to_owned(), model.clone());
        Ok(model)
    }
}

impl Model for ByName {
    fn reply(&self, call: ModelCall) -> BoxFuture<'_, Result<RawReply, ModelFailure>> {
        Box::pin(async move {
            let name = &call.transcript.model;
            match call.config.endpoint(name) {
                Some(endpoint) if !name.starts_with(SCRIPT) => self.remote.reply(&call, endpoint).await,
                Some(_) | None => self.find(name)?.reply(call).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configure::Configuration;
    use contract::body::Purpose;
    use contract::config::{Endpoint, Options, Protocol, RunConfig, Sampling};
    use contract::id::{EventId, SessionId, Sha256, StreamId};
    use contract::port::{Configure, RawPart, Silent};
    use contract::request::{Item, ModelRequest};
    use contract::text::Text;
    use provider::Provider;

    fn config(base_url: String, name: &str) -> RunConfig {
        let spool = tempfile::tempdir().unwrap();
        let tools = tools::Toolbox::new(tools::Options::new(spool.path().to_owned())).unwrap();
        let endpoint = Endpoint {
            name: name.into(),
            protocol: Protocol::OpenaiChat,
            base_url,
            model: "scripted".into(),
            key: Some("TEST_KEY".into()),
            context_window: None,
            prices: None,
            sampling: Sampling::default(),
        };
        let resolved = Configuration::new(Sources::of_process(spool.path()), Redactor::default(), &tools)
            .run_config(&Options::default(), spool.path())
            .unwrap();
        RunConfig { model: name.into(), endpoints: vec![endpoint], ..resolved }
    }

    async fn ask(name: &str, config: RunConfig) -> Result<Vec<RawPart>, ModelFailure> {
        let models = ByName::new(Arc::new(|handle: &str| (handle == "TEST_KEY").then(|| Key::new("secret"))));
        let items = vec![Arc::new(Item::Message(Text::from("go")))];
        let call = ModelCall {
            stream: StreamId::session(SessionId([1; 16])),
            request: EventId([2; 16]),
            attempt: 1,
            purpose: Purpose::Reply,
            config: Arc::new(config),
            transcript: ModelRequest { model: name.into(), config: Sha256::of(b""), items },
            live: Arc::new(Silent),
        };
        models.reply(call).await.map(|reply| reply.parts)
    }

    #[tokio::test]
    async fn a_name_is_a_script_an_endpoint_of_the_run_or_unknown() {
        let options = provider::Options { key: Some("secret".into()), port: 0 };
        let provider = Provider::start("{\"text\":\"from afar\"}", options).unwrap();
        let base_url = format!("{}/v1", provider.address());
        let said = ask("work", config(base_url.clone(), "work")).await.unwrap();
        assert_eq!(said, [RawPart::Text("from afar".into())]);
        let sent = &provider.requests()[0];
        assert_eq!((sent.path.as_str(), sent.header("authorization")), ("/v1/chat/completions", Some("Bearer secret")));
        assert!(sent.body["tools"].as_array().is_some_and(|tools| tools.len() > 3), "{}", sent.body);

        let unknown = ask("play", config(base_url.clone(), "work")).await.unwrap_err();
        assert_eq!((unknown.class, unknown.message.as_str()), (FailureClass::Permanent, "the model `play` is not known"));
        // A script stays a script, whatever an endpoint is called.
        let missing = ask("script:nowhere", config(base_url, "script:nowhere")).await.unwrap_err();
        assert_eq!(missing.message, "script nowhere does not exist");
    }
}
