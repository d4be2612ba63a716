//! Each invariant, broken once by hand: a monitor that says nothing would prove nothing.

use super::*;
use contract::ask::{Answer, Ask, LimitKind, Subject};
use contract::body::*;
use contract::call::{Class, Prepared, Risk};
use contract::config::{ConfigRef, Limits, Options};
use contract::event::{Actor, Draft, Level, Trust};
use contract::id::{AskId, BootId, HostId, MachineId, MessageId, SessionId, StreamId, TimerId};
use contract::limits::APPROVAL_VALID_MS;
use contract::machine::Rest;
use contract::port::Expected;
use contract::request::{CallResult, Item, Part};

const ACTION: ActionId = ActionId([50; 16]);
const RUN: RunId = RunId([60; 16]);
const ASK: AskId = AskId([70; 16]);
const TIMER: TimerId = TimerId([80; 16]);
const CALL: CallId = CallId { reply: 0, index: 0 };
const RISKY: Risk = Risk::High;

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
    now: Time,
}

impl History {
    fn new() -> History {
        let folder = "folder".to_owned();
        History::default().at(1).then(SessionCreated { folder, options: Options::default(), origin: None, by: Principal("p".to_owned()) })
    }

    /// With an owner of epoch 3 and an open run.
    fn running() -> History {
        History::limited_to(Limits::default())
    }

    /// The model has seen the message and made a call.
    fn acting() -> History {
        let part = Part::Call { call: CALL, provider_call: "p".to_owned(), tool: "tool".to_owned(), args: text() };
        History::running().then(requested()).then(ModelCompleted { parts: vec![part], ..completed(5) })
    }

    fn limited_to(limits: Limits) -> History {
        History::configured(ConfigRef { limits, ..config() })
    }

    fn configured(config: ConfigRef) -> History {
        History::new().then(taken(3)).then(message("m0")).then(run_started(3, config))
    }

    fn add(&mut self, event: Event, by: Option<Epoch>) -> Result<(), Violation> {
        self.monitor.stored(&event, by, &self.events)?;
        self.events.push(Arc::new(event));
        Ok(())
    }

    fn next(&self, body: impl Into<Body>) -> Event {
        let number = self.events.len() as u8 + 1;
        let cause = (number > 1).then_some(evt(1));
        Event { version: Version(number.into()), time: self.now, draft: draft(evt(number), cause, None, body) }
    }

