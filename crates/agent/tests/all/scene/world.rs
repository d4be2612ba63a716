//! What owners and the world do to a session of a scene.

use super::{Scene, lines, made};
use agent::Agent;
use contract::body::{Body, DaySpend, FailureClass, Usage};
use contract::call::Class;
use contract::effect::{Effect, EffectId};
use contract::event::Event;
use contract::id::{ActionId, BootId, CallId, EventId, HostId, MachineId};
use contract::input::Input;
use contract::machine::Machine;
use contract::outcome::{DeliveryOutcome, ModelOutcome, Outcome, Reply, ReplyPart, ToolOutcome};
use contract::text::Text;
use contract::units::Epoch;

impl Scene {
    pub fn takeover(&mut self) {
        self.taken(self.state.epoch().0 + 1);
    }

    pub fn taken(&mut self, epoch: u64) {
        self.taken_on(MachineId([3; 16]), epoch);
    }

    /// The next owner is on another machine, which cannot see what ran on the first.
    pub fn takeover_from_afar(&mut self) {
        self.taken_on(MachineId([4; 16]), self.state.epoch().0 + 1);
    }

    fn taken_on(&mut self, machine: MachineId, epoch: u64) {
        let host = HostId([epoch as u8; 16]);
        let taken = Input::Taken { epoch: Epoch(epoch), host, machine, boot: BootId("boot".into()) };
        let _ = self.input(&format!("taken {epoch}"), taken);
    }

    pub fn done(&mut self, name: &str, effect: EffectId, attempt: u16, outcome: Outcome) {
        let _ = self.input(name, Input::Done { effect, attempt, outcome });
    }

    pub fn prepared(&mut self) {
        let wanted = Agent::effects(&self.state).into_iter().find(|effect| matches!(effect, Effect::Prepare(_)));
        let effect = wanted.expect("no run waits for its configuration").id();
        self.done("prepared", effect, 1, Outcome::Prepared { config: Box::new(self.config.clone()), resources: Vec::new() });
    }

    /// The open model call, or the last one there was.
    pub fn model(&self) -> (EffectId, u16) {
        let requested = self.log.iter().rev().find_map(|event| match &event.draft.body {
            Body::ModelRequested(requested) => Some((EffectId::Model(event.draft.id), requested.attempt)),
            _ => None,
        });
        requested.unwrap_or((EffectId::Model(EventId([0; 16])), 1))
    }

    pub fn replies(&mut self, parts: Vec<ReplyPart>) {
        self.replies_with(made::reply(parts));
    }

    pub fn replies_with(&mut self, reply: Reply) {
        let (effect, attempt) = self.model();
        self.done("reply", effect, attempt, Outcome::Model(ModelOutcome::Replied(reply)));
    }

    /// A reply that used this much, by its own account.
    pub fn replies_for(&mut self, parts: Vec<ReplyPart>, usage: Usage, cost_micros: Option<u64>) {
        self.replies_with(Reply { parts, usage, cost_micros });
    }

    pub fn says(&mut self, text: &str) {
        self.replies(vec![made::text(text)]);
    }

    pub fn calls(&mut self, classes: &[Class]) {
        self.replies(made::calls(classes));
    }

    pub fn fails(&mut self, class: FailureClass) {
        let (effect, attempt) = self.model();
        let outcome = ModelOutcome::Failed { class, message: Text::from("why"), retry_after_ms: None };
        self.done(&format!("model fails {}", lines::word(&class)), effect, attempt, Outcome::Model(outcome));
    }

    pub fn not_admitted(&mut self, used: u64, allowed: u64) {
        let (effect, attempt) = self.model();
        let day = DaySpend { used, allowed };
        self.done("not admitted", effect, attempt, Outcome::Model(ModelOutcome::NotAdmitted(day)));
    }

    /// The model has said nothing for this long.
    pub fn slow(&mut self, waited_ms: u64) {
        let (effect, attempt) = self.model();
        self.done("slow", effect, attempt, Outcome::Model(ModelOutcome::Slow { waited_ms }));
    }

    /// The end of the last delivery there was.
    pub fn delivered(&mut self, outcome: DeliveryOutcome) {
        let is_start = |event: &&Event| matches!(event.draft.body, Body::DeliveryStarted(_));
        let delivery = self.log.iter().rev().find(is_start).map_or(EventId([0; 16]), |event| event.draft.id);
        let name = match &outcome {
            DeliveryOutcome::Finished => "delivered".to_owned(),
            DeliveryOutcome::Failed(reason) => format!("not delivered: {reason}"),
        };
        self.done(&name, EffectId::Deliver(delivery), 1, Outcome::Delivery(outcome));
    }

    /// Outcome of the latest attempt of this call.
    pub fn tool(&mut self, call: &str, outcome: ToolOutcome) {
        let attempt = self.attempts(call);
        self.tool_attempt(call, attempt, outcome);
    }

    pub fn tool_attempt(&mut self, call: &str, attempt: u16, outcome: ToolOutcome) {
        let effect = EffectId::Tool(self.action(call));
        let name = format!("{call} attempt {attempt} {}", lines::outcome(&outcome));
        self.done(&name, effect, attempt, Outcome::Tool(outcome));
    }

    pub fn finish(&mut self, call: &str) {
        self.tool(call, made::finished(&format!("output of {call}")));
    }

    /// The action that was decided for this call, the last one if a person changed it.
    pub fn action(&self, call: &str) -> ActionId {
        let call: CallId = call.parse().unwrap();
        let decided = self.log.iter().rev().find_map(|event| match &event.draft.body {
            Body::ActionDecided(decided) if decided.call == call => Some(decided.action),
            _ => None,
        });
        decided.unwrap_or_else(|| panic!("{call} was not decided"))
    }

    /// Attempts of that action.
    pub fn attempts(&self, call: &str) -> u16 {
        let action = self.action(call);
        let starts = self.log.iter().filter(|event| matches!(&event.draft.body, Body::ToolStarted(started) if started.action == action));
        starts.count() as u16
    }
}
