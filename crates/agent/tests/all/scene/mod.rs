//! One scene: a log, its state, and an owner who plays every input to rest. Each scene is checked against all laws
//! when it ends, so a test only says what is particular to it.

mod actions;
mod asked;
mod envelopes;
pub mod laws;
pub mod lines;
pub mod made;
mod notes;
mod people;
mod permission;
mod shown;
mod spent;
mod wanted;
mod world;

pub use people::person;

use agent::{Agent, State};
use contract::body::Origin;
use contract::call::Class;
use contract::config::{ConfigRef, Limits, Policy, ResumePolicy};
use contract::event::{Draft, Event};
use contract::id::{ActionId, SessionId, Sha256, StreamId};
use contract::input::{Input, Rejection};
use contract::limits::{ADVANCE_ROUNDS_MAX, OUTPUT_TOKENS_DEFAULT};
use contract::machine::Machine;
use contract::outcome::ReplyPart;
use contract::units::Time;
use made::Change;
use std::ops::Range;

/// Replies a run of a scene may have before it must answer.
pub const MAX_TURNS: u32 = 3;

pub struct Scene {
    pub log: Vec<Event>,
    pub state: State,
    pub config: ConfigRef,
    pub now: Time,
    /// Places in the log of what an owner appended at once.
    appends: Vec<Range<usize>>,
    told: String,
    unnoticed: bool,
}

/// What a run of a scene is resolved to, unless the scene says otherwise.
fn plain_config() -> ConfigRef {
    ConfigRef {
        sha256: Sha256::of(b"configuration"),
        bytes: 100,
        model: "script".into(),
        fallback: Vec::new(),
        max_turns: MAX_TURNS,
        policy: Policy::default(),
        limits: Limits::default(),
        prices: None,
        output_tokens_max: OUTPUT_TOKENS_DEFAULT,
        standing: Vec::new(),
        warn_cost_micros: None,
    }
}

/// How a scene begins.
impl Scene {
    /// A stream without a session.
    pub fn empty() -> Scene {
        let state = Agent::new(StreamId::session(SessionId([7; 16])));
        let now = Time(1_700_000_000_000);
        Scene { log: Vec::new(), state, config: plain_config(), now, appends: Vec::new(), told: String::new(), unnoticed: false }
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

    /// A run that is resolved to something of its own, its model call open and its story not told.
    pub fn configured(change: impl FnOnce(&mut ConfigRef)) -> Scene {
        let mut scene = Scene::new();
        change(&mut scene.config);
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

    /// A run whose first reply was this, its story not told.
    pub fn replied(parts: Vec<ReplyPart>) -> Scene {
        let mut scene = Scene::asking(ResumePolicy::Continue);
        scene.replies(parts);
        scene.told.clear();
        scene
    }

    /// A run whose first reply made one call of high risk, which waits for a person; its story is not told.
    pub fn held() -> Scene {
        Scene::replied(vec![made::command(0, "make install").part()])
    }

    /// The scene as it was when only this many events were stored, before anybody advanced it.
    pub fn cut(&self, events: usize) -> Scene {
        let mut scene = Scene::empty();
        scene.config = self.config.clone();
        for event in &self.log[..events] {
            scene.now = event.time;
            scene.append(vec![event.draft.clone()]);
        }
        scene
    }
}

/// How a scene goes on.
impl Scene {
    /// What happened since the last time it was told: inputs, appended events, wanted effects.
    pub fn story(&mut self) -> String {
        std::mem::take(&mut self.told)
    }

    /// Accepts, folds and advances to rest, as the driver of an owner does; answers what was appended.
    pub fn input(&mut self, name: &str, input: Input) -> Result<Vec<Event>, Rejection> {
        self.now = self.now.plus_ms(1_000);
        let from = self.log.len();
        self.accept(name, input)?;
        if !self.unnoticed {
            self.advance();
        }
        Ok(self.appended(from))
    }

    /// What is said here is accepted and appended by another process, and the owner has not noticed yet.
    pub fn elsewhere(&mut self, inputs: impl FnOnce(&mut Scene)) {
        self.unnoticed = true;
        inputs(self);
        self.unnoticed = false;
    }

    /// The owner notices what others appended.
    pub fn notice(&mut self) {
        self.wake("> the owner notices");
    }

    fn accept(&mut self, name: &str, input: Input) -> Result<(), Rejection> {
        self.tell(&format!("> {name}"));
        match Agent::accept(&self.state, input, self.now) {
            Ok(facts) => {
                self.append(facts);
                Ok(())
            }
            Err(rejection) => {
                let line = lines::rejection(self, &rejection);
                self.tell(&format!("  ! {line}"));
                Err(rejection)
            }
        }
    }

    /// Lets the time come that the machine waits for, or a millisecond less.
    pub fn wait(&mut self, short_by_ms: u64) {
        let due = Agent::due(&self.state).expect("something is due");
        self.now = Time(due.0 - short_by_ms);
        self.wake(if short_by_ms == 0 { "> it is time" } else { "> it is almost time" });
    }

    /// Lets this much time pass without an input.
    pub fn pass(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        self.wake(&format!("> {ms} ms later"));
    }

    fn wake(&mut self, line: &str) {
        self.tell(line);
        let from = self.log.len();
        self.advance();
        self.appended(from);
    }

    /// Notes what was appended at once, and tells it.
    fn appended(&mut self, from: usize) -> Vec<Event> {
        self.appends.push(from..self.log.len());
        self.tell_from(from);
        let wanted = self.effects();
        self.tell(&format!("  = {wanted}"));
        self.log[from..].to_vec()
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
                let due = Agent::due(&self.state).filter(|_| self.state.owner.is_some());
                assert!(due.is_none_or(|due| due > self.now), "at rest and due at {due:?}, which has come");
                return;
            }
            self.append(intents);
        }
        panic!("no rest after {ADVANCE_ROUNDS_MAX} rounds");
    }

    fn tell_from(&mut self, from: usize) {
        let lines: Vec<String> = self.log[from..].iter().map(lines::event).collect();
        for line in lines {
            self.tell(&format!("  {line}"));
        }
    }

    fn tell(&mut self, line: &str) {
        self.told.push_str(line);
        self.told.push('\n');
    }

    pub fn effects(&self) -> String {
        lines::effects(self, &Agent::effects(&self.state))
    }

    /// Names of all events so far.
    pub fn names(&self) -> Vec<&'static str> {
        self.log.iter().map(|event| event.draft.body.name()).collect()
    }

    pub fn count(&self, name: &str) -> usize {
        self.names().iter().filter(|other| **other == name).count()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            laws::check(self);
        }
    }
}
