//! Plays the machine into a log with fixed ids and times, and makes what is played.

use agent::{Agent, State};
use contract::ask::Answer;
use contract::body::{Body, FailureClass, Mode, Origin, Principal, UnknownReason, Usage};
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::config::{ConfigRef, Options, ResumePolicy};
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{BootId, EventId, HostId, Key, MachineId, SessionId, Sha256, StreamId};
use contract::input::Input;
use contract::limits::ADVANCE_ROUNDS_MAX;
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
    pub now: Time,
    pub max_turns: u32,
    pub fallback: Vec<String>,
}

impl Writer {
    pub fn new() -> Writer {
        let stream = StreamId::session(SessionId([0x11; 16]));
        Writer { state: Agent::new(stream), events: Vec::new(), now: Time(1_750_000_000_000), max_turns: 20, fallback: Vec::new() }
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

    pub fn message(&mut self, key: &str, text: Text, mode: Mode) -> Played {
        self.input(Input::Message { key: Key(key.into()), text, mode, from: person() })
    }

    /// A message and the run it starts.
    pub fn run(&mut self, key: &str) -> Played {
        self.message(key, Text::from("Please do it."), Mode::Steer)?;
        self.prepare()
    }

    pub fn prepare(&mut self) -> Played {
        let sha256 = Sha256::of(b"a configuration");
        let config = ConfigRef { sha256, model: "script:golden".into(), fallback: self.fallback.clone(), max_turns: self.max_turns };
        self.done(0, Outcome::Prepared(config))
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

    pub fn answer(&mut self, answer: Answer) -> Played {
        let ask = *self.state.asks.keys().next().ok_or("there is no ask")?;
        self.input(Input::Answer { ask, key: Key("answer-1".into()), answer, by: person() })
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
