//! What the model of a session was shown, and what people allowed knowing that.

use contract::body::{ActionDecided, ResourceLoaded};
use contract::call::Touches;
use contract::rule::{Rule, allowing};
use serde::Serialize;

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Taint {
    started: Touches,
    shown: Touches,
    allowed: Vec<Rule>,
}

impl Taint {
    pub(super) fn start(&mut self, touches: Touches) {
        self.started = self.started.and(touches);
    }

    pub(super) fn load(&mut self, loaded: &ResourceLoaded) {
        self.started.untrusted |= !loaded.trusted;
    }

    /// The model is asked, and sees what has come of what was started.
    pub(super) fn shown(&mut self) {
        self.shown = self.shown.and(self.started);
    }

    /// A person answered about a call that looks at what is private, or not.
    pub(super) fn answer(&mut self, rule: Option<&Rule>, looks: bool) {
        if self.shown.untrusted && (self.shown.private || looks) {
            self.allowed.extend(rule.cloned());
        }
    }

    /// Whether the call could carry out what is private because a stranger said so.
    pub(super) fn holds_back(&self, decided: &ActionDecided) -> bool {
        let allowed = allowing(&self.allowed, &decided.tool, &decided.prepared).is_some();
        let touches = decided.prepared.touches;
        touches.egress && self.shown.untrusted && (self.shown.private || touches.private) && !allowed
    }

    /// Whether the call could carry out what is private.
    pub(super) fn could_leak(&self, decided: &ActionDecided) -> bool {
        self.shown.private && decided.prepared.touches.egress
    }
}
