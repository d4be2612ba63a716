//! What people set once: their models, and which of them is asked when nobody names one.
//!
//! Owns the files, the order in which they count, and the way from a name to an [`Endpoint`]. Must not reach the network,
//! and never holds a key: only its handle.

mod file;
mod find;
mod presets;
mod secrets;
#[cfg(test)]
mod tests;

pub use file::{BadFile, ProjectKey};
pub use find::{BadName, Chosen, Why};
pub use presets::{PRESETS, Preset};
pub use secrets::{Secret, Secrets, SecretsError};

use file::File;
use std::path::{Path, PathBuf};

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
    pub fn load(environment: &dyn Environment, folder: &Path) -> Result<Settings, BadFile> {
        let project = project_file(folder).map(|path| File::of_project(&path).map(|file| (path, file)));
        let user = user_file(environment).map(|path| File::of_user(&path).map(|file| (path, file)));
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

/// The file of the innermost project around the folder.
fn project_file(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    folder.ancestors().map(|folder| folder.join(".throughline/config.toml")).find(|path| path.is_file())
}
