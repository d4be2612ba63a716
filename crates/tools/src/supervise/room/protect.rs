//! What no command may change even inside the workspace: `.git`, wherever it leads, `.throughline`, and the folders of
//! the person's own settings.
//!
//! A name that is free would be made by the command, so something must have it. Where nothing does, an empty folder is
//! put there for as long as rooms need it. Its lock is shared by all rooms of the workspace, whoever made it; the last
//! one removes it. Must not look into a room.

use super::share::{OF_ALL, Share};
use rustix::fs::{AtFlags, CWD, FileType, Stat, fstat, statat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

/// In the root of a workspace.
const NAMES: [&str; 2] = [".git", ".throughline"];
/// Bytes of a file that says where a repository is.
const POINTER_BYTES_MAX: u64 = 64 * 1024;

/// Something that keeps its place and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Folder(PathBuf),
    File(PathBuf),
    /// A link, which cannot be covered by what it leads to; a file with this text is seen instead.
    Link {
        path: PathBuf,
        text: String,
    },
}

#[derive(Debug)]
pub(super) struct Protection {
    pub kept: Vec<Kept>,
    workspace: Identity,
    seen: Vec<(PathBuf, Option<Identity>)>,
    /// Removed when they are dropped, unless somebody else needs them.
    _placeholders: Vec<Share>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    kind: FileType,
    /// Of a folder, what is in it may change.
    changed: Option<(i64, i64)>,
}

impl Protection {
    pub(super) fn find(workspace: &Path, settings: &[OsString]) -> io::Result<Protection> {
        let (mut kept, mut placeholders) = (Vec::new(), Vec::new());
        let mut paths: Vec<PathBuf> = NAMES.iter().map(|name| workspace.join(name)).collect();
        // Elsewhere nothing can be changed anyway.
        let real = settings.iter().map(|path| real(Path::new(path)));
        paths.extend(real.filter(|path| path.starts_with(workspace) && path != workspace));
        for path in &paths {
            match Share::take(path, OF_ALL)? {
                Some(placeholder) if placeholder.is_empty()? => {
                    kept.push(Kept::Folder(path.clone()));
                    placeholders.push(placeholder);
                }
                Some(_) | None => kept.extend(keep(path, workspace)?),
            }
        }
        paths.extend(kept.iter().map(|kept| kept.path().to_owned()));
        paths.push(workspace.to_owned());
        paths.sort();
        paths.dedup();
        let seen = paths.into_iter().map(|path| (path.clone(), identity(&path))).collect();
        let workspace = identity_of(&statat(CWD, workspace, AtFlags::empty())?);
        Ok(Protection { kept, workspace, seen, _placeholders: placeholders })
    }

    /// Where nothing can be protected.
    pub(super) fn none(workspace: &Path) -> io::Result<Protection> {
        let workspace = identity_of(&statat(CWD, workspace, AtFlags::empty())?);
        Ok(Protection { kept: Vec::new(), workspace, seen: Vec::new(), _placeholders: Vec::new() })
    }

    pub(super) fn holds(&self) -> bool {
        self.seen.iter().all(|(path, seen)| identity(path) == *seen)
    }

    /// Whether this is the folder that was found to be the workspace: a name above it may lead elsewhere by now.
    pub(super) fn is_workspace_itself(&self, folder: BorrowedFd<'_>) -> bool {
        fstat(folder).is_ok_and(|stat| identity_of(&stat) == self.workspace)
    }

    /// Whether this path leads to the workspace.
    pub(super) fn is_workspace(&self, folder: &Path) -> bool {
        statat(CWD, folder, AtFlags::empty()).is_ok_and(|stat| identity_of(&stat) == self.workspace)
    }
}

/// Whether whatever has this path in a workspace runs or counts later with a person's rights. `path` and `settings` are
/// without links. Repositories deeper in the workspace are known by their name.
pub(crate) fn is_kept(workspace: &Path, settings: &[PathBuf], path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(workspace) else { return false };
    let is_named = inside.components().any(|part| NAMES.iter().any(|name| part.as_os_str() == *name));
    let leads = || NAMES.iter().filter_map(|name| keep(&workspace.join(name), workspace).ok()).flatten();
    is_named || settings.iter().any(|kept| path.starts_with(kept)) || leads().any(|kept| path.starts_with(kept.path()))
}

impl Kept {
    pub(super) fn path(&self) -> &Path {
        match self {
            Kept::Folder(path) | Kept::File(path) | Kept::Link { path, .. } => path,
        }
    }
}

/// The path with every link followed as far as it exists.
fn real(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|parent| Some((parent, parent.canonicalize().ok()?)));
    match existing {
        Some((parent, real)) => path
            .strip_prefix(parent)
            .map_or_else(|_| real.clone(), |rest| if rest.as_os_str().is_empty() { real.clone() } else { real.join(rest) }),
        None => path.to_owned(),
    }
}

/// What has this name, and what that leads to inside the workspace.
fn keep(path: &Path, workspace: &Path) -> io::Result<Vec<Kept>> {
    let Some(stat) = stat(path)? else { return Ok(Vec::new()) };
    let mut kept = Vec::new();
    let leads_to = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => {
            kept.push(Kept::Folder(path.to_owned()));
            common_folder(path)
        }
        FileType::Symlink => {
            let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            kept.push(Kept::Link { path: path.to_owned(), text: format!("gitdir: {}\n", target.display()) });
            Some(target)
        }
        FileType::RegularFile
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => {
            kept.push(Kept::File(path.to_owned()));
            pointed_at(path, "gitdir:")
        }
    };
    if let Some(target) = leads_to.filter(|target| target.starts_with(workspace) && target != workspace && target != path) {
        let common = common_folder(&target).filter(|common| common.starts_with(workspace) && common != workspace);
        for target in [Some(target), common].into_iter().flatten() {
            if target.is_dir() && !kept.contains(&Kept::Folder(target.clone())) {
                kept.push(Kept::Folder(target));
            }
        }
    }
    Ok(kept)
}

