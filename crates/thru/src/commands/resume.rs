//! `thru resume`: go on with a session from its log.

use super::{follow, local, open_existing};
use crate::args::{OnAsk, Show, Which};
use crate::catalog::Problem;
use crate::fault::Fault;

pub async fn run(which: Which, show: Show, on_ask: Option<OnAsk>) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let session = match which {
        Which::Session(session) => session,
        Which::Last => throughline.last().await?.ok_or_else(|| Fault::new(Problem::NoSessions))?,
    };
    let running = throughline.resume(session, local()).await?;
    follow::follow(&throughline, running, show, on_ask).await
}
