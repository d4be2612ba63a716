//! What people do to a session of a scene.

use super::{Scene, lines};
use contract::ask::{Answer, Subject};
use contract::body::{Body, Mode, Origin, Principal, Scope};
use contract::call::PreparedCall;
use contract::config::{Options, ResumePolicy};
use contract::id::{AskId, CallId, Key};
use contract::input::{Input, OutputTail};
use contract::text::Text;
use contract::units::Version;

pub fn person() -> Principal {
    Principal("person".into())
}

impl Scene {
    pub fn create(&mut self, resume: ResumePolicy) {
        self.create_of(resume, None);
    }

    pub(super) fn create_of(&mut self, resume: ResumePolicy, origin: Option<Origin>) {
        let options = Options { resume, ..Options::default() };
        let _ = self.input("create", Input::Create { folder: "folder".into(), options, origin, by: person() });
    }

    pub fn message(&mut self, key: &str) {
        self.send(key, Mode::Steer);
    }

    pub fn send(&mut self, key: &str, mode: Mode) {
        self.send_text(key, mode, Text::from(format!("text of {key}").as_str()));
    }

    pub fn send_text(&mut self, key: &str, mode: Mode, text: Text) {
        let name = format!("message {key} {}", lines::word(&mode));
        let seen = self.state.version;
        let _ = self.input(&name, Input::Message { key: Key(key.into()), text, mode, from: person(), seen, tails: Vec::new() });
    }

    /// These very words, whatever they may answer.
    pub fn words(&mut self, key: &str, words: &str) {
        self.words_after(key, words, self.state.version);
    }

    /// These very words of a person who has seen the session so far and no further.
    pub fn words_after(&mut self, key: &str, words: &str, seen: Version) {
        let (key, text) = (Key(key.into()), Text::from(words));
        let name = format!("words {key} {words:?}");
        let _ = self.input(&name, Input::Message { key, text, mode: Mode::Steer, from: person(), seen, tails: Vec::new() });
    }

    /// A steering message, said when the latest attempts of these calls had printed this much.
    pub fn message_beside(&mut self, key: &str, printed: &[(&str, &str)]) {
        let tail = |(call, output): &(&str, &str)| OutputTail {
            action: self.action(call),
            attempt: self.attempts(call),
            output: Text::from(*output),
        };
        let tails = printed.iter().map(tail).collect();
        let text = Text::from(format!("text of {key}").as_str());
        let seen = self.state.version;
        let message = Input::Message { key: Key(key.into()), text, mode: Mode::Steer, from: person(), seen, tails };
        let _ = self.input(&format!("message {key} steer"), message);
    }

    pub fn withdraw(&mut self, key: &str, message: &str) {
        let withdraw = Input::Withdraw { key: Key(key.into()), message: Key(message.into()), by: person() };
        let _ = self.input(&format!("withdraw {key} {message}"), withdraw);
    }

    pub fn resume(&mut self, key: &str) {
        let _ = self.input(&format!("resume {key}"), Input::Resume { key: Key(key.into()), by: person() });
    }

    pub fn pause(&mut self, key: &str) {
        let _ = self.input(&format!("pause {key}"), Input::Pause { key: Key(key.into()), by: person() });
    }

    pub fn stop(&mut self, key: &str, scope: Scope) {
        let _ = self.input(&format!("stop {key} {}", lines::word(&scope)), Input::Stop { key: Key(key.into()), scope, by: person() });
    }

    /// Answers the open ask, or the last one there was.
    pub fn answer(&mut self, key: &str, answer: Answer) {
        let ask = self.state.asks.keys().next().copied().or(self.last_ask()).unwrap_or(AskId([0; 16]));
        self.answer_to(ask, key, answer);
    }

    /// Answers the open ask about this call, or the last one there was about it.
    pub fn answer_about(&mut self, call: &str, key: &str, answer: Answer) {
        self.answer_to(self.ask_about(call), key, answer);
    }

    pub fn answer_to(&mut self, ask: AskId, key: &str, answer: Answer) {
        let name = format!("answer {key} {}", lines::answer(&answer));
        let _ = self.input(&name, Input::Answer { ask, key: Key(key.into()), answer, by: person() });
    }

    /// Approves the call of this ask with other arguments, as the runtime has prepared them.
    pub fn edit(&mut self, call: &str, key: &str, edited: PreparedCall) {
        let name = format!("edit {key} {call} {}", edited.args.shown());
        let edit = Input::Edit { ask: self.ask_about(call), key: Key(key.into()), call: Box::new(edited), by: person() };
        let _ = self.input(&name, edit);
    }

    /// The ask that was opened last.
    pub fn last_ask(&self) -> Option<AskId> {
        self.asked(|_| true)
    }

    pub fn ask_about(&self, call: &str) -> AskId {
        let call: CallId = call.parse().unwrap();
        self.asked(|subject| subject.call() == Some(call)).unwrap_or_else(|| panic!("{call} was not asked about"))
    }

    fn asked(&self, fits: impl Fn(&Subject) -> bool) -> Option<AskId> {
        self.log.iter().rev().find_map(|event| match &event.draft.body {
            Body::AskOpened(opened) if fits(&opened.ask.subject) => Some(opened.ask.ask),
            _ => None,
        })
    }
}
