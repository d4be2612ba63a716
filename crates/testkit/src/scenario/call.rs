//! Tools of the virtual world and calls of them.

use contract::call::{Class, Prepared, PreparedCall, Risk, Touches, Wants};
use contract::id::{CallId, Sha256};
use contract::text::Text;

/// Arguments that no tool takes.
pub const REFUSED: &str = "refused";

/// Tools, one for each way an attempt can be recovered, and what the session does itself.
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
    /// The session waits.
    Wait,
    /// The session asks a person.
    Question,
}

impl Kind {
    pub const ALL: &'static [Kind] = &[Kind::Shell, Kind::Look, Kind::Mail, Kind::Write, Kind::Pay, Kind::Wait, Kind::Question];

    #[must_use]
    pub fn tool(self) -> &'static str {
        match self {
            Kind::Shell => "shell",
            Kind::Look => "look",
            Kind::Mail => "mail",
            Kind::Write => "write",
            Kind::Pay => "pay",
            Kind::Wait => "wait",
            Kind::Question => "question",
        }
    }

    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Kind::Shell | Kind::Write => Class::Probe,
            Kind::Look | Kind::Wait | Kind::Question => Class::Pure,
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

/// A call as a scripted model makes it.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub kind: Kind,
    pub args: &'static str,
    pub risk: Risk,
    /// How long its run waits for it.
    pub patience_ms: Option<u64>,
    /// How long it waits, if it does.
    pub wait_ms: u64,
    /// The call it is about.
    pub target: Option<CallId>,
    pub touches: Touches,
}

const NOTHING: Touches = Touches { private: false, untrusted: false, egress: false };

impl Call {
    #[must_use]
    pub const fn of(kind: Kind) -> Call {
        Call { kind, args: "{}", risk: Risk::Low, patience_ms: None, wait_ms: 0, target: None, touches: NOTHING }
    }

    #[must_use]
    pub const fn with(self, args: &'static str) -> Call {
        Call { args, ..self }
    }

    #[must_use]
    pub const fn touching(self, touches: Touches) -> Call {
        Call { touches, ..self }
    }

    /// A person is asked about it.
    #[must_use]
    pub const fn risky(self) -> Call {
        Call { risk: Risk::High, ..self }
    }

    #[must_use]
    pub const fn patient_for(self, patience_ms: u64) -> Call {
        Call { patience_ms: Some(patience_ms), ..self }
    }

    #[must_use]
    pub const fn wait(wait_ms: u64) -> Call {
        Call { wait_ms, ..Call::of(Kind::Wait) }
    }

    #[must_use]
    pub const fn about(self, reply: u32, index: u16) -> Call {
        Call { target: Some(CallId { reply, index }), ..self }
    }

    #[must_use]
    pub fn prepared(&self) -> PreparedCall {
        let wants = match self.kind {
            Kind::Wait => Some(Wants::Wait { ms: self.wait_ms }),
            Kind::Question => Some(Wants::Answer { question: Text::from("which?") }),
            Kind::Shell | Kind::Look | Kind::Mail | Kind::Write | Kind::Pay => None,
        };
        // Only what is asked about is held against rules.
        let commands = if self.risk == Risk::High { vec![format!("{} {}", self.kind.tool(), self.args)] } else { Vec::new() };
        PreparedCall {
            provider_call: format!("provider-{}", self.kind.tool()),
            tool: self.kind.tool().to_owned(),
            args: Text::from(self.args),
            args_hash: Sha256::of(self.args.as_bytes()),
            class: self.kind.class(),
            risk: self.risk,
            prepared: Box::new(Prepared {
                commands,
                target: self.target,
                wants,
                patience_ms: self.patience_ms,
                touches: self.touches,
                ..Prepared::default()
            }),
            refused: (self.args == REFUSED).then(|| Text::from("no such field")),
        }
    }
}

pub const SHELL: Call = Call::of(Kind::Shell);
pub const LOOK: Call = Call::of(Kind::Look);
pub const MAIL: Call = Call::of(Kind::Mail);
pub const WRITE: Call = Call::of(Kind::Write);
pub const PAY: Call = Call::of(Kind::Pay);
pub const QUESTION: Call = Call::of(Kind::Question);
