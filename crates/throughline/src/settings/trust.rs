//! Projects whose settings a person has looked at.
//!
//! A folder may come from anybody, so its settings may only make a run more careful, until somebody says once that they
//! trust it. Trust is for the settings as they were then: changed ones must be looked at again.

use super::kept::{Kept, KeptError};
use contract::id::Sha256;
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "trust.toml";

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error(transparent)]
    Kept(#[from] KeptError),
    #[error("{} is not a folder: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("{} has a name that cannot be written down", .0.display())]
    Unnameable(PathBuf),
}

/// The list of a data folder.
#[derive(Clone, Debug)]
pub struct Trust {
    kept: Kept,
}

impl Trust {
    #[must_use]
    pub fn at(data: impl Into<PathBuf>) -> Trust {
        Trust { kept: Kept::new(data.into().join(FILE)) }
    }

    /// Trusted folders.
    pub fn list(&self) -> Result<Vec<PathBuf>, TrustError> {
        Ok(self.kept.read()?.into_keys().map(PathBuf::from).collect())
    }

    /// Whether the folder is trusted, and its settings are as they were when it was.
    pub fn is_trusted(&self, folder: &Path, settings: Option<&str>) -> Result<bool, TrustError> {
        let Ok(name) = name_of(folder) else { return Ok(false) };
        Ok(self.kept.read()?.get(&name).is_some_and(|seen| *seen == fingerprint(settings)))
    }

    /// Trusts the folder with its settings as they are.
    pub fn add(&self, folder: &Path, settings: Option<&str>) -> Result<(), TrustError> {
        let name = name_of(folder)?;
        Ok(self.kept.change(|all| drop(all.insert(name, fingerprint(settings))))?)
    }

    /// Takes the trust back; `false` when there was none. The folder may be gone.
    pub fn remove(&self, folder: &Path) -> Result<bool, TrustError> {
        let name = name_of(folder).or_else(|_| written(folder))?;
        let mut was_there = false;
        self.kept.change(|all| was_there = all.remove(&name).is_some())?;
        Ok(was_there)
    }
}

fn fingerprint(settings: Option<&str>) -> String {
    settings.map(|text| Sha256::of(text.as_bytes()).to_string()).unwrap_or_default()
}

/// The folder by the one name that it has, however it was reached.
fn name_of(folder: &Path) -> Result<String, TrustError> {
    let real = folder.canonicalize().map_err(|source| TrustError::Folder { path: folder.to_owned(), source })?;
    if !real.is_dir() {
        return Err(TrustError::Folder { path: real, source: io::ErrorKind::NotADirectory.into() });
    }
    written(&real)
}

fn written(path: &Path) -> Result<String, TrustError> {
    let name = path.to_str().filter(|name| !name.contains(char::is_control));
    name.map(ToOwned::to_owned).ok_or_else(|| TrustError::Unnameable(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_a_folder_with_the_settings_that_were_seen() {
        let temp = tempfile::tempdir().unwrap();
        let (trust, folder) = (Trust::at(temp.path().join("data")), temp.path().join("pro\"ject"));
        std::fs::create_dir(&folder).unwrap();
        let sees = |settings| trust.is_trusted(&folder, settings).unwrap();
        assert!(!sees(None) && !sees(Some("a")));
        trust.add(&folder, Some("a")).unwrap();
        assert!(sees(Some("a")) && !sees(Some("b")) && !sees(None));
        std::os::unix::fs::symlink(&folder, temp.path().join("link")).unwrap();
        assert!(trust.is_trusted(&temp.path().join("link"), Some("a")).unwrap(), "by its one name");
        assert_eq!(trust.list().unwrap(), [folder.canonicalize().unwrap()]);
        assert!(trust.remove(&folder).unwrap() && !trust.remove(&folder).unwrap());
        assert!(!sees(Some("a")));
    }

    #[test]
    fn what_is_no_folder_is_not_trusted() {
        let temp = tempfile::tempdir().unwrap();
        let trust = Trust::at(temp.path().join("data"));
        assert!(trust.add(&temp.path().join("none"), None).is_err());
        assert!(!trust.is_trusted(&temp.path().join("none"), None).unwrap());
        assert!(!temp.path().join("data").exists());
    }
}
