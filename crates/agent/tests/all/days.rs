//! What everything together may cost on one day, and what a person is told before.

use crate::scene::{Scene, made};
use contract::ask::Answer;
use contract::body::Usage;
use contract::config::ResumePolicy;

#[test]
fn a_call_that_is_not_admitted_waits_for_a_person() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.not_admitted(500, 400);
    scene.answer("a1", Answer::Extend { amount: 200 });
    insta::assert_snapshot!(scene.story(), @"
    > not admitted
      model.failed day_limit 500 of 400 recoverable
      ask.opened day 500 of 400
      = nothing
    > answer a1 extend by 200
      ask.answered extend by 200
      model.requested reply attempt 2 epoch 1
      = model attempt 2
    ");
    let day = scene.state.run.as_ref().unwrap().day;
    assert_eq!((day.extended, day.refused), (200, None));
}

#[test]
fn a_plain_yes_gives_as_much_again_and_a_no_ends_the_run_at_its_limit() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.not_admitted(500, 400);
    scene.answer("a1", Answer::YES);
    assert_eq!(scene.state.run.as_ref().unwrap().day.extended, 500, "as much again, from what is spent by now");
    scene.not_admitted(900, 900);
    scene.answer("a2", Answer::YES);
    assert_eq!(scene.state.run.as_ref().unwrap().day.extended, 900, "as at first, not twice as much each time");
    scene.not_admitted(9_000, 1_300);
    scene.answer("a3", Answer::YES);
    assert_eq!(scene.state.run.as_ref().unwrap().day.extended, 9_000, "others have spent much");
    scene.not_admitted(9_400, 9_400);
    scene.story();
    scene.answer("a4", Answer::NO);
    insta::assert_snapshot!(scene.story(), @"
    > answer a4 deny
      ask.answered deny
      run.finished limit budget
      = nothing
    ");
}

#[test]
fn a_day_that_was_reached_is_no_failure_of_the_model() {
    let mut scene = Scene::configured(|config| config.fallback = vec!["spare".into()]);
    for number in 0..5 {
        scene.not_admitted(500, 400);
        scene.answer(&format!("a{number}"), Answer::YES);
    }
    let run = scene.state.run.as_ref().unwrap();
    assert_eq!((run.model.as_str(), run.failures, run.failed), ("script", 0, false));
}

#[test]
fn a_person_is_told_once_a_run_what_it_has_cost() {
    let mut scene = Scene::configured(|config| config.warn_cost_micros = Some(1_000));
    let usage = Usage { input: 5, ..Usage::default() };
    scene.replies_for(made::calls(&[contract::call::Class::Pure]), usage, Some(1_000));
    assert_eq!(scene.count("budget.warned"), 0, "not more than that yet");
    scene.finish("call_0_0");
    scene.story();
    scene.replies_for(made::calls(&[contract::call::Class::Pure]), usage, Some(1));
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_1_0
      action.decided call_1_0 pure
      budget.warned cost 1001 over 1000
      tool.started call_1_0 attempt 1 epoch 1
      = start call_1_0 attempt 1
    ");
    scene.finish("call_1_0");
    scene.replies_for(vec![made::text("done")], usage, Some(1));
    assert_eq!(scene.count("budget.warned"), 1);
    scene.message("m2");
    scene.prepared();
    assert_eq!(scene.count("budget.warned"), 2, "each run tells it");
}

#[test]
fn a_person_is_told_once_a_run_of_a_model_that_says_nothing() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.slow(10_000);
    scene.slow(20_000);
    insta::assert_snapshot!(scene.story(), @"
    > slow
      budget.warned slow call, 10000 ms
      = model attempt 1
    > slow
      ! stale: model attempt 1
    ");
    scene.says("done");
    scene.slow(30_000);
    assert_eq!(scene.count("budget.warned"), 1, "it has ended");
}
