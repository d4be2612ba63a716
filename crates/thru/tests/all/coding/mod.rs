//! A coding job on a real checkout, with a model that is asked over HTTP and commands that run in the sandbox.

mod checkout;
mod job;
mod kills;

use crate::desk::{Desk, desk};
use crate::prefix::requests;
use crate::providers::{KEY, PROTOCOLS, describe, provider};
use job::{Lines, STEPS};
use provider::Provider;
use serde_json::{Value, json};
use std::path::Path;

const TASK: &str = "The tests fail. Mend it.";

/// A checkout, and the model that works in it.
struct Bench {
    desk: Desk,
    provider: Provider,
    /// Where the model is described.
    config: String,
}

impl Bench {
    fn new(project: &Path, (protocol, path): (&str, &str)) -> Bench {
        let desk = desk();
        checkout::check_out(project, &desk);
        let provider = provider(&job::script());
        let config = describe(&desk, &provider, protocol, path);
        Bench { desk, provider, config }
    }

    fn variables(&self) -> [(&str, &str); 2] {
        [("XDG_CONFIG_HOME", &self.config), ("WORK_KEY", KEY)]
    }

    /// Words that start the job; the second time they find it. Whatever is not said is as people have it.
    fn run_args(&self) -> [&str; 7] {
        ["run", "--json", "--key", "mend", "-C", self.desk.work.to_str().unwrap(), TASK]
    }

    /// What is wrong after the job has come to its end, and what became of the lines that it left.
    fn judge(&self) -> (Vec<String>, Lines) {
        let desk = &self.desk;
        desk.until_quiet();
        let session = desk.only_session();
        let asked = self.provider.asked();
        let events = desk.events(&session);
        let lines = Lines::count(desk, &events);
        let mut faults = checkout::faults(desk);
        let mut hold = |holds: bool, what: &str| faults.extend((!holds).then(|| format!("{what}: {events:?}")));
        let ends: Vec<&Value> = events.of("run.finished").into_iter().map(|finished| &finished["outcome"]).collect();
        hold(ends == ["completed"] && events.names().last() == Some(&"run.finished"), "the run ends well and once");
        hold(lines.in_order, &format!("the journal has other lines or another order: {:?}", desk.read(job::JOURNAL)));
        hold(events.count("model.completed") == job::script().len(), "each reply is recorded once");
        let requests = requests(&session, &events);
        hold(requests.windows(2).all(|pair| pair[1].starts_with(&pair[0])), "each request begins with the bytes of the one before");
        hold(events.count("tool.reconciled") == lines.unknown, "the model was told of every outcome that nobody knows");
        hold(events.of("action.decided").iter().all(|decided| has_room(decided)), "every command has the sandbox");
        let said = desk.thru(&["verify"]);
        hold((said.code, said.stderr.as_str()) == (Some(0), ""), &format!("verify: {said:?}"));
        let again = desk.thru_with(&["resume", "--last"], &self.variables());
        hold(again.code == Some(0), &format!("nothing is left to do: {again:?}"));
        hold(self.provider.asked() == asked, "the model is not asked after the end");
        hold((desk.living(), desk.spooled()) == (vec![], vec![]), "nothing is left behind");
        (faults, lines)
    }
}

fn has_room(decided: &Value) -> bool {
    decided["tool"] != "shell" || decided["prepared"]["sandbox"] == "full"
}

#[test]
fn a_coding_job_reads_edits_tests_and_leaves_the_right_diff_through_every_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("tally");
    checkout::make(&project);
    for named in PROTOCOLS {
        let bench = Bench::new(&project, named);
        let said = bench.desk.thru_with(&bench.run_args(), &bench.variables());
        assert_eq!(said.code, Some(0), "{named:?}: {}", said.stderr);
        let (faults, lines) = bench.judge();
        assert_eq!((faults, lines), (vec![], Lines { in_order: true, ..Lines::default() }), "{named:?}");
        assert_eq!(bench.provider.asked(), job::script().len(), "{named:?}: each reply is asked for once");
        assert_told(&bench);
    }
}

/// The model was told what is the case: files that nothing ignores, tests that fail twice and pass twice, what was waited for.
fn assert_told(bench: &Bench) {
    let events = bench.desk.events(&bench.desk.only_session());
    let of = |name: &str| {
        let decided = events.of("action.decided").into_iter().filter(move |decided| decided["tool"] == name);
        let finished = |action: &Value| events.of("tool.finished").into_iter().find(|finished| finished["action"] == *action);
        decided.filter_map(|decided| finished(&decided["action"])).collect::<Vec<&Value>>()
    };
    let text = |finished: &Value| finished["output"]["inline"].as_str().unwrap().to_owned();
    let listed = text(of("list_files")[0]);
    assert!(listed.contains("tally/report.py") && !listed.contains("build"), "{listed}");
    assert_eq!(text(of("search_text")[0]), "tally/report.py:9: def totals(entries):");
    let exits: Vec<i64> = of("shell").iter().map(|finished| finished["exit"].as_i64().unwrap()).collect();
    // Two failures, then everything that follows.
    assert_eq!(exits, [&[1, 1, 0, 0][..], &[0; STEPS], &[0, 0]].concat());
    assert_eq!(of("edit_file").iter().filter(|finished| finished["ok"] == true).count(), 3);
    let waited: Vec<String> = of("wait_for").into_iter().map(text).collect();
    assert!(waited[0].contains("has printed: watching"), "{waited:?}");
    let stat = text(of("shell").last().unwrap());
    assert!(stat.contains("3 files changed, 6 insertions(+), 2 deletions(-)"), "{stat}");
    assert_eq!(events.of("model.completed").last().unwrap()["parts"][0]["text"], json!({ "inline": job::DONE }));
}
