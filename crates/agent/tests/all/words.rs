//! A bare yes or no answers the only thing asked; anything else is a message, and a message overtakes a held call.

use crate::scene::Scene;
use crate::scene::lines::fresh;
use crate::scene::made::{self, Change};
use contract::ask::Answer;
use contract::body::{Mode, Scope};
use contract::call::Class;
use contract::config::ResumePolicy;
use contract::text::Text;

const YES: &[&str] = &["yes", "y", "ok", "confirm", "approve", "是", "确认", "确定", "通过", "批准", "Yes.", " OK! ", "ＯＫ"];
const NO: &[&str] = &["no", "n", "cancel", "deny", "reject", "否", "不", "不行", "取消", "拒绝", "否决", "No!", "N"];
const NEITHER: &[&str] = &["do NOT run that", "yes but in staging", "ok?", "yes, and then clean up", "不是", "no way"];

#[test]
fn every_word_of_the_affirmative_list_approves_once() {
    for word in YES {
        let mut scene = Scene::held();
        scene.words("w1", word);
        assert_eq!(scene.effects(), "start call_0_0 attempt 1", "{word}");
        assert_eq!(scene.count("message.received"), 1, "the word itself is no message: {word}");
    }
}

#[test]
fn every_word_of_the_negative_list_denies_and_the_run_goes_on() {
    for word in NO {
        let mut scene = Scene::held();
        scene.words("w1", word);
        let story = scene.story();
        assert!(story.contains("ask.answered call_0_0 deny\n  action.withdrawn call_0_0 denied <denied>"), "{word}: {story}");
        assert!(scene.state.run.is_some(), "{word}");
    }
}

#[test]
fn anything_else_overtakes_the_ask_and_is_shown() {
    for words in NEITHER {
        let mut scene = Scene::held();
        scene.words("w1", words);
        assert_eq!(scene.count("ask.superseded"), 1, "{words}");
        let shown = fresh(&scene);
        assert!(shown.ends_with(&format!("message: {words}\n")) && shown.contains("<newer message>"), "{shown}");
    }
}

#[test]
fn the_story_of_an_overtaken_ask() {
    let mut scene = Scene::held();
    scene.words("w1", "yes but in staging");
    insta::assert_snapshot!(scene.story(), @r#"
    > words w1 "yes but in staging"
      message.received w1 steer
      ask.superseded call_0_0 newer_message
      action.withdrawn call_0_0 newer_message <newer message>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <newer message>
    message: yes but in staging
    ");
}

#[test]
fn an_answer_to_an_overtaken_ask_is_refused() {
    let mut scene = Scene::held();
    scene.elsewhere(|scene| scene.message("m2"));
    scene.answer("a1", Answer::YES);
    scene.notice();
    scene.answer("a1", Answer::YES);
    insta::assert_snapshot!(scene.story(), @"
    > message m2 steer
      message.received m2 steer
      = nothing
    > answer a1 approve
      ! the ask was overtaken
    > the owner notices
      ask.superseded call_0_0 newer_message
      action.withdrawn call_0_0 newer_message <newer message>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    > answer a1 approve
      ! there is no such ask
    ");
}

#[test]
fn a_word_after_the_message_that_overtook_the_ask_is_a_message_too() {
    let mut scene = Scene::held();
    scene.elsewhere(|scene| {
        scene.message("m2");
        scene.words("w1", "yes");
    });
    scene.notice();
    assert_eq!(scene.count("tool.started"), 0);
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <newer message>
    message: text of m2
    message: yes
    ");
}

#[test]
fn with_two_asks_open_a_word_changes_nothing_and_names_them() {
    let mut scene = Scene::replied(vec![made::command(0, "one").part(), made::command(1, "two").part()]);
    let before = scene.log.len();
    scene.words("w1", "yes");
    scene.words("w2", "no");
    assert_eq!(scene.log.len(), before);
    insta::assert_snapshot!(scene.story(), @r#"
    > words w1 "yes"
      ! several asks are open: call_0_0 shell high, call_0_1 shell high
    > words w2 "no"
      ! several asks are open: call_0_0 shell high, call_0_1 shell high
    "#);
    scene.words("w3", "do only the first");
    assert_eq!(scene.count("ask.superseded"), 2);
}

#[test]
fn a_word_is_known_by_its_key_like_any_answer() {
    let mut scene = Scene::held();
    scene.words("w1", "yes");
    scene.story();
    scene.words("w1", "yes");
    insta::assert_snapshot!(scene.story(), @r#"
    > words w1 "yes"
      ! already recorded at version 9
    "#);
}

#[test]
fn a_word_that_waits_in_the_queue_is_a_message() {
    let mut scene = Scene::held();
    scene.send_text("w1", Mode::Queue, Text::from("yes"));
    scene.send_text("w2", Mode::Status, Text::from("yes"));
    assert_eq!(scene.count("ask.answered"), 0);
    assert_eq!(scene.state.asks.len(), 1, "neither changes anything for the ask");
}

#[test]
fn a_word_without_an_ask_is_a_message() {
    let mut scene = Scene::new();
    scene.words("w1", "yes");
    assert_eq!(scene.effects(), "prepare w1");
}

#[test]
fn a_word_answers_also_whether_a_session_may_go_on() {
    for (word, wanted) in [("ok", "recover call_0_0 attempt 1 pure"), ("取消", "recover call_0_0 attempt 1 pure, stop call_0_0 attempt 1")]
    {
        let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure]);
        scene.takeover();
        scene.words("w1", word);
        assert_eq!(scene.effects(), wanted, "{word}");
    }
}

#[test]
fn a_word_for_an_ask_whose_time_is_over_is_a_message() {
    let mut scene = Scene::configured(|config| config.policy.ask_valid_ms = 1_000);
    scene.replies(vec![made::command(0, "make install").part()]);
    scene.story();
    scene.words("w1", "yes");
    insta::assert_snapshot!(scene.story(), @r#"
    > words w1 "yes"
      message.received w1 steer
      ask.expired call_0_0
      action.withdrawn call_0_0 expired <expired>
      model.requested reply attempt 1 epoch 1
      = model attempt 1
    "#);
}

#[test]
fn only_the_ask_of_a_held_call_is_overtaken() {
    let mut scene = Scene::calling(ResumePolicy::Ask, &[Class::Pure]);
    scene.takeover();
    scene.message("m2");
    assert_eq!((scene.count("ask.superseded"), scene.state.asks.len()), (0, 1));
    scene.stop("s1", Scope::Turn);
    assert_eq!((scene.count("ask.superseded"), scene.state.asks.len()), (1, 0));
}

#[test]
fn a_yes_of_somebody_who_has_not_seen_the_ask_is_a_message() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    let seen = scene.state.version;
    scene.replies(vec![made::command(0, "make install").part()]);
    scene.words_after("w1", "yes", seen);
    assert_eq!((scene.count("ask.answered"), scene.count("tool.started")), (0, 0));
    insta::assert_snapshot!(fresh(&scene), @"
    result: call_0_0 provider_0 not ok <newer message>
    message: yes
    ");
}

#[test]
fn a_yes_answers_the_only_ask_that_was_seen() {
    let mut scene = Scene::asking(ResumePolicy::Continue);
    scene.replies(vec![made::command(0, "one").part(), made::command(1, "two").part()]);
    let first = scene.state.asks.values().map(|open| open.version).min().unwrap();
    scene.words_after("w1", "yes", first);
    assert_eq!((scene.effects().as_str(), scene.state.asks.len()), ("start call_0_0 attempt 1", 1));
}
