//! Calls that wait: for a time, or for the end of another call, whichever comes first; never early, once, by any owner.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use agent::Agent;
use agent::rest::{Turn, turn};
use contract::call::Class;
use contract::config::ResumePolicy::{Ask, Continue};
use contract::machine::{Machine, Rest};

const WAIT_MS: u64 = 90_000;

fn waiting() -> Scene {
    Scene::replied(vec![made::wait(0, WAIT_MS).part()])
}

/// A call in the background, and one that waits for it.
fn watching() -> Scene {
    let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    scene.replies(vec![made::wait(0, WAIT_MS).about("call_0_0").part()]);
    scene.story();
    scene
}

#[test]
fn a_wait_ends_at_its_time_and_not_before() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::wait(0, WAIT_MS).part()]);
    assert_eq!(Agent::rest(&scene.state), Rest::Until(scene.now.plus_ms(WAIT_MS)));
    assert_eq!(turn(&scene.state), Turn::Session, "nobody need do anything for it to go on");
    scene.wait(1);
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0
      action.decided call_0_0 pure
      timer.set call_0_0 in 90000 ms
      = nothing
    > it is almost time
      = nothing
    > it is time
      timer.fired call_0_0 <timer fired: 90>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"result: call_0_0 provider_0 ok <timer fired: 90>");
}

#[test]
fn two_owners_who_notice_the_time_say_the_same() {
    let scene = waiting();
    let fired = |scene: &Scene| {
        let drafts = Agent::advance(&scene.state, Agent::due(&scene.state).unwrap());
        drafts.into_iter().find(|draft| draft.body.name() == "timer.fired").unwrap().id
    };
    let mut next = scene.cut(scene.log.len());
    next.takeover();
    assert_eq!(fired(&scene), fired(&next));
}

#[test]
fn a_wait_goes_on_under_the_next_owner_and_is_late_after_downtime() {
    let mut scene = waiting();
    let due = Agent::due(&scene.state);
    scene.takeover();
    assert_eq!(Agent::due(&scene.state), due);
    scene.now = scene.now.plus_ms(10 * WAIT_MS);
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = nothing
    > taken 3
      owner.taken epoch 3
      timer.fired call_0_0 <timer fired: 90>
      model.requested reply attempt 1 epoch 3
      = model attempt 1
    ");
    assert_eq!(scene.state.recoveries, 0, "whoever only waits does not crash");
}

#[test]
fn a_session_that_asks_after_takeovers_lets_a_wait_go_on() {
    let mut scene = Scene::asking(Ask);
    scene.replies(vec![made::wait(0, WAIT_MS).part()]);
    scene.takeover();
    assert_eq!((scene.state.asks.len(), scene.count("timer.set")), (0, 1));
}

#[test]
fn waiting_for_a_call_ends_with_it() {
    let mut scene = watching();
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      timer.cancelled call_1_0 <timer target ended: call_0_0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_1_0 provider_0 ok <timer target ended: call_0_0>
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    "#);
}

#[test]
fn waiting_for_a_call_ends_at_its_time_if_that_is_sooner() {
    let mut scene = watching();
    scene.wait(0);
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > it is time
      timer.fired call_1_0 <timer fired: 90>
      model.requested reply attempt 1 epoch 1
      = model attempt 1, start call_0_0 attempt 1
    > call_0_0 attempt 1 finishes
      tool.finished call_0_0 attempt 1 ok
      = model attempt 1
    ");
}

#[test]
fn waiting_for_a_call_that_has_ended_is_over_at_once() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.finish("call_0_0");
    scene.story();
    scene.replies(vec![made::wait(0, WAIT_MS).about("call_0_0").part()]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_1_0
      action.decided call_1_0 pure
      timer.set call_1_0 in 90000 ms
      timer.cancelled call_1_0 <timer target ended: call_0_0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn waiting_for_a_call_ends_under_the_next_owner_too() {
    let mut scene = watching();
    scene.takeover();
    scene.finish("call_0_0");
    assert!(scene.story().contains("timer.cancelled call_1_0 <timer target ended: call_0_0>"));
}

#[test]
fn a_message_does_not_end_a_wait_but_is_heard_at_once() {
    let mut scene = waiting();
    scene.message("m2");
    scene.says("I am waiting");
    scene.story();
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > it is time
      timer.fired call_0_0 <timer fired: 90>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
    insta::assert_snapshot!(fresh(&scene), @"late: call_0_0 provider_0 ok <timer fired: 90>");
}

#[test]
fn several_waits_end_each_at_its_own_time() {
    let mut scene = Scene::replied(vec![made::wait(0, 3 * WAIT_MS).part(), made::wait(1, WAIT_MS).part()]);
    scene.wait(0);
    scene.wait(0);
    insta::assert_snapshot!(scene.story(), @"
    > it is time
      timer.fired call_0_1 <timer fired: 90>
      = nothing
    > it is time
      timer.fired call_0_0 <timer fired: 270>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn a_wait_of_no_time_is_over_at_once() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::wait(0, 0).part()]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_0_0
      action.decided call_0_0 pure
      timer.set call_0_0 in 0 ms
      timer.fired call_0_0 <timer fired: 0>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn a_wait_costs_no_tool_call() {
    let mut scene = Scene::configured(|config| config.limits.tool_calls = Some(0));
    scene.replies(vec![made::wait(0, WAIT_MS).part()]);
    scene.wait(0);
    assert_eq!((scene.state.ledger.tool_calls, scene.state.asks.len()), (0, 0));
}
