//! A model call that brings no reply, or none that can be stored.

use crate::scene::{Scene, made};
use contract::body::FailureClass;
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::limits::{CALLS_PER_REPLY_MAX, REPLY_PARTS_MAX};

#[test]
fn a_model_that_fails_for_good_fails_the_run() {
    let classes = [FailureClass::ContextTooLong, FailureClass::Auth, FailureClass::Permanent];
    let mut stories = String::new();
    for class in classes {
        let mut scene = Scene::asking(Continue);
        scene.fails(class);
        stories += &scene.story();
    }
    insta::assert_snapshot!(stories, @"
    > model fails context_too_long
      model.failed context_too_long for good
      run.finished failed model_failed
      = nothing
    > model fails auth
      model.failed auth for good
      run.finished failed model_failed
      = nothing
    > model fails permanent
      model.failed permanent for good
      run.finished failed model_failed
      = nothing
    ");
}

/// Only a takeover knows of an interruption: a run that asked again at once could do so for ever.
#[test]
fn an_executor_that_says_interrupted_is_one_that_failed_in_passing() {
    let mut scene = Scene::asking(Continue);
    scene.fails(FailureClass::Interrupted);
    assert!(scene.story().contains("model.failed transient recoverable\n  model.retrying in "));
}

#[test]
fn a_reply_with_too_many_parts_is_refused_whole() {
    for (parts, story) in [
        (REPLY_PARTS_MAX, "model.completed"),
        (REPLY_PARTS_MAX + 1, "model.failed permanent for good <too large>\n  run.finished failed model_failed\n  = nothing\n"),
    ] {
        let mut scene = Scene::asking(Continue);
        scene.replies(vec![made::text("a"); parts]);
        let told = scene.story();
        assert!(told.starts_with(&format!("> reply\n  {story}")), "{told}");
    }
}

#[test]
fn a_reply_of_calls_alone_may_have_as_many_parts() {
    let mut scene = Scene::asking(Continue);
    scene.calls(&[Class::Pure; REPLY_PARTS_MAX]);
    let told = scene.story();
    let count = |name: &str| told.matches(name).count();
    assert_eq!([count("action.decided"), count("action.withdrawn")], [CALLS_PER_REPLY_MAX, REPLY_PARTS_MAX - CALLS_PER_REPLY_MAX]);
    let mut scene = Scene::asking(Continue);
    scene.calls(&[Class::Pure; REPLY_PARTS_MAX + 1]);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.failed permanent for good <too large>
      run.finished failed model_failed
      = nothing
    ");
}

#[test]
fn a_reply_counts_once() {
    let mut scene = Scene::asking(Continue);
    scene.says("answer");
    scene.says("answer");
    scene.fails(FailureClass::Permanent);
    insta::assert_snapshot!(scene.story(), @r#"
    > reply
      model.completed "answer"
      message.sent
      run.finished completed
      = nothing
    > reply
      ! stale: model attempt 1
    > model fails permanent
      ! stale: model attempt 1
    "#);
}
