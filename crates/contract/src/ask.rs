//! One ask for every decision that belongs to a person: what exactly is asked, until when, and how it can be answered.

use crate::call::Risk;
use crate::id::{ActionId, AskId, CallId, Sha256};
use crate::text::Text;
use crate::units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ask {
    pub ask: AskId,
    pub subject: Subject,
    /// The answer is refused at or after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

/// The exact thing asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// May this very call run? Bound to its arguments and to what its preview saw.
    Tool {
        call: CallId,
        action: ActionId,
        tool: String,
        args_hash: Sha256,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<Sha256>,
        risk: Risk,
    },
    /// The model asks a question; any text is the answer.
    Question { call: CallId, action: ActionId, question: Text },
    /// A limit is reached; the answer extends it.
    Limit { limit: LimitKind, used: u64, allowed: u64 },
    /// Nobody knows whether this attempt had its effect.
    Reconcile { call: CallId, action: ActionId, attempt: u16, tool: String },
    /// The session came back after its owner died and its policy is to ask.
    Resume,
}

/// What can run out. Amounts are in the unit of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Takeovers in a row without progress.
    CrashLoop,
    /// The same call with the same result in a row.
    Loop,
    /// Millionths of the price unit.
    Cost,
    Tokens,
    ToolCalls,
    /// Replies of the model in this run.
    Turns,
    /// Millionths of the price unit that everything in this data folder has cost today.
    Day,
    /// Milliseconds that the run has worked; waiting for a person does not count.
    WallTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    Tool,
    Question,
    Limit,
    Reconcile,
    Resume,
}

impl Subject {
    #[must_use]
    pub fn kind(&self) -> AskKind {
        match self {
            Subject::Tool { .. } => AskKind::Tool,
            Subject::Question { .. } => AskKind::Question,
            Subject::Limit { .. } => AskKind::Limit,
            Subject::Reconcile { .. } => AskKind::Reconcile,
            Subject::Resume => AskKind::Resume,
        }
    }

    /// Whether the session does nothing new until it is answered; a held call holds only itself.
    #[must_use]
    pub fn parks(&self) -> bool {
        match self {
            Subject::Limit { .. } | Subject::Resume => true,
            Subject::Tool { .. } | Subject::Question { .. } | Subject::Reconcile { .. } => false,
        }
    }

    /// Whether going on is all that is asked, so that a person who resumes the session has answered it.
    #[must_use]
    pub fn is_answered_by_resume(&self) -> bool {
        match self {
            Subject::Resume | Subject::Limit { limit: LimitKind::CrashLoop, .. } => true,
            Subject::Limit { .. } | Subject::Tool { .. } | Subject::Question { .. } | Subject::Reconcile { .. } => false,
        }
    }

    /// The call that waits for the answer.
    #[must_use]
    pub fn call(&self) -> Option<CallId> {
        match self {
            Subject::Tool { call, .. } | Subject::Question { call, .. } | Subject::Reconcile { call, .. } => Some(*call),
            Subject::Limit { .. } | Subject::Resume => None,
        }
    }
}

/// For how long an approval counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    #[default]
    Once,
    /// For calls of this session that the rule stored with the answer matches.
    Session,
    /// Also for those of every later session in the same folder.
    Always,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes: run it, go on, as much again, it happened.
    Approve {
        #[serde(default)]
        grant: Grant,
    },
    /// Run it with these arguments instead.
    Edit { args: Text, args_hash: Sha256 },
    /// No: do not run it, do not go on, it did not happen.
    Deny {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Text>,
        /// End the run too.
        stop: bool,
    },
    /// The answer to a question.
    Reply(Text),
    /// This much more.
    Extend { amount: u64 },
}

impl Answer {
    pub const YES: Answer = Answer::Approve { grant: Grant::Once };
    pub const NO: Answer = Answer::Deny { message: None, stop: false };

    /// Whether whoever answered so did not say no.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        match self {
            Answer::Deny { .. } => false,
            Answer::Approve { .. } | Answer::Edit { .. } | Answer::Reply(_) | Answer::Extend { .. } => true,
        }
    }

    /// Whether an ask of this kind can be answered so.
    #[must_use]
    pub fn fits(&self, kind: AskKind) -> bool {
        match self {
            Answer::Approve { grant: Grant::Once } => kind != AskKind::Question,
            Answer::Approve { grant: Grant::Session | Grant::Always } | Answer::Edit { .. } => kind == AskKind::Tool,
            Answer::Deny { .. } => true,
            Answer::Reply(_) => kind == AskKind::Question,
            Answer::Extend { amount } => kind == AskKind::Limit && *amount > 0,
        }
    }
}

impl AskKind {
    /// The word for it in events and on surfaces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AskKind::Tool => "tool",
            AskKind::Question => "question",
            AskKind::Limit => "limit",
            AskKind::Reconcile => "reconcile",
            AskKind::Resume => "resume",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_takes_its_own_answers() {
        let all = [AskKind::Tool, AskKind::Question, AskKind::Limit, AskKind::Reconcile, AskKind::Resume];
        let taking = |answer: &Answer| all.into_iter().filter(|kind| answer.fits(*kind)).map(AskKind::name).collect::<Vec<_>>();
        assert_eq!(taking(&Answer::YES), ["tool", "limit", "reconcile", "resume"]);
        assert_eq!(taking(&Answer::Approve { grant: Grant::Session }), ["tool"]);
        assert_eq!(taking(&Answer::Approve { grant: Grant::Always }), ["tool"]);
        assert_eq!(taking(&Answer::Edit { args: Text::from("{}"), args_hash: Sha256::of(b"{}") }), ["tool"]);
        assert_eq!(taking(&Answer::NO).len(), all.len());
        assert_eq!(taking(&Answer::Reply(Text::from("blue"))), ["question"]);
        assert_eq!(taking(&Answer::Extend { amount: 1 }), ["limit"]);
        assert_eq!(taking(&Answer::Extend { amount: 0 }), [""; 0]);
    }
}
