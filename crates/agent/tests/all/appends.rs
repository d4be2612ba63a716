//! One append holds whatever one input leads to: the worst legal reply, and what may already wait before it.
//! The law that every append fits holds for each scene; here stand the scenes that come closest to it.

use crate::scene::laws::stored;
use crate::scene::{Scene, made, person};
use agent::Agent;
use contract::body::{Body, Mode};
use contract::call::{Class, Prepared, PreparedCall};
use contract::config::ResumePolicy::Continue;
use contract::id::{Key, Sha256};
use contract::input::Input;
use contract::limits::{
    APPEND_BYTES_MAX, APPEND_EVENTS_MAX, CALLS_PER_REPLY_MAX, FACTS_BYTES_SOFT_MAX, PREPARED_BYTES_MAX, REPLY_PARTS_MAX,
    TEXT_END_BYTES_MAX, TEXT_SMALL_END_BYTES_MAX, TEXT_SMALL_INLINE_BYTES_MAX,
};
use contract::machine::Machine;
use contract::outcome::{ModelOutcome, Outcome, ReplyPart};
use contract::text::{Room, Text};
use proptest::prelude::*;

/// A text that takes `bytes` when stored, all of characters like this one as far as they fit.
fn filled(unit: char, bytes: usize) -> String {
    let each = serde_json::to_string(&unit).unwrap().len() - 2;
    let mut text = unit.to_string().repeat(bytes / each);
    text.push_str(&"x".repeat(bytes % each));
    text
}

fn cut(unit: char, bytes: usize, room: Room) -> Text {
    Text::cut(filled(unit, bytes), room).text
}

/// As the runtime prepares a call whose arguments, preview and paths are as long as they may be.
fn call(unit: char, bytes: usize, refused: bool) -> ReplyPart {
    let ReplyPart::Call(call) = made::call(0, Class::Unsafe) else { panic!("not a call") };
    let args = filled(unit, bytes);
    let preview = Some(cut(unit, bytes, Room::SMALL));
    let prepared =
        Prepared { paths: vec!["x".repeat(PREPARED_BYTES_MAX)], preview, witness: Some(Sha256::of(b"w")), ..Prepared::default() };
    ReplyPart::Call(Box::new(PreparedCall {
        provider_call: format!("toolu_{}", "0".repeat(58)),
        args_hash: Sha256::of(args.as_bytes()),
        args: Text::cut(args, Room::SMALL).text,
        prepared: Box::new(prepared),
        refused: refused.then(|| cut(unit, bytes, Room::SMALL)),
        ..*call
    }))
}

fn opaque(unit: char, bytes: usize) -> ReplyPart {
    ReplyPart::Opaque { protocol: "messages".into(), model: "a-model-20250101".into(), bytes: cut(unit, bytes, Room::SMALL) }
}

fn text(unit: char, bytes: usize) -> ReplyPart {
    ReplyPart::Text(cut(unit, bytes, Room::SHOWN))
}

/// The most calls that one reply may have run, then as many others as it may have parts.
fn fullest(other: &ReplyPart) -> Vec<ReplyPart> {
    let mut parts = vec![call('"', TEXT_SMALL_INLINE_BYTES_MAX, false); CALLS_PER_REPLY_MAX];
    parts.resize(REPLY_PARTS_MAX, other.clone());
    parts
}

/// Plays the reply behind these messages as a driver does: facts first, then what follows, all in one append.
/// Answers whether the reply was taken; one that would not fit may also be refused.
fn play_behind(messages: Vec<Text>, parts: Vec<ReplyPart>) -> bool {
    let mut scene = Scene::asking(Continue);
    let from = scene.log.len();
    for (number, text) in messages.into_iter().enumerate() {
        let bytes: usize = scene.log[from..].iter().map(|event| event.draft.body.data_json().len()).sum();
        assert!(bytes < FACTS_BYTES_SOFT_MAX && number < APPEND_EVENTS_MAX / 4, "a driver would have stopped before");
        let message = Input::Message {
            key: Key(format!("key-{number:02}")),
            text,
            mode: Mode::Steer,
            from: person(),
            seen: scene.state.version,
            tails: Vec::new(),
        };
        let facts = Agent::accept(&scene.state, message, scene.state.time).unwrap();
        scene.append(facts);
    }
    let (effect, attempt) = scene.model();
    let reply = Input::Done { effect, attempt, outcome: Outcome::Model(ModelOutcome::Replied(made::reply(parts))) };
    let facts = Agent::accept(&scene.state, reply, scene.state.time).unwrap();
    scene.append(facts);
    scene.advance();
    let (events, bytes) = stored(&scene, &scene.log[from..]);
    assert!(events <= APPEND_EVENTS_MAX, "{events} events do not fit");
    assert!(bytes <= APPEND_BYTES_MAX, "{bytes} bytes do not fit");
    scene.log[from..].iter().any(|event| matches!(event.draft.body, Body::ModelCompleted(_)))
}

