//! `thru models`: which models can be asked, and whether one answers.

use super::choose::{Decided, absolute, choose, json_of_because, json_of_why};
use crate::args::{Models, ModelsOf};
use crate::catalog::{ModelsLine, models_line};
use crate::fault::{Fault, code};
use crate::render::{harmless, out};
use serde_json::{Value, json};
use std::path::Path;
use throughline::settings::{Candidate, Chosen, Environment, PRESETS, Process, Secrets, Settings, Sources, Wish, candidates};
use throughline::{Home, Probed, probe};

pub async fn run(models: Models) -> Result<u8, Fault> {
    let home = Home::locate()?;
    let sources = Sources::of_process(home.folder());
    match models.what {
        ModelsOf::All => list(&home, &sources, &models.folder, models.json),
        ModelsOf::Test { name: Some(name), base_url } => {
            let name = absolute(&name)?;
            let probed = probe(&home, &sources, &models.folder, &name, base_url).await?;
            show(&name, &probed, None, models.json);
            Ok(code::DONE)
        }
        ModelsOf::Test { name: None, .. } => {
            let Decided { model, lines, json, probed } = choose(&home, &sources, &models.folder).await?;
            if !models.json {
                lines.iter().for_each(|line| out(line.as_bytes()));
            }
            let probed = match probed {
                Some(probed) => probed,
                None => probe(&home, &sources, &models.folder, &model, None).await?,
            };
            show(&model, &probed, Some(json), models.json);
            Ok(code::DONE)
        }
    }
}

fn list(home: &Home, sources: &Sources, folder: &Path, json: bool) -> Result<u8, Fault> {
    let settings = Settings::load(sources, folder)?;
    let kept = Secrets::at(home.folder()).names()?;
    let wish = settings.choose(&Process);
    let chosen = if let Wish::Named(chosen) = &wish { Some(chosen.name.as_str()) } else { None };
    for (name, file) in settings.models() {
        let is_default = chosen == Some(name);
        if json {
            out(json!({ "name": name, "file": file, "default": is_default }).to_string().as_bytes());
        } else {
            let file = file.display().to_string();
            out(harmless(&models_line(&ModelsLine::Entry { name, file: &file, is_default })).as_bytes());
        }
    }
    for preset in PRESETS {
        let has_key = preset.key_env.map(|key| Process.get(key).is_some() || kept.iter().any(|name| name == key));
        if json {
            let line = json!({ "provider": preset.name, "key": preset.key_env, "has_key": has_key });
            out(line.to_string().as_bytes());
        } else {
            out(models_line(&ModelsLine::Provider { name: preset.name, key: preset.key_env, has_key: has_key.unwrap_or(true) }).as_bytes());
        }
    }
    unnamed(&wish, &candidates(&Process, &kept), json);
    Ok(code::DONE)
}

/// What a run would do that names no model, as far as it can be told without asking anybody.
fn unnamed(wish: &Wish, candidates: &[Candidate], json: bool) {
    if json {
        let mut unnamed = json!({});
        match wish {
            Wish::Named(Chosen { name, why }) => {
                unnamed["model"] = json!(name);
                json_of_why(why, &mut unnamed);
            }
            Wish::Several(names) => unnamed["several"] = json!(names),
            Wish::Nothing => unnamed["candidates"] = candidates.iter().map(json_of_candidate).collect(),
        }
        return out(json!({ "unnamed": unnamed }).to_string().as_bytes());
    }
    out(harmless(&models_line(&ModelsLine::Unnamed { wish, candidates })).as_bytes());
}

fn json_of_candidate(candidate: &Candidate) -> Value {
    let mut json = json!({ "provider": candidate.preset.name });
    json_of_because(candidate.because, &mut json);
    json
}

fn show(name: &str, probed: &Probed, chosen: Option<Value>, json: bool) {
    let Probed { text, usage, cost_micros, millis } = probed;
    if json {
        let mut line = json!({ "name": name, "text": text, "usage": usage, "cost_micros": cost_micros, "ms": millis });
        if let Some(chosen) = chosen {
            line["chosen"] = chosen;
        }
        out(line.to_string().as_bytes());
    } else {
        let answered = ModelsLine::Answered { name, text: text.trim(), millis: *millis, tokens: usage.tokens() };
        out(harmless(&models_line(&answered)).as_bytes());
    }
}
