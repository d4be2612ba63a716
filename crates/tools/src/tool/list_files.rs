//! `list_files`: the tree below a folder, as ignore files leave it.

use super::{Run, Tool, finished, look_again, prepare_look, recover_pure};
use crate::place::Place;
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use ignore::WalkBuilder;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// Entries given at once: about what a model reads with profit.
const ENTRIES_MAX: usize = 2_000;
const DEPTH_DEFAULT: usize = 3;
pub(super) const FOLDER_DEFAULT: &str = ".";

pub(super) const TOOL: Tool = Tool {
    name: "list_files",
    description: texts::LIST_FILES,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Inside { start, recover: recover_pure },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Path of the folder; the folder of the session by default.
    path: Option<String>,
    /// How many levels below the folder to list; 3 by default.
    depth: Option<usize>,
}

impl Args {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(FOLDER_DEFAULT)
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    prepare_look(&call.folder, args.path())
}

fn start(job: &ToolJob, _: &crate::supervise::Folder) -> RawOutcome {
    finished(args::parse(TOOL.name, &job.args).map_err(|refused| refused.message).and_then(|args| list(job, &args)))
}

fn list(job: &ToolJob, args: &Args) -> Result<String, String> {
    let place = look_again(job, args.path())?;
    let metadata = std::fs::metadata(&place.real).map_err(|error| texts::unreadable(&place.shown, &error))?;
    if !metadata.is_dir() {
        return Err(texts::not_a_folder(&place.shown));
    }
    let mut lines = Vec::new();
    for entry in walk(&place.real).max_depth(Some(args.depth.unwrap_or(DEPTH_DEFAULT).max(1))).build().flatten().skip(1) {
        if lines.len() == ENTRIES_MAX {
            lines.push(texts::list_cut(ENTRIES_MAX));
            break;
        }
        let slash = if entry.file_type().is_some_and(|kind| kind.is_dir()) { "/" } else { "" };
        lines.push(format!("{}{slash}", shown_below(&place, entry.path())));
    }
    Ok(if lines.is_empty() { texts::EMPTY_FOLDER.to_owned() } else { lines.join("\n") })
}

/// Files in the order of their paths. Hidden ones count, the history of git does not; links are not followed.
pub(super) fn walk(root: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    walk.hidden(false)
        .require_git(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(|entry| entry.file_name() != ".git" || entry.depth() == 0);
    walk
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
    use crate::tool::testing::desk;
    use serde_json::json;

    #[test]
    fn the_tree_is_sorted_and_honours_ignore_files() {
        let desk = desk("list_files");
        for path in ["b/c/d/deep", "b/z", "a.txt", ".hidden", ".git/config", "target/x"] {
            desk.write(path, "");
        }
        desk.write(".gitignore", "target\n");
        assert_eq!(desk.run(&json!({})), Ok(".gitignore\n.hidden\na.txt\nb/\nb/c/\nb/c/d/\nb/z".into()));
        assert_eq!(desk.run(&json!({"depth": 1})), Ok(".gitignore\n.hidden\na.txt\nb/".into()));
        assert_eq!(desk.run(&json!({"path": "b/c", "depth": 9})), Ok("b/c/d/\nb/c/d/deep".into()));
        assert_eq!(desk.run(&json!({"path": "a.txt"})), Err(texts::not_a_folder("a.txt")));
    }

    #[test]
    fn a_large_tree_is_cut_with_a_note() {
        let desk = desk("list_files");
        assert_eq!(desk.run(&json!({})), Ok(texts::EMPTY_FOLDER.into()));
        (0..=ENTRIES_MAX).for_each(|index| drop(desk.write(&format!("{index:05}"), "")));
        let text = desk.run(&json!({})).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[ENTRIES_MAX - 1]), (ENTRIES_MAX + 1, "00000", "01999"));
        assert_eq!(lines[ENTRIES_MAX], texts::list_cut(ENTRIES_MAX));
    }

    #[test]
    fn a_folder_outside_is_of_high_risk_and_shown_with_its_whole_path() {
        let desk = desk("list_files");
        let outside = desk.folder.parent().unwrap().join("other");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("x"), "").unwrap();
        let args = json!({"path": "../other"});
        assert_eq!(desk.prepare(&args).unwrap().risk, Risk::High);
        assert_eq!(desk.run(&args), Ok(outside.join("x").display().to_string()));
    }
}
