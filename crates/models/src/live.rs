//! Shows words to whoever is watching, each with the byte it begins at.

use contract::port::{Frame, ModelCall};

pub struct Shown<'a> {
    call: &'a ModelCall,
    text_bytes: u64,
    thinking_bytes: u64,
}

impl<'a> Shown<'a> {
    pub fn of(call: &'a ModelCall) -> Shown<'a> {
        Shown { call, text_bytes: 0, thinking_bytes: 0 }
    }

    /// The provider has sent something.
    pub fn heard(&self) {
        self.call.live.heard(&self.call.stream);
    }

    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let (stream, request, attempt) = (self.call.stream.clone(), self.call.request, self.call.attempt);
        self.call.live.show(Frame::ModelText { stream, request, attempt, offset: self.text_bytes, text: text.to_owned() });
        self.text_bytes += text.len() as u64;
    }

    pub fn thinking(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let (stream, request, attempt) = (self.call.stream.clone(), self.call.request, self.call.attempt);
        self.call.live.show(Frame::ModelThinking { stream, request, attempt, offset: self.thinking_bytes, text: text.to_owned() });
        self.thinking_bytes += text.len() as u64;
    }
}
