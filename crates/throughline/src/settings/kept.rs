//! A small file of names and values in the data folder, which only its owner may read.
//!
//! It is changed by one process at a time and replaced as a whole.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What its owner may, and nobody else anything.
const MODE: u32 = 0o600;
const OTHERS: u32 = 0o077;

#[derive(Clone, Debug)]
pub(super) struct Kept {
    path: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    #[error("{} cannot be used: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} can be read by others", path.display())]
    Open { path: PathBuf },
    #[error("{} is not a list of names and values", path.display())]
    Malformed { path: PathBuf },
}

impl Kept {
    pub(super) fn new(path: PathBuf) -> Kept {
        Kept { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Nothing when there is no file.
    pub(super) fn read(&self) -> Result<BTreeMap<String, String>, KeptError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(source) => return Err(self.failed(source)),
        };
        let mode = fs::metadata(&self.path).map_err(|source| self.failed(source))?.permissions().mode();
        if mode & OTHERS != 0 {
            return Err(KeptError::Open { path: self.path.clone() });
        }
        // Without the words of the parser, which may quote a value.
        toml::from_str(&text).map_err(|_| KeptError::Malformed { path: self.path.clone() })
    }

    /// One at a time, and the file is always one or the other as a whole.
    pub(super) fn change(&self, change: impl FnOnce(&mut BTreeMap<String, String>)) -> Result<(), KeptError> {
        let failed = |source| self.failed(source);
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let lock = File::create(self.path.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut all = self.read()?;
        let before = all.clone();
        change(&mut all);
        if all == before { Ok(()) } else { self.replace(&written(&all)).map_err(failed) }
    }

    fn failed(&self, source: io::Error) -> KeptError {
        KeptError::Io { path: self.path.clone(), source }
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let draft = self.path.with_extension("toml.new");
        // One that a killed process left may have any mode.
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(MODE).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &self.path)?;
        File::open(self.path.parent().unwrap_or(Path::new(".")))?.sync_all()
    }
}

/// Neither names nor values hold control characters, so a basic string needs two escapes only.
fn written(all: &BTreeMap<String, String>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    all.iter().map(|(name, value)| format!("{} = {}\n", quoted(name), quoted(value))).collect()
}
