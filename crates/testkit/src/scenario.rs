//! What is played in the virtual world: what people say, what the model answers, what may go wrong.

use contract::body::{FailureClass, Mode, Principal, Usage};
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::config::{Options, ResumePolicy};
use contract::id::{Key, Sha256};
use contract::input::Input;
use contract::outcome::{ModelOutcome, Reply, ReplyPart};
use contract::text::Text;

#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub options: Options,
    /// Messages of people, in the order in which they are sent.
    pub messages: Vec<(&'static str, Mode)>,
    /// What the model answers, by number of its replies before; after the last, the text `end`.
    pub replies: Vec<Scripted>,
    /// How often a second owner takes the stream while the first still runs.
    pub takeovers: u8,
    /// Whether that owner is on another machine; on the same one the kernel keeps tools inside two owners apart.
    pub elsewhere: bool,
    /// Whether supervisors may die before they run anything.
    pub stillbirths: bool,
    /// How often a person resumes a parked session.
    pub resumes: u8,
    /// Whether the person denies instead of resuming.
    pub denies: bool,
    /// Whether appends may end unknown.
    pub unknowns: bool,
    /// Whether messages may come through another process, so that appends of the owner conflict.
    pub foreign: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Scripted {
    Text(&'static str),
    Calls(&'static [Kind]),
    Empty,
    Fails(FailureClass),
    /// A call with arguments that do not fit.
    Invalid,
}

/// Tools of the virtual world, one for each way an attempt can be recovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum Kind {
    /// Runs under a supervisor and leaves an exit record.
    Shell,
    /// Runs inside the owner and changes nothing.
    Look,
    /// Runs inside the owner and may be repeated under its action id.
    Mail,
    /// Runs inside the owner; the world shows whether it happened.
    Write,
    /// Runs inside the owner and must never be repeated.
    Pay,
}

impl Kind {
    pub const ALL: &'static [Kind] = &[Kind::Shell, Kind::Look, Kind::Mail, Kind::Write, Kind::Pay];

    #[must_use]
    pub fn tool(self) -> &'static str {
        match self {
            Kind::Shell => "shell",
            Kind::Look => "look",
            Kind::Mail => "mail",
            Kind::Write => "write",
            Kind::Pay => "pay",
        }
    }

    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Kind::Shell | Kind::Write => Class::Probe,
            Kind::Look => Class::Pure,
            Kind::Mail => Class::Idempotent,
            Kind::Pay => Class::Unsafe,
        }
    }

    /// The kind behind a tool's name.
    #[must_use]
    pub fn of(tool: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.tool() == tool)
    }
}

impl Scenario {
    /// A session with one message and these replies, in which anything may crash and nothing else goes wrong.
    #[must_use]
    pub fn new(name: &'static str, replies: Vec<Scripted>) -> Scenario {
        Scenario {
            name,
            options: Options::default(),
            messages: vec![("do it", Mode::Steer)],
            replies,
            takeovers: 0,
            elsewhere: false,
            stillbirths: false,
            resumes: 0,
            denies: false,
            unknowns: true,
            foreign: false,
        }
    }

    #[must_use]
    pub fn person(&self) -> Principal {
        Principal("person".to_owned())
    }

    #[must_use]
    pub fn message(&self, index: usize) -> Input {
        let (text, mode) = self.messages[index];
        Input::Message { key: Key(format!("m{index}")), text: Text::from(text), mode, from: self.person() }
    }

    #[must_use]
    pub fn create(&self) -> Input {
        Input::Create { folder: "folder".to_owned(), options: self.options.clone(), origin: None, by: self.person() }
    }

    #[must_use]
    pub fn reply(&self, number: usize) -> ModelOutcome {
        let part = |kind: &Kind| ReplyPart::Call(Box::new(call(*kind, None)));
        let parts = match self.replies.get(number).copied().unwrap_or(Scripted::Text("end")) {
            Scripted::Text(text) => vec![ReplyPart::Text(Text::from(text))],
            Scripted::Calls(kinds) => kinds.iter().map(part).collect(),
            Scripted::Empty => Vec::new(),
            Scripted::Invalid => vec![ReplyPart::Call(Box::new(call(Kind::Pay, Some(Text::from("no such field")))))],
            Scripted::Fails(class) => return ModelOutcome::Failed { class, message: Text::from("failed") },
        };
        ModelOutcome::Replied(Reply { parts, usage: Usage::default(), cost_micros: None })
    }
}

