//! Events, effects, refusals and requests as short lines without ids, so that a whole story fits on a screen.

use super::Scene;
use super::notes::note;
use agent::context::context;
use contract::ask::{Answer, Ask, Grant, LimitKind, Subject};
use contract::body::{AskAnswered, Body, ModelFailed, Parcel, Warning};
use contract::effect::{Effect, EffectId};
use contract::event::Event;
use contract::id::{ActionId, AskId, MessageId};
use contract::input::Rejection;
use contract::limits::ASK_VALID_MS_DEFAULT;
use contract::outcome::ToolOutcome;
use contract::request::{CallResult, Item, Part};
use contract::text::Text;
use serde::Serialize;

/// The stored word of an enum value.
pub fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value).unwrap() {
        serde_json::Value::String(word) => word,
        other => other.to_string(),
    }
}

pub fn event(event: &Event) -> String {
    let name = event.draft.body.name();
    let call = event.draft.call.map(|call| call.to_string()).unwrap_or_default();
    let about = match &event.draft.body {
        Body::ResourceLoaded(loaded) => format!("{}{}", loaded.name, if loaded.trusted { "" } else { " untrusted" }),
        Body::SessionCreated(created) => word(&created.options.resume),
        Body::OwnerTaken(taken) => format!("epoch {}", taken.epoch),
        Body::MessageReceived(received) => format!("{} {}", received.key, word(&received.mode)),
        Body::MessageWithdrawn(withdrawn) => withdrawn.key.to_string(),
        Body::MessageSent(_) | Body::RunStarted(_) => String::new(),
        Body::RunPaused(paused) => paused.key.as_ref().map(ToString::to_string).unwrap_or_default(),
        Body::RunResumed(resumed) => resumed.key.to_string(),
        Body::RunCancelRequested(requested) => format!("{} {}", requested.key, word(&requested.scope)),
        Body::RunFinished(finished) => {
            [word(&finished.outcome)].into_iter().chain(finished.reason.iter().map(word)).collect::<Vec<_>>().join(" ")
        }
        Body::ModelRequested(requested) => {
            let nudge = requested.nudge.as_ref().map(|nudge| format!(" {}", note(nudge))).unwrap_or_default();
            format!("{} attempt {} epoch {}{nudge}", word(&requested.purpose), requested.attempt, requested.epoch)
        }
        Body::ModelRetrying(retrying) => format!("in {} ms", retrying.at.0 - event.time.0),
        Body::ModelCompleted(completed) => parts(&completed.parts),
        Body::ModelFailed(failed) => model_failed(failed),
        Body::ModelAborted(aborted) => word(&aborted.reason),
        Body::ActionDecided(decided) => {
            let replaces = decided.replaces.map(|_| format!(" instead: {}", decided.args.shown())).unwrap_or_default();
            format!("{call} {}{replaces}", word(&decided.class))
        }
        Body::ActionWithdrawn(withdrawn) => format!("{call} {} {}", word(&withdrawn.reason), note(&withdrawn.note)),
        Body::AskOpened(opened) => ask(event, &opened.ask),
        Body::AskAnswered(answered) => format!("{call} {}", self::answered(answered)).trim_start().to_owned(),
        Body::AskExpired(_) => call,
        Body::AskSuperseded(superseded) => format!("{call} {}", word(&superseded.reason)).trim_start().to_owned(),
        Body::ToolStarted(started) => format!("{call} attempt {} epoch {}", started.attempt, started.epoch),
        Body::ToolAdopted(adopted) => format!("{call} attempt {} epoch {}", adopted.attempt, adopted.epoch),
        Body::ToolProgress(progress) => format!("{call} attempt {} \"{}\"", progress.attempt, progress.output.shown()),
        Body::ToolDeferred(deferred) => {
            let output = deferred.output.as_ref().map(|output| format!(" \"{}\"", output.shown())).unwrap_or_default();
            format!("{call} {}{output}", note(&deferred.note))
        }
        Body::ToolBackgrounded(_) => call,
        Body::ToolCancelRequested(requested) => {
            format!("{call} attempt {} in {} ms {}", requested.attempt, requested.deadline.0 - event.time.0, note(&requested.note))
        }
        Body::ToolFinished(finished) => format!("{call} attempt {} {}", finished.attempt, if finished.ok { "ok" } else { "not ok" }),
        Body::ToolCancelled(cancelled) => format!("{call} attempt {} {}", cancelled.attempt, word(&cancelled.reason)),
        Body::ToolUnknown(unknown) => format!("{call} attempt {} {}", unknown.attempt, word(&unknown.reason)),
        Body::ToolReconciled(reconciled) => format!("{call} {} {}", word(&reconciled.verdict), note(&reconciled.note)),
        Body::TimerSet(set) => format!("{call} in {} ms", set.at.0 - event.time.0),
        Body::TimerFired(fired) => format!("{call} {}", note(&fired.note)),
        Body::TimerCancelled(cancelled) => format!("{call} {}", note(&cancelled.note)),
        Body::SessionForked(forked) => format!("at {}", forked.at),
        Body::BudgetWarned(warned) => warning(&warned.warning),
        Body::DeliveryStarted(started) => match &started.parcel {
            Parcel::Rule { rule, folder, .. } => format!("{rule} in {folder} to {}", started.to),
        },
        Body::DeliveryFinished(_) => String::new(),
        Body::DeliveryFailed(failed) => failed.reason.clone(),
        Body::PolicyRuleAdded(_) | Body::PolicyRuleRemoved(_) => String::new(),
        Body::HostQuarantined(_) | Body::HostRecovered(_) | Body::HostStarted(_) | Body::HostStopped(_) => String::new(),
    };
    format!("{name} {about}").trim_end().to_owned()
}