    fn at(self, now: u64) -> History {
        History { now: Time(now), ..self }
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

fn config() -> ConfigRef {
    ConfigRef {
        sha256: Sha256::of(b"config"),
        bytes: 0,
        model: "m".to_owned(),
        fallback: Vec::new(),
        max_turns: 9,
        policy: Policy::default(),
        limits: Limits::default(),
        prices: None,
        output_tokens_max: 1,
        standing: Vec::new(),
        warn_cost_micros: None,
    }
}

fn run_started(message: u8, config: ConfigRef) -> RunStarted {
    RunStarted { run: RUN, message: MessageId(evt(message).0), config }
}

fn person() -> Principal {
    Principal("p".to_owned())
}

fn message(key: &str) -> MessageReceived {
    said(key, 3, Mode::Steer)
}

/// A message whose text is its key.
fn said(key: &str, number: u8, mode: Mode) -> MessageReceived {
    MessageReceived { message: MessageId(evt(number).0), key: Key(key.to_owned()), text: Text::from(key), mode, from: person() }
}

fn risky(args: &[u8]) -> ActionDecided {
    ActionDecided { risk: RISKY, args_hash: Sha256::of(args), ..decided(Class::Unsafe) }
}

fn decided(class: Class) -> ActionDecided {
    ActionDecided {
        action: ACTION,
        call: CALL,
        provider_call: "p".to_owned(),
        tool: "tool".to_owned(),
        args: text(),
        args_hash: Sha256::of(b""),
        class,
        risk: Risk::Low,
        prepared: Box::new(Prepared::default()),
        replaces: None,
        note: None,
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
        reserve: Spend::default(),
        request_sha256,
    }
}

fn completed(request: u8) -> ModelCompleted {
    ModelCompleted { request: evt(request), attempt: 1, parts: vec![Part::Text(text())], usage: Usage::default(), cost_micros: None }
}

fn asked() -> AskOpened {
    opened(Subject::Resume, None)
}

fn opened(subject: Subject, until: Option<Time>) -> AskOpened {
    AskOpened { ask: Ask { ask: ASK, subject, until } }
}

/// Whether the call may run with these arguments.
fn asked_about(args: &[u8], until: u64) -> AskOpened {
    let args_hash = Sha256::of(args);
    opened(Subject::Tool { call: CALL, action: ACTION, tool: "tool".to_owned(), args_hash, witness: None, risk: RISKY }, Some(Time(until)))
}

fn denied() -> AskAnswered {
    answered("deny", Answer::NO)
}

fn answered(key: &str, answer: Answer) -> AskAnswered {
    AskAnswered { ask: ASK, key: Key(key.to_owned()), answer, rule: None, by: person() }
}

fn stopped(scope: Scope) -> RunCancelRequested {
    RunCancelRequested { key: Key("stop".to_owned()), scope, by: person() }
}

fn timer(at: u64) -> TimerSet {
    TimerSet { timer: TIMER, action: ACTION, at: Time(at) }
}

fn deferred() -> ToolDeferred {
    ToolDeferred { action: ACTION, note: text(), output: None }
}

fn cancel_requested() -> ToolCancelRequested {
    ToolCancelRequested { action: ACTION, attempt: 1, deadline: Time(9), note: text() }
}

/// The first attempt has its effect.
fn acts() -> Acted {
    Acted { action: ACTION, attempt: 1, args_hash: Sha256::of(b""), ran_before: 0, live: false }
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
    assert_eq!(History::running().breaks(message("m0")), Invariant::KeyOnce);
    assert_eq!(History::new().then(taken(3)).breaks(run_started(3, config())), Invariant::RunFromMessage);
    let again = History::running().then(said("m1", 5, Mode::Steer));
    assert_eq!(again.breaks(run_started(5, config())), Invariant::RunFinishesOnce);
    let withdrawn = MessageWithdrawn { message: MessageId(evt(3).0), key: Key("w".to_owned()), by: person() };
    assert_eq!(History::running().then(requested()).breaks(withdrawn), Invariant::ShownOnce);
    assert_eq!(History::running().then(run_finished()).breaks(run_finished()), Invariant::RunFinishesOnce);
    assert_eq!(History::running().then(requested()).breaks(run_finished()), Invariant::ModelCallEndsOnce);
    assert_eq!(History::acting().then(decided(Class::Unsafe)).breaks(run_finished()), Invariant::ActionsEnd);
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
    let open = || History::acting().then(decided(Class::Unsafe)).then(started(1));
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
        monitor.acted(&Acted { attempt, ran_before, live, ..acts() }).map_err(|violation| violation.invariant)
    };
    let open = |class| History::acting().then(decided(class)).then(started(1));
    assert_eq!(effect(History::running(), 1, 0, false), Err(Invariant::StartedBeforeEffect));
    assert_eq!(effect(History::acting().then(decided(Class::Unsafe)), 1, 0, false), Err(Invariant::StartedBeforeEffect));
    assert_eq!(effect(open(Class::Unsafe), 1, 0, false), Ok(()));
    assert_eq!(effect(open(Class::Unsafe), 1, 1, false), Err(Invariant::RunsAtMostOnce));
    assert_eq!(effect(open(Class::Pure), 1, 1, false), Ok(()));
    assert_eq!(effect(open(Class::Pure), 1, 1, true), Err(Invariant::OneProcess));
    assert_eq!(effect(open(Class::Pure).then(cancelled(1)), 1, 0, false), Err(Invariant::CancelledHadNoEffect));
    let mut acted = open(Class::Probe);
    acted.monitor.acted(&acts()).unwrap();
    assert_eq!(acted.breaks(cancelled(1)), Invariant::CancelledHadNoEffect);
}

#[test]
fn an_unknown_attempt_may_have_its_effect_late() {
    let unknown = ToolUnknown { action: ACTION, attempt: 1, reason: UnknownReason::OtherMachine, output: text() };
    let told = ToolReconciled { action: ACTION, verdict: Verdict::Told, note: text() };
    let mut history = History::acting().then(decided(Class::Unsafe)).then(started(1)).then(unknown).then(told);
    history.monitor.acted(&acts()).unwrap();
}

#[test]
fn denied_and_parked_sessions_start_nothing() {
    let parked = || History::acting().then(decided(Class::Unsafe)).then(asked());
    assert_eq!(parked().breaks(started(1)), Invariant::ParkedStartsNothing);
    assert_eq!(parked().breaks(requested()), Invariant::ParkedStartsNothing);
    let paused = RunPaused { run: RUN, by: None, key: None };
    assert_eq!(History::running().then(paused).breaks(requested()), Invariant::ParkedStartsNothing);
    assert_eq!(parked().then(denied()).breaks(started(1)), Invariant::NoStartAfterDenial);
    let waits = History::new().then(taken(3)).then(message("m0")).then(asked()).then(denied());
    assert_eq!(waits.breaks(run_started(3, config())), Invariant::NoStartAfterDenial);
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
    let ask =
        |monitor: &mut Monitor, request: &ModelRequest, proven| monitor.request(request, proven, &[]).map_err(|found| found.invariant);
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

#[test]
fn a_held_call_waits_for_its_own_answer() {
    let held = |until| History::acting().then(risky(b"a")).then(asked_about(b"a", until));
    let approve = || answered("yes", Answer::YES);
    assert_eq!(held(9).breaks(started(1)), Invariant::HeldUntilAnswered);
    assert_eq!(held(9).then(denied()).breaks(started(1)), Invariant::HeldUntilAnswered);
    held(9).then(approve()).then(started(1));
    assert_eq!(held(9).then(approve()).at(9).breaks(started(1)), Invariant::ApprovalInTime);
    assert_eq!(held(u64::MAX).then(approve()).at(1 + APPROVAL_VALID_MS).breaks(started(1)), Invariant::ApprovalInTime);
    let other = History::acting().then(risky(b"a")).then(asked_about(b"b", 9)).then(approve());
    assert_eq!(other.breaks(started(1)), Invariant::HeldUntilAnswered);
}

#[test]
fn what_runs_has_the_arguments_that_were_approved() {
    let edit = |args: &[u8]| answered("edit", Answer::Edit { args: text(), args_hash: Sha256::of(args) });
    let replaced = |args| ActionDecided { action: ActionId([51; 16]), replaces: Some(ACTION), ..risky(args) };
    let edited = || History::acting().then(risky(b"a")).then(asked_about(b"a", 9)).then(edit(b"b"));
    assert_eq!(edited().breaks(replaced(b"c")), Invariant::RunsAsApproved);
    assert_eq!(History::acting().then(risky(b"a")).breaks(replaced(b"b")), Invariant::RunsAsApproved);
    let mut runs = edited().then(replaced(b"b")).then(ToolStarted { action: ActionId([51; 16]), ..started(1) });
    let acted = |args: &[u8]| Acted { action: ActionId([51; 16]), args_hash: Sha256::of(args), ..acts() };
    assert_eq!(runs.monitor.acted(&acted(b"a")).unwrap_err().invariant, Invariant::RunsAsApproved);
    runs.monitor.acted(&acted(b"b")).unwrap();
}

#[test]
fn an_ask_ends_once_and_in_its_time() {
    let held = || History::acting().then(risky(b"a")).then(asked_about(b"a", 9));
    let expired = || AskExpired { ask: ASK };
    let superseded = |reason| AskSuperseded { ask: ASK, reason };
    assert_eq!(held().breaks(asked_about(b"a", 9)), Invariant::AskEndsOnce);
    assert_eq!(held().then(denied()).breaks(answered("yes", Answer::YES)), Invariant::AskEndsOnce);
    assert_eq!(held().at(9).then(expired()).breaks(denied()), Invariant::AskEndsOnce);
    assert_eq!(held().at(9).breaks(denied()), Invariant::AnsweredInTime);
    assert_eq!(held().at(8).breaks(expired()), Invariant::NeverEarly);
    let overtaken = || held().then(said("m1", 9, Mode::Steer));
    assert_eq!(overtaken().breaks(denied()), Invariant::MessageOvertakes);
    assert_eq!(overtaken().breaks(requested()), Invariant::MessageOvertakes);
    let shown = || held().then(requested());
    assert_eq!(shown().breaks(superseded(SupersedeReason::NewerMessage)), Invariant::StopsItsScope);
    shown().then(said("m1", 9, Mode::Steer)).then(superseded(SupersedeReason::NewerMessage));
    assert_eq!(held().breaks(superseded(SupersedeReason::Stopped)), Invariant::StopsItsScope);
    held().then(stopped(Scope::Turn)).then(superseded(SupersedeReason::Stopped));
}

#[test]
fn a_stop_ends_its_scope_and_nothing_starts_after_it() {
    let stopping = || History::acting().then(decided(Class::Unsafe)).then(stopped(Scope::Turn));
    assert_eq!(stopping().breaks(started(1)), Invariant::NoStartAfterStop);
    assert_eq!(stopping().breaks(requested()), Invariant::NoStartAfterStop);
    assert_eq!(stopping().breaks(timer(9)), Invariant::NoStartAfterStop);
    assert_eq!(stopping().breaks(asked_about(b"", 9)), Invariant::NoStartAfterStop);
    let waits = History::new().then(taken(3)).then(message("m0")).then(stopped(Scope::Turn));
    assert_eq!(waits.breaks(run_started(3, config())), Invariant::NoStartAfterStop);
    let aborted = || ModelAborted { request: evt(5), attempt: 1, reason: AbortReason::Stopped };
    assert_eq!(History::running().then(requested()).breaks(aborted()), Invariant::StopsItsScope);
    History::running().then(requested()).then(stopped(Scope::Turn)).then(aborted());
    let running = || History::acting().then(decided(Class::Probe)).then(started(1));
    assert_eq!(running().breaks(cancel_requested()), Invariant::StopsItsScope);
    running().then(stopped(Scope::Turn)).then(cancel_requested());
    let background = || running().then(deferred()).then(ToolBackgrounded { action: ACTION });
    assert_eq!(background().then(stopped(Scope::Turn)).breaks(cancel_requested()), Invariant::StopsItsScope);
    background().then(stopped(Scope::All)).then(cancel_requested());
}

#[test]
fn what_was_stopped_is_ending_once_its_owner_has_decided() {
    let ended = |history: History| history.monitor.check_ended().map_err(|found| found.invariant);
    let running = || History::acting().then(decided(Class::Probe)).then(started(1));
    assert_eq!(ended(running()), Ok(()));
    assert_eq!(ended(running().then(stopped(Scope::Turn))), Err(Invariant::StopEndsScope));
    assert_eq!(ended(running().then(stopped(Scope::Turn)).then(cancel_requested())), Ok(()));
    assert_eq!(ended(running().then(said("m1", 9, Mode::Interrupt))), Err(Invariant::StopEndsScope));
    assert_eq!(ended(History::running().then(requested()).then(stopped(Scope::Turn))), Err(Invariant::StopEndsScope));
    let waits = History::acting().then(decided(Class::Pure)).then(timer(9)).then(stopped(Scope::Turn));
    assert_eq!(ended(waits), Err(Invariant::StopEndsScope));
}

#[test]
fn an_interrupt_ends_the_foreground_and_newer_messages_come_first() {
    let running = || History::running().then(requested()).then(completed(5)).then(decided(Class::Probe)).then(started(1));
    let interrupted = || running().then(said("m1", 9, Mode::Interrupt));
    assert_eq!(interrupted().breaks(requested()), Invariant::InterruptFirst);
    interrupted().then(cancel_requested()).then(finished(1)).then(requested());
    let replied = |class| History::running().then(requested()).then(completed(5)).then(decided(class)).then(said("m1", 8, Mode::Steer));
    assert_eq!(replied(Class::Unsafe).breaks(started(1)), Invariant::NoStartPastMessage);
    replied(Class::Pure).then(started(1));
}

#[test]
fn a_wait_ends_once_and_never_early() {
    let waits = || History::acting().then(decided(Class::Pure)).then(timer(9));
    let fired = || TimerFired { timer: TIMER, note: text() };
    assert_eq!(waits().breaks(fired()), Invariant::NeverEarly);
    assert_eq!(waits().at(9).then(fired()).breaks(fired()), Invariant::TimerEndsOnce);
    assert_eq!(waits().then(TimerCancelled { timer: TIMER, note: text() }).breaks(fired()), Invariant::TimerEndsOnce);
    assert_eq!(waits().breaks(timer(10)), Invariant::TimerEndsOnce);
}

#[test]
fn nothing_is_asked_after_the_last_reply() {
    let last = ModelRequested { purpose: Purpose::LastReply, ..requested() };
    let sent = || MessageSent { completed: evt(8) };
    assert_eq!(
        at_turn_limit().then(answered("no", Answer::NO)).then(last).then(completed(7)).then(sent()).breaks(requested()),
        Invariant::LastIsLast
    );
    let failed = |recoverable| ModelFailed {
        request: evt(5),
        attempt: 1,
        class: FailureClass::Permanent,
        recoverable,
        retry_after_ms: None,
        day: None,
        message: text(),
    };
    assert_eq!(History::running().then(requested()).then(failed(false)).breaks(requested()), Invariant::LastIsLast);
    History::running().then(requested()).then(failed(true)).then(requested());
}

#[test]
fn what_is_spent_stays_within_its_limits() {
    let asks = |tokens| ModelRequested { reserve: Spend { tokens, cost_micros: 0 }, ..requested() };
    let limits = Limits { tokens: Some(9), tool_calls: Some(0), ..Limits::default() };
    let limited = || History::limited_to(limits);
    assert_eq!(limited().breaks(asks(10)), Invariant::WithinLimits);
    limited().then(asks(9));
    assert_eq!(limited().then(requested()).then(completed(5)).then(decided(Class::Pure)).breaks(started(1)), Invariant::WithinLimits);
    let reached = |limit| opened(Subject::Limit { limit, used: 0, allowed: 9 }, None);
    limited().then(reached(LimitKind::Tokens)).then(answered("more", Answer::Extend { amount: 1 })).then(asks(10));
    limited().then(reached(LimitKind::Tokens)).then(answered("more", Answer::YES)).then(asks(18));
}

/// A run that may have no turn and waits for a person.
fn at_turn_limit() -> History {
    History::configured(ConfigRef { max_turns: 0, ..config() })
        .then(opened(Subject::Limit { limit: LimitKind::Turns, used: 0, allowed: 0 }, None))
}

#[test]
fn a_run_has_its_turns_and_what_people_add_to_them() {
    let last = || ModelRequested { purpose: Purpose::LastReply, ..requested() };
    assert_eq!(History::running().breaks(last()), Invariant::WithinLimits);
    assert_eq!(at_turn_limit().then(answered("no", Answer::NO)).breaks(requested()), Invariant::WithinLimits);
    assert_eq!(History::configured(ConfigRef { max_turns: 0, ..config() }).breaks(requested()), Invariant::WithinLimits);
    at_turn_limit().then(answered("more", Answer::Extend { amount: 1 })).then(requested());
    at_turn_limit().then(answered("yes", Answer::YES)).then(requested());
}

/// What a request of these items breaks after this history.
fn request_breaks(history: &mut History, items: Vec<Item>) -> Invariant {
    let items = items.into_iter().map(Arc::new).collect();
    let request = ModelRequest { model: "m".to_owned(), config: Sha256::of(b"c"), items };
    history.monitor.request(&request, request.sha256(), &history.events).unwrap_err().invariant
}

#[test]
fn requests_show_each_message_once_and_no_status() {
    let shown = |key: &str| Item::Message(Text::from(key));
    let mut status = History::running().then(said("m1", 5, Mode::Status)).then(requested());
    assert_eq!(request_breaks(&mut status, vec![shown("m0"), shown("m1")]), Invariant::StatusNotShown);
    let asking = || History::running().then(requested());
    assert_eq!(request_breaks(&mut asking(), vec![shown("m0"), shown("m0")]), Invariant::ShownOnce);
    assert_eq!(request_breaks(&mut asking(), vec![shown("other")]), Invariant::ShownOnce);
}

#[test]
fn a_note_is_final_and_a_late_outcome_is_told_once() {
    let running = || History::running().then(requested()).then(completed(5)).then(decided(Class::Probe)).then(started(1));
    assert_eq!(running().then(deferred()).breaks(deferred()), Invariant::NoteIsFinal);
    assert_eq!(running().breaks(ToolBackgrounded { action: ACTION }), Invariant::NoteIsFinal);
    let told = |ended: bool| {
        let mut history = running();
        let mut event = history.next(deferred());
        event.draft.call = Some(CALL);
        history.add(event, Some(Epoch(3))).unwrap();
        if ended { history.then(finished(1)) } else { history }
    };
    let result = |note: &str| CallResult {
        call: CALL,
        provider_call: "p".to_owned(),
        ok: true,
        exit: None,
        signal: None,
        note: Some(Text::from(note)),
        output: None,
    };
    let items = |note: &str, late: usize| {
        let shown = [Item::Message(Text::from("m0")), Item::Result(result(note))];
        shown.into_iter().chain((0..late).map(|_| Item::Late(result("end")))).collect()
    };
    assert_eq!(request_breaks(&mut told(false), items("rewritten", 0)), Invariant::NoteIsFinal);
    assert_eq!(request_breaks(&mut told(false), items("text", 1)), Invariant::LateOnce);
    assert_eq!(request_breaks(&mut told(true), items("text", 0)), Invariant::LateOnce);
    assert_eq!(request_breaks(&mut told(true), items("text", 2)), Invariant::LateOnce);
    assert_eq!(request_breaks(&mut running(), items("text", 1)), Invariant::LateOnce);
}
