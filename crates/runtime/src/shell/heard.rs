//! Whether a model has said anything yet.

use contract::id::StreamId;
use contract::port::{Frame, Live};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Shows what comes and notes that something came.
pub(super) struct Listening {
    shown: Arc<dyn Live>,
    heard: Arc<Heard>,
}

#[derive(Debug, Default)]
pub(super) struct Heard(Notify);

impl Heard {
    /// Ends when nothing has been heard for this long, and never once something has.
    pub(super) async fn nothing_for(&self, patience: Duration) {
        if tokio::time::timeout(patience, self.0.notified()).await.is_ok() {
            std::future::pending().await
        }
    }
}

impl Listening {
    pub(super) fn new(shown: Arc<dyn Live>) -> (Listening, Arc<Heard>) {
        let heard: Arc<Heard> = Arc::default();
        (Listening { shown, heard: heard.clone() }, heard)
    }
}

impl Live for Listening {
    fn show(&self, frame: Frame) {
        self.heard.0.notify_one();
        self.shown.show(frame);
    }

    fn heard(&self, stream: &StreamId) {
        self.heard.0.notify_one();
        self.shown.heard(stream);
    }

    fn over(&self, stream: &StreamId) {
        self.shown.over(stream);
    }
}
