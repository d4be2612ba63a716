//! Turns what the machine wants to say into drafts: derives the id and fills in cause, run and trust.

use crate::state::{Call, State};
use contract::body::Body;
use contract::event::{Actor, Draft, Level, Trust};
use contract::id::{CallId, EventId, Key};
use contract::units::Version;

/// Collects the drafts of one `accept` or one round of `advance`.
#[derive(Debug)]
pub struct Drafts<'a> {
    state: &'a State,
    drafts: Vec<Draft>,
}

/// What an event is besides its body.
#[derive(Clone, Debug)]
pub struct About {
    pub cause: Option<EventId>,
    pub call: Option<CallId>,
    pub actor: Actor,
    pub trust: Trust,
}

impl About {
    #[must_use]
    pub fn agent(cause: EventId) -> About {
        About { cause: Some(cause), call: None, actor: Actor::Agent, trust: Trust::System }
    }

    #[must_use]
    pub fn system(cause: Option<EventId>) -> About {
        About { cause, call: None, actor: Actor::System, trust: Trust::System }
    }

    #[must_use]
    pub fn call(self, call: CallId) -> About {
        About { call: Some(call), ..self }
    }
}

impl<'a> Drafts<'a> {
    #[must_use]
    pub fn new(state: &'a State) -> Drafts<'a> {
        Drafts { state, drafts: Vec::new() }
    }

    /// The id a fact with this key has, wherever it lands.
    #[must_use]
    pub fn fact_id(&self, key: &Key) -> EventId {
        EventId::of_input(&self.state.stream, key, self.place())
    }

    /// A fact: something that happened outside and is now known.
    pub fn fact(&mut self, key: &Key, about: About, body: impl Into<Body>) {
        let id = self.fact_id(key);
        self.push(id, about, body.into());
    }

    /// An intent: something the machine itself decides at this version.
    pub fn intent(&mut self, about: About, body: impl Into<Body>) {
        let body = body.into();
        let id = EventId::of_intent(&self.state.stream, self.state.version, self.drafts.len(), &body);
        self.push(id, about, body);
    }

    /// Bytes of the data of all drafts, as stored.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.drafts.iter().map(|draft| draft.body.data_json().len()).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    #[must_use]
    pub fn finish(self) -> Vec<Draft> {
        self.drafts
    }

    fn place(&self) -> Version {
        self.state.version.plus(self.drafts.len())
    }

    /// The first cause behind a cause while no run is open: of a call that goes on without its run, of an ask,
    /// or of what it led to elsewhere.
    fn root(&self, cause: EventId) -> EventId {
        let leads = |call: &Call| call.decided == cause || call.attempt().is_some_and(|attempt| attempt.started == cause);
        let of_call = self.state.calls.values().find(|call| leads(call)).map(|call| call.root);
        let of_ask = || self.state.asks.values().find(|open| open.opened == cause).map(|open| open.root);
        let of_delivery = || {
            let mut deliveries = self.state.deliveries.iter();
            deliveries.find(|delivery| delivery.cause == cause || delivery.started == Some(cause)).map(|delivery| delivery.root)
        };
        of_call.or_else(of_ask).or_else(of_delivery).unwrap_or(cause)
    }

    fn push(&mut self, id: EventId, about: About, body: Body) {
        let open = self.state.run.as_ref().map(|run| (run.id, run.trigger));
        let mut level = self.state.level();
        // A message belongs to no run until one shows it, a run to itself, everything else to the open one.
        let (run, trigger) = if let Body::SessionCreated(created) = &body {
            level = created.level();
            (None, None)
        } else if let Body::SessionForked(_) = &body {
            // Whoever started the other session, a person started this one.
            level = Level::Core;
            (None, None)
        } else if let Body::MessageReceived(_) = &body {
            (None, None)
        } else if let Body::RunStarted(started) = &body {
            (Some(started.run), None)
        } else {
            open.unzip()
        };
        self.drafts.push(Draft {
            id,
            cause: about.cause,
            correlation: about.cause.map(|cause| trigger.unwrap_or_else(|| self.root(cause))),
            run,
            level,
            call: about.call,
            actor: about.actor,
            trust: about.trust,
            body,
        });
    }
}
