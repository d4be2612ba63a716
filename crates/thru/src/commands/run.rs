//! `thru run`: give work and follow it.

use super::follow::{self, OnInterrupt};
use super::{open_with, warn_without_sandbox};
use crate::args::Run;
use crate::catalog::{Line, Problem, Setup, line};
use crate::fault::Fault;
use crate::render::{Screen, harmless};
use std::path::Path;
use throughline::settings::{Chosen, Process, Settings, Sources, Why};
use throughline::{Home, Job};

pub async fn run(run: Run) -> Result<u8, Fault> {
    let home = Home::locate()?;
    let sources = Sources::of_process(home.folder());
    let (model, why) = match (&run.model, &run.session) {
        (Some(model), _) => (absolute(model)?, None),
        (None, Some(_)) => (String::new(), None),
        (None, None) => choose(&sources, &run.folder).map(|(model, why)| (model, Some(why)))?,
    };
    let fallback = if run.fallback.is_empty() && run.model.is_none() && run.session.is_none() {
        Settings::load(&sources, &run.folder)?.fallback()
    } else {
        run.fallback.iter().map(|model| absolute(model)).collect::<Result<_, _>>()?
    };
    let job = Job {
        base_url: run.base_url,
        fallback,
        session: run.session,
        key: run.key,
        max_turns: run.max_turns,
        resume: run.resume,
        policy: run.policy,
        limits: run.limits,
        ..Job::new(run.folder, model, run.task)
    };
    if job.session.is_none() {
        throughline::check(&sources, &job)?;
    }
    if let Some(why) = why {
        Screen::new(run.show).story(&harmless(&why));
    }
    let throughline = open_with(&home, run.sandboxing)?;
    warn_without_sandbox(&Screen::new(run.show), run.sandboxing);
    let heard = follow::listen(&throughline, run.show);
    let running = throughline.start(job).await?;
    follow::follow(&throughline, running, heard, run.show, run.on_ask, OnInterrupt::Stop).await
}

/// The model that was set once, and the line that says so: nobody named it now.
pub fn choose(sources: &Sources, folder: &Path) -> Result<(String, String), Fault> {
    let settings = Settings::load(sources, folder)?;
    let Some(Chosen { name, why }) = settings.choose(&Process) else {
        let providers: Vec<&str> = settings.with_key(&Process).map(|preset| preset.name).collect();
        return Err(Fault::new(Problem::Setup(Setup::NoModel { providers: &providers })));
    };
    let why = match &why {
        Why::Variable(variable) => (*variable).to_owned(),
        Why::File(path) => path.display().to_string(),
    };
    Ok((absolute(&name)?, line(&Line::Chosen { model: &name, why: &why })))
}

/// A session may be resumed from another folder, so the name of a script must not depend on this one.
pub fn absolute(model: &str) -> Result<String, Fault> {
    let Some(file) = model.strip_prefix("script:") else {
        return Ok(model.to_owned());
    };
    let path = std::path::absolute(file).map_err(|error| Fault::new(Problem::Script(&error.to_string())))?;
    Ok(format!("script:{}", path.to_string_lossy()))
}
