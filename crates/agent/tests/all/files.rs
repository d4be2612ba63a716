//! What a session knows of files: what it last read or wrote, told by calls that ended.

use crate::scene::Scene;
use crate::scene::made::{self, Change};
use contract::body::UnknownReason;
use contract::call::{Class, PreparedCall};
use contract::id::Sha256;
use contract::outcome::ToolOutcome;

fn about(number: usize, path: &str, content: &str, class: Class) -> PreparedCall {
    made::plain(number, class).change(|prepared| {
        prepared.paths = vec![path.to_owned()];
        prepared.content = Some(Sha256::of(content.as_bytes()));
    })
}

/// One reply with these calls, each of which ends so.
fn after(calls: Vec<(PreparedCall, ToolOutcome)>) -> Scene {
    let (calls, ends): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
    let mut scene = Scene::replied(calls.into_iter().map(Change::part).collect());
    for (number, end) in ends.into_iter().enumerate() {
        scene.tool(&format!("call_0_{number}"), end);
    }
    scene
}

fn known(scene: &Scene) -> Vec<(&str, Sha256)> {
    scene.state.files.iter().map(|(path, file)| (path.as_str(), file.content)).collect()
}

#[test]
fn what_was_read_or_written_last_is_known() {
    let scene = after(vec![
        (about(0, "a", "old", Class::Pure), made::finished("old")),
        (about(1, "b", "other", Class::Pure), made::finished("other")),
        (about(2, "a", "new", Class::Probe), made::finished("Edited a")),
    ]);
    assert_eq!(known(&scene), [("a", Sha256::of(b"new")), ("b", Sha256::of(b"other"))]);
}

#[test]
fn what_failed_teaches_nothing_and_what_is_unknown_is_forgotten() {
    let read = || (about(0, "a", "old", Class::Pure), made::finished("old"));
    let failed = after(vec![read(), (about(1, "a", "new", Class::Probe), made::killed())]);
    assert_eq!(known(&failed), [("a", Sha256::of(b"old"))]);
    let unknown = after(vec![read(), (about(1, "a", "new", Class::Probe), made::unknown(UnknownReason::Died))]);
    assert_eq!(known(&unknown), []);
}

#[test]
fn a_call_about_several_paths_is_about_no_single_file() {
    let several = about(0, "a", "old", Class::Pure).change(|prepared| prepared.paths.push("b".to_owned()));
    assert_eq!(known(&after(vec![(several, made::finished("x"))])), []);
}
