//! `thru models`: which models can be asked, and whether one answers.

use super::run::{absolute, choose};
use crate::args::{Models, ModelsOf};
use crate::catalog::{ModelsLine, models_line};
use crate::fault::{Fault, code};
use crate::render::{harmless, out};
use std::path::Path;
use throughline::settings::{Environment, PRESETS, Process, Secrets, Settings, Sources};
use throughline::{Home, Probed, probe};

pub async fn run(models: Models) -> Result<u8, Fault> {
    let home = Home::locate()?;
    let sources = Sources::of_process(home.folder());
    match models.what {
        ModelsOf::All => list(&home, &sources, &models.folder, models.json),
        ModelsOf::Test { name, base_url } => {
            let name = match name {
                Some(name) => absolute(&name)?,
                None => choose(&sources, &models.folder)?.0,
            };
            let probed = probe(&home, &sources, &models.folder, &name, base_url).await?;
            show(&name, &probed, models.json);
            Ok(code::DONE)
        }
    }
}

fn list(home: &Home, sources: &Sources, folder: &Path, json: bool) -> Result<u8, Fault> {
    let settings = Settings::load(sources, folder)?;
    let kept = Secrets::at(home.folder()).names()?;
    let chosen = settings.choose(&Process).map(|chosen| chosen.name);
    for (name, file) in settings.models() {
        let is_default = chosen.as_deref() == Some(name);
        if json {
            out(serde_json::json!({ "name": name, "file": file, "default": is_default }).to_string().as_bytes());
        } else {
            let file = file.display().to_string();
            out(harmless(&models_line(&ModelsLine::Entry { name, file: &file, is_default })).as_bytes());
        }
    }
    for preset in PRESETS {
        let has_key = preset.key_env.map(|key| Process.get(key).is_some() || kept.iter().any(|name| name == key));
        if json {
            let line = serde_json::json!({ "provider": preset.name, "key": preset.key_env, "has_key": has_key });
            out(line.to_string().as_bytes());
        } else {
            out(models_line(&ModelsLine::Provider { name: preset.name, key: preset.key_env, has_key: has_key.unwrap_or(true) }).as_bytes());
        }
    }
    Ok(code::DONE)
}

fn show(name: &str, probed: &Probed, json: bool) {
    let Probed { text, usage, cost_micros, millis } = probed;
    if json {
        let line = serde_json::json!({ "name": name, "text": text, "usage": usage, "cost_micros": cost_micros, "ms": millis });
        out(line.to_string().as_bytes());
    } else {
        let answered = ModelsLine::Answered { name, text: text.trim(), millis: *millis, tokens: usage.tokens() };
        out(harmless(&models_line(&answered)).as_bytes());
    }
}
