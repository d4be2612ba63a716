//! What became of an earlier owner's attempts is found out before a model is told anything of them.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use agent::Agent;
use contract::body::{FailureClass, UnknownReason};
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::machine::Machine;
use contract::outcome::ToolOutcome;

#[test]
fn a_message_after_a_takeover_waits_until_it_is_known_what_still_runs() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Unsafe]);
    scene.takeover();
    scene.message("m2");
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    scene.tool("call_0_1", ToolOutcome::Adopted);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe, recover call_0_1 attempt 1 unsafe
    > message m2 steer
      message.received m2 steer
      = recover call_0_0 attempt 1 unsafe, recover call_0_1 attempt 1 unsafe
    > call_0_0 attempt 1 is unknown: died
      tool.unknown call_0_0 attempt 1 died
      tool.reconciled call_0_0 told <unknown: died>
      = recover call_0_1 attempt 1 unsafe
    > call_0_1 attempt 1 is adopted
      tool.adopted call_0_1 attempt 1 epoch 2
      tool.deferred call_0_1 <deferred running: call_0_1 4>
      model.requested reply attempt 1 epoch 2
      = model attempt 1, recover call_0_1 attempt 1 unsafe
    ");
    insta::assert_snapshot!(fresh(&scene), @r#"
    result: call_0_0 provider_0 not ok <unknown: died> "half of it"
    result: call_0_1 provider_1 ok <deferred running: call_0_1 4>
    message: text of m2
    "#);
}

#[test]
fn another_machine_takes_its_time_and_the_model_is_asked_meanwhile() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.takeover_from_afar();
    scene.message("m2");
    assert_eq!(scene.effects(), "model attempt 1, recover call_0_0 attempt 1 unsafe");
}

#[test]
fn a_retry_whose_time_has_come_waits_for_what_is_found_and_wakes_nobody() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.message("m2");
    scene.fails(FailureClass::Transient);
    scene.now = scene.now.plus_ms(60_000);
    scene.takeover();
    assert_eq!((Agent::due(&scene.state), scene.effects().as_str()), (None, "recover call_0_0 attempt 1 unsafe"));
    scene.tool("call_0_0", ToolOutcome::Adopted);
    assert_eq!(scene.effects(), "model attempt 2, recover call_0_0 attempt 1 unsafe");
}

#[test]
fn patience_that_ran_out_meanwhile_waits_for_what_is_found_too() {
    for (outcome, notes) in [(ToolOutcome::Adopted, 1), (made::finished("done"), 0)] {
        let mut scene = Scene::replied(vec![made::plain(0, Class::Unsafe).patience(60_000).part()]);
        scene.now = scene.now.plus_ms(600_000);
        scene.takeover();
        assert_eq!((Agent::due(&scene.state), scene.count("tool.deferred")), (None, 0));
        scene.tool("call_0_0", outcome);
        assert_eq!((scene.count("tool.deferred"), scene.count("tool.backgrounded"), scene.count("model.requested")), (notes, notes, 2));
    }
}