/// Where a worktree's repository keeps what it shares with others.
fn common_folder(repository: &Path) -> Option<PathBuf> {
    pointed_at(&repository.join("commondir"), "")
}

/// The path in a file that holds nothing else behind this word, relative to the folder of the file.
fn pointed_at(file: &Path, word: &str) -> Option<PathBuf> {
    let length = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?.len();
    if length > POINTER_BYTES_MAX {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    file.parent()?.join(text.strip_prefix(word)?.trim()).canonicalize().ok()
}

fn stat(path: &Path) -> io::Result<Option<Stat>> {
    match statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn identity(path: &Path) -> Option<Identity> {
    stat(path).ok().flatten().map(|stat| identity_of(&stat))
}

fn identity_of(stat: &Stat) -> Identity {
    let kind = FileType::from_raw_mode(stat.st_mode);
    let changed = (kind != FileType::Directory).then_some((stat.st_ctime, stat.st_ctime_nsec.cast_signed()));
    Identity { device: stat.st_dev, inode: stat.st_ino, kind, changed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let workspace = temp.path().canonicalize().unwrap().join("work");
        fs::create_dir(&workspace).unwrap();
        (temp, workspace)
    }

    #[test]
    fn a_free_name_is_kept_by_an_empty_folder_until_the_last_room_is_gone() {
        let (_temp, workspace) = workspace();
        let first = Protection::find(&workspace, &[]).unwrap();
        let second = Protection::find(&workspace, &[]).unwrap();
        assert_eq!(first.kept, [Kept::Folder(workspace.join(".git")), Kept::Folder(workspace.join(".throughline"))]);
        assert_eq!(second.kept, first.kept);
        drop(first);
        assert!(second.holds() && workspace.join(".git").is_dir() && workspace.join(".throughline").is_dir());
        drop(second);
        assert_eq!(fs::read_dir(&workspace).unwrap().count(), 0);
    }

    #[test]
    fn another_folder_under_the_same_name_is_not_the_workspace() {
        let (temp, workspace) = workspace();
        let found = Protection::find(&workspace, &[]).unwrap();
        let is_it = |path: &Path| found.is_workspace_itself(fs::File::open(path).unwrap().as_fd()) && found.is_workspace(path);
        assert!(is_it(&workspace));
        fs::rename(&workspace, temp.path().join("moved")).unwrap();
        fs::create_dir(&workspace).unwrap();
        assert!(!is_it(&workspace) && is_it(&temp.path().join("moved")) && !found.holds());
    }

    #[test]
    fn what_a_person_made_of_it_stays_and_asks_for_a_new_room() {
        let (_temp, workspace) = workspace();
        let found = Protection::find(&workspace, &[]).unwrap();
        fs::write(workspace.join(".git/HEAD"), "ref").unwrap();
        assert!(found.holds(), "what is inside is protected as it is");
        fs::remove_dir(workspace.join(".throughline")).unwrap();
        assert!(!found.holds());
        drop(found);
        assert!(workspace.join(".git/HEAD").exists());
    }

    #[test]
    fn a_repository_is_kept_wherever_it_is_said_to_be() {
        let (_temp, workspace) = workspace();
        fs::create_dir_all(workspace.join("a/bare/worktrees/w")).unwrap();
        fs::write(workspace.join("a/bare/worktrees/w/commondir"), "../..\n").unwrap();
        fs::write(workspace.join(".git"), "gitdir: a/bare/worktrees/w\n").unwrap();
        fs::create_dir(workspace.join(".throughline")).unwrap();
        fs::write(workspace.join(".throughline/config.toml"), "").unwrap();
        let kept = Protection::find(&workspace, &[]).unwrap().kept;
        let folders = ["a/bare/worktrees/w", "a/bare", ".throughline"].map(|name| Kept::Folder(workspace.join(name)));
        assert_eq!(kept, [&[Kept::File(workspace.join(".git"))], &folders[..]].concat());
        let outside = workspace.parent().unwrap().join("elsewhere");
        fs::create_dir(&outside).unwrap();
        fs::write(workspace.join(".git"), format!("gitdir: {}\n", outside.display())).unwrap();
        let kept = Protection::find(&workspace, &[]).unwrap().kept;
        assert_eq!(kept, [Kept::File(workspace.join(".git")), folders[2].clone()]);
    }

    #[test]
    fn a_link_is_kept_as_a_file_that_leads_to_the_same_place() {
        let (_temp, workspace) = workspace();
        fs::create_dir(workspace.join("real")).unwrap();
        symlink("real", workspace.join(".git")).unwrap();
        let found = Protection::find(&workspace, &[]).unwrap();
        let text = format!("gitdir: {}\n", workspace.join("real").display());
        assert_eq!(found.kept[..2], [Kept::Link { path: workspace.join(".git"), text }, Kept::Folder(workspace.join("real"))]);
        fs::remove_file(workspace.join(".git")).unwrap();
        symlink("other", workspace.join(".git")).unwrap();
        assert!(!found.holds());
    }

    #[test]
    fn settings_are_kept_only_where_a_command_could_reach_them() {
        let (_temp, workspace) = workspace();
        let outside = workspace.parent().unwrap().join("config");
        let inside = workspace.join(".config/throughline");
        let found = Protection::find(&workspace, &[outside.into(), inside.clone().into()]).unwrap();
        assert_eq!(found.kept[2..], [Kept::Folder(inside.clone())]);
        assert!(inside.is_dir());
    }
}
