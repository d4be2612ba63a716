//! A model that fails in passing is asked again, later and not for ever; one that cannot answer is replaced.

use crate::scene::Scene;
use agent::Agent;
use contract::body::{Body, FailureClass};
use contract::config::ResumePolicy::Continue;
use contract::limits::MODEL_RETRIES_MAX;
use contract::machine::{Machine, Rest};

/// A run that asks `script` and may ask these instead.
fn with_fallback(models: &[&str]) -> Scene {
    let mut scene = Scene::with(Continue);
    scene.config.fallback = models.iter().map(|model| (*model).to_owned()).collect();
    scene.message("m1");
    scene.prepared();
    scene.story();
    scene
}

/// The pause before the second retry is longer than what passes between two inputs of a scene.
fn waiting_for_the_second_retry() -> Scene {
    let mut scene = Scene::asking(Continue);
    scene.fails(FailureClass::Transient);
    scene.wait(0);
    scene.fails(FailureClass::Transient);
    scene.story();
    scene
}

fn asked(scene: &Scene) -> Vec<String> {
    let model = |body: &Body| if let Body::ModelRequested(requested) = body { Some(requested.model.clone()) } else { None };
    scene.log.iter().filter_map(|event| model(&event.draft.body)).collect()
}

#[test]
fn nothing_is_asked_before_its_time_and_the_session_waits_without_being_busy() {
    let mut scene = Scene::asking(Continue);
    scene.fails(FailureClass::RateLimited);
    let due = Agent::due(&scene.state).unwrap();
    assert_eq!(Agent::rest(&scene.state), Rest::Until(due));
    scene.story();
    scene.wait(1);
    assert_eq!(scene.story(), "> it is almost time\n  = nothing\n");
    scene.wait(0);
    assert_eq!(scene.story(), "> it is time\n  model.requested reply attempt 2 epoch 1\n  = model attempt 2\n");
    scene.says("after all");
    assert!(scene.story().contains("run.finished completed"));
    assert_eq!(Agent::due(&scene.state), None);
}

#[test]
fn a_model_is_asked_so_often_and_no_more() {
    let mut scene = Scene::asking(Continue);
    for _ in 0..MODEL_RETRIES_MAX {
        scene.fails(FailureClass::Overloaded);
        assert!(scene.story().contains("model.failed overloaded recoverable"));
        scene.wait(0);
    }
    scene.story();
    scene.fails(FailureClass::Overloaded);
    assert_eq!(
        scene.story(),
        "> model fails overloaded\n  model.failed overloaded for good\n  run.finished failed model_failed\n  = nothing\n"
    );
    assert_eq!(asked(&scene).len(), usize::from(MODEL_RETRIES_MAX) + 1);
}

#[test]
fn a_reply_makes_the_count_begin_anew() {
    let mut scene = Scene::asking(Continue);
    for _ in 0..3 {
        for _ in 0..MODEL_RETRIES_MAX {
            scene.fails(FailureClass::Transient);
            scene.wait(0);
        }
        scene.calls(&[contract::call::Class::Pure]);
        let call = format!("call_{}_0", scene.state.replies - 1);
        scene.finish(&call);
    }
    assert!(scene.state.run.as_ref().is_some_and(|run| !run.failed && run.failures == 0));
}

#[test]
fn a_model_that_cannot_answer_is_replaced_at_once() {
    let mut scene = with_fallback(&["spare", "last"]);
    scene.fails(FailureClass::Auth);
    scene.fails(FailureClass::Permanent);
    scene.says("the last one answers");
    assert_eq!(asked(&scene), ["script", "spare", "last"]);
    assert!(scene.story().contains("run.finished completed"));
}

#[test]
fn a_replaced_model_has_its_own_retries_and_the_next_run_begins_with_the_first() {
    let mut scene = with_fallback(&["spare"]);
    for _ in 0..MODEL_RETRIES_MAX {
        scene.fails(FailureClass::Transient);
        scene.wait(0);
    }
    scene.fails(FailureClass::Transient);
    scene.fails(FailureClass::Transient);
    scene.wait(0);
    scene.says("answer");
    scene.message("m2");
    scene.prepared();
    assert_eq!(asked(&scene), ["script", "script", "script", "script", "spare", "spare", "script"]);
}

#[test]
fn a_message_while_a_retry_waits_is_shown_by_it() {
    let mut scene = waiting_for_the_second_retry();
    scene.message("m2");
    assert!(!scene.story().contains("model.requested"), "the provider is not hurried by a message");
    scene.wait(0);
    assert!(scene.state.inbox.is_empty());
    assert_eq!(agent::context::context(&scene.state).unwrap().items.len(), 2);
}

#[test]
fn a_retry_outlives_its_owner_and_is_not_made_twice() {
    let mut scene = waiting_for_the_second_retry();
    let due = Agent::due(&scene.state);
    scene.takeover();
    assert_eq!(Agent::due(&scene.state), due, "another owner waits for the same time");
    scene.wait(0);
    scene.takeover();
    scene.says("answer");
    assert_eq!(asked(&scene).len(), 4, "the request, two retries, and the second one anew because a crash cut it off");
}

/// Models are taken by their place in the list: one that is named twice is asked twice, and not for ever.
#[test]
fn a_list_that_names_a_model_twice_comes_to_its_end() {
    let mut scene = with_fallback(&["spare", "script", "spare"]);
    for _ in 0..4 {
        scene.fails(FailureClass::Permanent);
    }
    assert_eq!(asked(&scene), ["script", "spare", "script", "spare"]);
    assert!(scene.story().ends_with("run.finished failed model_failed\n  = nothing\n"));
}
