//! A tool call as the runtime prepared it: checked, described, and not yet run.

use crate::id::{CallId, Sha256};
use crate::text::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may be done when the outcome of an attempt was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Changes nothing: run it again.
    Pure,
    /// Does the same when run twice under one action id: run it again.
    Idempotent,
    /// The world can be asked whether it happened.
    Probe,
    /// Never run again by itself.
    Unsafe,
}

impl Class {
    /// Whether a lost attempt may simply be followed by another one.
    #[must_use]
    pub fn repeatable(self) -> bool {
        match self {
            Class::Pure | Class::Idempotent => true,
            Class::Probe | Class::Unsafe => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

/// What preparing a call found out without any effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Prepared {
    /// Paths the call would touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Hosts the call would reach.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Commands the call would run: the simple ones of `line` where it is set, else lines that nobody took apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The command line that was taken apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Not all of the line could be seen through: no pattern with a star allows it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub opaque: bool,
    /// The call may reach any host.
    #[serde(default, skip_serializing_if = "is_false")]
    pub network: bool,
    /// What it would see, and whom it could tell.
    #[serde(default, skip_serializing_if = "Touches::is_nothing")]
    pub touches: Touches,
    /// What a person would be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Text>,
    /// Hash of what the preview read; a start that finds another one fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Sha256>,
    /// Hash of what the file at the one path holds once the call has succeeded: what was read, or what was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Sha256>,
    /// The lists above were too long to be kept: a pattern that denies counts as matching, one that allows does not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unlisted: bool,
    /// The running call that this one is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<CallId>,
    /// Set when the session itself does the call and no tool is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<Wants>,
    /// How long the run waits for the call before it goes on in the background; unset waits for its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// What holds a command that it runs; unset for calls that run none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
}

/// How far a command is kept from what it was not given; a stronger one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sandbox {
    /// Not at all: a person said that it may be so.
    Off,
    /// Not from everything: what is protected inside the workspace is not.
    Partial,
    Full,
}

/// What a call brings into the conversation, and whether it could carry something out of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touches {
    /// Shows what is not for everybody, such as the files of the workspace.
    #[serde(default, skip_serializing_if = "is_false")]
    pub private: bool,
    /// Shows what strangers wrote, who may want something of the model.
    #[serde(default, skip_serializing_if = "is_false")]
    pub untrusted: bool,
    /// Could tell somebody outside.
    #[serde(default, skip_serializing_if = "is_false")]
    pub egress: bool,
}

impl Touches {
    /// Files of this machine, or what runs on it.
    pub const PRIVATE: Touches = Touches { private: true, untrusted: false, egress: false };
    /// The network: whoever is asked for something learns what they are asked for.
    pub const NETWORK: Touches = Touches { private: false, untrusted: true, egress: true };

    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Touches::default()
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Touches) -> Touches {
        Touches {
            private: self.private || other.private,
            untrusted: self.untrusted || other.untrusted,
            egress: self.egress || other.egress,
        }
    }
}

/// What a call wants of the session itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wants {
    /// An answer of a person.
    Answer { question: Text },
    /// Time, or the end of the call it is about, whichever comes first.
    Wait { ms: u64 },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

impl Prepared {
    /// The file that this call reads or writes as a whole, and what it holds after that.
    #[must_use]
    pub fn file(&self) -> Option<(&str, Sha256)> {
        match (self.paths.as_slice(), self.content) {
            ([path], Some(content)) => Some((path, content)),
            (_, _) => None,
        }
    }

    /// Whether equal calls with equal results are what one expects of it.
    #[must_use]
    pub fn is_about_progress(&self) -> bool {
        self.target.is_some() || matches!(self.wants, Some(Wants::Wait { .. }))
    }
}

/// One call of a reply, as it goes into `accept`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedCall {
    /// The provider's own name of the call, sent back with its result.
    pub provider_call: String,
    pub tool: String,
    pub args: Text,
    pub args_hash: Sha256,
    pub class: Class,
    pub risk: Risk,
    pub prepared: Box<Prepared>,
    /// Set when the call cannot run as it is; the text goes back to the model.
    pub refused: Option<Text>,
}
