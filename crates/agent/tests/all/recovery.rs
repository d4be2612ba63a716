//! What became of a lost attempt decides whether there is another one.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use contract::ask::Answer;
use contract::body::UnknownReason;
use contract::call::Class;
use contract::config::ResumePolicy::{self, Continue};
use contract::limits::ATTEMPTS_MAX;
use contract::outcome::ToolOutcome;
use contract::text::Text;

#[test]
fn what_never_started_is_tried_again_in_every_class() {
    let mut scene = Scene::calling(Continue, &[Class::Pure, Class::Idempotent, Class::Probe, Class::Unsafe]);
    scene.takeover();
    for index in 0..4 {
        scene.tool(&format!("call_0_{index}"), made::never_started());
    }
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 pure, recover call_0_1 attempt 1 idempotent, recover call_0_2 attempt 1 probe, recover call_0_3 attempt 1 unsafe
    > call_0_0 attempt 1 never_started
      tool.cancelled call_0_0 attempt 1 never_started
      tool.started call_0_0 attempt 2 epoch 2
      = start call_0_0 attempt 2, recover call_0_1 attempt 1 idempotent, recover call_0_2 attempt 1 probe, recover call_0_3 attempt 1 unsafe
    > call_0_1 attempt 1 never_started
      tool.cancelled call_0_1 attempt 1 never_started
      tool.started call_0_1 attempt 2 epoch 2
      = start call_0_0 attempt 2, start call_0_1 attempt 2, recover call_0_2 attempt 1 probe, recover call_0_3 attempt 1 unsafe
    > call_0_2 attempt 1 never_started
      tool.cancelled call_0_2 attempt 1 never_started
      tool.started call_0_2 attempt 2 epoch 2
      = start call_0_0 attempt 2, start call_0_1 attempt 2, start call_0_2 attempt 2, recover call_0_3 attempt 1 unsafe
    > call_0_3 attempt 1 never_started
      tool.cancelled call_0_3 attempt 1 never_started
      tool.started call_0_3 attempt 2 epoch 2
      = start call_0_0 attempt 2, start call_0_1 attempt 2, start call_0_2 attempt 2, start call_0_3 attempt 2
    ");
}

#[test]
fn what_never_starts_is_given_up() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    for _ in 1..ATTEMPTS_MAX {
        scene.tool("call_0_0", made::never_started());
    }
    scene.story();
    scene.tool("call_0_0", made::no_effect());
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 5 no_effect
      tool.cancelled call_0_0 attempt 5 no_effect
      action.withdrawn call_0_0 limit <never started>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn what_had_no_effect_is_tried_again() {
    let mut scene = Scene::calling(Continue, &[Class::Probe]);
    scene.takeover();
    scene.tool("call_0_0", made::no_effect());
    scene.finish("call_0_0");
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 probe
    > call_0_0 attempt 1 no_effect
      tool.cancelled call_0_0 attempt 1 no_effect
      tool.started call_0_0 attempt 2 epoch 2
      = start call_0_0 attempt 2
    > call_0_0 attempt 2 finishes
      tool.finished call_0_0 attempt 2 ok
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn a_lost_pure_or_idempotent_attempt_is_repeated() {
    for class in [Class::Pure, Class::Idempotent] {
        let mut scene = Scene::calling(Continue, &[class]);
        scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
        let story = scene.story();
        insta::allow_duplicates! {
            insta::assert_snapshot!(story, @"
            > call_0_0 attempt 1 is unknown: lost
              tool.unknown call_0_0 attempt 1 lost
              tool.started call_0_0 attempt 2 epoch 1
              = start call_0_0 attempt 2
            ");
        }
    }
}

#[test]
fn repeats_end_at_the_most_attempts_and_the_model_is_told() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    for _ in 1..ATTEMPTS_MAX {
        scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    }
    insta::assert_snapshot!(scene.effects(), @"start call_0_0 attempt 5");
    scene.story();
    scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 not ok <unknown: lost> "half of it"
    "#);
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 5 is unknown: lost
      tool.unknown call_0_0 attempt 5 lost
      tool.reconciled call_0_0 told <unknown: lost>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}

#[test]
fn a_lost_probe_or_unsafe_attempt_is_told_and_not_repeated() {
    for class in [Class::Probe, Class::Unsafe] {
        let mut scene = Scene::calling(Continue, &[class]);
        scene.takeover();
        scene.tool("call_0_0", made::unknown(UnknownReason::Died));
        let (shown, story) = (request(&scene), scene.story());
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown, @r#"
            message: text of m1
            assistant: call_0_0
            result: call_0_0 provider_0 not ok <unknown: died> "half of it"
            "#);
        }
        assert_eq!(story.matches("tool.started").count(), 0);
        assert!(story.contains("tool.reconciled call_0_0 told <unknown: died>"), "{story}");
    }
}

