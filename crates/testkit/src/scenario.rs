//! What is played in the virtual world: what people do, what the model answers, what may go wrong.

mod asks;
mod call;
mod forks;
mod interjections;
mod limits;
mod recovery;
mod stops;

pub use call::{Call, Kind};

use contract::ask::AskKind;
use contract::body::{DaySpend, FailureClass, Mode, Principal, ResourceLoaded, Scope, Usage};
use contract::config::{Autonomy, Options, Policy, ResumePolicy};
use contract::input::Input;
use contract::outcome::{ModelOutcome, Reply, ReplyPart};
use contract::text::Text;

/// Milliseconds that a failing provider asks to wait: more than any pause of our own, which would differ with every id.
const RETRY_AFTER_MS: u64 = 10_000;

/// What everything may cost on a virtual day.
const DAY_MICROS: u64 = 5;

#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub options: Options,
    /// What each person does, one thing after the other; different people do not wait for each other.
    pub people: Vec<Vec<Act>>,
    /// What the model answers, by number of its replies before; after the last, the text `end`.
    pub replies: Vec<Scripted>,
    /// How often a process is killed at most; none is any number.
    pub crashes: Option<u8>,
    /// How often an owner lets go of the stream by itself.
    pub drains: u8,
    /// How often a second owner takes the stream while the first still runs.
    pub takeovers: u8,
    /// Whether that owner is on another machine; on the same one the kernel keeps tools inside two owners apart.
    pub elsewhere: bool,
    /// Whether supervisors may die before they run anything.
    pub stillbirths: bool,
    /// How often an executor inside the owner is lost, while the owner lives.
    pub losses: u8,
    /// How often so many milliseconds go by while an approval counts, or nobody drives, and nothing happens.
    pub lapses: (u8, u64),
    /// How often the session is forked; the world goes on with the fork.
    pub forks: u8,
    /// Whether a command that must end goes on until its deadline.
    pub stubborn: bool,
    /// Whether appends may end unknown.
    pub unknowns: bool,
    pub routes: Routes,
    /// What each run was given besides its settings.
    pub resources: Vec<ResourceLoaded>,
    /// Whether the stream of standing rules takes no more.
    pub refuses_rules: bool,
}

/// Through which process people speak. Through another one appends of the owner conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routes {
    Owner,
    Other,
    Both,
}

/// Something that a person does. What is done again under the same key is the same.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    pub key: &'static str,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    Say(&'static str, Mode),
    /// Takes back the message with this key, while it waits.
    Withdraw(&'static str),
    /// Answers the first open ask of this kind.
    Answer(AskKind, Reaction),
    Stop(Scope),
    Pause,
    /// Lets a session go on that stands still, or that has no owner any more.
    Resume,
}

