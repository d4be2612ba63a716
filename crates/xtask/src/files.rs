//! The text files of the repository: what git tracks or would track, so that a build folder never counts.

use crate::problem::{self, Problem};
use std::path::Path;

#[derive(Clone, Debug)]
pub struct TextFile {
    /// From the root of the repository, with forward slashes.
    pub path: String,
    pub text: String,
}

pub fn text_files(root: &Path) -> Result<Vec<TextFile>, Problem> {
    let root_text = root.display().to_string();
    // A checkout may belong to somebody else than the user who tests it; git refuses to list such a folder unless told.
    let arguments =
        ["-c", "safe.directory=*", "-C", &root_text, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let listed = problem::output("git", &arguments)?;
    let mut files = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let full = root.join(path);
        // A deleted file is still listed, a link leads elsewhere, and bytes that are not text have no lines to check.
        if !full.symlink_metadata().is_ok_and(|about| about.is_file()) {
            continue;
        }
        let bytes = std::fs::read(&full).map_err(|source| Problem::File { path: full.clone(), source })?;
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(TextFile { path: path.to_owned(), text });
        }
    }
    Ok(files)
}
