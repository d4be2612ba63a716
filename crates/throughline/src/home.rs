//! The data folder: where it is, and which machine it makes of this kernel.

use contract::id::{BootId, MachineId};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("neither THRU_HOME nor HOME is set")]
    Nowhere,
    #[error("{path} cannot be used: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path} does not hold the name of a machine")]
    BadMachine { path: PathBuf },
    #[error("no randomness: {0}")]
    Random(getrandom::Error),
}

#[derive(Clone, Debug)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Home {
        Home { folder: folder.into() }
    }

    /// `THRU_HOME`, else `$XDG_DATA_HOME/throughline`, else `~/.local/share/throughline`.
    pub fn locate() -> Result<Home, HomeError> {
        let set = |name: &str| std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
        let folder = set("THRU_HOME")
            .or_else(|| set("XDG_DATA_HOME").map(|data| data.join("throughline")))
            .or_else(|| set("HOME").map(|home| home.join(".local/share/throughline")));
        let folder = folder.ok_or(HomeError::Nowhere)?;
        let folder = std::path::absolute(&folder).map_err(|source| HomeError::Io { path: folder, source })?;
        Ok(Home { folder })
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    #[must_use]
    pub fn spool(&self) -> PathBuf {
        self.folder.join("spool")
    }

    /// Where commands keep what is temporary, one folder a session.
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.folder.join("temp")
    }

    /// The name of this folder on this machine, made once.
    pub(crate) fn machine(&self) -> Result<MachineId, HomeError> {
        let path = self.folder.join("machine");
        let io = |source| HomeError::Io { path: path.clone(), source };
        if let Some(machine) = read(&path)? {
            return Ok(machine);
        }
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(HomeError::Random)?;
        let machine = MachineId(bytes);
        // Two processes may come here at once: each writes a file of its own, and the first link wins.
        let draft = self.folder.join(format!("machine.{}", std::process::id()));
        let mut file = std::fs::File::create(&draft).map_err(io)?;
        writeln!(file, "{machine}").and_then(|()| file.sync_all()).map_err(io)?;
        let linked = std::fs::hard_link(&draft, &path);
        std::fs::remove_file(&draft).map_err(io)?;
        match (linked, read(&path)?) {
            (_, Some(machine)) => Ok(machine),
            (Err(source), None) => Err(io(source)),
            (Ok(()), None) => Err(HomeError::BadMachine { path }),
        }
    }
}

fn read(path: &Path) -> Result<Option<MachineId>, HomeError> {
    match std::fs::read_to_string(path) {
        Ok(text) => text.trim().parse().map(Some).map_err(|_| HomeError::BadMachine { path: path.to_owned() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(HomeError::Io { path: path.to_owned(), source }),
    }
}

pub(crate) fn boot() -> Result<BootId, HomeError> {
    let path = "/proc/sys/kernel/random/boot_id";
    let text = std::fs::read_to_string(path).map_err(|source| HomeError::Io { path: path.into(), source })?;
    Ok(BootId(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A machine is never given another name because a byte of its file changed: it is that name or none.
        #[test]
        fn a_file_holds_the_name_of_a_machine_or_is_refused(
            bytes in damaged(any::<[u8; 16]>().prop_map(|id| format!("{}\n", MachineId(id)).into_bytes()))
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("machine");
            std::fs::write(&path, &bytes).unwrap();
            match read(&path) {
                Ok(machine) => {
                    let name = machine.unwrap().to_string();
                    prop_assert_eq!(String::from_utf8_lossy(&bytes).trim().to_owned(), name);
                }
                Err(error) => prop_assert!(error.to_string().contains("machine"), "{error}"),
            }
        }
    }

    #[test]
    fn a_machine_is_named_once() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let first = home.machine().unwrap();
        assert_eq!(home.machine().unwrap(), first);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_name_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("machine"), "garbage").unwrap();
        assert!(matches!(Home::at(folder.path()).machine(), Err(HomeError::BadMachine { .. })));
        assert_eq!(std::fs::read_to_string(folder.path().join("machine")).unwrap(), "garbage");
    }
}
