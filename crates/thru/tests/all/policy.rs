//! `thru policy` and `thru trust`, and what rules of files do to a run.

use crate::desk::{Desk, Said, TASK, desk};
use crate::input::assert_fault;
use crate::script::{say, shell};
use std::fs;

const RULES: &str = "[[policy.rules]]\neffect = \"allow\"\nrule = \"shell(touch *)\"\n\n\
                     [[policy.rules]]\neffect = \"deny\"\nrule = \"shell(rm *)\"\nmatches = [\"rm x\"]\n";

fn set_once(desk: &Desk, text: &str) -> String {
    let config = desk.root.join("config");
    fs::create_dir_all(config.join("throughline")).unwrap();
    fs::write(config.join("throughline/config.toml"), text).unwrap();
    config.to_str().unwrap().to_owned()
}

fn with(desk: &Desk, config: &str, args: &[&str]) -> Said {
    desk.thru_with(args, &[("XDG_CONFIG_HOME", config)])
}

#[test]
fn a_trial_says_which_rule_decides_and_runs_nothing() {
    let desk = desk();
    let config = set_once(&desk, RULES);
    let tried = |args: &[&str]| with(&desk, &config, &[&["policy", "test", "-C", desk.work.to_str().unwrap()], args].concat());
    let denied = tried(&["touch a && rm x"]);
    assert_eq!(denied.code, Some(0), "{denied:?}");
    for part in ["deny: a rule says so", "by shell(rm *)  from ", "config.toml", "part: touch a", "part: rm x"] {
        assert!(denied.stdout.contains(part), "{part}: {}", denied.stdout);
    }
    assert!(tried(&["touch a"]).stdout.starts_with("allow: a rule says so"));
    assert!(tried(&["--mode", "ask", "touch a > b"]).stdout.starts_with("ask: no rule speaks of it, its risk is medium"));
    assert!(tried(&["--mode", "ask", "--allow", "shell(> *)", "touch a > b"]).stdout.starts_with("allow: each part of it is covered"));
    assert!(tried(&["--mode", "full", "$X"]).stdout.contains("not all of it could be read"));
    assert!(tried(&["--tool", "write_file", "src/a"]).stdout.starts_with("allow: no rule speaks of it, its risk is medium"));
    assert!(tried(&["--network", "touch a"]).stdout.starts_with("ask: no rule speaks of it, its risk is high"));
    let json: serde_json::Value = serde_json::from_str(&tried(&["--json", "rm x"]).stdout).unwrap();
    assert_eq!((json["decision"].as_str(), json["rules"][0]["rule"].as_str()), (Some("deny"), Some("shell(rm *)")));
    assert_fault(&tried(&["--tool", "fly", "x"]), 2, &["there is no tool `fly`"]);
    assert!(!desk.work.join("a").exists() && !desk.home.exists(), "nothing was run or made");
}

#[test]
fn rules_of_files_are_listed_with_their_place() {
    let desk = desk();
    let config = set_once(&desk, RULES);
    let listed = with(&desk, &config, &["policy", "list"]);
    assert!(listed.stdout.contains("allow  shell(touch *)  from ") && listed.stdout.contains("deny  shell(rm *)  from "), "{listed:?}");
    assert_eq!(desk.thru(&["policy", "list"]).stdout, "no rule is set; the risk of a call decides\n");
}

#[test]
fn rules_of_files_decide_about_the_calls_of_a_run() {
    let desk = desk();
    let config = set_once(&desk, RULES);
    desk.script(&[shell("touch made"), shell("rm made"), say("Done.")]);
    let script = format!("script:{}", desk.root.join("job.jsonl").display());
    let said = with(&desk, &config, &["run", "-C", desk.work.to_str().unwrap(), "--model", &script, TASK]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(5), "Done.\n"), "something was refused: {said:?}");
    assert!(desk.work.join("made").exists() && said.stderr.contains("shell(rm *)"), "{}", said.stderr);
}