fn warning(warning: &Warning) -> String {
    match warning {
        Warning::Cost { used, threshold } => format!("cost {used} over {threshold}"),
        Warning::SlowCall { waited_ms, .. } => format!("slow call, {waited_ms} ms"),
    }
}

fn model_failed(failed: &ModelFailed) -> String {
    let ours = Some(note(&failed.message)).filter(|note| note.starts_with('<')).map(|note| format!(" {note}")).unwrap_or_default();
    let day = failed.day.map(|day| format!(" {} of {}", day.used, day.allowed)).unwrap_or_default();
    format!("{}{day} {}{ours}", word(&failed.class), if failed.recoverable { "recoverable" } else { "for good" })
}

fn ask(event: &Event, ask: &Ask) -> String {
    let about = match &ask.subject {
        Subject::Tool { call, tool, risk, .. } => format!("{call} {tool} {}", word(risk)),
        Subject::Question { call, question, .. } => format!("{call} question \"{}\"", question.shown()),
        Subject::Limit { limit: LimitKind::CrashLoop, .. } => "crash_loop".to_owned(),
        Subject::Limit { limit, used, allowed } => format!("{} {used} of {allowed}", word(limit)),
        Subject::Reconcile { call, attempt, .. } => format!("{call} reconcile attempt {attempt}"),
        Subject::Resume => "resume".to_owned(),
    };
    let patience_ms = ask.until.map(|until| until.0 - event.time.0).filter(|ms| *ms != ASK_VALID_MS_DEFAULT);
    format!("{about}{}", patience_ms.map(|ms| format!(" for {ms} ms")).unwrap_or_default())
}

pub fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Approve { grant: Grant::Once } => "approve".to_owned(),
        Answer::Approve { grant: Grant::Session } => "approve for the session".to_owned(),
        Answer::Approve { grant: Grant::Always } => "approve for good".to_owned(),
        Answer::Edit { args, .. } => format!("edit {}", args.shown()),
        Answer::Deny { message, stop } => {
            let message = message.as_ref().map(|message| format!(" \"{}\"", message.shown())).unwrap_or_default();
            format!("deny{message}{}", if *stop { " and stop" } else { "" })
        }
        Answer::Reply(text) => format!("reply \"{}\"", text.shown()),
        Answer::Extend { amount } => format!("extend by {amount}"),
    }
}

fn answered(answered: &AskAnswered) -> String {
    let rule = answered.rule.as_ref().map(|rule| format!(" by {rule}")).unwrap_or_default();
    format!("{}{rule}", answer(&answered.answer))
}

pub fn effects(scene: &Scene, wanted: &[Effect]) -> String {
    let line = |effect: &Effect| match effect {
        Effect::Prepare(message) => format!("prepare {}", key_of(scene, *message)),
        Effect::Model { attempt, .. } => format!("model attempt {attempt}"),
        Effect::Start { action, attempt } => format!("start {} attempt {attempt}", call_of(scene, *action)),
        Effect::Recover { action, attempt, class } => format!("recover {} attempt {attempt} {}", call_of(scene, *action), word(class)),
        Effect::Deliver(_) => "deliver".to_owned(),
        Effect::Stop { action, attempt, .. } => format!("stop {} attempt {attempt}", call_of(scene, *action)),
    };
    if wanted.is_empty() { "nothing".into() } else { wanted.iter().map(line).collect::<Vec<_>>().join(", ") }
}

