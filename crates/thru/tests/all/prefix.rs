//! Every request to the model begins with the bytes of the one before, also when the program was killed in between.

use crate::desk::desk;
use crate::events::Events;
use crate::script::{held_back, say, shell};
use agent::State;
use agent::context::context;
use agent::fold::fold;
use contract::Event;
use contract::body::Body;
use contract::id::{Sha256, StreamId};
use serde_json::json;

/// The canonical bytes of every request, computed again from the log; each is checked against its recorded hash.
pub fn requests(session: &str, events: &Events) -> Vec<Vec<u8>> {
    requests_of(&[(session, &events.lines)])
}

/// The same of a session that is folded from these parts of sessions, one after the other.
pub fn requests_of(parts: &[(&str, &[String])]) -> Vec<Vec<u8>> {
    let stream = |session: &str| StreamId::parse(&format!("session/{session}")).unwrap();
    let mut state = State::new(stream(parts[0].0));
    let mut requests = Vec::new();
    for (session, line) in parts.iter().flat_map(|(session, lines)| lines.iter().map(move |line| (session, line))) {
        let event = Event::decode(&stream(session), line.as_bytes()).unwrap();
        fold(&mut state, &event).unwrap();
        if let Body::ModelRequested(requested) = &event.draft.body {
            let request = context(&state).unwrap();
            assert!(request.is_valid(), "version {}", event.version);
            let bytes = request.canonical();
            assert_eq!(Sha256::of(&bytes), requested.request_sha256, "version {}", event.version);
            requests.push(bytes);
        }
    }
    requests
}

#[test]
fn requests_are_prefixes_of_each_other_across_kills_in_a_command_and_in_a_model_call() {
    let desk = desk();
    let slow = json!({ "text": "Slowly.", "delay_ms": 600_000, "calls": [{ "tool": "list_files" }] });
    let same = json!({ "text": "Slowly.", "calls": [{ "tool": "list_files" }] });
    let (held, printed) = (shell(&held_back(7)), shell("yes no | head -c 50000"));
    let (run, session) = desk.driven(&[held.clone(), slow, printed.clone(), say("first")], &[]);
    run.kill();

    // The second request is made after the adoption and never answered.
    let resume = desk.spawn(&["resume", &session, "--json"]);
    resume.until_event("tool.adopted");
    desk.go();
    resume.until_event("model.requested");
    resume.kill();
    desk.script(&[held, same, printed, say("first"), json!({ "text": "", "thinking": "hm" }), say("second")]);
    assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
    let said = desk.thru(&["run", "--session", &session, "And more"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "second\n"), "{}", said.stderr);

    let events = desk.events(&session);
    assert_eq!((events.count("tool.adopted"), events.count("owner.taken"), events.count("run.finished")), (1, 4, 2));
    assert_eq!(events.one("model.failed")["class"], "interrupted");
    let requests = requests(&session, &events);
    // Held back, interrupted, asked again, after the listing, after the print, the second run, and its correction.
    assert_eq!(requests.len(), 7);
    for pair in requests.windows(2) {
        assert!(pair[1].starts_with(&pair[0]), "{}\n{}", String::from_utf8_lossy(&pair[0]), String::from_utf8_lossy(&pair[1]));
    }
    desk.assert_verified();
}
