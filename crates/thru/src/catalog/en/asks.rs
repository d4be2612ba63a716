//! What is asked, in full.

use crate::catalog::{AnswerWord, AskText};
use contract::ask::{LimitKind, Subject};
use contract::call::Risk;

pub fn ask(what: &AskText<'_>) -> String {
    match what {
        AskText::Headline { subject } => headline(subject),
        AskText::Id { ask, session } => format!("  {ask} in {session}"),
        AskText::Arguments => "  arguments:".to_owned(),
        AskText::Preview => "  what it would do:".to_owned(),
        AskText::Touches { what } => format!("  touches: {what}"),
        AskText::Tainted => "  careful: the model has seen what strangers wrote, and this could send them private data".to_owned(),
        AskText::Leaking => "  careful: the model has seen private data, and this could send it to somebody outside".to_owned(),
        AskText::Session { rule } => format!("  for the session, or always in its folder, this would allow: {rule}"),
        AskText::Expires { seconds } => format!("  waits for another {}", length(*seconds)),
        AskText::HowInPlace { subject, rule } => in_place(subject, *rule),
        AskText::HowElsewhere { subject, ask, session } => elsewhere(subject, ask, session),
    }
}

pub fn answer(what: &AnswerWord<'_>) -> String {
    match what {
        AnswerWord::Yes => "yes".to_owned(),
        AnswerWord::YesForSession => "yes, for the session".to_owned(),
        AnswerWord::YesForGood => "yes, always".to_owned(),
        AnswerWord::Edited { args } => format!("yes, but with {args}"),
        AnswerWord::No => "no".to_owned(),
        AnswerWord::NoBecause { why } => format!("no: {why}"),
        AnswerWord::NoAndStop { why: None } => "no, and stop".to_owned(),
        AnswerWord::NoAndStop { why: Some(why) } => format!("no, and stop: {why}"),
        AnswerWord::Reply { text } => format!("“{text}”"),
        AnswerWord::More { limit: Some(limit), amount: more } => format!("yes, {} more", amount(*limit, *more)),
        AnswerWord::More { limit: None, amount } => format!("yes, {amount} more"),
    }
}

fn headline(subject: &Subject) -> String {
    match subject {
        Subject::Tool { tool, risk, .. } => format!("May {tool} run? ({} risk)", risk_word(*risk)),
        Subject::Question { question, .. } => format!("The agent asks: {}", question.shown()),
        Subject::Limit { limit: LimitKind::CrashLoop, .. } => "It died too often without getting anywhere. Shall it go on?".to_owned(),
        Subject::Limit { limit: LimitKind::Loop, used, .. } => {
            format!("It made {used} equal calls with equal results in a row. Shall it go on?")
        }
        Subject::Limit { limit, used, allowed } => {
            let used = format!("{} of {} used. Shall it go on?", amount(*limit, *used), amount(*limit, *allowed));
            format!("{}: {used}", reached(*limit))
        }
        Subject::Reconcile { tool, attempt, .. } => {
            format!("Nobody saw how {tool} (attempt {attempt}) ended. Look at the world: did it happen?")
        }
        Subject::Resume => "It came back after a crash. Shall it go on?".to_owned(),
    }
}

/// What a model call takes is known only afterwards, so it is asked about before it may be too much.
fn reached(limit: LimitKind) -> String {
    let word = limit_word(limit);
    match limit {
        LimitKind::Cost | LimitKind::Tokens => format!("The next step may go beyond the limit of {word}"),
        LimitKind::CrashLoop | LimitKind::Loop | LimitKind::ToolCalls | LimitKind::Turns | LimitKind::Day | LimitKind::WallTime => {
            format!("The limit of {word} is reached")
        }
    }
}

fn in_place(subject: &Subject, rule: bool) -> String {
    match subject {
        Subject::Tool { .. } => {
            let session = if rule { " · /session · /always" } else { "" };
            format!("  yes · no · /no WHY · /edit ARGUMENTS{session} · /stop; anything else is said to the agent, which then decides anew")
        }
        Subject::Question { .. } => "  type the answer · /no WHY · /stop".to_owned(),
        Subject::Limit { limit: LimitKind::CrashLoop | LimitKind::Loop, .. } | Subject::Resume => "  yes · no".to_owned(),
        Subject::Limit { limit: LimitKind::Turns, .. } => "  yes (as much again) · /more AMOUNT · no (one last answer) · /stop".to_owned(),
        Subject::Limit { .. } => "  yes (as much again) · /more AMOUNT · no (end the work)".to_owned(),
        Subject::Reconcile { .. } => "  yes (it happened) · no (it did not) · /no WHAT YOU SAW".to_owned(),
    }
}

fn elsewhere(subject: &Subject, ask: &str, session: &str) -> String {
    match subject {
        Subject::Question { .. } => format!("  answer with: thru send {session} TEXT"),
        Subject::Tool { .. } | Subject::Limit { .. } | Subject::Reconcile { .. } | Subject::Resume => {
            format!("  answer with: thru approve {ask} | thru deny {ask}")
        }
    }
}

fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

fn limit_word(limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::CrashLoop => "takeovers",
        LimitKind::Loop => "repeats",
        LimitKind::Cost => "money",
        LimitKind::Tokens => "tokens",
        LimitKind::ToolCalls => "tool calls",
        LimitKind::Turns => "turns",
        LimitKind::Day => "money a day",
        LimitKind::WallTime => "time",
    }
}

fn amount(limit: LimitKind, amount: u64) -> String {
    match limit {
        LimitKind::Cost | LimitKind::Day => format!("{:.4}", amount as f64 / 1e6),
        LimitKind::WallTime => length(amount / 1_000),
        LimitKind::CrashLoop | LimitKind::Loop | LimitKind::Tokens | LimitKind::ToolCalls | LimitKind::Turns => amount.to_string(),
    }
}

fn length(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", rounded(seconds, 60)),
        7_200..=172_799 => format!("{} h", rounded(seconds, 3_600)),
        _ => format!("{} days", rounded(seconds, 86_400)),
    }
}

fn rounded(amount: u64, unit: u64) -> u64 {
    (amount + unit / 2) / unit
}
