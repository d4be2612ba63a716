//! Where a path of a call leads: every link followed, and whether that is outside the folder of the session.
//!
//! Must not read or change a file.

use crate::texts;
use contract::call::Risk;
use contract::id::Sha256;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Links followed in one path, as the kernel does.
const LINKS_MAX: usize = 40;
/// Bytes of a path that a system call takes. A longer one leads nowhere, and each of its parts would be looked for.
const PATH_BYTES_MAX: usize = 4_095;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Without any link in it, so that a rename replaces the file and not a link to it.
    pub real: PathBuf,
    /// Relative to the folder when inside it.
    pub shown: String,
    pub outside: bool,
}

impl Place {
    /// `path` need not exist.
    pub(crate) fn find(folder: &Path, path: &str) -> Result<Place, String> {
        if path.is_empty() {
            return Err(texts::EMPTY_PATH.to_owned());
        }
        let failed = |error| texts::unreadable(path, &error);
        if path.len() > PATH_BYTES_MAX {
            return Err(failed(Errno::NAMETOOLONG.into()));
        }
        if path.contains('\0') {
            return Err(failed(Errno::INVAL.into()));
        }
        // A shell would look elsewhere than here, where it would become a folder of that name.
        if Path::new(path).components().next() == Some(Component::Normal("~".as_ref())) {
            return Err(failed(io::Error::other(texts::HOME_PATH)));
        }
        let folder = resolve(folder).map_err(failed)?;
        let real = resolve(&folder.join(path)).map_err(failed)?;
        let inside = real.strip_prefix(&folder).ok().map(|inside| inside.display().to_string());
        let outside = inside.is_none();
        let shown = match inside {
            Some(inside) if inside.is_empty() => ".".to_owned(),
            Some(inside) => inside,
            None => real.display().to_string(),
        };
        Ok(Place { real, shown, outside })
    }

    /// The risk of touching this place with a tool that is otherwise of risk `inside`.
    pub(crate) fn risk(&self, inside: Risk) -> Risk {
        if self.outside { Risk::High } else { inside }
    }

    /// Hash of the place itself: a link that leads elsewhere at the start is not what was approved.
    pub(crate) fn witness(&self) -> Sha256 {
        Sha256::of(self.real.as_os_str().as_bytes())
    }
}

/// The absolute path without links; what does not exist is taken as it is written.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut rest: VecDeque<OsString> = parts(&path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        match next.read_link() {
            Ok(target) => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(io::Error::other(texts::TOO_MANY_LINKS));
                }
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    rest.push_front(part);
                }
            }
            // Not a link, or not there.
            Err(_) => real = next,
        }
    }
    Ok(real)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let part = |component: Component<'_>| match component {
        Component::Normal(_) | Component::ParentDir => Some(component.as_os_str().to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_where_they_lead() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let folder = root.join("work");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        symlink("../outside", folder.join("out")).unwrap();
        symlink("sub/new", folder.join("dangling")).unwrap();
        symlink("loop", folder.join("loop")).unwrap();
        symlink(&folder, root.join("alias")).unwrap();
        let find = |path: &str| Place::find(&folder, path).map(|place| (place.shown, place.outside));
        assert_eq!(find("a/b"), Ok(("a/b".into(), false)));
        assert_eq!(find("."), Ok((".".into(), false)));
        assert_eq!(find("sub/../x"), Ok(("x".into(), false)));
        assert_eq!(find("dangling"), Ok(("sub/new".into(), false)));
        assert_eq!(find(root.join("work/x").to_str().unwrap()), Ok(("x".into(), false)));
        assert_eq!(find("out/x"), Ok((root.join("outside/x").display().to_string(), true)));
        assert_eq!(find("../work-not"), Ok((root.join("work-not").display().to_string(), true)));
        assert_eq!(find("/etc/hosts"), Ok(("/etc/hosts".into(), true)));
        assert!(find("loop").unwrap_err().contains(texts::TOO_MANY_LINKS));
        assert_eq!(find("").unwrap_err(), texts::EMPTY_PATH);
        for home in ["~", "~/x"] {
            assert!(find(home).unwrap_err().contains(texts::HOME_PATH));
        }
        assert_eq!(find("~x/~"), Ok(("~x/~".into(), false)));
        assert_eq!(Place::find(&root.join("alias"), "sub").unwrap().shown, "sub");
    }

    /// A folder with links inside and outside of it, and names that lead through them, back and nowhere.
    fn any_path() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("..".to_owned()),
            Just(".".to_owned()),
            Just(String::new()),
            prop::sample::select(vec!["sub", "file", "in", "out", "loop", "missing"]).prop_map(str::to_owned),
            "\\PC{0,4}",
            Just("a\0b".to_owned()),
        ];
        let relative = prop::collection::vec(part, 0..7).prop_map(|parts| parts.join("/"));
        prop_oneof![4 => relative, 1 => ".{0,24}"]
    }

    proptest! {
        #[test]
        fn a_place_is_where_the_kernel_would_go(path in any_path()) {
            let temp = tempfile::tempdir().unwrap();
            let root = temp.path().canonicalize().unwrap();
            let folder = root.join("work");
            std::fs::create_dir_all(folder.join("sub")).unwrap();
            std::fs::write(folder.join("file"), "x").unwrap();
            symlink("sub", folder.join("in")).unwrap();
            symlink("..", folder.join("out")).unwrap();
            symlink("loop", folder.join("loop")).unwrap();
            match Place::find(&folder, &path) {
                Ok(place) => {
                    prop_assert_eq!(place.outside, !place.real.starts_with(&folder));
                    prop_assert!(!place.real.components().any(|part| part == Component::ParentDir), "{:?}", place.real);
                    if let Ok(kernel) = folder.join(&path).canonicalize() {
                        prop_assert_eq!(&kernel, &place.real);
                    }
                    prop_assert_eq!(Place::find(&folder, &place.shown), Ok(place), "what is shown leads there too");
                }
                Err(refused) => prop_assert!(refused == texts::EMPTY_PATH || refused.contains(&path), "{refused}"),
            }
        }
    }

    #[test]
    fn what_no_system_call_would_take_is_refused_without_a_walk() {
        let refused = |path: String| Place::find(Path::new("/"), &path).unwrap_err();
        assert!(refused("a/".repeat(1 << 20)).contains("too long"));
        assert!(refused("a/../".repeat(1 << 20)).contains("too long"));
        assert!(refused("a\0b".to_owned()).starts_with("a\0b cannot be read"));
    }
}
