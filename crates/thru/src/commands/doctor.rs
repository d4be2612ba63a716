//! `thru doctor`: what is wrong with the data folder, and what to do about it.

use super::local;
use crate::catalog::{cure, health, symptom};
use crate::fault::{Fault, code};
use crate::render::{harmless, out};
use serde_json::json;
use std::path::Path;
use throughline::Home;
use throughline::doctor::{Finding, Health, Mend, examine, model, sandbox};
use throughline::settings::Sources;

pub async fn run(fix: bool, json: bool) -> Result<u8, Fault> {
    let mend = if fix { Mend::Harmless { by: local() } } else { Mend::Nothing };
    let home = Home::locate()?;
    let mut findings = examine(&home, &mend).await;
    findings.push(sandbox(&home).await);
    findings.push(model(&home, &Sources::of_process(home.folder()), Path::new(".")));
    for finding in &findings {
        tell(finding, json);
    }
    let fails = findings.iter().any(|finding| finding.health() == Health::Fail);
    Ok(if fails { code::FAILED } else { code::DONE })
}

fn tell(finding: &Finding, json: bool) {
    let (word, what, fix) = (health(finding.health()), symptom(finding), cure(finding));
    if json {
        return out(json!({ "check": finding.name(), "verdict": word, "what": what, "fix": fix }).to_string().as_bytes());
    }
    out(harmless(&format!("{word:<4} {}: {what}", finding.name())).as_bytes());
    if let Some(fix) = fix {
        out(harmless(&format!("     {fix}")).as_bytes());
    }
}