#[derive(Clone, Copy, Debug)]
pub enum Reaction {
    Approve,
    /// For equal calls of the session too.
    ForSession,
    /// For those of later sessions too.
    ForGood,
    Deny,
    DenyAndStop,
    /// With other arguments; the tool refuses [`call::REFUSED`].
    Edit(&'static str),
    Reply(&'static str),
    Extend(u64),
}

#[derive(Clone, Copy, Debug)]
pub enum Scripted {
    Text(&'static str),
    Calls(&'static [Call]),
    Empty,
    Fails(FailureClass),
    /// Fails until the request has this number, then answers.
    FailsUntil(u16, FailureClass),
    /// Is not admitted until the request has this number, then answers.
    NotAdmittedUntil(u16),
    /// Says nothing for long, then this.
    Slow(&'static str),
    /// Only the model of this name can answer.
    Only(&'static str),
    /// A call with arguments that do not fit.
    Invalid,
}

impl Scenario {
    /// A session with one message and these replies, in which anything may crash and nothing else goes wrong.
    #[must_use]
    pub fn new(name: &'static str, replies: Vec<Scripted>) -> Scenario {
        Scenario {
            name,
            options: Options::default(),
            people: vec![vec![say("m0", "do it", Mode::Steer)]],
            replies,
            crashes: None,
            drains: 0,
            takeovers: 0,
            elsewhere: false,
            stillbirths: false,
            losses: 1,
            lapses: (0, 0),
            forks: 0,
            stubborn: false,
            unknowns: true,
            routes: Routes::Owner,
            resources: Vec::new(),
            refuses_rules: false,
        }
    }

    /// The same without unknown appends and lost executors, which other scenarios search.
    #[must_use]
    pub fn calm(name: &'static str, replies: Vec<Scripted>) -> Scenario {
        Scenario { unknowns: false, losses: 0, ..Scenario::new(name, replies) }
    }

    /// The same with these people.
    #[must_use]
    pub fn spoken_by(self, people: Vec<Vec<Act>>, routes: Routes) -> Scenario {
        Scenario { people, routes, ..self }
    }

    #[must_use]
    pub fn person(&self) -> Principal {
        Principal("person".to_owned())
    }

    #[must_use]
    pub fn create(&self) -> Input {
        Input::Create { folder: "folder".to_owned(), options: self.options.clone(), origin: None, by: self.person() }
    }

    #[must_use]
    pub fn reply(&self, number: usize, attempt: u16, model: &str) -> ModelOutcome {
        let part = |call: &Call| ReplyPart::Call(Box::new(call.prepared()));
        let parts = match self.replies.get(number).copied().unwrap_or(Scripted::Text("end")) {
            Scripted::NotAdmittedUntil(first) if attempt < first => {
                return ModelOutcome::NotAdmitted(DaySpend { used: DAY_MICROS, allowed: DAY_MICROS });
            }
            Scripted::Text(text) | Scripted::Slow(text) => vec![ReplyPart::Text(Text::from(text))],
            Scripted::Calls(calls) => calls.iter().map(part).collect(),
            Scripted::Empty => Vec::new(),
            Scripted::Invalid => vec![part(&Call::of(Kind::Pay).with(call::REFUSED))],
            Scripted::Fails(class) => return failed(class),
            Scripted::FailsUntil(first, class) if attempt < first => return failed(class),
            Scripted::Only(only) if model != only => return failed(FailureClass::Permanent),
            Scripted::FailsUntil(..) | Scripted::NotAdmittedUntil(_) | Scripted::Only(_) => vec![ReplyPart::Text(Text::from("after all"))],
        };
        let usage = Usage { input: 1, output: 1, ..Usage::default() };
        ModelOutcome::Replied(Reply { parts, usage, cost_micros: None })
    }

    /// Whether the model says nothing for long before this reply.
    #[must_use]
    pub fn is_slow(&self, number: u32) -> bool {
        matches!(self.replies.get(number as usize), Some(Scripted::Slow(_)))
    }
}

fn failed(class: FailureClass) -> ModelOutcome {
    ModelOutcome::Failed { class, message: Text::from("failed"), retry_after_ms: Some(RETRY_AFTER_MS) }
}

/// The scenarios of `make explore`. Each goes deep into a few faults; together they have them all.
#[must_use]
pub fn all() -> Vec<Scenario> {
    [recovery::all(), asks::all(), interjections::all(), stops::all(), limits::all(), forks::all()].concat()
}

const fn say(key: &'static str, text: &'static str, mode: Mode) -> Act {
    Act { key, what: What::Say(text, mode) }
}

const fn answer(key: &'static str, kind: AskKind, reaction: Reaction) -> Act {
    Act { key, what: What::Answer(kind, reaction) }
}

const fn stop(key: &'static str, scope: Scope) -> Act {
    Act { key, what: What::Stop(scope) }
}

const fn resume(key: &'static str) -> Act {
    Act { key, what: What::Resume }
}

/// What most sessions begin with.
fn do_it() -> Act {
    say("m0", "do it", Mode::Steer)
}

fn on_resume(resume: ResumePolicy) -> Options {
    Options { resume, ..Options::default() }
}

fn with_policy(policy: Policy) -> Options {
    Options { policy, ..Options::default() }
}

fn autonomous() -> Options {
    with_policy(Policy { autonomy: Autonomy::Full, ..Policy::default() })
}
