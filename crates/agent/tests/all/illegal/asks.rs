//! Asks that no correct writer opens or answers.

use super::{again, folded};
use crate::scene::{Scene, person};
use contract::ask::Answer;
use contract::body::AskAnswered;
use contract::config::ResumePolicy;
use contract::id::{AskId, Key};

#[test]
fn nobody_answers_what_nobody_asked() {
    let scene = Scene::new();
    let answered = AskAnswered { ask: AskId([1; 16]), key: Key("a".into()), answer: Answer::Deny, by: person() };
    insta::assert_snapshot!(folded(&scene, answered), @"event ask.answered at version 3 is illegal while there is no open ask ask_…");
}

#[test]
fn an_ask_is_opened_once() {
    let mut scene = Scene::asking(ResumePolicy::Ask);
    scene.takeover();
    insta::assert_snapshot!(folded(&scene, again(&scene, "ask.opened")), @"event ask.opened at version 9 is illegal while the ask ask_… is open");
}
