//! `thru run`: give work and follow it.

use super::follow::{self, OnInterrupt};
use crate::args::Run;
use crate::catalog::Problem;
use crate::fault::Fault;
use throughline::{Home, Job, Throughline};

pub async fn run(run: Run) -> Result<u8, Fault> {
    let model = match (&run.model, &run.session) {
        (Some(model), _) => absolute(model)?,
        (None, Some(_)) => String::new(),
        (None, None) => return Err(Fault::new(Problem::NoModel)),
    };
    let fallback = run.fallback.iter().map(|model| absolute(model)).collect::<Result<_, _>>()?;
    let job = Job {
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
        throughline::check(&job)?;
    }
    let throughline = Throughline::open(&Home::locate()?)?;
    let running = throughline.start(job).await?;
    follow::follow(&throughline, running, run.show, run.on_ask, OnInterrupt::Stop).await
}

/// A session may be resumed from another folder, so the name of a script must not depend on this one.
fn absolute(model: &str) -> Result<String, Fault> {
    let Some(file) = model.strip_prefix("script:") else {
        return Ok(model.to_owned());
    };
    let path = std::path::absolute(file).map_err(|error| Fault::new(Problem::Script(&error.to_string())))?;
    Ok(format!("script:{}", path.to_string_lossy()))
}