fn play(parts: Vec<ReplyPart>) -> bool {
    play_behind(Vec::new(), parts)
}

#[test]
fn the_border_of_a_small_text_is_that_of_its_stored_bytes() {
    for unit in ['x', '"', '\u{1}', 'é', '🦀'] {
        let kept = cut(unit, TEXT_SMALL_INLINE_BYTES_MAX, Room::SMALL);
        assert!(matches!(&kept, Text::Inline(text) if serde_json::to_string(text).unwrap().len() == TEXT_SMALL_INLINE_BYTES_MAX + 2));
        let Text::Blob { head, tail, .. } = cut(unit, TEXT_SMALL_INLINE_BYTES_MAX + 1, Room::SMALL) else { panic!("{unit:?} is inline") };
        for end in [head, tail] {
            let bytes = serde_json::to_string(&end).unwrap().len() - 2;
            assert!((TEXT_SMALL_END_BYTES_MAX - 6..=TEXT_SMALL_END_BYTES_MAX).contains(&bytes), "{unit:?}: {bytes}");
        }
    }
}

#[test]
fn the_fullest_reply_of_calls_and_thoughts_fits() {
    assert!(play(fullest(&opaque('\u{1}', TEXT_SMALL_INLINE_BYTES_MAX))));
}

#[test]
fn the_fullest_reply_of_calls_alone_fits() {
    assert!(play(fullest(&call('"', TEXT_SMALL_INLINE_BYTES_MAX, false))));
    assert!(play(vec![call('"', TEXT_SMALL_INLINE_BYTES_MAX, true); REPLY_PARTS_MAX]));
}

#[test]
fn the_fullest_reply_of_calls_and_texts_fits_or_is_refused() {
    play(fullest(&text('"', 1 << 20)));
}

/// The fullest replies of each kind behind these messages.
fn fullest_behind(messages: &[Text]) {
    for other in [opaque('"', TEXT_SMALL_INLINE_BYTES_MAX), call('"', TEXT_SMALL_INLINE_BYTES_MAX, false)] {
        assert!(play_behind(messages.to_vec(), fullest(&other)));
    }
}

#[test]
fn the_fullest_reply_fits_behind_few_long_messages_that_came_before_it() {
    fullest_behind(&vec![cut('"', 1 << 20, Room::SHOWN); FACTS_BYTES_SOFT_MAX / (2 * TEXT_END_BYTES_MAX) - 1]);
}

#[test]
fn the_fullest_reply_fits_behind_many_messages_that_came_before_it() {
    // As many as a driver takes, and together as long: what a message takes besides its text is about 120 bytes.
    let most = APPEND_EVENTS_MAX / 4 - 1;
    fullest_behind(&vec![cut('"', FACTS_BYTES_SOFT_MAX / most - 120, Room::SHOWN); most]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_legal_reply_of_calls_and_thoughts_fits(
        parts in prop::collection::vec(
            (prop_oneof![Just('x'), Just('"'), Just('\\'), Just('\n'), Just('\u{1}'), Just('é'), Just('🦀')], 4_000usize..4_200, 0u8..4),
            1..=REPLY_PARTS_MAX,
        ),
    ) {
        let part = |(unit, bytes, kind): (char, usize, u8)| match kind {
            0 => opaque(unit, bytes),
            1 => call(unit, bytes, true),
            _ => call(unit, bytes, false),
        };
        prop_assert!(play(parts.into_iter().map(part).collect()));
    }
}
