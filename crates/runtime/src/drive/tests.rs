//! What the explorer cannot show with the real machine: one that panics, never rests, or wakes too early.

use super::*;
use contract::body::{OwnerTaken, Principal, RunResumed};
use contract::event::{Actor, Draft, Level, Trust};
use contract::id::{EventId, Key, SessionId};
use contract::machine::Rest;

/// Folds anything; how it misbehaves is said by the key of the input.
struct Odd;

#[derive(Clone, Debug, Default, Serialize)]
struct OddState {
    version: Version,
    epoch: Epoch,
    restless: bool,
    due: Option<Time>,
    wants: bool,
}

fn draft(body: contract::Body) -> Draft {
    Draft {
        id: EventId([1; 16]),
        cause: None,
        correlation: None,
        run: None,
        level: Level::Core,
        call: None,
        actor: Actor::System,
        trust: Trust::System,
        body,
    }
}

impl Machine for Odd {
    type State = OddState;

    fn new(_: StreamId) -> OddState {
        OddState::default()
    }
    fn fold(state: &mut OddState, event: &Event) -> Result<(), Illegal> {
        state.version = event.version;
        if let contract::Body::OwnerTaken(taken) = &event.draft.body {
            state.epoch = taken.epoch;
        }
        if let contract::Body::RunResumed(resumed) = &event.draft.body {
            state.restless = resumed.key.0 == "restless";
            state.wants = resumed.key.0 == "wants";
            state.due = resumed.key.0.strip_prefix("due ").and_then(|at| at.parse().ok()).map(Time);
        }
        Ok(())
    }
    fn accept(_: &OddState, input: Input, _: Time) -> Result<Vec<Draft>, Rejection> {
        Ok(vec![draft(match input {
            Input::Taken { epoch, host, machine, boot } => OwnerTaken { epoch, host, machine, boot }.into(),
            Input::Resume { key, .. } if key.0 == "panic" => panic!("it was told to"),
            Input::Resume { key, by } => RunResumed { key, by }.into(),
            Input::Create { .. }
            | Input::Message { .. }
            | Input::Withdraw { .. }
            | Input::Answer { .. }
            | Input::Edit { .. }
            | Input::Stop { .. }
            | Input::Pause { .. }
            | Input::Done { .. } => return Err(Rejection::NoSession),
        })])
    }
    fn advance(state: &OddState, now: Time) -> Vec<Draft> {
        let again = RunResumed { key: Key("restless".into()), by: Principal("odd".into()) };
        let fired = RunResumed { key: Key("fired".into()), by: Principal("odd".into()) };
        match state.due {
            Some(at) if now >= at => vec![draft(fired.into())],
            Some(_) | None => {
                if state.restless {
                    vec![draft(again.into())]
                } else {
                    Vec::new()
                }
            }
        }
    }
    fn effects(state: &OddState) -> Vec<Effect> {
        let wanted = Effect::Model { request: EventId([9; 16]), attempt: 1 };
        state.wants.then_some(wanted).into_iter().collect()
    }
    fn rest(_: &OddState) -> Rest {
        Rest::Waiting
    }
    fn due(state: &OddState) -> Option<Time> {
        state.due
    }
    fn version(state: &OddState) -> Version {
        state.version
    }
    fn time(_: &OddState) -> Time {
        Time(0)
    }
    fn epoch(state: &OddState) -> Epoch {
        state.epoch
    }
}

/// A driver that owns its stream.
fn driving() -> Driver<Odd> {
    let place = Place { host: HostId([1; 16]), machine: MachineId([1; 16]), boot: BootId("boot".into()) };
    let mut driver = Driver::new(StreamId::session(SessionId([1; 16])), place);
    driver.on(Cause::Open, Time(0));
    driver.on(Cause::Acquired(Epoch(1)), Time(0));
    driver.on(Cause::Read { events: Vec::new(), more: false }, Time(0));
    driver.on(Cause::Appended { last: Version(1) }, Time(0));
    assert!(driver.is_settled());
    driver
}

fn resume(driver: &mut Driver<Odd>, key: &str) -> Vec<Do> {
    let input = Input::Resume { key: Key(key.into()), by: Principal("p".into()) };
    driver.on(Cause::Input { caller: Some(Caller(1)), input }, Time(0))
}

fn quarantined(dos: &[Do]) -> &str {
    let [.., Do::Quarantine { reason, .. }, Do::Release { epoch: Epoch(1) }, Do::Leave(Leave::Quarantined { .. })] = dos else {
        panic!("{dos:?}")
    };
    reason
}

#[test]
fn a_machine_that_panics_is_quarantined_and_the_driver_answers_on() {
    let mut driver = driving();
    assert_eq!(quarantined(&resume(&mut driver, "panic")), "it was told to");
    let answer = Do::Answer { caller: Caller(1), answer: Err(Refusal::Left) };
    assert_eq!(resume(&mut driver, "after"), [answer]);
}

#[test]
fn a_machine_that_never_rests_is_quarantined_and_nothing_of_it_is_stored() {
    let dos = resume(&mut driving(), "restless");
    assert!(quarantined(&dos).contains("no rest"), "{dos:?}");
    assert!(dos.iter().all(|a_do| !matches!(a_do, Do::Append { .. })));
}

#[test]
fn an_alarm_that_rings_too_early_is_set_again() {
    let mut driver = driving();
    resume(&mut driver, "due 50");
    let woken = driver.on(Cause::Appended { last: Version(2) }, Time(10));
    assert_eq!(woken, [Do::Answer { caller: Caller(1), answer: Ok(Version(2)) }, Do::Wake { at: Time(50) }]);
    assert_eq!(driver.on(Cause::Due, Time(49)), [Do::Wake { at: Time(50) }]);
    let fired = driver.on(Cause::Due, Time(50));
    assert!(matches!(&fired[..], [Do::Append { .. }]), "{fired:?}");
}

#[test]
fn an_append_whose_answer_was_lost_is_repeated_word_for_word() {
    let mut driver = driving();
    let [Do::Append { append: first, .. }] = &resume(&mut driver, "x")[..] else { panic!("no append") };
    let again = driver.on(Cause::Unknown, Time(9));
    assert_eq!(again, [Do::Append { append: first.clone(), tries: 1 }]);
}

/// What begins is made from the state at that moment: an input that waits may not change it before.
#[test]
fn what_was_said_meanwhile_is_decided_after_effects_have_begun() {
    let mut driver = driving();
    resume(&mut driver, "wants");
    assert_eq!(resume(&mut driver, "later"), [], "one append at a time");
    let begun = driver.on(Cause::Appended { last: Version(2) }, Time(0));
    assert!(matches!(&begun[..], [Do::Answer { .. }, Do::Start(_), Do::Again]), "{begun:?}");
    assert!(driver.state().wants, "the state is still the one that the effect was wanted by");
    let decided = driver.on(Cause::Again, Time(0));
    assert!(matches!(&decided[..], [Do::Append { .. }]), "{decided:?}");
}
