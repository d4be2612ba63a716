//! Events, effects, refusals and requests as short lines without ids, so that a whole story fits on a screen.

use super::Scene;
use agent::context::context;
use agent::prompts;
use contract::body::{Body, UnknownReason};
use contract::effect::{Effect, EffectId};
use contract::event::Event;
use contract::id::{ActionId, MessageId};
use contract::input::Rejection;
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
        Body::SessionCreated(created) => word(&created.options.resume),
        Body::OwnerTaken(taken) => format!("epoch {}", taken.epoch),
        Body::MessageReceived(received) => format!("{} {}", received.key, word(&received.mode)),
        Body::MessageSent(_) | Body::RunStarted(_) | Body::RunPaused(_) => String::new(),
        Body::RunResumed(resumed) => resumed.key.to_string(),
        Body::RunFinished(finished) => {
            [word(&finished.outcome)].into_iter().chain(finished.reason.iter().map(word)).collect::<Vec<_>>().join(" ")
        }
        Body::ModelRequested(requested) => {
            let nudge = requested.nudge.as_ref().map(|nudge| format!(" {}", prompt(nudge))).unwrap_or_default();
            format!("{} attempt {} epoch {}{nudge}", word(&requested.purpose), requested.attempt, requested.epoch)
        }
        Body::ModelRetrying(retrying) => format!("in {} ms", retrying.at.0 - event.time.0),
        Body::ModelCompleted(completed) => parts(&completed.parts),
        Body::ModelFailed(failed) => {
            let note =
                Some(prompt(&failed.message)).filter(|note| note.starts_with('<')).map(|note| format!(" {note}")).unwrap_or_default();
            format!("{} {}{note}", word(&failed.class), if failed.recoverable { "recoverable" } else { "for good" })
        }
        Body::ActionDecided(decided) => format!("{call} {}", word(&decided.class)),
        Body::ActionWithdrawn(withdrawn) => format!("{call} {} {}", word(&withdrawn.reason), prompt(&withdrawn.note)),
        Body::AskOpened(opened) => word(&opened.ask.kind),
        Body::AskAnswered(answered) => word(&answered.answer),
        Body::ToolStarted(started) => format!("{call} attempt {} epoch {}", started.attempt, started.epoch),
        Body::ToolAdopted(adopted) => format!("{call} attempt {} epoch {}", adopted.attempt, adopted.epoch),
        Body::ToolFinished(finished) => format!("{call} attempt {} {}", finished.attempt, if finished.ok { "ok" } else { "not ok" }),
        Body::ToolCancelled(cancelled) => format!("{call} attempt {} {}", cancelled.attempt, word(&cancelled.reason)),
        Body::ToolUnknown(unknown) => format!("{call} attempt {} {}", unknown.attempt, word(&unknown.reason)),
        Body::ToolReconciled(reconciled) => format!("{call} {} {}", word(&reconciled.verdict), prompt(&reconciled.note)),
        Body::HostQuarantined(_) | Body::HostRecovered(_) => String::new(),
    };
    format!("{name} {about}").trim_end().to_owned()
}

pub fn effects(scene: &Scene, wanted: &[Effect]) -> String {
    let line = |effect: &Effect| match effect {
        Effect::Prepare(message) => format!("prepare {}", key_of(scene, *message)),
        Effect::Model { attempt, .. } => format!("model attempt {attempt}"),
        Effect::Start { action, attempt } => format!("start {} attempt {attempt}", call_of(scene, *action)),
        Effect::Recover { action, attempt, class } => format!("recover {} attempt {attempt} {}", call_of(scene, *action), word(class)),
    };
    if wanted.is_empty() { "nothing".into() } else { wanted.iter().map(line).collect::<Vec<_>>().join(", ") }
}

pub fn rejection(scene: &Scene, rejection: &Rejection) -> String {
    match rejection {
        Rejection::Stale { effect, attempt } => match effect {
            EffectId::Prepare(message) => format!("stale: prepare {}", key_of(scene, *message)),
            EffectId::Model(_) => format!("stale: model attempt {attempt}"),
            EffectId::Tool(action) => format!("stale: {} attempt {attempt}", call_of(scene, *action)),
        },
        Rejection::NoSuchAsk(_) => "there is no such ask".into(),
        Rejection::AskExpired(_) => "the ask has expired".into(),
        Rejection::Known(_)
        | Rejection::NoSession
        | Rejection::Exists
        | Rejection::Closed
        | Rejection::NothingToResume
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

fn item(item: &Item) -> String {
    match item {
        Item::Message(text) => format!("message: {}", prompt(text)),
        Item::Assistant(said) => format!("assistant: {}", parts(said)),
        Item::Result(result) => self::result(result),
        Item::Notice(text) => format!("notice: {}", prompt(text)),
    }
}

fn result(result: &CallResult) -> String {
    let CallResult { call, provider_call, ok, exit, signal, note, output } = result;
    let number = |name: &str, value: &Option<i32>| value.map(|value| format!(" {name} {value}")).unwrap_or_default();
    let note = note.as_ref().map(|note| format!(" {}", prompt(note))).unwrap_or_default();
    let output = output.as_ref().map(|output| format!(" \"{}\"", output.shown())).unwrap_or_default();
    let ok = if *ok { "ok" } else { "not ok" };
    format!("result: {call} {provider_call} {ok}{}{}{note}{output}", number("exit", exit), number("signal", signal))
}

fn parts(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => format!("\"{}\"", text.shown()),
        Part::Call { call, .. } => call.to_string(),
        Part::Opaque { bytes, .. } => format!("opaque {}", bytes.shown()),
    };
    if parts.is_empty() { "nothing".into() } else { parts.iter().map(part).collect::<Vec<_>>().join(" + ") }
}

/// Our own sentences by their name, so that their wording may change; anything else as it is.
fn prompt(text: &Text) -> String {
    let ours = [
        (prompts::empty_reply(), "<empty reply>"),
        (prompts::last_reply(), "<last reply>"),
        (prompts::reply_too_large(), "<too large>"),
        (prompts::withdrawn_limit(), "<limit>"),
        (prompts::withdrawn_never_decided(), "<never decided>"),
        (prompts::withdrawn_denied(), "<denied>"),
        (prompts::withdrawn_too_many(), "<too many>"),
        (prompts::withdrawn_never_started(), "<never started>"),
        (prompts::unknown_outcome(UnknownReason::Died), "<unknown: died>"),
        (prompts::unknown_outcome(UnknownReason::OtherBoot), "<unknown: other boot>"),
        (prompts::unknown_outcome(UnknownReason::OtherMachine), "<unknown: other machine>"),
        (prompts::unknown_outcome(UnknownReason::Changed), "<unknown: changed>"),
        (prompts::unknown_outcome(UnknownReason::Lost), "<unknown: lost>"),
    ];
    ours.iter().find(|(sentence, _)| sentence == text).map_or_else(|| text.shown(), |(_, name)| (*name).to_owned())
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
