//! `thru trust`: whose settings may do more than make a run more careful.

use crate::args::{Trust, TrustOf};
use crate::catalog::{PolicyLine, Problem, Setup, policy_line};
use crate::fault::{Fault, code};
use crate::render::{harmless, out};
use std::path::{Path, PathBuf};
use throughline::settings::{self, ProjectKey, project_of, wishes_of};
use throughline::{Home, root_of, rules_in};

pub fn run(trust: Trust) -> Result<u8, Fault> {
    let list = settings::Trust::at(Home::locate()?.folder());
    let Trust { what, folder, json } = trust;
    match what {
        TrustOf::List => {
            for folder in list.list()? {
                say(&PolicyLine::Trusted(&folder), &folder, &[], json);
            }
        }
        TrustOf::Add => {
            let (project, rules) = project(&folder)?;
            let (wishes, text) = wishes_of(&project)?;
            list.add(&project, text.as_deref())?;
            say(&PolicyLine::TrustsNow(&project), &project, &wishes, json);
            for file in rules.iter().filter(|_| !json) {
                out(harmless(&policy_line(&PolicyLine::Follows(file))).as_bytes());
            }
        }
        TrustOf::Remove => {
            let project = project(&folder).map_or_else(|_| folder.clone(), |(project, _)| project);
            if !list.remove(&project)? {
                return Err(Fault::new(Problem::Setup(Setup::NotTrustedYet(&project.to_string_lossy()))));
            }
            say(&PolicyLine::TrustsNoMore(&project), &project, &[], json);
        }
    }
    Ok(code::DONE)
}

/// What is trusted with this folder: the project that has settings, else the repository that has rules; and those rules.
fn project(folder: &Path) -> Result<(PathBuf, Vec<PathBuf>), Fault> {
    let rules = rules_in(folder);
    let with_rules = folder.canonicalize().ok().filter(|_| !rules.is_empty()).map(|folder| root_of(&folder));
    let project = project_of(folder).or(with_rules);
    project.map(|project| (project, rules)).ok_or_else(|| Fault::new(Problem::Setup(Setup::NoProject(&folder.to_string_lossy()))))
}

fn say(line: &PolicyLine<'_>, folder: &Path, wishes: &[ProjectKey], json: bool) {
    let wishes: Vec<String> = wishes.iter().map(ToString::to_string).collect();
    if json {
        out(serde_json::json!({ "folder": folder, "sets": wishes }).to_string().as_bytes());
        return;
    }
    out(harmless(&policy_line(line)).as_bytes());
    for wish in &wishes {
        out(harmless(&policy_line(&PolicyLine::Wish(wish))).as_bytes());
    }
}
