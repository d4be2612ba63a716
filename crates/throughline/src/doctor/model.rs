//! Which model a run would ask that names none, as far as it can be told without asking anybody.

use super::Finding;
use crate::Home;
use crate::settings::{Secrets, Settings, Sources, candidates};
use std::path::Path;

/// For a run in this folder.
#[must_use]
pub fn model(home: &Home, sources: &Sources, folder: &Path) -> Finding {
    let settings = match Settings::load(sources, folder) {
        Ok(settings) => settings,
        Err(error) => return Finding::SettingsUnusable { reason: error.to_string() },
    };
    // What is wrong with the folder itself was found already.
    let kept = if home.folder().is_dir() { Secrets::at(home.folder()).names() } else { Ok(Vec::new()) };
    match kept {
        Ok(kept) => Finding::Model {
            wish: settings.choose(sources.environment.as_ref()),
            candidates: candidates(sources.environment.as_ref(), &kept),
        },
        Err(error) => Finding::SettingsUnusable { reason: error.to_string() },
    }
}
