//! What file tools leave alone, as the room does for commands: the program's own data, and what would run or count later
//! with a person's rights.
//!
//! It sees what preparing a call found, whose paths are without links; an attempt that finds another place does nothing.
//! Must not read what a file holds.

use crate::place;
use crate::supervise::is_kept;
use crate::texts;
use contract::call::{Class, Risk};
use contract::port::{Preparation, PrepareRefused};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub(crate) struct Guard {
    unseen: Vec<PathBuf>,
    unchanged: Vec<PathBuf>,
}

impl Guard {
    pub(crate) fn new(unseen: &[PathBuf], unchanged: &[PathBuf]) -> Guard {
        Guard { unseen: unseen.to_vec(), unchanged: unchanged.to_vec() }
    }

    /// Refuses a call about the program's own data, and makes a change of what is protected a matter for a person.
    pub(crate) fn check(&self, folder: &Path, mut found: Preparation) -> Result<Preparation, PrepareRefused> {
        if found.prepared.paths.is_empty() {
            return Ok(found);
        }
        // Such a folder holds nothing that could be protected, and the tool says so itself.
        let Ok(folder) = place::resolve(folder).map(|folder| as_shown(&folder)) else { return Ok(found) };
        let real =
            |paths: &[PathBuf]| -> Vec<PathBuf> { paths.iter().filter_map(|path| Some(as_shown(&place::resolve(path).ok()?))).collect() };
        let (unseen, unchanged) = (real(&self.unseen), real(&self.unchanged));
        for shown in &found.prepared.paths {
            let path = if shown == "." { folder.clone() } else { folder.join(shown) };
            if unseen.iter().any(|own| path.starts_with(own)) {
                return Err(PrepareRefused { message: texts::of_the_program(shown) });
            }
            if found.class != Class::Pure && is_kept(&folder, &unchanged, &path) {
                found.risk = Risk::High;
            }
        }
        Ok(found)
    }
}

/// As paths of prepared calls are written, so that both can be compared.
fn as_shown(path: &Path) -> PathBuf {
    PathBuf::from(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::call::Prepared;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn found(class: Class, path: &str) -> Preparation {
        let prepared = Prepared { paths: vec![path.to_owned()], ..Prepared::default() };
        Preparation { class, risk: Risk::Medium, prepared, preview: None }
    }

    #[test]
    fn a_change_of_what_runs_later_is_of_high_risk() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let work = root.join("work");
        fs::create_dir_all(work.join(".config/throughline")).unwrap();
        symlink(&work, root.join("alias")).unwrap();
        let guard = Guard::new(&[], &[root.join("alias/.config/throughline"), root.join("none")]);
        let risk = |class, path: &str| guard.check(&root.join("alias"), found(class, path)).unwrap().risk;
        for path in
            [".git/hooks/pre-commit", ".git", ".throughline/config.toml", "vendor/lib/.git/config", ".config/throughline/config.toml"]
        {
            assert_eq!((risk(Class::Probe, path), risk(Class::Pure, path)), (Risk::High, Risk::Medium), "{path}");
        }
        for path in [".github/workflows/ci.yml", ".gitignore", "a.git/b", "throughline/x", ".config/other"] {
            assert_eq!(risk(Class::Probe, path), Risk::Medium, "{path}");
        }
        fs::create_dir_all(work.join("bare/hooks")).unwrap();
        assert_eq!(risk(Class::Probe, "bare/hooks/post-checkout"), Risk::Medium);
        fs::write(work.join(".git"), "gitdir: bare\n").unwrap();
        assert_eq!(risk(Class::Probe, "bare/hooks/post-checkout"), Risk::High, "it is the repository");
    }

    #[test]
    fn the_programs_own_data_is_refused_also_inside_the_workspace() {
        let temp = tempfile::tempdir().unwrap();
        let work = temp.path().canonicalize().unwrap();
        fs::create_dir(work.join("data")).unwrap();
        symlink("data", work.join("link")).unwrap();
        let guard = Guard::new(&[work.join("link")], &[]);
        for (class, path) in [(Class::Pure, "data/secrets.toml"), (Class::Probe, "data/trust.toml"), (Class::Pure, "data")] {
            let absolute = work.join(path).display().to_string();
            for path in [path, &absolute] {
                assert_eq!(guard.check(&work, found(class, path)).unwrap_err().message, texts::of_the_program(path));
            }
        }
        for path in [".", "database", "other/data"] {
            assert!(guard.check(&work, found(Class::Probe, path)).is_ok(), "{path}");
        }
    }
}
