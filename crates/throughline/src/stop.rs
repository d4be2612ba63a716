//! Ending and holding work that another process may be driving.

use crate::send::fresh_key;
use crate::{SayError, Sent, Throughline};
use contract::body::{Principal, Scope};
use contract::id::SessionId;
use contract::input::Input;

impl Throughline {
    /// Stops the open run, or everything. Durable when it returns; whoever drives the session ends what runs.
    pub async fn stop(&self, session: SessionId, scope: Scope, by: Principal) -> Result<Sent, SayError> {
        self.say(session, Input::Stop { key: fresh_key("stop")?, scope, by }).await
    }

    /// Holds the open run: what it has begun goes on, nothing else begins.
    pub async fn pause(&self, session: SessionId, by: Principal) -> Result<Sent, SayError> {
        self.say(session, Input::Pause { key: fresh_key("pause")?, by }).await
    }
}
