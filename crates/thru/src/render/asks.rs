//! What is asked of a person, whole: nothing that would run is shortened.

use super::text::{excerpt, set_off};
use crate::catalog::{AnswerWord, AskText, Line, answer, ask, line};
use contract::ask::{Answer, Ask, Grant, LimitKind, Subject};
use contract::body::{AskAnswered, Body, SupersedeReason};
use contract::call::Prepared;
use contract::id::AskId;
use contract::port::Clock;
use contract::text::Text;
use std::collections::BTreeMap;
use throughline::{AskView, SystemClock};

/// The line of the story about an ask; `limits` are those that were asked about.
pub fn sentence(limits: &mut BTreeMap<AskId, LimitKind>, body: &Body) -> Option<String> {
    if let Body::AskOpened(opened) = body {
        let Ask { ask: id, subject, .. } = &opened.ask;
        if let Subject::Limit { limit, .. } = subject {
            limits.insert(*id, *limit);
        }
        return Some(format!("{} {id}", ask(&AskText::Headline { subject })));
    }
    if let Body::AskAnswered(answered) = body {
        return Some(answered_sentence(limits.remove(&answered.ask), answered));
    }
    if let Body::AskExpired(_) = body {
        return Some(line(&Line::AskExpired));
    }
    if let Body::AskSuperseded(superseded) = body {
        return Some(line(&Line::AskOvertaken { stopped: superseded.reason == SupersedeReason::Stopped }));
    }
    None
}

fn answered_sentence(limit: Option<LimitKind>, answered: &AskAnswered) -> String {
    let how = match &answered.answer {
        Answer::Approve { grant: Grant::Once } => answer(&AnswerWord::Yes),
        Answer::Approve { grant: Grant::Session } => answer(&AnswerWord::YesForSession),
        Answer::Approve { grant: Grant::Always } => answer(&AnswerWord::YesForGood),
        Answer::Edit { args, .. } => answer(&AnswerWord::Edited { args: &args.shown() }),
        Answer::Deny { message, stop: true } => {
            let why = message.as_ref().map(Text::shown);
            answer(&AnswerWord::NoAndStop { why: why.as_deref() })
        }
        Answer::Deny { message: Some(why), stop: false } => answer(&AnswerWord::NoBecause { why: &why.shown() }),
        Answer::Deny { message: None, stop: false } => answer(&AnswerWord::No),
        Answer::Reply(text) => answer(&AnswerWord::Reply { text: &excerpt(&text.shown()) }),
        Answer::Extend { amount } => answer(&AnswerWord::More { limit, amount: *amount }),
    };
    let told = line(&Line::AskAnswered { by: &answered.by.0, how: &how });
    match &answered.rule {
        Some(rule) => format!("{told}\n{}", line(&Line::RuleAdded { rule: &rule.to_string() })),
        None => told,
    }
}

/// Where the person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    InPlace,
    Elsewhere,
}

/// Everything about an ask, as lines.
pub fn card(view: &AskView, place: Where) -> Vec<String> {
    let (id, session) = (view.ask.ask.to_string(), view.session.to_string());
    let headline = ask(&AskText::Headline { subject: &view.ask.subject });
    let mut lines = set_off(&headline);
    lines.push(ask(&AskText::Id { ask: &id, session: &session }));
    lines.extend(details(view, place));
    lines
}

/// Everything but what the story has told of it.
pub fn details(view: &AskView, place: Where) -> Vec<String> {
    let (id, session) = (view.ask.ask.to_string(), view.session.to_string());
    let subject = &view.ask.subject;
    let mut lines = Vec::new();
    block(&mut lines, &AskText::Arguments, view.args.as_deref());
    block(&mut lines, &AskText::Preview, view.preview.as_deref());
    lines.extend(view.tainted.then(|| ask(&AskText::Tainted)));
    lines.extend(view.leaking.then(|| ask(&AskText::Leaking)));
    lines.extend(view.prepared.as_ref().and_then(touches).map(|what| ask(&AskText::Touches { what: &what })));
    if let Some(rule) = &view.rule {
        lines.push(ask(&AskText::Session { rule }));
    }
    if let Some(left) = view.left_ms(SystemClock.now()) {
        lines.push(ask(&AskText::Expires { seconds: left / 1_000 }));
    }
    lines.push(match place {
        Where::InPlace => ask(&AskText::HowInPlace { subject, rule: view.rule.is_some() }),
        Where::Elsewhere => ask(&AskText::HowElsewhere { subject, ask: &id, session: &session }),
    });
    lines.iter().flat_map(|line| set_off(line)).collect()
}

fn block(lines: &mut Vec<String>, title: &AskText<'_>, text: Option<&str>) {
    if let Some(text) = text {
        lines.push(ask(title));
        lines.extend(text.lines().map(|line| format!("    {line}")));
    }
}

fn touches(prepared: &Prepared) -> Option<String> {
    let touched: Vec<&str> = [&prepared.paths, &prepared.hosts].into_iter().flatten().map(String::as_str).collect();
    (!touched.is_empty()).then(|| touched.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::{ActionId, CallId, SessionId};
    use contract::units::Version;

    /// A question of the agent that would pass for a card of the program, and so would the rule of its call.
    #[test]
    fn nothing_of_others_stands_where_the_program_speaks() {
        let question = "Which?\n  ask_1 in ses_1\nMay shell run? (low risk)";
        let subject = Subject::Question { call: CallId { reply: 0, index: 0 }, action: ActionId([1; 16]), question: Text::from(question) };
        let view = AskView {
            session: SessionId([2; 16]),
            ask: Ask { ask: AskId([3; 16]), subject, until: None },
            version: Version(1),
            args: Some("one\u{202e}\ntwo".to_owned()),
            preview: None,
            prepared: None,
            tainted: false,
            leaking: false,
            rule: Some("shell(a\nMay shell run?)".to_owned()),
        };
        let lines = card(&view, Where::InPlace);
        assert!(lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
        assert_eq!(lines[..3], ["The agent asks: Which?", "      ask_1 in ses_1", "    May shell run? (low risk)"]);
        assert!(lines[3].starts_with("  ask_") && lines[4..7] == ["  arguments:", "    one\u{fffd}", "    two"], "{lines:?}");
        assert_eq!(lines[7..9], ["  for the session, or always in its folder, this would allow: shell(a", "    May shell run?)"]);
    }
}
