//! Names that people give their inputs: any text, which never meets what the program names itself.
//! That no two events share an id is a law; here stand the names that would break it.

use crate::scene::Scene;
use contract::ask::Answer;
use contract::config::ResumePolicy;
use contract::effect::EffectId;
use contract::id::Key;

#[test]
fn a_message_may_be_named_like_what_the_program_names_itself() {
    let mut scene = Scene::new();
    for key in ["create", "owner/1", "owner/2", "person/message/create", ""] {
        scene.message(key);
    }
    scene.takeover();
    assert_eq!(scene.state.inbox.len(), 5);
    insta::assert_snapshot!(scene.effects(), @"prepare create");
}

#[test]
fn a_message_may_be_named_like_an_outcome() {
    let mut scene = Scene::new();
    scene.message("m1");
    let run = Key::outcome(EffectId::Prepare(scene.state.inbox[0].id), 1, "run");
    scene.message(&run.0);
    scene.prepared();
    let (effect, attempt) = scene.model();
    scene.message(&Key::outcome(effect, attempt, "completed").0);
    scene.says("answer");
    assert!(scene.story().contains("model.completed \"answer\""));
}

#[test]
fn an_answer_and_a_resume_may_be_named_like_what_the_program_names_itself() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    scene.answer("create", Answer::YES);
    scene.resume("owner/3");
    scene.takeover();
    insta::assert_snapshot!(scene.story(), @"
    > taken 2
      owner.taken epoch 2
      model.failed interrupted recoverable
      ask.opened resume
      = nothing
    > answer create approve
      ask.answered approve
      model.requested reply attempt 2 epoch 2
      = model attempt 2
    > resume owner/3
      run.resumed owner/3
      = model attempt 2
    > taken 3
      owner.taken epoch 3
      model.failed interrupted recoverable
      model.requested reply attempt 3 epoch 3
      = model attempt 3
    ");
}

#[test]
fn a_name_is_used_once_by_whatever_a_person_does() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.message("k");
    scene.takeover();
    scene.story();
    scene.answer("k", Answer::YES);
    scene.resume("k");
    insta::assert_snapshot!(scene.story(), @"
    > answer k approve
      ! already recorded at version 6
    > resume k
      ! already recorded at version 6
    ");
}
