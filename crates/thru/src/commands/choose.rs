//! Which model works when nobody named one, and how that is said.

use crate::catalog::{ModelsLine, Problem, Setup, models_line, vain};
use crate::fault::Fault;
use crate::render::harmless;
use serde_json::{Value, json};
use std::path::Path;
use throughline::settings::{Because, Chosen, Settings, Sources, Why, Wish};
use throughline::{Choice, ChooseError, FoundModel, Home, Passed, Probed};

/// A model, and everything that is said of how it came to be the one.
pub struct Decided {
    pub model: String,
    /// What was passed over, then the choice.
    pub lines: Vec<String>,
    /// The same for scripts.
    pub json: Value,
    /// How it proved that it answers, where it had to.
    pub probed: Option<Probed>,
}

pub async fn choose(home: &Home, sources: &Sources, folder: &Path) -> Result<Decided, Fault> {
    match throughline::choose(home, sources, folder).await.map_err(refused)? {
        Choice::Set(chosen) => set(&chosen),
        Choice::Found(found) => Ok(proven(found)),
    }
}

fn refused(error: ChooseError) -> Fault {
    match error {
        ChooseError::File(error) => error.into(),
        ChooseError::Secrets(error) => error.into(),
        ChooseError::Several(names) => several(&names),
        ChooseError::Nobody(passed) => {
            let tried: Vec<String> = passed.iter().map(|one| format!("{}: {}", one.name, vain(&one.why))).collect();
            // Whoever was asked may have answered with anything.
            Fault::new(Problem::Setup(Setup::NoModel { tried: &harmless(&tried.join(", ")) }))
        }
    }
}

fn several(names: &[String]) -> Fault {
    Fault::new(Problem::Setup(Setup::SeveralModels(&names.join(", "))))
}

/// The same for an address that a person named: only what was set can be there.
pub fn choose_for(address: &str, sources: &Sources, folder: &Path) -> Result<Decided, Fault> {
    match Settings::load(sources, folder)?.choose(sources.environment.as_ref()) {
        Wish::Named(chosen) => set(&chosen),
        Wish::Several(names) => Err(several(&names)),
        Wish::Nothing => Err(Fault::new(Problem::Setup(Setup::AddressOnly(address)))),
    }
}

fn set(chosen: &Chosen) -> Result<Decided, Fault> {
    let Chosen { name, why } = chosen;
    let model = absolute(name)?;
    let mut json = json!({ "model": model });
    json_of_why(why, &mut json);
    Ok(Decided { lines: vec![harmless(&models_line(&ModelsLine::Named { model: name, why }))], model, json, probed: None })
}

fn proven(found: FoundModel) -> Decided {
    let FoundModel { name: model, because, probed, passed } = found;
    let mut lines: Vec<String> =
        passed.iter().map(|one| harmless(&models_line(&ModelsLine::PassedOver { name: &one.name, why: &one.why }))).collect();
    lines.push(harmless(&models_line(&ModelsLine::Found { model: &model, because, millis: probed.millis })));
    let mut json = json!({ "model": model, "ms": probed.millis, "passed_over": json_of_passed(&passed) });
    json_of_because(because, &mut json);
    Decided { model, lines, json, probed: Some(probed) }
}

pub fn json_of_why(why: &Why, json: &mut Value) {
    match why {
        Why::Variable(variable) => json["variable"] = json!(variable),
        Why::File(file) => json["file"] = json!(file),
        Why::Only(file) => json["only_in"] = json!(file),
    }
}

pub fn json_of_because(because: Because, json: &mut Value) {
    match because {
        Because::Variable(variable) => json["key"] = json!({ "name": variable, "place": "environment" }),
        Because::Kept(name) => json["key"] = json!({ "name": name, "place": "file" }),
        Because::NoKey => json["key"] = Value::Null,
    }
}

fn json_of_passed(passed: &[Passed]) -> Value {
    passed.iter().map(|one| json!({ "name": one.name, "why": vain(&one.why) })).collect()
}

/// A session may be resumed from another folder, so the name of a script must not depend on this one.
pub fn absolute(model: &str) -> Result<String, Fault> {
    let Some(file) = model.strip_prefix("script:") else {
        return Ok(model.to_owned());
    };
    let path = std::path::absolute(file).map_err(|error| Fault::new(Problem::Script(&error.to_string())))?;
    Ok(format!("script:{}", path.to_string_lossy()))
}
