//! Which model is asked when nobody named one: what was set, else the first provider at hand that proves that it answers.
//!
//! Owns the way from nothing to a name. Nothing is stored, and nothing is remembered: the next run looks again.

mod prefer;

pub use prefer::Unfit;

use crate::models::Keyring;
use crate::settings::{BadFile, Because, Candidate, Chosen, Secrets, SecretsError, Settings, Sources, Wish, candidates};
use crate::{Home, ProbeError, Probed, probe};
use ::models::{HttpLimits, Remote};
use contract::body::FailureClass;
use prefer::preferred;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Milliseconds until a server stands that is only looked for.
const CONNECT_MS_MAX: u64 = 5_000;
/// Milliseconds for the list of a provider.
const LIST_MS_MAX: u64 = 20_000;
/// Milliseconds for the answer that proves a model: one may think first, and a local one be loaded.
const PROOF_MS_MAX: u64 = 60_000;
/// Models of one provider that are tried; whoever may ask none of three most likely may ask none.
const NAMES_TRIED_MAX: usize = 3;

/// A model for whoever named none.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A person set it once, so nobody asks it for a proof.
    Set(Chosen),
    Found(Found),
}

/// The first model that answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub name: String,
    pub because: Because,
    pub probed: Probed,
    /// Those before it, in the order in which they were tried.
    pub passed: Vec<Passed>,
}

/// What was tried in vain: a provider, or a model of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    pub name: String,
    pub why: Vain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vain {
    /// In the words of whoever failed.
    Failed(String),
    Late {
        ms: u64,
    },
    /// It answered, and has none that would do.
    Unfit(Unfit),
}

#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    #[error(transparent)]
    File(#[from] BadFile),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error("several models are described and none is the default: {}", .0.join(", "))]
    Several(Vec<String>),
    #[error("no model answered")]
    Nobody(Vec<Passed>),
}

/// Chooses for a run in this folder, and proves what nobody set.
pub async fn choose(home: &Home, sources: &Sources, folder: &Path) -> Result<Choice, ChooseError> {
    match Settings::load(sources, folder)?.choose(sources.environment.as_ref()) {
        Wish::Named(chosen) => return Ok(Choice::Set(chosen)),
        Wish::Several(names) => return Err(ChooseError::Several(names)),
        Wish::Nothing => {}
    }
    let secrets = Secrets::at(home.folder());
    let mut passed = Vec::new();
    for candidate in candidates(sources.environment.as_ref(), &secrets.names()?) {
        let looking = Looking { home, sources, folder, candidate };
        if let Some((name, probed)) = looking.find(&mut passed).await {
            return Ok(Choice::Found(Found { name, because: candidate.because, probed, passed }));
        }
    }
    Err(ChooseError::Nobody(passed))
}

/// One provider that is looked at.
struct Looking<'a> {
    home: &'a Home,
    sources: &'a Sources,
    folder: &'a Path,
    candidate: Candidate,
}

impl Looking<'_> {
    /// A model of it that answers; what is tried in vain is noted.
    async fn find(&self, passed: &mut Vec<Passed>) -> Option<(String, Probed)> {
        let provider = self.candidate.preset.name;
        let names = match self.names().await {
            Ok(names) => names,
            Err(why) => {
                passed.push(Passed { name: provider.to_owned(), why });
                return None;
            }
        };
        let begun = passed.len();
        for model in names.into_iter().take(NAMES_TRIED_MAX) {
            let name = format!("{provider}/{model}");
            let asking = probe(self.home, self.sources, self.folder, &name, None);
            let failed = match timeout(Duration::from_millis(PROOF_MS_MAX), asking).await {
                Ok(Ok(probed)) => return Some((name, probed)),
                Ok(Err(error)) => error,
                Err(_) => {
                    passed.push(Passed { name, why: Vain::Late { ms: PROOF_MS_MAX } });
                    return None;
                }
            };
            let why = Vain::Failed(failed.to_string());
            let another_may = is_of_model(&failed) && is_news(&why, &passed[begun..]);
            passed.push(Passed { name, why });
            if !another_may {
                return None;
            }
        }
        None
    }

    async fn names(&self) -> Result<Vec<String>, Vain> {
        let preset = self.candidate.preset;
        let endpoint = preset.endpoint(self.sources.environment.as_ref(), preset.name, "");
        let keys = Keyring::new(self.sources.clone(), Secrets::at(self.home.folder()));
        let remote = Remote::new(Arc::new(keys), HttpLimits { connect_ms_max: CONNECT_MS_MAX, ..HttpLimits::default() });
        match timeout(Duration::from_millis(LIST_MS_MAX), remote.offered(&endpoint)).await {
            Ok(Ok(offered)) => preferred(preset.general, &offered).map_err(Vain::Unfit),
            Ok(Err(failure)) => Err(Vain::Failed(failure.message)),
            Err(_) => Err(Vain::Late { ms: LIST_MS_MAX }),
        }
    }
}

/// Whether no model before failed in the same words: those that two share are about the provider.
fn is_news(why: &Vain, before: &[Passed]) -> bool {
    before.iter().all(|passed| passed.why != *why)
}

/// Whether another model of the same provider may still answer.
fn is_of_model(error: &ProbeError) -> bool {
    match error {
        ProbeError::Failed(failure) => match failure.class {
            FailureClass::Permanent | FailureClass::Overloaded | FailureClass::ContextTooLong => true,
            FailureClass::Auth
            | FailureClass::RateLimited
            | FailureClass::Transient
            | FailureClass::DayLimit
            | FailureClass::Interrupted => false,
        },
        ProbeError::Config(_) | ProbeError::Script(_) | ProbeError::Open(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Environment, Trust};
    use std::collections::BTreeMap;

    struct Variables(BTreeMap<&'static str, String>);

    impl Environment for Variables {
        fn get(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned()
        }
    }

    #[tokio::test]
    async fn an_address_that_is_none_is_said_and_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_str().unwrap().to_owned();
        let set = [
            ("XDG_CONFIG_HOME", folder.as_str()),
            ("OPENAI_API_KEY", "sk-canary"),
            ("OPENAI_BASE_URL", "proxy.example/v1"),
            ("OLLAMA_HOST", ":1"),
        ];
        let variables = Variables(set.into_iter().map(|(name, value)| (name, value.to_owned())).collect());
        let sources = Sources { environment: Arc::new(variables), trust: Trust::at(root.path().join("trust")) };
        let chosen = choose(&Home::at(root.path().join("home")), &sources, root.path()).await;
        let Err(ChooseError::Nobody(passed)) = chosen else { panic!("{chosen:?}") };
        let said: Vec<String> = passed.iter().map(|one| format!("{}: {:?}", one.name, one.why)).collect();
        assert_eq!(said[0], "openai: Failed(\"`base_url` of the model openai cannot be used: it is no address\")");
        assert!(said[1].starts_with("ollama: Failed(\"127.0.0.1:1 cannot be reached"), "{said:?}");
        assert_eq!(said.len(), 2, "{said:?}");
    }

    #[test]
    fn what_two_models_fail_with_is_not_asked_of_a_third() {
        let failed = |words: &str| Vain::Failed(words.to_owned());
        let before = [Passed { name: "x/one".to_owned(), why: failed("no money") }];
        assert!(is_news(&failed("no money"), &[]) && is_news(&failed("no such model"), &before));
        assert!(!is_news(&failed("no money"), &before));
    }
}
