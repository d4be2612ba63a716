//! Stages of an action that no correct writer goes through.

use super::{again, folded};
use crate::scene::{Scene, made};
use contract::body::{
    ActionWithdrawn, Body, ModelRequested, ToolAdopted, ToolFinished, ToolReconciled, ToolStarted, UnknownReason, Verdict, WithdrawReason,
};
use contract::call::Class;
use contract::config::ResumePolicy;
use contract::id::{ActionId, BootId, CallId, MachineId};
use contract::outcome::ToolOutcome;
use contract::text::Text;
use contract::units::Epoch;

#[test]
fn an_action_goes_through_its_stages_in_order() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Unsafe; 9]);
    let (running, decided) = (scene.action("call_0_0"), scene.action("call_0_8"));
    scene.takeover();
    scene.tool("call_0_1", made::unknown(contract::body::UnknownReason::Lost));
    let lost = scene.action("call_0_1");
    let start = |action: ActionId, attempt: u16| ToolStarted {
        action,
        attempt,
        epoch: Epoch(2),
        machine: MachineId([3; 16]),
        boot: BootId("boot".into()),
    };
    let finish =
        |action: ActionId, attempt: u16| ToolFinished { action, attempt, ok: true, output: Text::from(""), exit: None, signal: None };
    let reconcile = |action: ActionId| ToolReconciled { action, verdict: Verdict::Told, note: Text::from("") };
    let said = [
        folded(&scene, start(running, 2)),
        folded(&scene, start(decided, 2)),
        folded(&scene, start(lost, 2)),
        folded(&scene, start(ActionId([1; 16]), 1)),
        folded(&scene, finish(running, 2)),
        folded(&scene, finish(decided, 1)),
        folded(&scene, finish(lost, 1)),
        folded(&scene, reconcile(running)),
        folded(&scene, reconcile(decided)),
        folded(&scene, reconcile(ActionId([1; 16]))),
    ];
    insta::assert_snapshot!(said.concat(), @r#"
    event tool.started at version 27 is illegal while attempt 1 of the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: None, since: Time(1700000005000), deadline: None, tail: None })
    event tool.started at version 27 is illegal while attempt 0 of the call is Decided
    event tool.started at version 27 is illegal while attempt 1 of the call is Unknown
    event tool.started at version 27 is illegal while action act_… is not open
    event tool.finished at version 27 is illegal while attempt 2 is not open, the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: None, since: Time(1700000005000), deadline: None, tail: None })
    event tool.finished at version 27 is illegal while attempt 1 is not open, the call is Decided
    event tool.finished at version 27 is illegal while attempt 1 is not open, the call is Unknown
    event tool.reconciled at version 27 is illegal while the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: None, since: Time(1700000005000), deadline: None, tail: None })
    event tool.reconciled at version 27 is illegal while the call is Decided
    event tool.reconciled at version 27 is illegal while action act_… is not open
    "#);
}

#[test]
fn a_call_is_withdrawn_only_before_it_starts() {
    let scene = Scene::calling(ResumePolicy::Continue, &[Class::Unsafe]);
    let withdraw = |index: u16| ActionWithdrawn {
        call: CallId { reply: 0, index },
        action: None,
        reason: WithdrawReason::Denied,
        note: Text::from(""),
    };
    insta::assert_snapshot!([folded(&scene, withdraw(0)), folded(&scene, withdraw(7))].concat(), @r#"
    event action.withdrawn at version 9 is illegal while call_0_0 is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: None, since: Time(1700000005000), deadline: None, tail: None })
    event action.withdrawn at version 9 is illegal while call_0_7 is not open
    "#);
}

#[test]
fn what_was_lost_is_not_withdrawn() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    scene.takeover();
    scene.tool("call_0_0", made::never_started());
    let action = Some(scene.action("call_0_0"));
    let call = CallId { reply: 0, index: 0 };
    let withdrawn = ActionWithdrawn { call, action, reason: WithdrawReason::Denied, note: Text::from("") };
    insta::assert_snapshot!(folded(&scene, withdrawn), @"event action.withdrawn at version 14 is illegal while call_0_0 is Decided");
}

#[test]
fn an_attempt_is_adopted_by_the_owner_and_once() {
    let mut scene = Scene::calling(ResumePolicy::Continue, &[Class::Unsafe]);
    scene.takeover();
    scene.tool("call_0_0", ToolOutcome::Adopted);
    let adopt = |epoch: u64| ToolAdopted { action: scene.action("call_0_0"), attempt: 1, epoch: Epoch(epoch) };
    let mut next = scene.cut(scene.log.len());
    next.takeover();
    let said = [folded(&scene, again(&scene, "tool.adopted")), folded(&scene, adopt(3)), folded(&next, adopt(2)), folded(&next, adopt(3))];
    insta::assert_snapshot!(said.concat(), @r#"
    event tool.adopted at version 11 is illegal while the owner has epoch 2 and the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: Some(Epoch(2)), since: Time(1700000005000), deadline: None, tail: None })
    event tool.adopted at version 11 is illegal while the owner has epoch 2 and the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: Some(Epoch(2)), since: Time(1700000005000), deadline: None, tail: None })
    event tool.adopted at version 12 is illegal while the owner has epoch 3 and the call is Started(Attempt { number: 1, started: evt_…, epoch: Epoch(1), machine: mac_…, boot: BootId("boot"), adopted: Some(Epoch(2)), since: Time(1700000005000), deadline: None, tail: None })
    tool.adopted is legal
    "#);
}

#[test]
fn only_the_owner_asks_and_starts() {
    let scene = Scene::calling(ResumePolicy::Continue, &[Class::Pure]);
    let said = ["model.requested", "tool.started"].map(|name| {
        let place = scene.log.iter().position(|event| event.draft.body.name() == name).unwrap();
        let cut = scene.cut(place);
        let of = |epoch: u64| match again(&scene, name) {
            Body::ModelRequested(requested) => Body::from(ModelRequested { epoch: Epoch(epoch), ..requested }),
            Body::ToolStarted(started) => Body::from(ToolStarted { epoch: Epoch(epoch), ..started }),
            other => other,
        };
        [folded(&cut, of(0)), folded(&cut, of(1)), folded(&cut, of(2))].concat()
    });
    insta::assert_snapshot!(said.concat(), @"
    event model.requested at version 5 is illegal while the owner has epoch 1
    model.requested is legal
    event model.requested at version 5 is illegal while the owner has epoch 1
    event tool.started at version 8 is illegal while the owner has epoch 1
    tool.started is legal
    event tool.started at version 8 is illegal while the owner has epoch 1
    ");
}
