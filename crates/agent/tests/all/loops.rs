//! A model that repeats itself is told so once, and then a person is asked.

use crate::scene::lines::request;
use crate::scene::made::{self, Change};
use crate::scene::{Scene, lines};
use contract::ask::Answer;
use contract::body::{Body, Mode};
use contract::call::Class;
use contract::limits::{REPEATS_CORRECTED, REPEATS_MAX};

fn endless() -> Scene {
    Scene::configured(|config| config.max_turns = 99)
}

/// One more equal call with an equal result.
fn again(scene: &mut Scene) {
    let call = format!("call_{}_0", scene.state.replies);
    scene.replies(vec![made::call(0, Class::Pure)]);
    scene.tool(&call, made::finished("the same"));
}

fn corrections(scene: &Scene) -> Vec<String> {
    let nudged = |event: &&contract::Event| matches!(&event.draft.body, Body::ModelRequested(requested) if requested.nudge.is_some());
    scene.log.iter().filter(nudged).map(lines::event).collect()
}

#[test]
fn the_third_equal_call_is_corrected_and_only_that_one() {
    let mut scene = endless();
    for count in 1..REPEATS_MAX {
        again(&mut scene);
        assert_eq!(corrections(&scene).len(), usize::from(count >= REPEATS_CORRECTED));
    }
    assert_eq!(corrections(&scene), ["model.requested reply attempt 1 epoch 1 <repeating: 3>"]);
}

#[test]
fn the_fifth_equal_call_is_asked_about() {
    let mut scene = endless();
    for _ in 1..REPEATS_MAX {
        again(&mut scene);
    }
    scene.story();
    again(&mut scene);
    insta::assert_snapshot!(scene.story(), @"
    > reply
      model.completed call_4_0
      action.decided call_4_0 pure
      tool.started call_4_0 attempt 1 epoch 1
      = start call_4_0 attempt 1
    > call_4_0 attempt 1 finishes
      tool.finished call_4_0 attempt 1 ok
      ask.opened loop 5 of 5
      = nothing
    ");
}

#[test]
fn a_yes_lets_it_go_on_and_the_count_begins_anew() {
    let mut scene = endless();
    for _ in 0..REPEATS_MAX {
        again(&mut scene);
    }
    scene.answer("a1", Answer::YES);
    for _ in 1..REPEATS_MAX {
        again(&mut scene);
    }
    assert_eq!((corrections(&scene).len(), scene.count("ask.opened")), (2, 1));
    again(&mut scene);
    assert_eq!(scene.count("ask.opened"), 2);
}

#[test]
fn a_no_ends_the_run() {
    let mut scene = endless();
    for _ in 0..REPEATS_MAX {
        again(&mut scene);
    }
    scene.story();
    scene.words("w1", "取消");
    insta::assert_snapshot!(scene.story(), @r#"
    > words w1 "取消"
      ask.answered deny
      run.finished limit budget
      = nothing
    "#);
}

#[test]
fn another_call_or_another_result_in_between_is_no_loop() {
    let mut scene = endless();
    for _ in 0..2 {
        again(&mut scene);
        again(&mut scene);
        let call = format!("call_{}_0", scene.state.replies);
        scene.replies(vec![made::call(0, Class::Pure)]);
        scene.tool(&call, made::finished("something new"));
        again(&mut scene);
        let call = format!("call_{}_0", scene.state.replies);
        scene.replies(vec![made::call(1, Class::Pure)]);
        scene.tool(&call, made::finished("the same"));
    }
    assert_eq!(corrections(&scene), Vec::<String>::new());
}

#[test]
fn asking_how_a_call_stands_may_be_repeated() {
    let mut scene = endless();
    scene.replies(vec![made::plain(0, Class::Unsafe).patience(0).part()]);
    for reply in 1..10 {
        scene.replies(vec![made::plain(0, Class::Pure).about("call_0_0").part()]);
        scene.tool(&format!("call_{reply}_0"), made::finished("still running"));
    }
    assert_eq!((corrections(&scene).len(), scene.state.asks.len()), (0, 0));
}

#[test]
fn waiting_may_be_repeated() {
    let mut scene = endless();
    for _ in 0..9 {
        scene.replies(vec![made::wait(0, 1_000).part()]);
        scene.wait(0);
    }
    assert_eq!((corrections(&scene).len(), scene.state.asks.len()), (0, 0));
}

#[test]
fn equal_calls_of_one_reply_count_too() {
    let mut scene = endless();
    scene.replies(vec![made::call(0, Class::Pure); 3]);
    for index in 0..3 {
        scene.tool(&format!("call_0_{index}"), made::finished("the same"));
    }
    assert_eq!(corrections(&scene).len(), 1);
}

#[test]
fn the_correction_stands_at_the_end_and_is_not_repeated_after_a_takeover() {
    let mut scene = endless();
    for _ in 0..REPEATS_CORRECTED {
        again(&mut scene);
    }
    let shown = request(&scene);
    assert!(shown.ends_with("notice: <repeating: 3>\n"), "{shown}");
    scene.takeover();
    assert_eq!(request(&scene), shown);
}

#[test]
fn a_correction_that_is_due_when_the_model_is_asked_again_is_shown_then() {
    let mut scene = endless();
    scene.replies(vec![made::call(0, Class::Pure); 3]);
    scene.message("m2");
    for index in 0..3 {
        scene.tool(&format!("call_0_{index}"), made::finished("the same"));
    }
    assert_eq!(corrections(&scene).len(), 0, "the call was open when the results came");
    scene.send("m3", Mode::Interrupt);
    assert_eq!(corrections(&scene).len(), 1);
}

#[test]
fn a_new_run_begins_a_new_count() {
    let mut scene = endless();
    for _ in 1..REPEATS_CORRECTED {
        again(&mut scene);
    }
    scene.says("done");
    scene.message("m2");
    scene.prepared();
    again(&mut scene);
    assert_eq!(corrections(&scene), Vec::<String>::new());
}
