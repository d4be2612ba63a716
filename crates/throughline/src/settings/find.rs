//! From a name to a model, and which name when nobody gave one.

use super::presets::{PRESETS, Preset};
use super::{Environment, Settings};
use contract::config::{Endpoint, Protocol, Sampling};
use std::path::PathBuf;

/// Overrides every other choice but the command line's.
const MODEL_ENV: &str = "THRU_MODEL";
/// The key that goes to an address that a person names, if it is set.
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// Why a name leads to no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error("the model `{0}` is not known")]
    Unknown(String),
    #[error("`{0}` names a provider and no model of it")]
    ProviderOnly(&'static str),
    #[error("`{0}` is no http or https address")]
    BadAddress(String),
}

/// A model that nobody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub name: String,
    pub why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// This variable names it.
    Variable(&'static str),
    /// This file names it.
    File(PathBuf),
}

impl Settings {
    /// The model with this name, at another address if one is given.
    pub fn endpoint(&self, environment: &dyn Environment, name: &str, base_url: Option<&str>) -> Result<Endpoint, BadName> {
        let mut endpoint = match (self.described(name), base_url) {
            (Some(endpoint), _) => endpoint,
            (None, _) if preset_of(name).is_some() => of_preset(environment, name)?,
            // Whatever listens there most likely speaks what everybody speaks.
            (None, Some(base_url)) => Endpoint {
                key: environment.get(OPENAI_KEY).map(|_| OPENAI_KEY.to_owned()),
                ..bare(name, Protocol::OpenaiChat, base_url, name)
            },
            (None, None) => return Err(BadName::Unknown(name.to_owned())),
        };
        if let Some(base_url) = base_url {
            base_url.clone_into(&mut endpoint.base_url);
        }
        if !endpoint.base_url.starts_with("http://") && !endpoint.base_url.starts_with("https://") {
            return Err(BadName::BadAddress(endpoint.base_url));
        }
        Ok(endpoint)
    }

    /// The model to ask when nobody named one; none when nothing was set.
    #[must_use]
    pub fn choose(&self, environment: &dyn Environment) -> Option<Chosen> {
        if let Some(name) = environment.get(MODEL_ENV) {
            return Some(Chosen { name, why: Why::Variable(MODEL_ENV) });
        }
        self.layers.iter().find_map(|layer| {
            let name = layer.file.defaults.model.clone()?;
            Some(Chosen { name, why: Why::File(layer.path.clone()) })
        })
    }

    /// Models to ask when the first one cannot answer and nobody named others.
    #[must_use]
    pub fn fallback(&self) -> Vec<String> {
        self.layers.iter().find_map(|layer| layer.file.defaults.fallback.clone()).unwrap_or_default()
    }

    /// Providers whose key is in the environment.
    pub fn with_key<'a>(&self, environment: &'a dyn Environment) -> impl Iterator<Item = &'static Preset> + 'a {
        PRESETS.iter().filter(|preset| preset.key_env.is_some_and(|key| environment.get(key).is_some()))
    }

    fn described(&self, name: &str) -> Option<Endpoint> {
        let entry = self.layers.iter().find_map(|layer| layer.file.models.get(name))?;
        Some(Endpoint {
            key: entry.api_key_env.clone(),
            context_window: entry.context_window,
            prices: entry.price.map(super::file::PriceEntry::prices),
            sampling: entry.sampling(),
            ..bare(name, entry.protocol, &entry.base_url, &entry.model)
        })
    }
}

/// `PRESET/MODEL`, or the preset alone.
fn preset_of(name: &str) -> Option<(&'static Preset, &str)> {
    let (preset, model) = name.split_once('/').unwrap_or((name, ""));
    Some((Preset::named(preset)?, model))
}

fn of_preset(environment: &dyn Environment, name: &str) -> Result<Endpoint, BadName> {
    let (preset, model) = preset_of(name).ok_or_else(|| BadName::Unknown(name.to_owned()))?;
    if model.is_empty() {
        return Err(BadName::ProviderOnly(preset.name));
    }
    let base_url = environment.get(preset.base_url_env).map_or_else(|| preset.base_url.to_owned(), with_scheme);
    Ok(Endpoint { key: preset.key_env.map(str::to_owned), ..bare(name, preset.protocol, &base_url, model) })
}

/// Ollama's variable may hold only a host and a port.
fn with_scheme(address: String) -> String {
    if address.contains("://") { address } else { format!("http://{address}") }
}

fn bare(name: &str, protocol: Protocol, base_url: &str, model: &str) -> Endpoint {
    Endpoint {
        name: name.to_owned(),
        protocol,
        base_url: base_url.trim_end_matches('/').to_owned(),
        model: model.to_owned(),
        key: None,
        context_window: None,
        prices: None,
        sampling: Sampling::default(),
    }
}
