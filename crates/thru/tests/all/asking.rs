//! Sessions that wait for a person, and the answers of that person, through the real commands.

use crate::desk::{Desk, Said};
use serde_json::Value;

/// Asks about what is of high risk, which is what a person gets who says nothing else.
pub const AUTO: &[&str] = &["--mode", "auto"];
/// Asks about everything that changes something.
pub const ASK: &[&str] = &["--mode", "ask"];

impl Desk {
    /// What the session asks, as `thru approvals --json` lists it.
    #[track_caller]
    pub fn asks(&self, session: &str) -> Vec<Value> {
        let said = self.thru(&["approvals", session, "--json"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The name of the only thing asked.
    #[track_caller]
    pub fn asked(&self, session: &str) -> String {
        let asks = self.asks(session);
        assert_eq!(asks.len(), 1, "one ask: {asks:?}");
        asks[0]["ask"]["ask"].as_str().unwrap().to_owned()
    }

    /// Runs the script until it waits for a person about one thing; gives the session and what is asked.
    #[track_caller]
    pub fn parked(&self, more: &[&str]) -> (String, String) {
        let run = self.spawn_run(more);
        let session = run.session();
        let said = run.wait();
        assert_eq!(said.code, Some(4), "{said:?}");
        let ask = self.asked(&session);
        (session, ask)
    }

    /// Goes on with the session and expects this end of it.
    #[track_caller]
    pub fn resumed(&self, session: &str, code: i32, stdout: &str) -> Said {
        let said = self.thru(&["resume", session]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), stdout), "{}", said.stderr);
        said
    }

    /// A command that must be refused: its code, and words of the one line that says why.
    #[track_caller]
    pub fn assert_refused(&self, args: &[&str], code: i32, words: &[&str]) {
        crate::input::assert_fault(&self.thru(args), code, words);
    }
}
