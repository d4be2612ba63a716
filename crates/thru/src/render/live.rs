//! What a model is saying right now, as lines: it comes in pieces and is not stored yet.

use super::text::harmless;
use crate::catalog::{LookLine, look_line};
use contract::id::EventId;
use contract::port::Frame;
use throughline::Shown;

/// Characters after which an unfinished line is shown all the same, at the end of a word.
const LINE_CHARS: usize = 72;

/// What a model says in its open call, as far as it was heard and shown.
#[derive(Debug, Default)]
pub struct LiveText {
    call: Option<EventId>,
    /// Heard and not shown yet.
    begun: String,
    /// Something was shown; until then everything that was heard is shown at once, because somebody has just come.
    shown: bool,
}

impl LiveText {
    /// Takes in what is shown elsewhere.
    pub fn hear(&mut self, shown: Shown) {
        match shown {
            Shown::Frame(Frame::ModelText { request, text, .. }) => {
                if self.call != Some(request) {
                    *self = LiveText { call: Some(request), ..LiveText::default() };
                }
                self.begun.push_str(&text);
            }
            // Thoughts and the output of commands are asked for, not shown unasked.
            Shown::Frame(Frame::ModelThinking { .. } | Frame::ToolOutput { .. }) => {}
            Shown::Gap => self.begun.push('…'),
        }
    }

    /// The lines that can be shown while this call of the model is open. What is said may be heard before its request is
    /// read from the log, and also when it has ended; only the log knows.
    pub fn lines(&mut self, open: Option<EventId>) -> Vec<String> {
        if open.is_none() || self.call != open {
            return Vec::new();
        }
        let mut lines = Vec::new();
        while let Some(end) = self.end_of_line() {
            lines.push(self.begun.drain(..end).collect::<String>());
        }
        if !std::mem::replace(&mut self.shown, true) && !self.begun.is_empty() {
            lines.push(std::mem::take(&mut self.begun));
        }
        lines.iter().map(|text| look_line(&LookLine::Live { text: &harmless(text.trim_end()) })).collect()
    }

    fn end_of_line(&self) -> Option<usize> {
        if let Some(end) = self.begun.find('\n') {
            return Some(end + 1);
        }
        let (long, _) = self.begun.char_indices().nth(LINE_CHARS)?;
        self.begun[..long].rfind(' ').map(|space| space + 1).or(Some(long))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::{SessionId, StreamId};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_of_any_text_are_whole_lines_of_ours(pieces in prop::collection::vec("[ab\n\r\u{1b}\u{202e}é ]{0,30}", 0..8)) {
            let mut live = LiveText::default();
            for piece in &pieces {
                for line in heard(&mut live, piece) {
                    prop_assert!(line.starts_with("       ~") && !line.contains(['\n', '\r', '\u{1b}', '\u{202e}']), "{line:?}");
                }
                prop_assert!(live.begun.chars().count() <= LINE_CHARS, "what has not ended is short");
            }
        }
    }

    const CALL: EventId = EventId([2; 16]);

    fn says(text: &str) -> Shown {
        let stream = StreamId::session(SessionId([1; 16]));
        Shown::Frame(Frame::ModelText { stream, request: CALL, attempt: 1, offset: 0, text: text.to_owned() })
    }

    fn heard(live: &mut LiveText, text: &str) -> Vec<String> {
        live.hear(says(text));
        live.lines(Some(CALL))
    }

    #[test]
    fn what_was_said_before_comes_at_once_and_the_rest_line_by_line() {
        let mut live = LiveText::default();
        assert_eq!(heard(&mut live, "so far"), ["       ~ so far"]);
        assert_eq!(heard(&mut live, " and"), [""; 0]);
        assert_eq!(heard(&mut live, " on\nnext"), ["       ~  and on"]);
        assert_eq!(heard(&mut live, &"word ".repeat(20)).len(), 1);
    }

    #[test]
    fn only_the_open_call_is_heard_and_not_before_the_log_knows_of_it() {
        let mut live = LiveText::default();
        live.hear(says("early"));
        assert_eq!(live.lines(None), [""; 0]);
        assert_eq!(live.lines(Some(EventId([3; 16]))), [""; 0]);
        assert_eq!(live.lines(Some(CALL)), ["       ~ early"]);
        live.hear(Shown::Gap);
        assert_eq!(heard(&mut live, "\n"), ["       ~ …"]);
    }

    #[test]
    fn what_a_model_says_cannot_steer_the_terminal() {
        assert!(!heard(&mut LiveText::default(), "\u{1b}[2J").concat().contains('\u{1b}'));
    }
}
