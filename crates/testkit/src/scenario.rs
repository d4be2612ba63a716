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
    /// How often an executor inside the owner is lost, while the owner lives.
    pub losses: u8,
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
    /// Fails until the request has this number, then answers.
    FailsUntil(u16, FailureClass),
    /// Only the model of this name can answer.
    Only(&'static str),
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
            losses: 1,
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
    pub fn reply(&self, number: usize, attempt: u16, model: &str) -> ModelOutcome {
        let part = |kind: &Kind| ReplyPart::Call(Box::new(call(*kind, None)));
        let parts = match self.replies.get(number).copied().unwrap_or(Scripted::Text("end")) {
            Scripted::Text(text) => vec![ReplyPart::Text(Text::from(text))],
            Scripted::Calls(kinds) => kinds.iter().map(part).collect(),
            Scripted::Empty => Vec::new(),
            Scripted::Invalid => vec![ReplyPart::Call(Box::new(call(Kind::Pay, Some(Text::from("no such field")))))],
            Scripted::Fails(class) => return failed(class),
            Scripted::FailsUntil(first, class) if attempt < first => return failed(class),
            Scripted::Only(only) if model != only => return failed(FailureClass::Permanent),
            Scripted::FailsUntil(..) | Scripted::Only(_) => vec![ReplyPart::Text(Text::from("after all"))],
        };
        ModelOutcome::Replied(Reply { parts, usage: Usage::default(), cost_micros: None })
    }
}

