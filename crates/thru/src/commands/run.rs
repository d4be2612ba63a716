//! `thru run`: give work and follow it.

use super::choose::{absolute, choose, choose_for};
use super::{follow, open_with, warn_without_sandbox};
use crate::args::Run;
use crate::fault::Fault;
use crate::render::Screen;
use throughline::settings::{Settings, Sources};
use throughline::{Home, Job, Sandboxing};

pub async fn run(run: Run) -> Result<u8, Fault> {
    let home = Home::locate()?;
    let sources = Sources::of_process(home.folder());
    // A job that is there already has its model.
    let is_known = run.model.is_none() && run.session.is_none() && is_known(&home, run.key.as_deref()).await?;
    let decided = match (&run.model, &run.base_url) {
        (Some(_), _) => None,
        (None, _) if run.session.is_some() || is_known => None,
        (None, Some(address)) => Some(choose_for(address, &sources, &run.folder)?),
        (None, None) => Some(choose(&home, &sources, &run.folder).await?),
    };
    let model = match (&run.model, &decided) {
        (Some(model), _) => absolute(model)?,
        (None, Some(decided)) => decided.model.clone(),
        (None, None) => String::new(),
    };
    let fallback = if run.fallback.is_empty() && decided.is_some() {
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
    if job.session.is_none() && !is_known {
        throughline::check(&sources, &job)?;
    }
    let screen = Screen::new(run.show);
    let (lines, chosen) = decided.map(|decided| (decided.lines, decided.json)).unzip();
    lines.unwrap_or_default().iter().for_each(|line| screen.story(line));
    let throughline = open_with(&home, run.sandboxing)?;
    warn_without_sandbox(&screen, run.sandboxing);
    let heard = follow::listen(&throughline, run.show);
    let running = throughline.start(job).await?;
    follow::follow_chosen(&throughline, running, heard, run.show, run.on_ask, chosen).await
}

/// Whether there is a job of this key; a data folder that is not there has none, and is not made for this.
async fn is_known(home: &Home, key: Option<&str>) -> Result<bool, Fault> {
    match key {
        Some(key) if home.folder().join("journal.db").exists() => Ok(open_with(home, Sandboxing::On)?.has_job(key).await?),
        Some(_) | None => Ok(false),
    }
}