pub fn rejection(scene: &Scene, rejection: &Rejection) -> String {
    match rejection {
        Rejection::Stale { effect, attempt } => match effect {
            EffectId::Prepare(message) => format!("stale: prepare {}", key_of(scene, *message)),
            EffectId::Model(_) => format!("stale: model attempt {attempt}"),
            EffectId::Tool(action) => format!("stale: {} attempt {attempt}", call_of(scene, *action)),
            EffectId::Deliver(_) => "stale: deliver".into(),
            EffectId::Stop(action) => format!("stale: stop {} attempt {attempt}", call_of(scene, *action)),
        },
        Rejection::NoSuchAsk(_) => "there is no such ask".into(),
        Rejection::AskExpired(_) => "the ask has expired".into(),
        Rejection::AskSuperseded(_) => "the ask was overtaken".into(),
        Rejection::SeveralAsks(asks) => {
            let about = asks.iter().map(|ask| subject_of(scene, *ask)).collect::<Vec<_>>().join(", ");
            format!("several asks are open: {about}")
        }
        Rejection::Known(_)
        | Rejection::NoSession
        | Rejection::Exists
        | Rejection::NothingToResume
        | Rejection::NothingToStop
        | Rejection::NothingToPause
        | Rejection::NotWaiting(_)
        | Rejection::NotAnAnswer { .. }
        | Rejection::EditRefused(_)
        | Rejection::Forbidden(_)
        | Rejection::NoSuchRule
        | Rejection::TooManyRules { .. }
        | Rejection::InboxFull { .. }
        | Rejection::OldEpoch { .. }
        | Rejection::TooLong { .. } => rejection.to_string(),
    }
}

pub fn outcome(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Finished { ok: true, .. } => "finishes".into(),
        ToolOutcome::Finished { ok: false, .. } => "fails".into(),
        ToolOutcome::Adopted => "is adopted".into(),
        ToolOutcome::Cancelled(reason) => word(reason),
        ToolOutcome::Unknown { reason, .. } => format!("is unknown: {}", word(reason)),
    }
}

/// What the open model call shows, one line for each item.
pub fn request(scene: &Scene) -> String {
    let request = context(&scene.state).expect("no model call is open");
    request.items.iter().map(|item| self::item(item) + "\n").collect()
}

/// What the open model call shows after the last reply.
pub fn fresh(scene: &Scene) -> String {
    let request = request(scene);
    let after = request.lines().collect::<Vec<_>>().iter().rposition(|line| line.starts_with("assistant")).map_or(0, |at| at + 1);
    request.lines().skip(after).map(|line| format!("{line}\n")).collect()
}

fn item(item: &Item) -> String {
    match item {
        Item::Message(text) => format!("message: {}", note(text)),
        Item::Assistant(said) => format!("assistant: {}", parts(said)),
        Item::Result(result) => self::result("result", result),
        Item::Notice(text) => format!("notice: {}", note(text)),
        Item::Late(result) => self::result("late", result),
    }
}

fn result(kind: &str, result: &CallResult) -> String {
    let CallResult { call, provider_call, ok, exit, signal, note, output } = result;
    let number = |name: &str, value: &Option<i32>| value.map(|value| format!(" {name} {value}")).unwrap_or_default();
    let note = note.as_ref().map(|note| format!(" {}", self::note(note))).unwrap_or_default();
    let output = output.as_ref().map(|output: &Text| format!(" \"{}\"", output.shown())).unwrap_or_default();
    let ok = if *ok { "ok" } else { "not ok" };
    format!("{kind}: {call} {provider_call} {ok}{}{}{note}{output}", number("exit", exit), number("signal", signal))
}

fn parts(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => format!("\"{}\"", text.shown()),
        Part::Call { call, .. } => call.to_string(),
        Part::Opaque { bytes, .. } => format!("opaque {}", bytes.shown()),
    };
    if parts.is_empty() { "nothing".into() } else { parts.iter().map(part).collect::<Vec<_>>().join(" + ") }
}

fn key_of(scene: &Scene, message: MessageId) -> String {
    let found = scene.log.iter().find_map(|event| match &event.draft.body {
        Body::MessageReceived(received) if received.message == message => Some(received.key.to_string()),
        _ => None,
    });
    found.unwrap_or_else(|| "an unknown message".into())
}

fn call_of(scene: &Scene, action: ActionId) -> String {
    let found = scene.log.iter().find_map(|event| match &event.draft.body {
        Body::ActionDecided(decided) if decided.action == action => Some(decided.call.to_string()),
        _ => None,
    });
    found.unwrap_or_else(|| "an unknown action".into())
}

fn subject_of(scene: &Scene, ask: AskId) -> String {
    let found = scene.log.iter().find_map(|event| match &event.draft.body {
        Body::AskOpened(opened) if opened.ask.ask == ask => Some(self::ask(event, &opened.ask)),
        _ => None,
    });
    found.unwrap_or_else(|| "an unknown ask".into())
}
