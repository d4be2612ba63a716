//! `thru resume`: go on with a session from its log.

use super::{follow, open_existing};
use crate::args::{Show, Which};
use crate::catalog::Problem;
use crate::fault::Fault;
use contract::body::Principal;

pub async fn run(which: Which, show: Show) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let session = match which {
        Which::Session(session) => session,
        Which::Last => throughline.last().await?.ok_or_else(|| Fault::new(Problem::NoSessions))?,
    };
    let running = throughline.resume(session, Principal("local".to_owned())).await?;
    follow::follow(&throughline, running, show).await
}
