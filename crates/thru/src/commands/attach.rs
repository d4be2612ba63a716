//! `thru attach`: watch a session that another process drives, and take part; leaving it stops nothing.

use super::follow::{self, OnInterrupt};
use super::open_existing;
use crate::args::{OnAsk, Show};
use crate::fault::Fault;
use contract::id::SessionId;

pub async fn run(session: SessionId, show: Show) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let running = throughline.attach(session).await?;
    // Whoever watches waits for what others answer, too.
    follow::follow(&throughline, running, show, Some(OnAsk::Wait), OnInterrupt::Leave).await
}
