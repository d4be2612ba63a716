//! The files below a folder as ignore files leave them, in the order of their paths.
//!
//! Bounded in time and number whatever is there. Links are not followed, so no tree has a circle.

use crate::place::Place;
use crate::reach::Presence;
use crate::texts;
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Entries looked at; larger trees are looked at in parts.
const ENTRIES_LOOKED_AT_MAX: usize = 200_000;

/// Where a walk begins that names no place.
pub(super) const FOLDER_DEFAULT: &str = ".";

pub(super) struct Walk {
    pub depth_max: Option<usize>,
    /// Whether files that ignore files name count too.
    pub ignored: bool,
    pub globs: Override,
}

pub(super) struct Walked {
    pub entries: Vec<Entry>,
    pub left_out: Option<LeftOut>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub path: PathBuf,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Folder,
    File,
    /// A link, or what is neither.
    Other,
}

/// Why there may be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    Many { entries: usize },
    Late,
}

impl LeftOut {
    /// As the model is told.
    pub(super) fn text(self) -> String {
        match self {
            LeftOut::Many { entries } => texts::walk_cut(entries),
            LeftOut::Late => texts::walk_late(),
        }
    }
}

/// Only files that match; every file without a glob. `Err` is the reason why it is none.
pub(super) fn globs(root: &Path, glob: Option<&str>) -> Result<Override, ignore::Error> {
    let mut globs = OverrideBuilder::new(root);
    if let Some(glob) = glob {
        globs.add(glob)?;
    }
    globs.build()
}

impl Walk {
    /// The root itself is the first entry when it is a file.
    pub(super) fn through(self, place: &Place, deadline: Instant) -> Walked {
        self.through_at_most(place, deadline, ENTRIES_LOOKED_AT_MAX)
    }

    fn through_at_most(self, place: &Place, deadline: Instant, entries_max: usize) -> Walked {
        let mut walk = WalkBuilder::new(&place.real);
        let honoured = !self.ignored;
        // What one person ignores everywhere is not part of the project.
        walk.hidden(false).require_git(false).git_global(false).max_depth(self.depth_max);
        walk.ignore(honoured).git_ignore(honoured).git_exclude(honoured).parents(honoured);
        // A glob narrows what ignore files leave; given to the walk itself it would bring back what they name.
        let globs = self.globs;
        walk.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0 || (entry.file_name() != ".git" && !globs.matched(entry.path(), is_folder).is_ignore())
        });
        let mut walked = Walked { entries: Vec::new(), left_out: None };
        let mut presence = Presence::default();
        for entry in walk.build().flatten() {
            let kind = match entry.file_type() {
                Some(kind) if kind.is_dir() => Kind::Folder,
                Some(kind) if kind.is_file() => Kind::File,
                Some(_) | None => Kind::Other,
            };
            // The walk goes by names; what it saw through a link that was put in meanwhile is not there.
            let is_root = entry.depth() == 0;
            if (is_root && kind == Kind::Folder) || (!is_root && !presence.has(entry.path())) {
                continue;
            }
            if walked.entries.len() == entries_max {
                walked.left_out = Some(LeftOut::Many { entries: entries_max });
                break;
            }
            if Instant::now() >= deadline {
                walked.left_out = Some(LeftOut::Late);
                break;
            }
            walked.entries.push(Entry { path: entry.into_path(), kind });
        }
        walked.entries.sort();
        walked
    }
}

/// As the model would name it: relative to the folder of the session if the place is inside it.
pub(super) fn shown_below(place: &Place, path: &Path) -> String {
    match path.strip_prefix(&place.real) {
        Ok(below) if below.as_os_str().is_empty() => place.shown.clone(),
        Ok(below) if place.shown == "." => below.display().to_string(),
        Ok(below) => Path::new(&place.shown).join(below).display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::{Desk, desk};
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    fn walk(desk: &Desk, glob: Option<&str>, ignored: bool, entries_max: usize, time: Duration) -> (Vec<String>, Option<LeftOut>) {
        let place = Place::find(&desk.folder, ".").unwrap();
        let walk = Walk { depth_max: None, ignored, globs: globs(&place.real, glob).unwrap() };
        let walked = walk.through_at_most(&place, Instant::now() + time, entries_max);
        (walked.entries.iter().map(|entry| shown_below(&place, &entry.path)).collect(), walked.left_out)
    }

    fn seen(desk: &Desk, glob: Option<&str>, ignored: bool) -> Vec<String> {
        let (seen, left_out) = walk(desk, glob, ignored, 1_000, Duration::from_secs(60));
        assert_eq!(left_out, None);
        seen
    }

    #[test]
    fn ignore_files_are_honoured_where_they_stand() {
        let desk = desk("list_files");
        desk.write(".gitignore", "*.log\n!keep.log\n/top\nbuild/\n");
        desk.write("sub/.gitignore", "!again.log\nlocal\n");
        desk.write("sub/.ignore", "secret\n");
        for path in
            ["a.log", "keep.log", "top", "build/x", "sub/top", "sub/b.log", "sub/again.log", "sub/local", "local", "sub/secret", ".git/x"]
        {
            desk.write(path, "");
        }
        let files = [".gitignore", "keep.log", "local", "sub", "sub/.gitignore", "sub/.ignore", "sub/again.log", "sub/top"];
        assert_eq!(seen(&desk, None, false), files);
        let all = seen(&desk, None, true);
        assert!(["a.log", "build/x", "sub/secret", "top"].iter().all(|path| all.iter().any(|seen| seen == path)), "{all:?}");
        assert!(!all.iter().any(|path| path.starts_with(".git/")), "{all:?}");
        assert_eq!(seen(&desk, Some("*.log"), false), ["keep.log", "sub", "sub/again.log"]);
        assert_eq!(seen(&desk, Some("!sub"), false), [".gitignore", "keep.log", "local"]);
    }

    #[test]
    fn circles_of_links_end_and_what_is_behind_a_link_is_not_seen() {
        let desk = desk("list_files");
        desk.write("a/x", "");
        desk.write("../other/y", "");
        symlink("..", desk.folder.join("a/up")).unwrap();
        symlink("../other", desk.folder.join("out")).unwrap();
        assert_eq!(seen(&desk, None, false), ["a", "a/up", "a/x", "out"]);
    }

    #[test]
    fn a_tree_without_end_is_looked_at_in_part() {
        let desk = desk("list_files");
        (0..10).for_each(|index| drop(desk.write(&index.to_string(), "")));
        let (seen, left_out) = walk(&desk, None, false, 4, Duration::from_secs(60));
        assert_eq!((seen.len(), left_out), (4, Some(LeftOut::Many { entries: 4 })));
        let (seen, left_out) = walk(&desk, None, false, 1_000, Duration::ZERO);
        assert_eq!((seen.len(), left_out), (0, Some(LeftOut::Late)));
    }
}
