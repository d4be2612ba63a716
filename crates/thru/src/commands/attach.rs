//! `thru attach`: watch a session that another process drives, and take part; leaving it stops nothing.

use super::follow::{self, OnInterrupt};
use super::{open_existing_with, warn_without_sandbox};
use crate::args::{OnAsk, Show};
use crate::fault::Fault;
use crate::render::Screen;
use contract::id::SessionId;
use throughline::Sandboxing;

pub async fn run(session: SessionId, show: Show, sandboxing: Sandboxing) -> Result<u8, Fault> {
    let throughline = open_existing_with(sandboxing)?;
    warn_without_sandbox(&Screen::new(show), sandboxing);
    let heard = follow::listen(&throughline, show);
    let running = throughline.attach(session).await?;
    // Whoever watches waits for what others answer, too.
    follow::follow(&throughline, running, heard, show, Some(OnAsk::Wait), OnInterrupt::Leave).await
}
