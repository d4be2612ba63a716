//! What a room will look like, decided before it is made and by whoever stands outside of it.
//!
//! All paths are real ones: every link in them was followed here. Must not change anything but the placeholders.

use super::protect::Protection;
use super::share::{OF_OWNER, Share};
use crate::supervise::spec::{Walls, Way};
use crate::texts;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Folders for what is temporary, which a command finds to be its own.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

#[derive(Debug)]
pub(super) struct Plan {
    pub workspace: PathBuf,
    pub temp: PathBuf,
    /// Where the temporary folder is seen.
    pub temporary: Vec<PathBuf>,
    /// Folders that are seen empty.
    pub hidden: Vec<PathBuf>,
    pub protection: Protection,
    pub network: bool,
    pub processes_max: u64,
    /// Keeps the temporary folder there for as long as the room stands on it.
    _share: Share,
}

impl Plan {
    /// An error names what stands in the way.
    pub(super) fn new(folder: &OsStr, walls: &Walls) -> io::Result<Plan> {
        let workspace = Path::new(folder).canonicalize()?;
        // Made here and not by the owner: the last room of another owner may remove it until this one has its lock.
        let mut share = Share::take(Path::new(&walls.temp), OF_OWNER)?.ok_or(io::ErrorKind::NotADirectory)?;
        let temp = Path::new(&walls.temp).canonicalize()?;
        let mut temporary: Vec<PathBuf> = TEMPORARY.iter().filter_map(|path| Path::new(path).canonicalize().ok()).collect();
        temporary.dedup();
        // What is not there holds nothing.
        let hidden: Vec<PathBuf> = walls.hidden.iter().filter_map(|path| Path::new(path).canonicalize().ok()).collect();
        // Whoever works in such a folder means that of the machine.
        temporary.retain(|path| *path != workspace);
        if workspace == Path::new("/") {
            return Err(io::Error::other(texts::workspace_too_wide(&workspace)));
        }
        if let Some(around) = hidden.iter().find(|hidden| workspace.starts_with(hidden)) {
            return Err(io::Error::other(texts::workspace_hidden(&workspace, around)));
        }
        let protection = match walls.way {
            Way::Namespaces | Way::Bubblewrap => Protection::find(&workspace, &walls.protected)?,
            // Nothing could cover what is to be kept.
            Way::Landlock => Protection::none(&workspace)?,
        };
        if let Some(below) = temporary.iter().find_map(|temporary| workspace.strip_prefix(temporary).ok()) {
            share.expect_mount(below);
        }
        Ok(Plan {
            workspace,
            temp,
            temporary,
            hidden,
            protection,
            network: walls.network,
            processes_max: walls.processes_max,
            _share: share,
        })
    }

    /// Whether what was found is still there, and nothing else: a room made by this plan is as good as a new one.
    pub(super) fn holds(&self, folder: &Path) -> bool {
        self.protection.holds() && self.protection.is_workspace(folder)
    }

    /// The temporary folder that the workspace is in, if it is in one; what a person keeps beside it is not seen.
    pub(super) fn temporary_around_workspace(&self) -> Option<&Path> {
        self.temporary.iter().find(|temporary| self.workspace.starts_with(temporary)).map(PathBuf::as_path)
    }

    /// Folders between the workspace and something in it, from above: each must stay where it is, or what is protected
    /// could be moved away with it.
    pub(super) fn between<'a>(&'a self, inner: &'a Path) -> Vec<&'a Path> {
        let mut between: Vec<&Path> = inner.ancestors().skip(1).take_while(|path| *path != self.workspace).collect();
        if !inner.starts_with(&self.workspace) {
            between.clear();
        }
        between.reverse();
        between
    }
}
