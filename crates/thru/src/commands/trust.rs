//! `thru trust`: whose settings may do more than make a run more careful.

use crate::args::{Trust, TrustOf};
use crate::catalog::{PolicyLine, Problem, Setup, policy_line};
use crate::fault::{Fault, code};
use crate::render::{harmless, out};
use std::path::Path;
use throughline::Home;
use throughline::settings::{self, ProjectKey, project_of, wishes_of};

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
            let project = project_of(&folder).ok_or_else(|| Fault::new(Problem::Setup(Setup::NoProject(&folder.to_string_lossy()))))?;
            let (wishes, text) = wishes_of(&project)?;
            list.add(&project, text.as_deref())?;
            say(&PolicyLine::TrustsNow(&project), &project, &wishes, json);
        }
        TrustOf::Remove => {
            let project = project_of(&folder).unwrap_or_else(|| folder.clone());
            if !list.remove(&project)? {
                return Err(Fault::new(Problem::Setup(Setup::NotTrustedYet(&project.to_string_lossy()))));
            }
            say(&PolicyLine::TrustsNoMore(&project), &project, &[], json);
        }
    }
    Ok(code::DONE)
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
