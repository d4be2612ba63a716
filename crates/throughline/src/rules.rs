//! How work is done in a project, as its files say: `AGENTS.md`, `CLAUDE.md` and `.throughline/rules/*.md`, from where the
//! repository begins down to the working folder.
//!
//! The files may come from anybody. Their text is part of what the model is told, with a word about whether a person
//! trusts it; it never decides what may run.

use crate::settings::{Trust, settings_of};
use contract::body::{ResourceKind, ResourceLoaded};
use contract::id::Sha256;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Of one file: more than a person would want to be read at every start.
const FILE_BYTES_MAX: usize = 64 * 1024;
/// Of all files: they stand before everything else that the model sees.
const ALL_BYTES_MAX: usize = 128 * 1024;
/// A file that is longer is not read at all.
const READ_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What the files say, and which they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    pub text: String,
    pub loaded: Vec<ResourceLoaded>,
}

impl Rules {
    pub(crate) fn of(trust: &Trust, folder: &Path) -> Rules {
        let mut rules = Rules::default();
        let Ok(folder) = folder.canonicalize() else { return rules };
        let root = root_of(&folder);
        let (mut seen, mut was_trusted) = (BTreeSet::new(), None);
        for file in files(&root, &folder) {
            let Some(bytes) = read(&root, &file) else { continue };
            let content = Sha256::of(&bytes);
            // One is often a copy of the other, or a link to it.
            if !seen.insert(content) {
                continue;
            }
            let trusted = is_trusted(trust, &root, &file);
            let whole = String::from_utf8_lossy(&bytes);
            let room = FILE_BYTES_MAX.min(ALL_BYTES_MAX.saturating_sub(rules.text.len()));
            let shown = beginning(&whole, room);
            if was_trusted.replace(trusted) != Some(trusted) {
                rules.text.push('\n');
                rules.text.push_str(agent::prompts::rules(trusted));
            }
            let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().into_owned();
            rules.text.push_str(&format!("\n<rules from=\"{name}\">\n{}\n</rules>\n", shown.trim_end()));
            let (bytes, cut) = (bytes.len() as u64, shown.len() < whole.len());
            rules.loaded.push(ResourceLoaded { kind: ResourceKind::Rules, name, content, bytes, cut, trusted });
        }
        rules
    }
}

/// Names of the files that a person would trust with this folder.
#[must_use]
pub fn rules_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    files(&root_of(&folder), &folder)
}

/// Where the repository around the folder begins; the folder itself when there is none.
#[must_use]
pub fn root_of(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder).to_owned()
}

fn files(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<&Path> = folder.ancestors().take_while(|folder| folder.starts_with(root)).collect();
    folders.reverse();
    let in_folder = |folder: &Path| {
        let mut more: Vec<PathBuf> = fs::read_dir(folder.join(".throughline/rules"))
            .map(|entries| {
                entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
            })
            .unwrap_or_default();
        more.sort();
        let known = ["AGENTS.md", "CLAUDE.md"].map(|name| folder.join(name));
        known.into_iter().chain(more).filter(|path| path.is_file()).collect::<Vec<_>>()
    };
    folders.into_iter().flat_map(in_folder).collect()
}

/// The file, unless it is no file of the project or too large to be meant.
fn read(root: &Path, file: &Path) -> Option<Vec<u8>> {
    let real = file.canonicalize().ok().filter(|real| real.starts_with(root))?;
    let length = fs::metadata(&real).ok().filter(fs::Metadata::is_file)?.len();
    if length > READ_BYTES_MAX { None } else { fs::read(real).ok() }
}

/// Whether a person trusts a folder that the file is in, as it is now.
fn is_trusted(trust: &Trust, root: &Path, file: &Path) -> bool {
    let mut around = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    around.any(|folder| trust.is_trusted(folder, settings_of(folder).as_deref()).unwrap_or(false))
}

fn beginning(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Project {
        temp: tempfile::TempDir,
    }

    fn project(files: &[(&str, &str)]) -> Project {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("repo/.git")).unwrap();
        fs::create_dir_all(temp.path().join("repo/deep/down")).unwrap();
        for (name, text) in files {
            let path = temp.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Project { temp }
    }

    impl Project {
        fn path(&self, name: &str) -> PathBuf {
            self.temp.path().join(name)
        }

        fn rules(&self) -> Rules {
            Rules::of(&Trust::at(self.path("data")), &self.path("repo/deep"))
        }

        fn names(&self) -> Vec<String> {
            self.rules().loaded.into_iter().map(|loaded| loaded.name).collect()
        }
    }

    #[test]
    fn rules_are_read_from_the_root_down_and_not_beside_or_below() {
        let project = project(&[
            ("AGENTS.md", "outside"),
            ("repo/AGENTS.md", "root"),
            ("repo/CLAUDE.md", "claude"),
            ("repo/.throughline/rules/b.md", "b"),
            ("repo/.throughline/rules/a.md", "a"),
            ("repo/.throughline/rules/c.txt", "c"),
            ("repo/deep/AGENTS.md", "deep"),
            ("repo/deep/down/AGENTS.md", "down"),
        ]);
        let wanted = ["AGENTS.md", "CLAUDE.md", ".throughline/rules/a.md", ".throughline/rules/b.md", "deep/AGENTS.md"];
        assert_eq!(project.names(), wanted);
        let text = project.rules().text;
        let at = |what: &str| text.find(what).unwrap();
        assert!(at("\nroot\n") < at("\nclaude\n") && at("\nb\n") < at("\ndeep\n"), "{text}");
        assert!(!text.contains("outside") && !text.contains("down"), "{text}");
    }

    #[test]
    fn the_same_text_is_shown_once_and_a_link_out_of_the_project_never() {
        let project = project(&[("secret", "secret"), ("repo/AGENTS.md", "same"), ("repo/CLAUDE.md", "same")]);
        std::os::unix::fs::symlink(project.path("secret"), project.path("repo/deep/AGENTS.md")).unwrap();
        assert_eq!(project.names(), ["AGENTS.md"]);
        assert!(!project.rules().text.contains("secret"));
    }

    #[test]
    fn only_a_persons_trust_makes_rules_of_them() {
        let project = project(&[("repo/AGENTS.md", "root")]);
        let rules = project.rules();
        assert!(!rules.loaded[0].trusted && rules.text.contains("Nobody vouches"), "{}", rules.text);
        Trust::at(project.path("data")).add(&project.path("repo"), None).unwrap();
        let rules = project.rules();
        assert!(rules.loaded[0].trusted && rules.text.contains("Follow them"), "{}", rules.text);
        fs::create_dir(project.path("repo/.throughline")).unwrap();
        fs::write(project.path("repo/.throughline/config.toml"), "").unwrap();
        assert!(!project.rules().loaded[0].trusted, "settings that nobody has seen");
    }

    #[test]
    fn a_long_file_is_cut_and_says_so() {
        let project = project(&[("repo/AGENTS.md", &"ü".repeat(FILE_BYTES_MAX))]);
        let Rules { text, loaded } = project.rules();
        assert!(loaded[0].cut && loaded[0].bytes == 2 * FILE_BYTES_MAX as u64 && text.len() < FILE_BYTES_MAX + 1_000);
    }
}