#[test]
fn a_failing_example_refuses_the_file_and_names_the_line() {
    let desk = desk();
    let config = set_once(&desk, &RULES.replace("\"rm x\"", "\"mv x\""));
    desk.script(&[say("Done.")]);
    let script = format!("script:{}", desk.root.join("job.jsonl").display());
    let said = with(&desk, &config, &["run", "-C", desk.work.to_str().unwrap(), "--model", &script, TASK]);
    assert_fault(&said, 3, &["config.toml: line 5", "shell(rm *)", "`mv x`"]);
    assert!(!desk.home.exists(), "nothing was made");
}

#[test]
fn a_project_is_trusted_once_and_again_when_it_changed() {
    let desk = desk();
    let file = desk.work.join(".throughline/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, RULES).unwrap();
    desk.script(&[shell("touch made"), say("Done.")]);
    let refused = desk.run(&[]);
    assert_fault(&refused, 3, &["a rule that allows shell(touch *)", "not trusted", "thru trust "]);
    assert!(!desk.home.exists(), "nothing was made");
    let work = desk.work.to_str().unwrap();
    let trusted = desk.thru(&["trust", work]);
    assert!(trusted.stdout.contains("is trusted, as it is now") && trusted.stdout.contains("it sets a rule that allows shell(touch *)"));
    assert_eq!(desk.run(&[]).code, Some(0));
    assert!(desk.work.join("made").exists());
    assert_eq!(desk.thru(&["trust", "--list"]).stdout.trim(), fs::canonicalize(&desk.work).unwrap().to_str().unwrap());
    fs::write(&file, format!("{RULES}\n# changed\n")).unwrap();
    assert_fault(&desk.run(&[]), 3, &["not trusted"]);
    assert_eq!(desk.thru(&["trust", work]).code, Some(0));
    assert_eq!(desk.thru(&["trust", "--remove", work]).code, Some(0));
    assert_fault(&desk.thru(&["trust", "--remove", work]), 8, &["is not trusted"]);
    assert_fault(&desk.run(&[]), 3, &["not trusted"]);
    fs::remove_file(&file).unwrap();
    assert_fault(&desk.thru(&["trust", work]), 8, &["has no settings and no rules"]);
}

#[test]
fn rules_of_a_project_reach_the_model_and_are_told_apart_by_trust() {
    let desk = desk();
    fs::write(desk.work.join("AGENTS.md"), "Run make check before you finish.").unwrap();
    desk.script(&[say("Done.")]);
    let told = |said: &Said| {
        let session = said.stderr.trim_end().rsplit(' ').next().unwrap();
        let folder = desk.root.join(session);
        assert_eq!(desk.thru(&["export", session, folder.to_str().unwrap()]).code, Some(0));
        (desk.events(session).of("resource.loaded").len(), texts(&folder))
    };
    let said = desk.run(&[]);
    assert!(said.stderr.contains("rules of AGENTS.md, 33 bytes, whose project is not trusted"), "{}", said.stderr);
    let (events, blobs) = told(&said);
    assert_eq!(events, 1);
    assert!(blobs.contains("Run make check before you finish.") && blobs.contains("Nobody vouches") && !blobs.contains("Follow them"));
    let trusted = desk.thru(&["trust", desk.work.to_str().unwrap()]);
    assert!(trusted.stdout.contains("the agent follows ") && trusted.stdout.contains("AGENTS.md"), "{trusted:?}");
    let said = desk.run(&[]);
    assert!(said.stderr.contains("rules of AGENTS.md, 33 bytes\n"), "{}", said.stderr);
    assert!(told(&said).1.contains("Follow them"));
    desk.assert_verified();
}

/// All files below a folder.
fn texts(folder: &std::path::Path) -> String {
    let of_entry = |entry: fs::DirEntry| {
        let path = entry.path();
        if path.is_dir() { texts(&path) } else { String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned() }
    };
    fs::read_dir(folder).unwrap().flatten().map(of_entry).collect()
}
