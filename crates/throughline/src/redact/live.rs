//! What is shown and never stored, without known values, also where they come in pieces.

use super::Redactor;
use contract::id::StreamId;
use contract::port::{Frame, Live};
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, PoisonError};

/// Ends of texts that may be the beginning of a value are held back until more comes.
pub struct RedactedLive {
    inner: Arc<dyn Live>,
    redactor: Redactor,
    held: Mutex<BTreeMap<StreamId, Vec<Frame>>>,
}

impl RedactedLive {
    pub fn new(inner: Arc<dyn Live>, redactor: Redactor) -> RedactedLive {
        RedactedLive { inner, redactor, held: Mutex::default() }
    }

    /// Shows the frame without known values.
    fn pass_on(&self, mut frame: Frame) {
        let text = std::mem::take(frame.text_mut());
        *frame.text_mut() = self.redactor.redact(text);
        self.inner.show(frame);
    }
}

/// Whether one goes on where the other ended.
fn follows(held: &Frame, next: &Frame) -> bool {
    discriminant(held) == discriminant(next) && held.source() == next.source() && held.offset() + held.text().len() as u64 == next.offset()
}

impl Live for RedactedLive {
    fn show(&self, mut frame: Frame) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let of_stream = held.entry(frame.stream().clone()).or_default();
        if let Some(place) = of_stream.iter().position(|one| follows(one, &frame)) {
            let mut whole = of_stream.swap_remove(place);
            whole.text_mut().push_str(frame.text());
            frame = whole;
        }
        let open = self.redactor.open_end(frame.text());
        if open > 0 {
            let mut rest = frame.clone();
            let begins = frame.text().len() - open;
            *rest.text_mut() = frame.text_mut().split_off(begins);
            rest.set_offset(frame.offset() + begins as u64);
            of_stream.push(rest);
        }
        if of_stream.is_empty() {
            held.remove(frame.stream());
        }
        drop(held);
        if !frame.text().is_empty() {
            self.pass_on(frame);
        }
    }

    fn heard(&self, stream: &StreamId) {
        self.inner.heard(stream);
    }

    fn over(&self, stream: &StreamId) {
        let rest = self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(stream);
        // A beginning of which nothing came is no value.
        rest.into_iter().flatten().for_each(|frame| self.pass_on(frame));
        self.inner.over(stream);
    }
}
