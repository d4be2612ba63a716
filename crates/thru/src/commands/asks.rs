//! `thru approvals`, `thru approve`, `thru deny`: what waits for a person, and their word.

use super::{local, open_existing, send};
use crate::amount;
use crate::args::{Approval, Approve, Deny};
use crate::catalog::{Line, Problem, line};
use crate::fault::{Fault, code};
use crate::render::{Where, card, fault, out};
use contract::ask::{Answer, AskKind, Grant, Subject};
use contract::body::SupersedeReason;
use contract::id::{AskId, SessionId};
use contract::input::Rejection;
use contract::units::Position;
use throughline::{AskFate, AskView, Found, OpenAsks, SayError, Sent, StartError, Throughline};

pub async fn list(session: Option<SessionId>, after: Option<Position>, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let OpenAsks { views, damaged } = match session {
        Some(session) => {
            if let Some(after) = after {
                throughline.reach(after).await?;
            }
            OpenAsks { views: throughline.status(session).await?.asks, damaged: Vec::new() }
        }
        None => throughline.asks(after).await?,
    };
    if views.is_empty() && damaged.is_empty() && !json {
        out(line(&Line::NoApprovals).as_bytes());
    }
    for view in &views {
        if json {
            // Strings, numbers and lists of such: nothing in it can fail to be JSON.
            out(serde_json::to_string(view).unwrap_or_default().as_bytes());
        } else {
            card(view, Where::Elsewhere).iter().for_each(|line| out(line.as_bytes()));
        }
    }
    let mut exit = code::DONE;
    for error in damaged {
        exit = fault(&Fault::from(error), false);
    }
    Ok(exit)
}

pub async fn approve(approve: Approve) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let word = Word { throughline: &throughline, ask: approve.ask, key: approve.key.clone(), yes: true };
    let sent = match word.find().await? {
        Asked::Said(sent) => sent,
        Asked::Open(view) => {
            let answered = match approve.how {
                Approval::Grant(Grant::Once) => throughline.answer(&view, Answer::YES, approve.key, local()).await,
                Approval::Grant(grant @ (Grant::Session | Grant::Always)) => {
                    throughline.answer(&view, for_longer(&view, grant)?, approve.key, local()).await
                }
                Approval::Extend(amount) => throughline.answer(&view, more(&view.ask.subject, &amount)?, approve.key, local()).await,
                Approval::Edit(args) => throughline.edit(&view, args, approve.key, local()).await,
            };
            word.settle(answered).await?
        }
    };
    send::tell(&sent, approve.json);
    Ok(code::DONE)
}

pub async fn deny(deny: Deny) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let word = Word { throughline: &throughline, ask: deny.ask, key: deny.key.clone(), yes: false };
    let sent = match word.find().await? {
        Asked::Said(sent) => sent,
        Asked::Open(view) => {
            let message = match deny.message {
                Some(why) => Some(throughline.reason(why).await?),
                None => None,
            };
            let answer = Answer::Deny { message, stop: deny.stop };
            word.settle(throughline.answer(&view, answer, deny.key, local()).await).await?
        }
    };
    send::tell(&sent, deny.json);
    Ok(code::DONE)
}

/// The answer that allows equal calls too, if there is a rule for such.
pub fn for_longer(view: &AskView, grant: Grant) -> Result<Answer, Fault> {
    if view.ask.subject.kind() == AskKind::Tool && view.rule.is_none() {
        return Err(Fault::new(Problem::NoRule));
    }
    Ok(Answer::Approve { grant })
}

/// The answer that gives this much more of what the ask is about.
pub fn more(subject: &Subject, text: &str) -> Result<Answer, Fault> {
    let amount = match subject {
        Subject::Limit { limit, .. } => amount::of(*limit, text).map_err(|why| Fault::new(Problem::BadAmount { text, why }))?,
        // It fits no other ask, whatever the amount, and that is what the person hears.
        Subject::Tool { .. } | Subject::Question { .. } | Subject::Reconcile { .. } | Subject::Resume => 1,
    };
    Ok(Answer::Extend { amount })
}

/// A yes or no of a person to an ask.
struct Word<'a> {
    throughline: &'a Throughline,
    ask: AskId,
    key: Option<String>,
    yes: bool,
}

enum Asked {
    Open(Box<AskView>),
    /// The same word with the same key is in the log already.
    Said(Sent),
}

impl Word<'_> {
    /// The open ask, or what became of it.
    async fn find(&self) -> Result<Asked, Fault> {
        let Some(found) = self.throughline.find_ask(self.ask).await? else {
            return Err(Fault::new(Problem::NoAsk(&self.ask.to_string())));
        };
        if let Some(key) = &self.key
            && let Some(sent) = self.throughline.repeated(self.ask, &found, key, self.yes).await.map_err(StartError::from)?
        {
            return Ok(Asked::Said(sent));
        }
        match found {
            Found::Open(view) => Ok(Asked::Open(view)),
            Found::Ended { version, fate, .. } => Err(Fault::new(match &fate {
                AskFate::Answered { by, yes, .. } => Problem::AskAnswered { by, yes: *yes, version: version.0 },
                AskFate::Expired => Problem::AskExpired,
                AskFate::Superseded(SupersedeReason::NewerMessage) => Problem::AskOvertaken,
                AskFate::Superseded(SupersedeReason::Stopped) => Problem::AskStopped,
            })),
        }
    }

    /// Whoever finds the ask gone was overtaken since they looked: what became of it says more.
    async fn settle(&self, answered: Result<Sent, SayError>) -> Result<Sent, Fault> {
        match answered {
            Err(gone @ SayError::Rejected(Rejection::NoSuchAsk(_))) => match self.find().await? {
                Asked::Said(sent) => Ok(sent),
                Asked::Open(_) => Err(gone.into()),
            },
            other => Ok(other?),
        }
    }
}