fn call(kind: Kind, refused: Option<Text>) -> PreparedCall {
    PreparedCall {
        provider_call: format!("provider-{}", kind.tool()),
        tool: kind.tool().to_owned(),
        args: Text::from("{}"),
        args_hash: Sha256::of(b"{}"),
        class: kind.class(),
        risk: Risk::Low,
        prepared: Box::new(Prepared::default()),
        refused,
    }
}

/// The scenarios of `make explore`. Small ones go deep into faults, the larger ones mix them.
#[must_use]
pub fn all() -> Vec<Scenario> {
    use Kind::{Look, Mail, Pay, Shell, Write};
    use Scripted::{Calls, Empty, Fails, Invalid, Text};
    let two_messages = vec![("do it", Mode::Steer), ("also this", Mode::Steer)];
    let then_another = vec![("do it", Mode::Steer), ("then this", Mode::Queue)];
    vec![
        Scenario { takeovers: 1, resumes: 1, ..Scenario::new("supervised command", vec![Calls(&[Shell]), Text("done")]) },
        Scenario { takeovers: 1, ..Scenario::new("unsafe tool", vec![Calls(&[Pay]), Text("done")]) },
        Scenario { takeovers: 1, ..Scenario::new("pure tool", vec![Calls(&[Look]), Text("done")]) },
        Scenario { takeovers: 1, ..Scenario::new("idempotent tool", vec![Calls(&[Mail]), Text("done")]) },
        Scenario { takeovers: 1, ..Scenario::new("probed write", vec![Calls(&[Write]), Text("done")]) },
        Scenario { unknowns: false, ..Scenario::new("parallel command and look", vec![Calls(&[Shell, Look]), Text("done")]) },
        Scenario { unknowns: false, ..Scenario::new("parallel write and pay", vec![Calls(&[Write, Pay]), Text("done")]) },
        Scenario {
            messages: two_messages,
            foreign: true,
            ..Scenario::new("message while a command runs", vec![Calls(&[Shell]), Text("done")])
        },
        Scenario {
            messages: then_another,
            foreign: true,
            ..Scenario::new("queued message", vec![Text("one"), Calls(&[Pay]), Text("two")])
        },
        Scenario {
            unknowns: false,
            ..Scenario::new("three turns", vec![Calls(&[Look]), Calls(&[Pay, Shell]), Calls(&[Write]), Text("done")])
        },
        Scenario {
            options: resume(ResumePolicy::Ask),
            resumes: 2,
            ..Scenario::new("asks before it goes on", vec![Calls(&[Pay]), Text("done")])
        },
        Scenario {
            options: resume(ResumePolicy::Ask),
            resumes: 2,
            denies: true,
            ..Scenario::new("denied after a crash", vec![Calls(&[Shell]), Text("done")])
        },
        Scenario {
            options: resume(ResumePolicy::Paused),
            resumes: 2,
            ..Scenario::new("paused after a crash", vec![Calls(&[Shell]), Text("done")])
        },
        Scenario { options: turns(1), takeovers: 1, ..Scenario::new("turn limit", vec![Calls(&[Look]), Calls(&[Pay])]) },
        Scenario::new("empty replies", vec![Empty, Empty]),
        Scenario::new("one empty reply", vec![Empty, Text("done")]),
        Scenario::new("failing model", vec![Calls(&[Look]), Fails(FailureClass::Permanent)]),
        Scenario::new("invalid call", vec![Invalid, Text("done")]),
    ]
}

fn resume(resume: ResumePolicy) -> Options {
    Options { resume, ..Options::default() }
}

fn turns(max_turns: u32) -> Options {
    Options { max_turns: Some(max_turns), ..Options::default() }
}
