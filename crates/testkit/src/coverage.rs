//! What a search must have met at least once. A scenario that never reaches what it was made for proves nothing.

mod marks;

use crate::world::World;
use contract::body::Body;
use contract::event::Event;
use marks::{effect, mark};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that the scenarios together must reach, besides every event type of a session.
const MARKS: &[&str] = &[
    "a message inside an open run",
    "a takeover of an open model call",
    "a takeover of a running tool",
    "a takeover of a wait",
    "a takeover of an open ask",
    "an outcome without a run",
    "a fallback is asked",
    "a last reply is asked for",
    "a correction is shown",
    "a tool is started again",
    "a tool ends by a signal",
    "a call is replaced by an edited one",
    "answered: approve",
    "answered: deny",
    "answered: deny and stop",
    "answered: edit",
    "answered: extend",
    "answered: for good",
    "answered: for the session",
    "answered: reply",
    "asked: crash loop",
    "asked: day",
    "asked: loop",
    "asked: question",
    "asked: reconcile",
    "asked: resume",
    "asked: time",
    "asked: tokens",
    "asked: tool",
    "asked: tool calls",
    "asked: turns",
    "cancelled: never started",
    "cancelled: no effect",
    "effect: deliver",
    "effect: model",
    "effect: prepare",
    "effect: recover",
    "effect: start",
    "effect: stop",
    "failed: day limit",
    "failed: interrupted",
    "failed: permanent",
    "failed: transient",
    "finished: budget",
    "finished: completed",
    "finished: denied",
    "finished: empty reply",
    "finished: model failed",
    "finished: stopped",
    "finished: turn limit",
    "given up: interrupted",
    "given up: stopped",
    "paused: by a person",
    "paused: by policy",
    "reconciled: happened",
    "reconciled: not happened",
    "reconciled: told",
    "said: interrupt",
    "said: queue",
    "said: status",
    "said: steer",
    "stopped: all",
    "stopped: turn",
    "superseded: newer message",
    "superseded: stopped",
    "unknown: died",
    "unknown: lost",
    "unknown: other machine",
    "withdrawn: denied",
    "withdrawn: expired",
    "withdrawn: invalid",
    "withdrawn: limit",
    "withdrawn: newer message",
    "withdrawn: not alone",
    "withdrawn: rule",
    "withdrawn: stopped",
];

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    met: BTreeSet<&'static str>,
    /// The last event looked at; worlds that share their newest event share their history.
    last: Option<Arc<Event>>,
}

impl Coverage {
    /// Notes what this world and its history met.
    pub fn see(&mut self, world: &World) {
        self.met.extend(world.hosts.iter().flat_map(|host| host.effects()).map(effect));
        let events = &world.log.events;
        let Some(newest) = events.last() else { return };
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, newest)) {
            return;
        }
        self.last = Some(newest.clone());
        let mut open = Open::default();
        for event in events.iter() {
            self.met.insert(event.draft.body.name());
            self.met.extend(mark(&event.draft.body));
            self.met.extend(open.mark(&event.draft.body));
        }
    }

    pub fn merge(&mut self, other: Coverage) {
        self.met.extend(other.met);
    }

    /// What no search has met.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let is_of_sessions = |name: &&str| !name.starts_with("host.") && !name.starts_with("policy.");
        let of_sessions = Body::CATALOGUE.iter().map(|(name, _)| *name).filter(is_of_sessions);
        MARKS.iter().copied().chain(of_sessions).filter(|mark| !self.met.contains(mark)).collect()
    }
}

/// What is open at a place of a history.
#[derive(Default)]
struct Open {
    run: bool,
    model: bool,
    tools: usize,
    waits: usize,
    asks: usize,
}

impl Open {
    fn mark(&mut self, body: &Body) -> impl Iterator<Item = &'static str> + use<> {
        self.count(body);
        let taken = matches!(body, Body::OwnerTaken(_));
        let marks = [
            (self.run && matches!(body, Body::MessageReceived(_)), "a message inside an open run"),
            (!self.run && matches!(body, Body::ToolFinished(_)), "an outcome without a run"),
            (taken && self.tools > 0, "a takeover of a running tool"),
            (taken && self.model, "a takeover of an open model call"),
            (taken && self.waits > 0, "a takeover of a wait"),
            (taken && self.asks > 0, "a takeover of an open ask"),
        ];
        marks.into_iter().filter(|(is_met, _)| *is_met).map(|(_, mark)| mark)
    }

    fn count(&mut self, body: &Body) {
        if let Body::RunStarted(_) | Body::RunFinished(_) = body {
            self.run = matches!(body, Body::RunStarted(_));
        }
        if let Body::ModelRequested(_) | Body::ModelCompleted(_) | Body::ModelFailed(_) | Body::ModelAborted(_) = body {
            self.model = matches!(body, Body::ModelRequested(_));
        }
        if let Body::ToolStarted(_) = body {
            self.tools += 1;
        }
        if let Body::ToolFinished(_) | Body::ToolCancelled(_) | Body::ToolUnknown(_) = body {
            self.tools -= 1;
        }
        if let Body::TimerSet(_) = body {
            self.waits += 1;
        }
        if let Body::TimerFired(_) | Body::TimerCancelled(_) = body {
            self.waits -= 1;
        }
        if let Body::AskOpened(_) = body {
            self.asks += 1;
        }
        if let Body::AskAnswered(_) | Body::AskExpired(_) | Body::AskSuperseded(_) = body {
            self.asks -= 1;
        }
    }
}
