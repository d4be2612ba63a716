//! One scene: a log, its state, and an owner who plays every input to rest. Each scene is checked against all laws
//! when it ends, so a test only says what is particular to it.

mod actions;
mod envelopes;
pub mod laws;
pub mod lines;
pub mod made;

use agent::draft::{About, Drafts};
use agent::{Agent, State};
use contract::ask::{Answer, Ask, AskKind};
use contract::body::{AskOpened, Body, FailureClass, Mode, Origin, Principal};
use contract::call::Class;
use contract::config::{ConfigRef, Options, ResumePolicy};
use contract::effect::{Effect, EffectId};
use contract::event::{Draft, Event};
use contract::id::{ActionId, AskId, BootId, CallId, EventId, HostId, Key, MachineId, SessionId, Sha256, StreamId};
use contract::input::{Input, Rejection};
use contract::limits::ADVANCE_ROUNDS_MAX;
use contract::machine::Machine;
use contract::outcome::{ModelOutcome, Outcome, ReplyPart, ToolOutcome};
use contract::text::Text;
use contract::units::{Epoch, Time};
use std::ops::Range;

/// Replies a run of a scene may have before it must answer.
pub const MAX_TURNS: u32 = 3;

pub struct Scene {
    pub log: Vec<Event>,
    pub state: State,
    pub config: ConfigRef,
    /// Places in the log of what an owner appended at once.
    appends: Vec<Range<usize>>,
    now: Time,
    told: String,
}

impl Scene {
    /// A stream without a session.
    pub fn empty() -> Scene {
        let config = ConfigRef { sha256: Sha256::of(b"configuration"), model: "script".into(), fallback: Vec::new(), max_turns: MAX_TURNS };
        let state = Agent::new(StreamId::session(SessionId([7; 16])));
        Scene { log: Vec::new(), state, config, appends: Vec::new(), now: Time(1_700_000_000_000), told: String::new() }
    }

    /// A session with an owner of epoch 1.
    pub fn new() -> Scene {
        Scene::with(ResumePolicy::Continue)
    }

    pub fn with(resume: ResumePolicy) -> Scene {
        let mut scene = Scene::empty();
        scene.create(resume);
        scene.takeover();
        scene.told.clear();
        scene
    }

    /// A session that another one started, with an owner of epoch 1.
    pub fn child(resume: ResumePolicy) -> Scene {
        let mut scene = Scene::empty();
        let parent = SessionId([1; 16]);
        scene.create_of(resume, Some(Origin { parent, action: ActionId([2; 16]), root: parent, depth: 1 }));
        scene.takeover();
        scene.told.clear();
        scene
    }

    /// A run whose model call is open, its story not told.
    pub fn asking(resume: ResumePolicy) -> Scene {
        let mut scene = Scene::with(resume);
        scene.message("m1");
        scene.prepared();
        scene.told.clear();
        scene
    }

    /// A run whose first reply made a call of each of these classes, its story not told.
    pub fn calling(resume: ResumePolicy, classes: &[Class]) -> Scene {
        let mut scene = Scene::asking(resume);
        scene.calls(classes);
        scene.told.clear();
        scene
    }

    /// The scene as it was when only this many events were stored, before anybody advanced it.
    pub fn cut(&self, events: usize) -> Scene {
        let mut scene = Scene::empty();
        scene.config = self.config.clone();
        scene.append(self.log[..events].iter().map(|event| event.draft.clone()).collect());
        scene
    }

    /// What happened since the last time it was told: inputs, appended events, wanted effects.
    pub fn story(&mut self) -> String {
        std::mem::take(&mut self.told)
    }

    /// Accepts, folds and advances to rest, as the driver of an owner does; answers what was appended.
    pub fn input(&mut self, name: &str, input: Input) -> Result<Vec<Event>, Rejection> {
        self.now = Time(self.now.0 + 1_000);
        self.tell(&format!("> {name}"));
        let facts = match Agent::accept(&self.state, input, self.now) {
            Ok(facts) => facts,
            Err(rejection) => {
                let line = lines::rejection(self, &rejection);
                self.tell(&format!("  ! {line}"));
                return Err(rejection);
            }
        };
        let from = self.log.len();
        self.append(facts);
        self.advance();
        self.appends.push(from..self.log.len());
        let appended = self.log[from..].to_vec();
        for event in &appended {
            let line = lines::event(event);
            self.tell(&format!("  {line}"));
        }
        let wanted = self.effects();
        self.tell(&format!("  = {wanted}"));
        Ok(appended)
    }

    /// Lets the time come that the machine waits for, or a millisecond less.
    pub fn wait(&mut self, short_by_ms: u64) {
        let due = Agent::due(&self.state).expect("something is due");
        self.now = Time(due.0 - short_by_ms);
        self.tell(if short_by_ms == 0 { "> it is time" } else { "> it is almost time" });
        let from = self.log.len();
        self.advance();
        self.appends.push(from..self.log.len());
        let appended: Vec<_> = self.log[from..].iter().map(lines::event).collect();
        for line in appended {
            self.tell(&format!("  {line}"));
        }
        let wanted = self.effects();
        self.tell(&format!("  = {wanted}"));
    }

