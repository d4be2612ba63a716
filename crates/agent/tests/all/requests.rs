//! What the model is shown: the laws hold in every scene; here stand the bytes themselves.

use crate::scene::lines::request;
use crate::scene::{Scene, made};
use agent::context::context;
use contract::body::Body;
use contract::call::Class;
use contract::config::ResumePolicy::Continue;
use contract::id::Sha256;
use contract::outcome::{ReplyPart, ToolOutcome};
use contract::request::{Item, Part};
use contract::text::Text;

#[test]
fn the_canonical_bytes_of_a_short_conversation() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::text("look"), made::call(0, Class::Pure)]);
    scene.finish("call_0_0");
    let bytes = String::from_utf8(context(&scene.state).unwrap().canonical()).unwrap();
    insta::assert_snapshot!(bytes, @r#"
    {"model":"script","config":"b7d64a9221007dfd5390f7df6cd5b8f3ea4f82faa1237141e35ebf161f5511a1"}
    {"message":{"inline":"text of m1"}}
    {"assistant":[{"text":{"inline":"look"}},{"call":{"call":"call_0_0","provider_call":"provider_0","tool":"tool","args":{"inline":"{\"number\":0}"}}}]}
    {"result":{"call":"call_0_0","provider_call":"provider_0","ok":true,"exit":0,"output":{"inline":"output of call_0_0"}}}
    "#);
}

#[test]
fn opaque_parts_come_back_byte_for_byte_and_in_their_place() {
    let bytes = "{\"signature\":\"\\u0000 é 🦀\\n\",\"x\":1e400}";
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::opaque(bytes), made::text("hm"), made::opaque(""), made::call(0, Class::Pure)]);
    scene.finish("call_0_0");
    scene.takeover();
    let shown = context(&scene.state).unwrap();
    let Item::Assistant(parts) = shown.items[1].as_ref() else { panic!("{:?}", shown.items[1]) };
    let opaque = |bytes: &str| Part::Opaque { protocol: "messages".into(), model: "script".into(), bytes: Text::Inline(bytes.into()) };
    assert_eq!((&parts[0], &parts[2]), (&opaque(bytes), &opaque("")));
    assert_eq!(parts.len(), 4);
}

#[test]
fn long_texts_are_shown_by_reference() {
    let long = |letter: &str| Text::from(letter.repeat(20_000).as_str());
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![ReplyPart::Text(long("a")), made::call(0, Class::Pure)]);
    scene.tool("call_0_0", ToolOutcome::Finished { ok: true, output: long("b"), exit: None, signal: None });
    let bytes = String::from_utf8(context(&scene.state).unwrap().canonical()).unwrap();
    let hash = |letter: &str| Sha256::of(letter.repeat(20_000).as_bytes()).to_string();
    assert!(bytes.contains(&hash("a")) && bytes.contains(&hash("b")));
}

#[test]
fn nothing_is_shown_while_no_call_is_open() {
    let mut scene = Scene::calling(Continue, &[Class::Pure]);
    assert_eq!(context(&scene.state), None);
    scene.finish("call_0_0");
    scene.says("answer");
    assert_eq!(context(&scene.state), None);
}

#[test]
fn a_request_covers_what_came_before_it() {
    let mut scene = Scene::asking(Continue);
    scene.message("m2");
    scene.says("answer");
    let covered: Vec<(u64, u64)> = scene
        .log
        .iter()
        .filter_map(|event| match &event.draft.body {
            Body::ModelRequested(requested) => Some((requested.covers.0, event.version.0)),
            _ => None,
        })
        .collect();
    assert_eq!(covered, [(4, 5), (8, 9)]);
}

#[test]
fn a_long_conversation_keeps_its_order() {
    let mut scene = Scene::asking(Continue);
    scene.replies(vec![made::text("first"), made::call(0, Class::Pure), made::call(1, Class::Unsafe)]);
    scene.finish("call_0_1");
    scene.takeover();
    scene.tool("call_0_0", made::unknown(contract::body::UnknownReason::Died));
    scene.message("m2");
    scene.finish("call_0_0");
    scene.replies(vec![]);
    scene.takeover();
    scene.says("second");
    scene.message("m3");
    scene.prepared();
    insta::assert_snapshot!(request(&scene), @r#"
    message: text of m1
    assistant: "first" + call_0_0 + call_0_1
    result: call_0_0 provider_0 ok <deferred running: call_0_0 1>
    result: call_0_1 provider_1 ok exit 0 "output of call_0_1"
    message: text of m2
    late: call_0_0 provider_0 ok exit 0 "output of call_0_0"
    notice: <empty reply>
    assistant: "second"
    message: text of m3
    "#);
}
