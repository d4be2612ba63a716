//! Each invariant, broken once by hand: a monitor that says nothing would prove nothing.

use super::*;
use contract::ask::{Ask, AskKind};
use contract::body::*;
use contract::call::{Class, Prepared, Risk};
use contract::config::{ConfigRef, Options};
use contract::event::{Actor, Draft, Level, Trust};
use contract::id::{BootId, HostId, MachineId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::Expected;
use contract::request::Item;
use contract::units::Time;

const ACTION: ActionId = ActionId([50; 16]);
const RUN: RunId = RunId([60; 16]);
const ASK: AskId = AskId([70; 16]);

fn text() -> Text {
    Text::from("text")
}

fn evt(number: u8) -> EventId {
    EventId([number; 16])
}

fn draft(id: EventId, cause: Option<EventId>, run: Option<RunId>, body: impl Into<Body>) -> Draft {
    let (level, actor, trust) = (Level::Core, Actor::System, Trust::System);
    Draft { id, cause, correlation: cause, run, level, call: None, actor, trust, body: body.into() }
}

/// A history whose events are named by their version, each caused by the first.
#[derive(Default)]
struct History {
    monitor: Monitor,
    events: Vec<Arc<Event>>,
}

impl History {
    fn new() -> History {
        let folder = "folder".to_owned();
        History::default().then(SessionCreated { folder, options: Options::default(), origin: None, by: Principal("p".to_owned()) })
    }

    /// With an owner of epoch 3 and an open run.
    fn running() -> History {
        let config = ConfigRef { sha256: Sha256::of(b"config"), model: "m".to_owned(), fallback: Vec::new(), max_turns: 9 };
        History::new().then(taken(3)).then(message("m0")).then(RunStarted { run: RUN, message: MessageId(evt(3).0), config })
    }

    fn add(&mut self, event: Event, by: Option<Epoch>) -> Result<(), Violation> {
        self.monitor.stored(&event, by, &self.events)?;
        self.events.push(Arc::new(event));
        Ok(())
    }

    fn next(&self, body: impl Into<Body>) -> Event {
        let number = self.events.len() as u8 + 1;
        let cause = (number > 1).then_some(evt(1));
        Event { version: Version(number.into()), time: Time(1), draft: draft(evt(number), cause, None, body) }
    }

    fn then(mut self, body: impl Into<Body>) -> History {
        let event = self.next(body);
        self.add(event, Some(Epoch(3))).unwrap();
        self
    }

    /// The invariant that the next event breaks.
    fn breaks(mut self, body: impl Into<Body>) -> Invariant {
        let event = self.next(body);
        self.add(event, Some(Epoch(3))).unwrap_err().invariant
    }
}

fn taken(epoch: u64) -> OwnerTaken {
    OwnerTaken { epoch: Epoch(epoch), host: HostId([1; 16]), machine: MachineId([1; 16]), boot: BootId("boot".to_owned()) }
}

fn message(key: &str) -> MessageReceived {
    let message = MessageId(evt(3).0);
    MessageReceived { message, key: Key(key.to_owned()), text: text(), mode: Mode::Steer, from: Principal("p".to_owned()) }
}

fn decided(class: Class) -> ActionDecided {
    ActionDecided {
        action: ACTION,
        call: CallId { reply: 0, index: 0 },
        provider_call: "p".to_owned(),
        tool: "tool".to_owned(),
        args: text(),
        args_hash: Sha256::of(b""),
        class,
        risk: Risk::Low,
        prepared: Box::new(Prepared::default()),
    }
}

fn started(attempt: u16) -> ToolStarted {
    ToolStarted { action: ACTION, attempt, epoch: Epoch(3), machine: MachineId([1; 16]), boot: BootId("boot".to_owned()) }
}

fn finished(attempt: u16) -> ToolFinished {
    ToolFinished { action: ACTION, attempt, ok: true, output: result_of(attempt), exit: None, signal: None }
}

fn cancelled(attempt: u16) -> ToolCancelled {
    ToolCancelled { action: ACTION, attempt, reason: CancelReason::NoEffect }
}

fn requested() -> ModelRequested {
    let request_sha256 = Sha256::of(b"");
    ModelRequested {
        purpose: Purpose::Reply,
        model: "m".to_owned(),
        attempt: 1,
        epoch: Epoch(3),
        covers: Version(1),
        nudge: None,
        request_sha256,
    }
}

fn completed(request: u8) -> ModelCompleted {
    ModelCompleted { request: evt(request), attempt: 1, parts: vec![Part::Text(text())], usage: Usage::default(), cost_micros: None }
}

fn asked() -> AskOpened {
    AskOpened { ask: Ask { ask: ASK, kind: AskKind::Resume, until: None } }
}

fn denied() -> AskAnswered {
    AskAnswered { ask: ASK, key: Key("deny".to_owned()), answer: Answer::Deny, by: Principal("p".to_owned()) }
}

fn run_finished() -> RunFinished {
    RunFinished { run: RUN, outcome: RunOutcome::Completed, reason: None }
}

#[test]
fn envelopes_are_checked() {
    let mut gap = History::new();
    let mut event = gap.next(taken(3));
    event.version = Version(3);
    assert_eq!(gap.add(event, None).unwrap_err().invariant, Invariant::VersionsDense);

    let mut twice = History::new();
    let mut event = twice.next(taken(3));
    event.draft.id = evt(1);
    assert_eq!(twice.add(event, None).unwrap_err().invariant, Invariant::IdsUnique);

    for cause in [Some(evt(9)), None] {
        let mut history = History::new();
        let mut event = history.next(taken(3));
        event.draft = draft(evt(2), cause, None, taken(3));
        assert_eq!(history.add(event, None).unwrap_err().invariant, Invariant::CauseIsEarlier);
    }

    let mut other_run = History::running();
    let mut event = other_run.next(requested());
    event.draft.run = Some(RunId([1; 16]));
    assert_eq!(other_run.add(event, Some(Epoch(3))).unwrap_err().invariant, Invariant::RunIsOpen);
}

#[test]
fn only_the_owner_decides() {
    for by in [None, Some(Epoch(2))] {
        let mut history = History::running();
        let event = history.next(requested());
        assert_eq!(history.add(event, by).unwrap_err().invariant, Invariant::OwnerCommits);
    }
}

#[test]
fn messages_and_runs_are_counted() {
    assert_eq!(History::running().breaks(message("m0")), Invariant::MessageOnce);
    assert_eq!(History::running().then(run_finished()).breaks(run_finished()), Invariant::RunFinishesOnce);
    assert_eq!(History::running().then(requested()).breaks(run_finished()), Invariant::ModelCallEndsOnce);
    assert_eq!(History::running().then(decided(Class::Unsafe)).breaks(run_finished()), Invariant::ActionsEnd);
}

#[test]
fn model_calls_end_once_and_their_text_is_said_once() {
    assert_eq!(History::running().then(requested()).breaks(requested()), Invariant::ModelCallEndsOnce);
    assert_eq!(History::running().breaks(completed(9)), Invariant::ModelCallEndsOnce);
    let replied = || History::running().then(requested()).then(completed(5));
    assert_eq!(replied().breaks(completed(5)), Invariant::ModelCallEndsOnce);
    assert_eq!(replied().breaks(run_finished()), Invariant::SaidOnce);
    let sent = || MessageSent { completed: evt(6) };
    assert_eq!(replied().then(sent()).breaks(sent()), Invariant::SaidOnce);
}

#[test]
fn attempts_and_actions_end_once() {
    let open = || History::running().then(decided(Class::Unsafe)).then(started(1));
    assert_eq!(open().breaks(started(2)), Invariant::AttemptEndsOnce);
    assert_eq!(open().breaks(finished(2)), Invariant::AttemptEndsOnce);
    assert_eq!(open().then(cancelled(1)).breaks(finished(1)), Invariant::AttemptEndsOnce);
    let told = || ToolReconciled { action: ACTION, verdict: Verdict::Told, note: text() };
    assert_eq!(open().breaks(told()), Invariant::AttemptEndsOnce);
    assert_eq!(open().then(finished(1)).breaks(finished(1)), Invariant::ActionEndsOnce);
    assert_eq!(open().then(finished(1)).breaks(started(2)), Invariant::ActionEndsOnce);
    assert_eq!(History::running().breaks(ToolAdopted { action: ACTION, attempt: 1, epoch: Epoch(3) }), Invariant::ActionEndsOnce);
}

#[test]
fn effects_are_held_against_the_log() {
    let effect = |history: History, attempt, ran_before, live| {
        let mut monitor = history.monitor;
        monitor.effect(ACTION, attempt, ran_before, live).map_err(|violation| violation.invariant)
    };
    let open = |class| History::running().then(decided(class)).then(started(1));
    assert_eq!(effect(History::running(), 1, 0, false), Err(Invariant::StartedBeforeEffect));
    assert_eq!(effect(History::running().then(decided(Class::Unsafe)), 1, 0, false), Err(Invariant::StartedBeforeEffect));
    assert_eq!(effect(open(Class::Unsafe), 1, 0, false), Ok(()));
    assert_eq!(effect(open(Class::Unsafe), 1, 1, false), Err(Invariant::RunsAtMostOnce));
    assert_eq!(effect(open(Class::Pure), 1, 1, false), Ok(()));
    assert_eq!(effect(open(Class::Pure), 1, 1, true), Err(Invariant::OneProcess));
    assert_eq!(effect(open(Class::Pure).then(cancelled(1)), 1, 0, false), Err(Invariant::CancelledHadNoEffect));
    let mut acted = open(Class::Probe);
    acted.monitor.effect(ACTION, 1, 0, false).unwrap();
    assert_eq!(acted.breaks(cancelled(1)), Invariant::CancelledHadNoEffect);
}

#[test]
fn an_unknown_attempt_may_have_its_effect_late() {
    let unknown = ToolUnknown { action: ACTION, attempt: 1, reason: UnknownReason::OtherMachine, output: text() };
    let told = ToolReconciled { action: ACTION, verdict: Verdict::Told, note: text() };
    let mut history = History::running().then(decided(Class::Unsafe)).then(started(1)).then(unknown).then(told);
    history.monitor.effect(ACTION, 1, 0, false).unwrap();
}

#[test]
fn denied_and_parked_sessions_start_nothing() {
    let parked = || History::running().then(decided(Class::Unsafe)).then(asked());
    assert_eq!(parked().breaks(started(1)), Invariant::ParkedStartsNothing);
    assert_eq!(parked().breaks(requested()), Invariant::ParkedStartsNothing);
    assert_eq!(History::running().then(RunPaused { run: RUN }).breaks(requested()), Invariant::ParkedStartsNothing);
    assert_eq!(parked().then(denied()).breaks(started(1)), Invariant::NoStartAfterDenial);
    let config = ConfigRef { sha256: Sha256::of(b"config"), model: "m".to_owned(), fallback: Vec::new(), max_turns: 9 };
    let waits = History::new().then(taken(3)).then(message("m0")).then(asked()).then(denied());
    assert_eq!(waits.breaks(RunStarted { run: RUN, message: MessageId(evt(3).0), config }), Invariant::NoStartAfterDenial);
}

#[test]
fn offers_are_checked_before_they_are_stored() {
    let offer = |monitor: &mut Monitor, id, body: Body| {
        let stream = StreamId::session(SessionId([1; 16]));
        let drafts = vec![draft(id, None, None, body)];
        monitor.offered(&Append { stream, expected: Expected::NoStream, time: Time(1), drafts, fence: None, rest: Rest::Busy })
    };
    let mut monitor = Monitor::default();
    offer(&mut monitor, evt(1), message("m0").into()).unwrap();
    offer(&mut monitor, evt(1), message("m0").into()).unwrap();
    assert_eq!(offer(&mut monitor, evt(2), message("m0").into()).unwrap_err().invariant, Invariant::FactIdStable);
    let late = ToolFinished { output: result_of(1), ..finished(2) };
    assert_eq!(offer(&mut monitor, evt(3), late.into()).unwrap_err().invariant, Invariant::ResultOfAttempt);
}

#[test]
fn requests_are_valid_proven_and_longer_each_time() {
    let request = |items: Vec<Item>| ModelRequest {
        model: "m".to_owned(),
        config: Sha256::of(b"c"),
        items: items.into_iter().map(Arc::new).collect(),
    };
    let said = |text: &str| Item::Message(Text::from(text));
    let ask = |monitor: &mut Monitor, request: &ModelRequest, proven| monitor.request(request, proven).map_err(|found| found.invariant);
    let mut monitor = Monitor::default();
    let first = request(vec![said("a"), said("b")]);
    assert_eq!(ask(&mut monitor, &request(vec![]), Sha256::of(b"")), Err(Invariant::TranscriptValid));
    assert_eq!(ask(&mut monitor, &first, Sha256::of(b"")), Err(Invariant::RequestProven));
    assert_eq!(ask(&mut monitor, &first, first.sha256()), Ok(()));
    for other in [request(vec![said("a")]), request(vec![said("a"), said("c"), said("d")])] {
        assert_eq!(ask(&mut monitor, &other, other.sha256()), Err(Invariant::RequestPrefix));
    }
    let longer = request(vec![said("a"), said("b"), said("c")]);
    assert_eq!(ask(&mut monitor, &longer, longer.sha256()), Ok(()));
}

#[test]
fn a_retry_before_its_time_is_found() {
    let retrying = |at| ModelRetrying { request: evt(5), at: Time(at) };
    assert_eq!(History::running().then(retrying(2)).breaks(requested()), Invariant::NeverEarly);
    History::running().then(retrying(1)).then(requested());
}
