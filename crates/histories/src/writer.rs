//! Plays the machine into a log with fixed ids and times, and makes what is played.

use agent::draft::{About, Drafts};
use agent::{Agent, State};
use contract::ask::{Answer, Ask};
use contract::body::{AskOpened, Body, FailureClass, Mode, Origin, Principal, ResourceLoaded, Scope, UnknownReason, Usage};
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::config::{ConfigRef, Limits, Options, Policy, ResumePolicy};
use contract::effect::EffectId;
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{AskId, BootId, EventId, HostId, Key, MachineId, SessionId, Sha256, StreamId};
use contract::input::{Input, OutputTail};
use contract::limits::{ADVANCE_ROUNDS_MAX, OUTPUT_TOKENS_DEFAULT};
use contract::machine::Machine;
use contract::outcome::{ModelOutcome, Outcome, Reply, ReplyPart, ToolOutcome};
use contract::text::Text;
use contract::units::{Epoch, Time, Version};

/// What stopped it, when the machine does not play along.
pub type Played = Result<(), String>;

/// An owner who plays the machine without a world.
pub struct Writer {
    pub state: State,
    pub events: Vec<Event>,
    /// Events of the session that this one was forked from.
    pub inherited: Vec<(StreamId, Event)>,
    /// How often it was forked.
    forks: u8,
    pub now: Time,
    /// What the next run is resolved to.
    pub config: ConfigRef,
    /// What it is given besides.
    pub resources: Vec<ResourceLoaded>,
}

fn first_config() -> ConfigRef {
    ConfigRef {
        sha256: Sha256::of(b"a configuration"),
        bytes: 2_048,
        model: "script:golden".into(),
        fallback: Vec::new(),
        max_turns: 20,
        policy: Policy::default(),
        limits: Limits::default(),
        prices: None,
        output_tokens_max: OUTPUT_TOKENS_DEFAULT,
        standing: Vec::new(),
        warn_cost_micros: None,
    }
}

impl Writer {
    pub fn new() -> Writer {
        let stream = StreamId::session(SessionId([0x11; 16]));
        Writer {
            state: Agent::new(stream),
            events: Vec::new(),
            inherited: Vec::new(),
            forks: 0,
            now: Time(1_750_000_000_000),
            config: first_config(),
            resources: Vec::new(),
        }
    }

    pub fn append(&mut self, drafts: Vec<Draft>) -> Played {
        for draft in drafts {
            let event = Event { version: self.state.version.next(), time: self.now, draft };
            Agent::fold(&mut self.state, &event).map_err(|illegal| illegal.to_string())?;
            self.events.push(event);
        }
        Ok(())
    }

    pub fn facts(&mut self, input: Input) -> Result<Vec<Draft>, String> {
        self.now = Time(self.now.0 + 1_500);
        Agent::accept(&self.state, input, self.now).map_err(|rejection| rejection.to_string())
    }

    pub fn input(&mut self, input: Input) -> Played {
        let facts = self.facts(input)?;
        self.append(facts)?;
        self.advance()
    }

    /// Nothing happens until what is due is due.
    pub fn wait(&mut self) -> Played {
        self.now = Agent::due(&self.state).ok_or("nothing is due")?;
        self.advance()
    }

    fn advance(&mut self) -> Played {
        for _ in 0..ADVANCE_ROUNDS_MAX {
            let intents = Agent::advance(&self.state, self.now);
            if intents.is_empty() {
                return Ok(());
            }
            self.append(intents)?;
        }
        Err("no rest".to_owned())
    }

    pub fn create(&mut self, options: Options, origin: Option<Origin>) -> Played {
        self.input(Input::Create { folder: "/project".into(), options, origin, by: person() })?;
        self.take()
    }

    pub fn policy(&mut self, resume: ResumePolicy) -> Played {
        self.create(Options { resume, ..Options::default() }, None)
    }

    pub fn take(&mut self) -> Played {
        let epoch = Epoch(self.state.epoch().0 + 1);
        let host = HostId([epoch.0 as u8; 16]);
        self.input(Input::Taken { epoch, host, machine: MachineId([0x22; 16]), boot: BootId("8c1f0d52-boot".into()) })
    }

    /// Goes on in a session that was forked from this one as it is now.
    pub fn fork(&mut self) -> Played {
        let from = std::mem::replace(&mut self.state.stream, StreamId::session(SessionId([0x77 + self.forks; 16])));
        self.forks += 1;
        let parent = from.session_id().ok_or("only a session can be forked")?;
        self.inherited.extend(std::mem::take(&mut self.events).into_iter().map(|event| (from.clone(), event)));
        self.now = Time(self.now.0 + 1_500);
        let drafts =
            agent::accept::fork(&self.state, parent, Sha256::of(b"a chain"), person()).map_err(|rejection| rejection.to_string())?;
        for draft in drafts {
            let event = Event { version: Version::NONE.next(), time: self.now, draft };
            Agent::fold(&mut self.state, &event).map_err(|illegal| illegal.to_string())?;
            self.events.push(event);
        }
        Ok(())
    }

    pub fn message(&mut self, key: &str, text: Text, mode: Mode) -> Played {
        let seen = self.state.version;
        self.input(Input::Message { key: Key(key.into()), text, mode, from: person(), seen, tails: Vec::new() })
    }

    /// A steering message, said when the running attempt at this place of what is wanted had printed this much.
    pub fn message_beside(&mut self, key: &str, place: usize, output: &str) -> Played {
        let effect = Agent::effects(&self.state).get(place).copied().ok_or("nothing is wanted there")?;
        let EffectId::Tool(action) = effect.id() else { return Err("no tool is wanted there".to_owned()) };
        let tails = vec![OutputTail { action, attempt: effect.attempt(), output: Text::from(output) }];
        let (key, text, seen) = (Key(key.into()), Text::from("How far are you?"), self.state.version);
        self.input(Input::Message { key, text, mode: Mode::Steer, from: person(), seen, tails })
    }