#[test]
fn each_reason_has_its_own_note() {
    let reasons = [UnknownReason::Died, UnknownReason::OtherBoot, UnknownReason::OtherMachine, UnknownReason::Changed, UnknownReason::Lost];
    let mut scene = Scene::calling(Continue, &[Class::Unsafe; 5]);
    for (index, reason) in reasons.into_iter().enumerate() {
        scene.tool(&format!("call_0_{index}"), made::unknown(reason));
    }
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1 + call_0_2 + call_0_3 + call_0_4
    result: call_0_0 provider_0 not ok <unknown: died> "half of it"
    result: call_0_1 provider_1 not ok <unknown: other boot> "half of it"
    result: call_0_2 provider_2 not ok <unknown: other machine> "half of it"
    result: call_0_3 provider_3 not ok <unknown: changed> "half of it"
    result: call_0_4 provider_4 not ok <unknown: lost> "half of it"
    "#);
}

#[test]
fn an_unknown_attempt_without_output_shows_only_the_note() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.tool("call_0_0", ToolOutcome::Unknown { reason: UnknownReason::Lost, output: Text::from("") });
    insta::assert_snapshot!(request(&scene), @"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 not ok <unknown: lost>
    ");
}

#[test]
fn after_its_reconciliation_an_action_is_over() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    scene.story();
    scene.tool_attempt("call_0_0", 1, made::finished("after all"));
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 1 finishes
      ! stale: call_0_0 attempt 1
    ");
}

#[test]
fn one_lost_call_does_not_hold_up_the_others() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe, Class::Pure]);
    scene.takeover();
    scene.tool("call_0_0", made::unknown(UnknownReason::OtherMachine));
    scene.tool("call_0_1", made::finished("fine"));
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0 + call_0_1
    result: call_0_0 provider_0 not ok <unknown: other machine> "half of it"
    result: call_0_1 provider_1 ok exit 0 "fine"
    "#);
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      = recover call_0_0 attempt 1 unsafe, recover call_0_1 attempt 1 pure
    > call_0_0 attempt 1 is unknown: other_machine
      tool.unknown call_0_0 attempt 1 other_machine
      tool.reconciled call_0_0 told <unknown: other machine>
      = recover call_0_1 attempt 1 pure
    > call_0_1 attempt 1 finishes
      tool.finished call_0_1 attempt 1 ok
      model.requested reply attempt 1 epoch 2
      = model attempt 1
    ");
}

#[test]
fn what_was_lost_once_is_told_as_unknown_also_when_its_repeat_surely_did_nothing() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Idempotent]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Lost));
    scene.takeover();
    scene.answer("a1", Answer::NO);
    scene.story();
    scene.tool("call_0_0", made::never_started());
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 2 never_started
      tool.cancelled call_0_0 attempt 2 never_started
      tool.reconciled call_0_0 told <unknown: lost>
      run.finished cancelled denied
      = nothing
    ");
    scene.message("m2");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: call_0_0
    result: call_0_0 provider_0 not ok <unknown: lost> "half of it"
    message: text of m2
    "#);
}

#[test]
fn the_last_attempt_of_what_was_lost_once_does_not_hide_it() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    scene.tool("call_0_0", made::unknown(UnknownReason::Died));
    for _ in 1..ATTEMPTS_MAX {
        scene.story();
        scene.tool("call_0_0", made::no_effect());
    }
    insta::assert_snapshot!(scene.story(), @"
    > call_0_0 attempt 5 no_effect
      tool.cancelled call_0_0 attempt 5 no_effect
      tool.reconciled call_0_0 told <unknown: died>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    ");
}
