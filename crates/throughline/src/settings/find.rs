//! From a name to a model, and which name when nobody gave one.

use super::presets::{PRESETS, Preset, bare};
use super::{Environment, Settings};
use contract::config::{Endpoint, Protocol};
use std::collections::BTreeSet;
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

/// What was set about a model that nobody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Named(Chosen),
    /// These are described, and none is the default.
    Several(Vec<String>),
    Nothing,
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
    /// This file describes it, and no other is described.
    Only(PathBuf),
}

/// A provider that may have a model for whoever set nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub preset: &'static Preset,
    pub because: Because,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// This variable has its key.
    Variable(&'static str),
    /// The key of this name is kept in the file of secrets.
    Kept(&'static str),
    /// It needs none.
    NoKey,
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

    /// The model to ask when nobody named one. Among those that a person described, nobody else chooses.
    #[must_use]
    pub fn choose(&self, environment: &dyn Environment) -> Wish {
        if let Some(name) = environment.get(MODEL_ENV) {
            return Wish::Named(Chosen { name, why: Why::Variable(MODEL_ENV) });
        }
        let default = self.layers.iter().find_map(|layer| {
            let name = layer.file.defaults.model.clone()?;
            Some(Chosen { name, why: Why::File(layer.path.clone()) })
        });
        if let Some(default) = default {
            return Wish::Named(default);
        }
        let names: BTreeSet<&str> = self.models().map(|(name, _)| name).collect();
        match (self.models().next(), names.len()) {
            (None, _) => Wish::Nothing,
            (Some((name, file)), 1) => Wish::Named(Chosen { name: name.to_owned(), why: Why::Only(file.to_owned()) }),
            (Some(_), _) => Wish::Several(names.into_iter().map(str::to_owned).collect()),
        }
    }

    /// Models to ask when the first one cannot answer and nobody named others.
    #[must_use]
    pub fn fallback(&self) -> Vec<String> {
        self.layers.iter().find_map(|layer| layer.file.defaults.fallback.clone()).unwrap_or_default()
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

/// Providers to look at when nothing was set, in their order: those whose key is at hand, and those that need none.
#[must_use]
pub fn candidates(environment: &dyn Environment, kept: &[String]) -> Vec<Candidate> {
    let because = |preset: &'static Preset| match preset.key_env {
        None => Some(Because::NoKey),
        Some(key) if environment.get(key).is_some() => Some(Because::Variable(key)),
        Some(key) => kept.iter().any(|name| name == key).then_some(Because::Kept(key)),
    };
    PRESETS.iter().filter_map(|preset| Some(Candidate { preset, because: because(preset)? })).collect()
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
    Ok(preset.endpoint(environment, name, model))
}