fn failed(class: FailureClass) -> ModelOutcome {
    ModelOutcome::Failed { class, message: Text::from("failed"), retry_after_ms: None }
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

/// The scenarios of `make explore`. Each goes deep into a few faults; together they have them all.
#[must_use]
pub fn all() -> Vec<Scenario> {
    [one_tool(), several_tools(), people(), parking(), replies(), failures()].concat()
}

/// One tool of each kind, with crashes, stale owners on the same machine and elsewhere, and unknown appends.
fn one_tool() -> Vec<Scenario> {
    use Kind::{Look, Mail, Pay, Shell, Write};
    let one = |name, kinds| Scenario::new(name, vec![Scripted::Calls(kinds), Scripted::Text("done")]);
    let stale = |name, kinds| Scenario { takeovers: 1, ..one(name, kinds) };
    let elsewhere = |name, kinds| Scenario { elsewhere: true, unknowns: false, ..stale(name, kinds) };
    vec![
        stale("unsafe tool", &[Pay]),
        elsewhere("unsafe tool, owner elsewhere", &[Pay]),
        elsewhere("probed write, owner elsewhere", &[Write]),
        one("probed write", &[Write]),
        stale("pure tool", &[Look]),
        elsewhere("idempotent tool, owner elsewhere", &[Mail]),
        Scenario { unknowns: false, losses: 6, ..one("pure tool, lost again and again", &[Look]) },
        one("idempotent tool", &[Mail]),
        Scenario { losses: 0, ..one("supervised command", &[Shell]) },
        stale("supervised command, stale owner", &[Shell]),
        elsewhere("supervised command, owner elsewhere", &[Shell]),
        Scenario { unknowns: false, stillbirths: true, ..one("supervisor that never starts", &[Shell]) },
    ]
}

/// Several tools at once and one after another.
fn several_tools() -> Vec<Scenario> {
    use Kind::{Look, Mail, Pay, Shell, Write};
    use Scripted::{Calls, Text};
    let calm = |name, replies| Scenario { unknowns: false, losses: 0, ..Scenario::new(name, replies) };
    vec![
        calm("parallel command and look", vec![Calls(&[Shell, Look]), Text("done")]),
        Scenario { losses: 1, ..calm("parallel write and pay", vec![Calls(&[Write, Pay]), Text("done")]) },
        Scenario { unknowns: true, ..calm("parallel mail and pay", vec![Calls(&[Mail, Pay]), Text("done")]) },
        calm("three turns", vec![Calls(&[Look]), Calls(&[Pay, Shell]), Calls(&[Write]), Text("done")]),
    ]
}

/// Messages that come at any moment and through any process.
fn people() -> Vec<Scenario> {
    use Kind::{Look, Pay, Shell};
    use Scripted::{Calls, Text};
    let steer = vec![("do it", Mode::Steer), ("also this", Mode::Steer)];
    let queue = vec![("do it", Mode::Steer), ("then this", Mode::Queue)];
    let three = vec![("do it", Mode::Steer), ("also this", Mode::Steer), ("and this", Mode::Steer)];
    let said = |name, messages, replies| Scenario { messages, foreign: true, losses: 0, ..Scenario::new(name, replies) };
    vec![
        said("message while a command runs", steer.clone(), vec![Calls(&[Shell]), Text("done")]),
        said("queued message", queue, vec![Text("one"), Calls(&[Pay]), Text("two")]),
        Scenario { unknowns: false, takeovers: 1, ..said("message and stale owner", steer, vec![Calls(&[Look]), Text("done")]) },
        Scenario {
            options: resume(ResumePolicy::Ask),
            resumes: 1,
            unknowns: false,
            ..said("three messages, three turns, an ask", three, vec![Calls(&[Look, Pay]), Calls(&[Shell]), Text("done")])
        },
    ]
}

/// Sessions that wait for a person: by policy, or because they keep dying.
fn parking() -> Vec<Scenario> {
    use Kind::{Pay, Shell};
    let parked = |name, policy, kinds| {
        let replies = vec![Scripted::Calls(kinds), Scripted::Text("done")];
        Scenario { options: resume(policy), resumes: 1, unknowns: false, losses: 0, ..Scenario::new(name, replies) }
    };
    vec![
        parked("asks before it goes on", ResumePolicy::Ask, &[Pay]),
        Scenario { denies: true, resumes: 2, ..parked("denied after a crash", ResumePolicy::Ask, &[Shell]) },
        Scenario { denies: true, ..parked("denied in a crash loop", ResumePolicy::Continue, &[Pay]) },
        Scenario { unknowns: true, ..parked("paused after a crash", ResumePolicy::Paused, &[Pay]) },
        parked("paused with a command", ResumePolicy::Paused, &[Shell]),
        parked("crash loop and resume", ResumePolicy::Continue, &[Pay]),
    ]
}

/// What a model can answer besides a call and a text.
fn replies() -> Vec<Scenario> {
    use Kind::{Look, Pay};
    use Scripted::{Calls, Empty, Fails, Invalid, Text};
    vec![
        Scenario { options: turns(1), unknowns: false, ..Scenario::new("turn limit", vec![Calls(&[Look]), Calls(&[Pay])]) },
        Scenario::new("empty replies", vec![Empty, Empty]),
        Scenario::new("one empty reply", vec![Empty, Text("done")]),
        Scenario { losses: 0, ..Scenario::new("failing model", vec![Calls(&[Look]), Fails(FailureClass::Permanent)]) },
        Scenario::new("invalid call", vec![Invalid, Text("done")]),
    ]
}

/// Models that fail, in passing or for good.
fn failures() -> Vec<Scenario> {
    use Scripted::{Fails, FailsUntil, Only, Text};
    let two_messages = vec![("do it", Mode::Steer), ("also this", Mode::Steer)];
    let late = Scenario::new("message while a retry waits", vec![FailsUntil(2, FailureClass::Transient)]);
    let overloaded = Scenario::new("all models overloaded", vec![Fails(FailureClass::Overloaded)]);
    vec![
        Scenario { takeovers: 1, ..Scenario::new("model that fails in passing", vec![FailsUntil(3, FailureClass::RateLimited)]) },
        Scenario { messages: two_messages, foreign: true, ..late },
        Scenario { options: fallback("spare"), ..Scenario::new("fallback model", vec![Only("spare"), Text("done")]) },
        Scenario { options: fallback("spare"), unknowns: false, ..overloaded },
    ]
}

fn resume(resume: ResumePolicy) -> Options {
    Options { resume, ..Options::default() }
}

fn turns(max_turns: u32) -> Options {
    Options { max_turns: Some(max_turns), ..Options::default() }
}

fn fallback(model: &str) -> Options {
    Options { fallback: vec![model.to_owned()], ..Options::default() }
}
