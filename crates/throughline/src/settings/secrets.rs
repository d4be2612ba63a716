//! Keys at rest: one file that only its owner may read.
//!
//! Owns which names and values are kept. Must not print a value: whoever has one asked for it by name.

use super::kept::{Kept, KeptError};
use std::fmt;
use std::path::{Path, PathBuf};

const FILE: &str = "secrets.toml";
/// Bytes of one value: keys are short, and a certificate still fits.
const VALUE_BYTES_MAX: usize = 16 * 1024;
/// Bytes of a name, as variables of an environment have.
const NAME_BYTES_MAX: usize = 64;

/// A value that shows itself to nobody by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    /// The value itself, for the edge at which it is used.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    #[error(transparent)]
    Kept(#[from] KeptError),
    #[error("`{0}` is no name: letters, digits and underscores, as variables have")]
    BadName(String),
    #[error("a value must have 1 to {VALUE_BYTES_MAX} bytes on one line")]
    BadValue,
}

/// The file of a data folder.
#[derive(Clone, Debug)]
pub struct Secrets {
    kept: Kept,
}

impl Secrets {
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Secrets {
        Secrets { kept: Kept::new(folder.into().join(FILE)) }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.kept.path()
    }

    /// Names of what is kept.
    pub fn names(&self) -> Result<Vec<String>, SecretsError> {
        Ok(self.kept.read()?.into_keys().collect())
    }

    pub fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        Ok(self.kept.read()?.remove(name).map(Secret))
    }

    pub fn set(&self, name: &str, value: &Secret) -> Result<(), SecretsError> {
        check_name(name)?;
        let value = value.expose();
        if value.is_empty() || value.len() > VALUE_BYTES_MAX || value.contains(char::is_control) {
            return Err(SecretsError::BadValue);
        }
        Ok(self.kept.change(|all| drop(all.insert(name.to_owned(), value.to_owned())))?)
    }

    /// Forgets a value; `false` when there was none.
    pub fn remove(&self, name: &str) -> Result<bool, SecretsError> {
        let mut was_there = false;
        self.kept.change(|all| was_there = all.remove(name).is_some())?;
        Ok(was_there)
    }
}

fn check_name(name: &str) -> Result<(), SecretsError> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if begins && name.len() <= NAME_BYTES_MAX && name.bytes().all(letters) { Ok(()) } else { Err(SecretsError::BadName(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

    const MODE: u32 = 0o600;

    fn secrets() -> (tempfile::TempDir, Secrets) {
        let temp = tempfile::tempdir().unwrap();
        let secrets = Secrets::at(temp.path().join("home"));
        (temp, secrets)
    }

    #[test]
    fn what_is_set_is_found_and_what_is_removed_is_not() {
        let (_temp, secrets) = secrets();
        assert_eq!(secrets.names().unwrap(), Vec::<String>::new());
        secrets.set("B_KEY", &Secret::new("two")).unwrap();
        secrets.set("A_KEY", &Secret::new("one")).unwrap();
        secrets.set("A_KEY", &Secret::new("another")).unwrap();
        assert_eq!(secrets.names().unwrap(), ["A_KEY", "B_KEY"]);
        assert_eq!(secrets.get("A_KEY").unwrap(), Some(Secret::new("another")));
        assert!(secrets.remove("A_KEY").unwrap());
        assert!(!secrets.remove("A_KEY").unwrap());
        assert_eq!((secrets.get("A_KEY").unwrap(), secrets.names().unwrap()), (None, vec!["B_KEY".to_owned()]));
    }

    #[test]
    fn only_the_owner_may_read_it_and_nothing_else_stays() {
        let (_temp, secrets) = secrets();
        // Left by a process that was killed, and open to everybody.
        fs::create_dir_all(secrets.path().parent().unwrap()).unwrap();
        fs::write(secrets.path().with_extension("toml.new"), "x").unwrap();
        secrets.set("KEY", &Secret::new("v")).unwrap();
        let mode = fs::metadata(secrets.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        assert!(!secrets.path().with_extension("toml.new").exists());
        fs::set_permissions(secrets.path(), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(secrets.get("KEY"), Err(SecretsError::Kept(KeptError::Open { .. }))), "a key that others can read is not used");
        assert!(matches!(secrets.set("KEY", &Secret::new("w")), Err(SecretsError::Kept(KeptError::Open { .. }))));
    }

    #[test]
    fn nothing_that_goes_wrong_quotes_a_value() {
        let (_temp, secrets) = secrets();
        fs::create_dir_all(secrets.path().parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().write(true).create_new(true).mode(MODE).open(secrets.path()).unwrap();
        file.write_all(b"KEY = \"canary\" canary").unwrap();
        let error = secrets.get("KEY").unwrap_err();
        assert!(!format!("{error} {error:?} {:?}", Secret::new("canary")).contains("canary"));
        assert_eq!(fs::read(secrets.path()).unwrap(), b"KEY = \"canary\" canary", "nothing is overwritten");
        assert!(secrets.set("OTHER", &Secret::new("v")).is_err());
    }

    #[test]
    fn bad_names_and_values_are_refused() {
        let (_temp, secrets) = secrets();
        for name in ["", "9X", "A-B", "A B", "Ä", &"A".repeat(65)] {
            assert!(matches!(secrets.set(name, &Secret::new("v")), Err(SecretsError::BadName(_))), "{name}");
        }
        for value in ["", "a\nb", "a\0b", &"v".repeat(VALUE_BYTES_MAX + 1)] {
            assert!(matches!(secrets.set("KEY", &Secret::new(value)), Err(SecretsError::BadValue)));
        }
        assert!(!secrets.path().exists());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn any_value_comes_back(values in prop::collection::btree_map("[A-Z_][A-Z0-9_]{0,8}", "\\PC{1,40}", 1..5)) {
            let (_temp, secrets) = secrets();
            for (name, value) in &values {
                secrets.set(name, &Secret::new(value.clone())).unwrap();
            }
            for (name, value) in &values {
                prop_assert_eq!(secrets.get(name).unwrap(), Some(Secret::new(value.clone())));
            }
        }
    }
}