    pub fn withdraw(&mut self, key: &str, message: &str) -> Played {
        self.input(Input::Withdraw { key: Key(key.into()), message: Key(message.into()), by: person() })
    }

    pub fn stop(&mut self, key: &str, scope: Scope) -> Played {
        self.input(Input::Stop { key: Key(key.into()), scope, by: person() })
    }

    pub fn pause(&mut self, key: &str) -> Played {
        self.input(Input::Pause { key: Key(key.into()), by: person() })
    }

    /// A message and the run it starts.
    pub fn run(&mut self, key: &str) -> Played {
        self.message(key, Text::from("Please do it."), Mode::Steer)?;
        self.prepare()
    }

    pub fn prepare(&mut self) -> Played {
        self.done(0, Outcome::Prepared { config: Box::new(self.config.clone()), resources: self.resources.clone() })
    }

    /// Outcome of the wanted effect at this place.
    pub fn done(&mut self, place: usize, outcome: Outcome) -> Played {
        let effect = Agent::effects(&self.state).get(place).copied().ok_or("nothing is wanted there")?;
        self.input(Input::Done { effect: effect.id(), attempt: effect.attempt(), outcome })
    }

    pub fn tool(&mut self, place: usize, outcome: ToolOutcome) -> Played {
        self.done(place, Outcome::Tool(outcome))
    }

    pub fn reply(&mut self, parts: Vec<ReplyPart>) -> Played {
        self.done(0, reply(parts, None))
    }

    pub fn say(&mut self, text: &str) -> Played {
        self.reply(vec![ReplyPart::Text(Text::from(text))])
    }

    pub fn fail(&mut self, class: FailureClass) -> Played {
        let retry_after_ms = (class == FailureClass::RateLimited).then_some(7_000);
        self.done(0, Outcome::Model(ModelOutcome::Failed { class, message: Text::from("the provider says no"), retry_after_ms }))
    }

    /// Opens an ask that the machine itself does not open.
    pub fn open(&mut self, cause: EventId, ask: Ask) -> Played {
        let mut drafts = Drafts::new(&self.state);
        drafts.intent(About { call: ask.subject.call(), ..About::system(Some(cause)) }, AskOpened { ask });
        let opened = drafts.finish();
        self.append(opened)
    }

    /// Answers the ask that was opened first.
    pub fn answer(&mut self, answer: Answer) -> Played {
        let (ask, key) = (self.first_ask()?, self.next_answer());
        self.input(Input::Answer { ask, key, answer, by: person() })
    }

    /// Approves the call of that ask with other arguments.
    pub fn edit(&mut self, call: PreparedCall) -> Played {
        let (ask, key) = (self.first_ask()?, self.next_answer());
        self.input(Input::Edit { ask, key, call: Box::new(call), by: person() })
    }

    fn first_ask(&self) -> Result<AskId, String> {
        let first = self.state.asks.values().min_by_key(|open| open.version).ok_or("there is no ask")?;
        Ok(first.ask.ask)
    }

    fn next_answer(&self) -> Key {
        let answers = self.events.iter().filter(|event| matches!(event.draft.body, Body::AskAnswered(_))).count();
        Key(format!("answer-{}", answers + 1))
    }

    pub fn resume(&mut self) -> Played {
        self.input(Input::Resume { key: Key("resume-1".into()), by: person() })
    }
}

pub fn person() -> Principal {
    Principal("ada".into())
}

pub fn reply(parts: Vec<ReplyPart>, cost_micros: Option<u64>) -> Outcome {
    let usage = Usage { input: 812, output: 64, cache_read: 500, cache_write: 300, reasoning: 16 };
    Outcome::Model(ModelOutcome::Replied(Reply { parts, usage, cost_micros }))
}

/// A text that stands in a blob; its ends are short, which changes nothing of its shape.
pub fn blob(of: &str) -> Text {
    let whole = of.repeat(4_000);
    Text::Blob { sha256: Sha256::of(whole.as_bytes()), bytes: whole.len() as u64, head: of.repeat(2), tail: of.to_owned() }
}

pub fn call(number: usize, class: Class) -> PreparedCall {
    let args = format!("{{\"path\":\"file-{number}\"}}");
    PreparedCall {
        provider_call: format!("toolu_{number}"),
        tool: "write_file".into(),
        args_hash: Sha256::of(args.as_bytes()),
        args: Text::Inline(args),
        class,
        risk: Risk::Low,
        prepared: Box::new(Prepared::default()),
        refused: None,
    }
}

pub fn calls(classes: &[Class]) -> Vec<ReplyPart> {
    classes.iter().enumerate().map(|(number, class)| ReplyPart::Call(Box::new(call(number, *class)))).collect()
}

pub fn finished(ok: bool, output: Text, exit: Option<i32>, signal: Option<i32>) -> ToolOutcome {
    ToolOutcome::Finished { ok, output, exit, signal }
}

pub fn unknown(reason: UnknownReason) -> ToolOutcome {
    ToolOutcome::Unknown { reason, output: Text::from("half of it") }
}

/// A first cause in the stream of a host, which has no machine.
pub fn drafted(stream: &StreamId, base: Version, actor: Actor, trust: Trust, body: Body) -> Draft {
    let id = EventId::of_intent(stream, base, 0, &body);
    Draft { id, cause: None, correlation: None, run: None, level: Level::Core, call: None, actor, trust, body }
}