    pub fn append(&mut self, drafts: Vec<Draft>) {
        for draft in drafts {
            let event = Event { version: self.state.version.next(), time: self.now, draft };
            Agent::fold(&mut self.state, &event).unwrap();
            self.log.push(event);
        }
    }

    pub fn advance(&mut self) {
        for _ in 0..ADVANCE_ROUNDS_MAX {
            let intents = Agent::advance(&self.state, self.now);
            if intents.is_empty() {
                return;
            }
            self.append(intents);
        }
        panic!("no rest after {ADVANCE_ROUNDS_MAX} rounds");
    }

    fn tell(&mut self, line: &str) {
        self.told.push_str(line);
        self.told.push('\n');
    }

    pub fn effects(&self) -> String {
        lines::effects(self, &Agent::effects(&self.state))
    }

    pub fn create(&mut self, resume: ResumePolicy) {
        self.create_of(resume, None);
    }

    fn create_of(&mut self, resume: ResumePolicy, origin: Option<Origin>) {
        let options = Options { resume, ..Options::default() };
        let _ = self.input("create", Input::Create { folder: "folder".into(), options, origin, by: person() });
    }

    pub fn takeover(&mut self) {
        self.taken(self.state.epoch().0 + 1);
    }

    pub fn taken(&mut self, epoch: u64) {
        let host = HostId([epoch as u8; 16]);
        let taken = Input::Taken { epoch: Epoch(epoch), host, machine: MachineId([3; 16]), boot: BootId("boot".into()) };
        let _ = self.input(&format!("taken {epoch}"), taken);
    }

    pub fn message(&mut self, key: &str) {
        self.send(key, Mode::Steer);
    }

    pub fn send(&mut self, key: &str, mode: Mode) {
        self.send_text(key, mode, Text::from(format!("text of {key}").as_str()));
    }

    pub fn send_text(&mut self, key: &str, mode: Mode, text: Text) {
        let name = format!("message {key} {}", lines::word(&mode));
        let _ = self.input(&name, Input::Message { key: Key(key.into()), text, mode, from: person() });
    }

    pub fn resume(&mut self, key: &str) {
        let _ = self.input(&format!("resume {key}"), Input::Resume { key: Key(key.into()), by: person() });
    }

    /// An ask with an end, which the machine itself does not open yet.
    pub fn open_ask(&mut self, patience_ms: u64) {
        let ask = Ask { ask: AskId([5; 16]), kind: AskKind::Resume, until: Some(Time(self.now.0 + patience_ms)) };
        let mut drafts = Drafts::new(&self.state);
        let created = self.state.session.as_ref().map(|session| session.created);
        drafts.intent(About::system(created), AskOpened { ask });
        let drafts = drafts.finish();
        self.append(drafts);
    }

    /// Answers the open ask, or the last one there was.
    pub fn answer(&mut self, key: &str, answer: Answer) {
        let asks = self.log.iter().rev().find_map(|event| match &event.draft.body {
            Body::AskOpened(opened) => Some(opened.ask.ask),
            _ => None,
        });
        let ask = self.state.asks.keys().next().copied().or(asks).unwrap_or(AskId([0; 16]));
        let _ = self
            .input(&format!("answer {key} {}", lines::word(&answer)), Input::Answer { ask, key: Key(key.into()), answer, by: person() });
    }

    pub fn done(&mut self, name: &str, effect: EffectId, attempt: u16, outcome: Outcome) {
        let _ = self.input(name, Input::Done { effect, attempt, outcome });
    }

    pub fn prepared(&mut self) {
        let wanted = Agent::effects(&self.state).into_iter().find(|effect| matches!(effect, Effect::Prepare(_)));
        let effect = wanted.expect("no run waits for its configuration").id();
        self.done("prepared", effect, 1, Outcome::Prepared(self.config.clone()));
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
        let (effect, attempt) = self.model();
        self.done("reply", effect, attempt, Outcome::Model(ModelOutcome::Replied(made::reply(parts))));
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

    /// The action that was decided for this call.
    pub fn action(&self, call: &str) -> ActionId {
        let call: CallId = call.parse().unwrap();
        let decided = self.log.iter().find_map(|event| match &event.draft.body {
            Body::ActionDecided(decided) if decided.call == call => Some(decided.action),
            _ => None,
        });
        decided.unwrap_or_else(|| panic!("{call} was not decided"))
    }

    fn attempts(&self, call: &str) -> u16 {
        let action = self.action(call);
        let starts = self.log.iter().filter(|event| matches!(&event.draft.body, Body::ToolStarted(started) if started.action == action));
        starts.count() as u16
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            laws::check(self);
        }
    }
}

pub fn person() -> Principal {
    Principal("person".into())
}
