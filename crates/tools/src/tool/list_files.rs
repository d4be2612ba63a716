//! `list_files`: the tree below a folder, as ignore files leave it.

use super::walk::{FOLDER_DEFAULT, Kind, LeftOut, Walk, globs, shown_below};
use super::{Run, Tool, finished, look_again, prepare_look, recover_pure, refuse};
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Entries given at once: about what a model reads with profit.
const ENTRIES_MAX: usize = 2_000;
const DEPTH_DEFAULT: usize = 3;
/// Time for one listing; whole disks are not listed this way.
const LIST_TIME_MAX: Duration = Duration::from_secs(10);

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
    /// Only files that match this glob, such as *.rs or src/**/*.ts; with a leading ! only others.
    glob: Option<String>,
    /// Whether files that ignore files name are listed too; false by default.
    ignored: Option<bool>,
}

impl Args {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(FOLDER_DEFAULT)
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    globs(&call.folder, args.glob.as_deref()).map_err(|error| refuse(texts::bad_glob(&error)))?;
    prepare_look(&call.folder, args.path())
}

fn start(job: &ToolJob, _: &crate::supervise::Folder) -> RawOutcome {
    finished(args::parse(TOOL.name, &job.args).map_err(|refused| refused.message).and_then(|args| list(job, &args)))
}

fn list(job: &ToolJob, args: &Args) -> Result<String, String> {
    let place = look_again(job, args.path())?;
    let metadata = std::fs::symlink_metadata(&place.real).map_err(|error| texts::unreadable(&place.shown, &error))?;
    if !metadata.is_dir() {
        return Err(texts::not_a_folder(&place.shown));
    }
    let globs = globs(&place.real, args.glob.as_deref()).map_err(|error| texts::bad_glob(&error))?;
    // A glob is about files, and a folder without one of them says nothing.
    let files_only = args.glob.is_some();
    let walk = Walk { depth_max: Some(args.depth.unwrap_or(DEPTH_DEFAULT).max(1)), ignored: args.ignored.unwrap_or(false), globs };
    let mut walked = walk.through(&place, Instant::now() + LIST_TIME_MAX);
    walked.entries.retain(|entry| !files_only || entry.kind != Kind::Folder);
    let shown = walked.entries.iter().take(ENTRIES_MAX).map(|entry| {
        let slash = if entry.kind == Kind::Folder { "/" } else { "" };
        format!("{}{slash}", shown_below(&place, &entry.path))
    });
    let mut lines: Vec<String> = shown.collect();
    match walked.entries.len().saturating_sub(ENTRIES_MAX) {
        0 => {}
        more => lines.push(texts::list_cut(more)),
    }
    lines.extend(walked.left_out.map(LeftOut::text));
    Ok(if lines.is_empty() { texts::EMPTY_FOLDER.to_owned() } else { lines.join("\n") })
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
    fn a_glob_lists_files_and_ignored_ones_when_asked() {
        let desk = desk("list_files");
        ["a.rs", "sub/b.rs", "sub/c.txt", "target/d.rs"].iter().for_each(|path| drop(desk.write(path, "")));
        desk.write(".gitignore", "target\n");
        assert_eq!(desk.run(&json!({"glob": "*.rs"})), Ok("a.rs\nsub/b.rs".into()));
        assert_eq!(desk.run(&json!({"glob": "sub/*"})), Ok("sub/b.rs\nsub/c.txt".into()));
        assert_eq!(desk.run(&json!({"glob": "*.rs", "ignored": true})), Ok("a.rs\nsub/b.rs\ntarget/d.rs".into()));
        assert_eq!(desk.run(&json!({"glob": "*.c"})), Ok(texts::EMPTY_FOLDER.into()));
        assert!(desk.prepare(&json!({"glob": "{"})).unwrap_err().contains("`glob` is not valid"));
    }

    #[test]
    fn a_large_tree_is_cut_with_a_note() {
        let desk = desk("list_files");
        assert_eq!(desk.run(&json!({})), Ok(texts::EMPTY_FOLDER.into()));
        (0..=ENTRIES_MAX).for_each(|index| drop(desk.write(&format!("{index:05}"), "")));
        let text = desk.run(&json!({})).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[ENTRIES_MAX - 1]), (ENTRIES_MAX + 1, "00000", "01999"));
        assert_eq!(lines[ENTRIES_MAX], texts::list_cut(1));
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
