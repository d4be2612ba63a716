//! The file system of a room: the machine's own, read-only, but for the workspace and what is temporary.
//!
//! Runs inside the new mount namespace, before anything is given up. Must be given real paths; whatever fails, fails the
//! room.

use super::kernel::{self, Attributes, Depth, NO_DEVICES, NO_SUID, READ_ONLY};
use super::plan::Plan;
use super::protect::Kept;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, move_mount, open_tree};
use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Devices that every program may expect.
pub(super) const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "fd"),
    ("/proc/self/fd/0", "stdin"),
    ("/proc/self/fd/1", "stdout"),
    ("/proc/self/fd/2", "stderr"),
    ("pts/ptmx", "ptmx"),
];
/// Shared memory is memory of the machine: a quarter of it at most.
const SHARED_MEMORY: &CStr = c"mode=1777,size=25%";

const LOCKED: Attributes = Attributes { set: READ_ONLY | NO_SUID | NO_DEVICES, clear: 0 };
const HARMLESS: Attributes = Attributes { set: NO_SUID | NO_DEVICES, clear: 0 };

pub(super) fn build(plan: &Plan) -> io::Result<()> {
    named("/", mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(Into::into))?;
    // All that will be seen elsewhere is taken hold of before anything is covered.
    let workspace = named("workspace", tree(&plan.workspace))?;
    if !plan.protection.is_workspace_itself(workspace.as_fd()) {
        return named("workspace", Err(io::ErrorKind::StaleNetworkFileHandle.into()));
    }
    let temporary: Vec<(&Path, OwnedFd)> =
        plan.temporary.iter().map(|path| Ok((path.as_path(), tree(&plan.temp)?))).collect::<io::Result<_>>()?;
    let devices: Vec<(&str, OwnedFd)> =
        DEVICES.iter().filter_map(|name| Some((*name, tree(&Path::new("/dev").join(name)).ok()?))).collect();
    kernel::set_attributes(workspace.as_fd(), Depth::All, HARMLESS)?;
    let root = rustix::fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    named("read-only /", kernel::set_attributes(root.as_fd(), Depth::All, LOCKED))?;
    for (path, tree) in temporary {
        kernel::set_attributes(tree.as_fd(), Depth::All, HARMLESS)?;
        named("temporary folder", place(&tree, path))?;
    }
    if plan.temporary_around_workspace().is_some() {
        fs::create_dir_all(&plan.workspace)?;
    }
    named("workspace", place(&workspace, &plan.workspace))?;
    named("data folder", hide(plan))?;
    named("protected folder", protect(plan))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    named("/proc", mount("proc", "/proc", "proc", flags, None).map_err(Into::into))?;
    named("/dev", make_devices(devices))
}

/// A copy of all that is mounted at a path and below, not yet anywhere.
fn tree(path: &Path) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    Ok(open_tree(CWD, path, flags)?)
}

fn place(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    Ok(move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// Covers a path with itself, so that it can neither be moved nor removed, with these attributes.
fn pin(path: &Path, attributes: Attributes) -> io::Result<()> {
    let tree = tree(path)?;
    kernel::set_attributes(tree.as_fd(), Depth::All, attributes)?;
    place(&tree, path)
}

fn hide(plan: &Plan) -> io::Result<()> {
    // One that lies where a temporary folder was covers nothing that could be seen.
    for hidden in plan.hidden.iter().filter(|hidden| hidden.is_dir()) {
        for folder in plan.between(hidden) {
            pin(folder, HARMLESS)?;
        }
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
        mount("tmpfs", hidden.as_path(), "tmpfs", flags, Some(c"mode=0555,size=4k"))?;
    }
    Ok(())
}

fn protect(plan: &Plan) -> io::Result<()> {
    for kept in &plan.protection.kept {
        for folder in plan.between(kept.path()) {
            pin(folder, HARMLESS)?;
        }
        match kept {
            Kept::Folder(path) | Kept::File(path) => pin(path, LOCKED)?,
            Kept::Link { path, text } => cover_link(path, text)?,
        }
    }
    Ok(())
}

/// Nothing but a file can be mounted over a link.
fn cover_link(path: &Path, text: &str) -> io::Result<()> {
    // Made where it can be, held by its descriptor alone, and out of sight again.
    mount("tmpfs", "/proc", "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"mode=0755,size=64k"))?;
    let file = Path::new("/proc/link");
    fs::write(file, text)?;
    let tree = tree(file)?;
    kernel::set_attributes(tree.as_fd(), Depth::This, LOCKED)?;
    rustix::mount::unmount("/proc", rustix::mount::UnmountFlags::DETACH)?;
    place(&tree, path)
}

fn make_devices(devices: Vec<(&str, OwnedFd)>) -> io::Result<()> {
    let folder = Path::new("/dev");
    mount("tmpfs", folder, "tmpfs", MountFlags::NOSUID | MountFlags::NOEXEC, Some(c"mode=0755,size=64k"))?;
    for (name, tree) in devices {
        let path = folder.join(name);
        fs::write(&path, "")?;
        place(&tree, &path)?;
    }
    let (terminals, shared) = (folder.join("pts"), folder.join("shm"));
    fs::create_dir(&terminals)?;
    mount("devpts", &terminals, "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, Some(c"newinstance,ptmxmode=0666,mode=0620"))?;
    fs::create_dir(&shared)?;
    mount("tmpfs", &shared, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(SHARED_MEMORY))?;
    for (target, name) in LINKS {
        std::os::unix::fs::symlink(target, folder.join(name))?;
    }
    let root = rustix::fs::open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    kernel::set_attributes(root.as_fd(), Depth::This, Attributes { set: READ_ONLY, clear: 0 })
}

fn named<T>(what: &str, done: io::Result<T>) -> io::Result<T> {
    done.map_err(|error| io::Error::new(error.kind(), format!("{what}: {error}")))
}
