//! The same room made by `bwrap`, for machines that let it make namespaces and nobody else.
//!
//! It executes this very program inside, which is then the first process. Must say the same as `mounts` does.

use super::plan::Plan;
use super::protect::Kept;
use crate::texts;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

pub(super) const PROGRAM: &str = "bwrap";
/// Where this program is seen inside. By its name it knows what it is.
const SEEN: &str = "/dev/thru-supervise";

/// What `bwrap` is told, up to and without what the program inside is told.
pub(super) fn arguments(plan: &Plan, program: &Path) -> io::Result<Vec<OsString>> {
    let mut told = Told(Vec::new());
    told.words(["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"]);
    if !plan.network {
        told.words(["--unshare-net"]);
    }
    told.mount("--ro-bind", Path::new("/"), Path::new("/"));
    for temporary in &plan.temporary {
        told.mount("--bind", &plan.temp, temporary);
    }
    told.mount("--bind", &plan.workspace, &plan.workspace);
    let is_covered = |path: &Path| plan.temporary.iter().any(|temporary| path.starts_with(temporary)) && !path.starts_with(&plan.workspace);
    // One that lies where a temporary folder was is not seen anyway, and would be made there.
    for hidden in plan.hidden.iter().filter(|hidden| !is_covered(hidden)) {
        told.pin_between(plan, hidden);
        told.words([OsStr::new("--tmpfs"), hidden.as_os_str(), OsStr::new("--remount-ro"), hidden.as_os_str()]);
    }
    for kept in &plan.protection.kept {
        told.pin_between(plan, kept.path());
        match kept {
            Kept::Folder(path) | Kept::File(path) => told.mount("--ro-bind", path, path),
            Kept::Link { path, .. } => return Err(io::Error::other(texts::link_unprotected(path))),
        }
    }
    told.words(["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]);
    told.mount("--ro-bind", program, Path::new(SEEN));
    told.words(["--remount-ro", "/dev", "--chdir", "/", "--", SEEN]);
    Ok(told.0)
}

struct Told(Vec<OsString>);

impl Told {
    fn words(&mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) {
        self.0.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    fn mount(&mut self, how: &str, from: &Path, to: &Path) {
        self.words([OsStr::new(how), from.as_os_str(), to.as_os_str()]);
    }

    fn pin_between(&mut self, plan: &Plan, inner: &Path) {
        for folder in plan.between(inner) {
            self.mount("--bind", folder, folder);
        }
    }
}
