//! `write_file`: a whole file, new or replaced.

use super::replace::{self, After, Target, Unread};
use super::{Run, SameBoot, Tool, finished};
use crate::place::Place;
use crate::supervise::Folder;
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    description: texts::WRITE_FILE,
    class: Class::Probe,
    risk: Risk::Medium,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Inside { start, recover },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Path of the file, relative to the folder of the session or absolute.
    path: String,
    /// The whole content of the file.
    content: String,
}

impl Args {
    /// `before` is what is replaced; none for a new file.
    fn after(self, place: &Place, before: Option<&[u8]>) -> After {
        let diff = before.map(|before| replace::diff(place, before, self.content.as_bytes())).unwrap_or_default();
        let text = texts::wrote(&place.shown, before.is_none(), self.content.len(), self.content.lines().count(), &diff);
        After { content: self.content.into_bytes(), text }
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    let path = args.path.clone();
    replace::prepare(call, &path, Unread::MayNotChange, |place, before| Ok(args.after(place, before)))
}

fn start(job: &ToolJob, spool: &Folder) -> RawOutcome {
    match args::parse::<Args>(TOOL.name, &job.args) {
        Ok(args) => {
            let path = args.path.clone();
            replace::start(job, spool, &path, |place, before| Ok(args.after(place, before)))
        }
        Err(refused) => finished(Err(refused.message)),
    }
}

fn recover(job: &ToolJob, spool: &Folder, same_boot: SameBoot) -> RawOutcome {
    match args::parse::<Args>(TOOL.name, &job.args) {
        Ok(args) => {
            let path = args.path.clone();
            replace::recover(job, spool, same_boot, &path, |place| {
                // What it replaced is gone, so there is no difference to show.
                let before = (job.witness != Some(replace::witness(place, None))).then_some(args.content.clone().into_bytes());
                Some(Target::of(&args.after(place, before.as_deref())))
            })
        }
        Err(refused) => finished(Err(refused.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use serde_json::json;

    #[test]
    fn a_file_is_made_with_its_folders_and_replaced() {
        let desk = desk("write_file");
        assert_eq!(desk.run(&json!({"path": "x/y/a", "content": "1\n2\n"})), Ok("Created x/y/a: 4 bytes, 2 lines.".into()));
        assert_eq!(std::fs::read_to_string(desk.folder.join("x/y/a")).unwrap(), "1\n2\n");
        desk.spool.remove().unwrap();
        assert_eq!(
            desk.run(&json!({"path": "x/y/a", "content": ""})),
            Ok("Replaced x/y/a: 0 bytes, 0 lines.\n--- x/y/a\n+++ x/y/a\n@@ -1,2 +0,0 @@\n-1\n-2\n".into())
        );
        assert_eq!(std::fs::read_to_string(desk.folder.join("x/y/a")).unwrap(), "");
    }

    #[test]
    fn preparing_shows_the_difference_and_has_no_effect() {
        let desk = desk("write_file");
        let path = desk.write("a", "one\ntwo\n");
        let prepared = desk.prepare(&json!({"path": "a", "content": "one\nthree\n"})).unwrap();
        assert_eq!((prepared.class, prepared.risk), (Class::Probe, Risk::Medium));
        assert_eq!(prepared.prepared.paths, ["a"]);
        assert_eq!(prepared.preview.as_deref(), Some("--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "one\ntwo\n");
        desk.write("b", b"\xff\0");
        let binary = desk.prepare(&json!({"path": "b", "content": "x"})).unwrap().preview;
        assert_eq!(binary, Some(texts::replaces_binary("b", 2, 1)));
    }

    #[test]
    fn outside_is_of_high_risk_and_what_is_no_file_is_refused() {
        let desk = desk("write_file");
        let outside = desk.prepare(&json!({"path": "../x", "content": ""})).unwrap();
        let real = desk.folder.parent().unwrap().join("x").display().to_string();
        assert_eq!((outside.risk, outside.prepared.paths), (Risk::High, vec![real]));
        assert_eq!(desk.prepare(&json!({"path": ".", "content": ""})), Err(texts::is_folder(".")));
        assert!(desk.prepare(&json!({"path": "a"})).unwrap_err().contains("`content` is missing"));
    }

    #[test]
    fn a_failed_write_leaves_everything_as_it_was() {
        let desk = desk("write_file");
        desk.write("file", "x");
        // Root may write anywhere, but not below a file.
        let job = ToolJob {
            witness: Some(replace::witness(&Place::find(&desk.folder, "file/below").unwrap(), None)),
            ..desk.job(&json!({"path": "file/below", "content": ""}))
        };
        let RawOutcome::Finished { ok: false, output, .. } = desk.start(&job) else { panic!("it cannot have worked") };
        assert!(output.starts_with("file/below cannot be"), "{output}");
    }
}
