//! Notes, waits, stops and withdrawals that no correct writer makes.

use super::{again, folded};
use crate::scene::made::{self, Change};
use crate::scene::{Scene, person};
use contract::body::{
    AbortReason, Body, MessageWithdrawn, ModelAborted, TimerCancelled, TimerFired, TimerSet, ToolBackgrounded, ToolCancelRequested,
    ToolDeferred, ToolProgress,
};
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::id::{ActionId, EventId, Key, MessageId, TimerId};
use contract::text::Text;
use contract::units::Time;

fn deferred(action: ActionId) -> ToolDeferred {
    ToolDeferred { action, note: Text::from("note"), output: None }
}

#[test]
fn a_call_is_deferred_once_and_before_it_goes_to_the_background() {
    let mut scene = Scene::replied(vec![made::call(0, Class::Unsafe), made::plain(1, Class::Unsafe).patience(0).part()]);
    let plain = scene.action("call_0_0");
    let fresh = [folded(&scene, ToolBackgrounded { action: plain }), folded(&scene, deferred(ActionId([1; 16])))];
    let background = scene.action("call_0_1");
    scene.message("m2");
    let said = [
        folded(&scene, deferred(plain)),
        folded(&scene, ToolBackgrounded { action: background }),
        folded(&scene, ToolBackgrounded { action: plain }),
    ];
    insta::assert_snapshot!([fresh.concat(), said.concat()].concat(), @"
    event tool.backgrounded at version 13 is illegal while call_0_0 is not deferred, or in the background already
    event tool.deferred at version 13 is illegal while action act_… is not open
    event tool.deferred at version 16 is illegal while call_0_0 is deferred
    event tool.backgrounded at version 16 is illegal while call_0_1 is not deferred, or in the background already
    tool.backgrounded is legal
    ");
}

#[test]
fn only_a_running_attempt_prints_and_is_told_to_end() {
    let scene = Scene::replied(vec![made::call(0, Class::Unsafe), made::command(1, "make install").part()]);
    let (running, held) = (scene.action("call_0_0"), scene.action("call_0_1"));
    let progress = |action: ActionId, attempt: u16| ToolProgress { action, attempt, output: Text::from("line") };
    let stop = |action: ActionId, attempt: u16| ToolCancelRequested { action, attempt, deadline: Time(0), note: Text::from("") };
    assert!(folded(&scene, progress(running, 2)).contains("attempt 2 is not open"));
    assert!(folded(&scene, stop(running, 2)).contains("attempt 2 is not open"));
    assert!(folded(&scene, progress(held, 1)).contains("attempt 1 is not open, the call is Held"));
    assert!(folded(&scene, stop(held, 1)).contains("attempt 1 is not open, the call is Held"));
    assert!(folded(&scene, progress(running, 1)).contains("is legal"));
}

#[test]
fn a_call_waits_once_and_not_less_than_its_time() {
    let scene = Scene::replied(vec![made::wait(0, 60_000).part(), made::call(1, Class::Pure)]);
    let (waiting, running) = (scene.action("call_0_0"), scene.action("call_0_1"));
    let set = |action: ActionId| TimerSet { timer: TimerId([1; 16]), action, at: Time(0) };
    let said = [
        folded(&scene, TimerFired { timer: TimerId::of(waiting), note: Text::from("") }),
        folded(&scene, TimerFired { timer: TimerId([1; 16]), note: Text::from("") }),
        folded(&scene, TimerCancelled { timer: TimerId([1; 16]), note: Text::from("") }),
        folded(&scene, set(ActionId([1; 16]))),
        folded(&scene, TimerCancelled { timer: TimerId::of(waiting), note: Text::from("") }),
    ];
    insta::assert_snapshot!(said.concat(), @"
    event timer.fired at version 11 is illegal while it is to fire at 1700000065000
    event timer.fired at version 11 is illegal while no call waits for tmr_…
    event timer.cancelled at version 11 is illegal while no call waits for tmr_…
    event timer.set at version 11 is illegal while action act_… is not open
    timer.cancelled is legal
    ");
    assert!(folded(&scene, set(waiting)).contains("the call is Waiting"));
    assert!(folded(&scene, set(running)).contains("the call is Started"));
}

#[test]
fn a_model_call_is_aborted_while_it_is_open() {
    let mut scene = Scene::asking(Continue);
    let aborted = |request: EventId, attempt: u16| ModelAborted { request, attempt, reason: AbortReason::Stopped };
    let Some(open) = scene.state.model.as_ref().map(|model| model.request) else { panic!("no call") };
    let said = [folded(&scene, aborted(open, 2)), folded(&scene, aborted(EventId([1; 16]), 1)), folded(&scene, aborted(open, 1))];
    scene.says("done");
    insta::assert_snapshot!([said.concat(), folded(&scene, aborted(open, 1))].concat(), @"
    event model.aborted at version 6 is illegal while the open model call is evt_… attempt 1
    event model.aborted at version 6 is illegal while the open model call is evt_… attempt 1
    model.aborted is legal
    event model.aborted at version 9 is illegal while no model call is open
    ");
}

#[test]
fn a_message_is_withdrawn_while_it_waits() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    let withdrawn = |message: MessageId| MessageWithdrawn { message, key: Key("w".into()), by: person() };
    let Body::MessageReceived(received) = again(&scene, "message.received") else { panic!("no message") };
    let shown = scene.log.iter().find_map(|event| match &event.draft.body {
        Body::MessageReceived(first) => Some(first.message),
        _ => None,
    });
    let said = [folded(&scene, withdrawn(shown.unwrap())), folded(&scene, withdrawn(received.message))];
    insta::assert_snapshot!(said.concat(), @"
    event message.withdrawn at version 7 is illegal while message msg_… does not wait
    message.withdrawn is legal
    ");
}
