//! What people set once: their models, and which of them is asked when nobody names one.
//!
//! Owns the files, the order in which they count, and the way from a name to an [`Endpoint`]. Must not reach the network,
//! and never holds a key: only its handle.

mod budget;
mod file;
mod find;
mod kept;
mod presets;
mod rules;
mod secrets;
#[cfg(test)]
mod tests;
mod trust;

pub use budget::Budget;
pub use file::{BadFile, ProjectKey};
pub use find::{BadName, Because, Candidate, Chosen, Why, Wish, candidates};
pub use kept::KeptError;
pub use presets::{PRESETS, Preset};
pub use secrets::{Secret, Secrets, SecretsError};
pub use trust::{Trust, TrustError};

use budget::BudgetEntry;
use contract::rule::Rule;
use file::File;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Variables of the environment, by name.
pub trait Environment: Send + Sync {
    fn get(&self, name: &str) -> Option<String>;
}

/// The environment of this process.
#[derive(Clone, Copy, Debug)]
pub struct Process;

impl Environment for Process {
    fn get(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

/// Where settings come from.
#[derive(Clone)]
pub struct Sources {
    pub environment: Arc<dyn Environment>,
    pub trust: Trust,
}

impl Sources {
    #[must_use]
    pub fn new(environment: Arc<dyn Environment>, data: &Path) -> Sources {
        Sources { environment, trust: Trust::at(data) }
    }

    /// Those of this process with a data folder.
    #[must_use]
    pub fn of_process(data: &Path) -> Sources {
        Sources::new(Arc::new(Process), data)
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").field("trust", &self.trust).finish_non_exhaustive()
    }
}

/// Everything that was set, the later file before the earlier one.
#[derive(Debug, Default)]
pub struct Settings {
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    path: PathBuf,
    file: File,
}

impl Settings {
    /// Reads the file of the user and the one of the project that the folder is in. What is not there sets nothing.
    pub fn load(sources: &Sources, folder: &Path) -> Result<Settings, BadFile> {
        let project = project_file(folder).map(|path| File::of_project(&path, &sources.trust).map(|file| (path, file)));
        let user = user_file(sources.environment.as_ref()).map(|path| File::of_user(&path).map(|file| (path, file)));
        let mut layers = Vec::new();
        for read in [project, user].into_iter().flatten() {
            if let (path, Some(file)) = read? {
                layers.push(Layer { path, file });
            }
        }
        Ok(Settings { layers })
    }

    /// Handles of the keys that models want.
    pub fn key_handles(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().flat_map(|layer| layer.file.models.values().filter_map(|entry| entry.api_key_env.as_deref()))
    }

    /// Rules of the files, each with the one it is from.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, &Path)> {
        self.layers.iter().flat_map(|layer| layer.file.rules.iter().map(|rule| (rule, layer.path.as_path())))
    }

    /// What may be spent and what is told, each by the file that counts first.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.layers.iter().fold(BudgetEntry::default(), |found, layer| found.or(layer.file.budget)).budget()
    }

    /// Names of the models that files describe, each with the file it counts from.
    pub fn models(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.layers.iter().flat_map(|layer| layer.file.models.keys().map(|name| (name.as_str(), layer.path.as_path())))
    }
}

/// Where the file of the user is, whether or not there is one; nowhere without a home.
#[must_use]
pub fn user_file(environment: &dyn Environment) -> Option<PathBuf> {
    let config = environment.get("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| environment.get("HOME").map(|home| Path::new(&home).join(".config")))?;
    Some(config.join("throughline/config.toml"))
}

/// The innermost project around the folder that has settings.
#[must_use]
pub fn project_of(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    folder.ancestors().find(|folder| folder.join(PROJECT_FILE).is_file()).map(Path::to_owned)
}

const PROJECT_FILE: &str = ".throughline/config.toml";

fn project_file(folder: &Path) -> Option<PathBuf> {
    project_of(folder).map(|folder| folder.join(PROJECT_FILE))
}

/// The text of the settings of this very folder.
#[must_use]
pub fn settings_of(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join(PROJECT_FILE)).ok()
}

/// What the settings of a project want that only a trusted one may, and the text that a person would trust.
pub fn wishes_of(project: &Path) -> Result<(Vec<ProjectKey>, Option<String>), BadFile> {
    let path = project.join(PROJECT_FILE);
    Ok(match File::read(&path)? {
        Some((file, text)) => (file.wishes(), Some(text)),
        None => (Vec::new(), None),
    })
}
