//! The loop of one stream as a machine: a cause comes in, a list of things to do comes out. No IO, no clock.
//!
//! One append is under way at a time. State is folded in place while it is; effects are derived only from state
//! that is durable. On a conflict the state is dropped and read again, and the same inputs are offered again.

mod append;
mod decide;
#[cfg(test)]
mod tests;

use contract::effect::{Effect, EffectId};
use contract::event::Event;
use contract::id::{BootId, HostId, MachineId, StreamId};
use contract::input::{Input, Rejection};
use contract::machine::{Illegal, Machine};
use contract::outcome::Outcome;
use contract::planted::{self, Bug};
use contract::port::Append;
use contract::units::{Epoch, Time, Version};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Names whoever waits for an answer to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Caller(pub u64);

/// Everything that can wake the loop.
#[derive(Clone, Debug)]
pub enum Cause {
    /// Take the stream and drive it.
    Open,
    Acquired(Epoch),
    /// A living host has the stream.
    Held(HostId),
    /// An event of another stream that this one was forked from; further ones and its own follow.
    Inherited(Box<Event>),
    /// Events from the version asked for on; `more` follow.
    Read {
        events: Vec<Event>,
        more: bool,
    },
    Unreadable {
        version: Version,
        reason: String,
    },
    Input {
        caller: Option<Caller>,
        input: Input,
    },
    Outcome {
        effect: EffectId,
        attempt: u16,
        outcome: Outcome,
    },
    Appended {
        last: Version,
    },
    Conflict,
    Fenced,
    /// Surely not stored.
    Unavailable,
    /// Maybe stored.
    Unknown,
    /// What this stream needs failed for good.
    Broken(String),
    /// The log could not be asked, and may be a little later.
    Unreachable(String),
    /// This process can write nothing any more.
    LogBroken(String),
    /// Another process appended to the stream.
    Changed,
    /// The time that was asked for has come.
    Due,
    /// Everything that was to be begun has begun.
    Again,
    /// Stop deciding, let go of the stream.
    Drain,
}

/// Everything the loop can want done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Do {
    Acquire,
    Read {
        from: Version,
    },
    /// `tries` tells how often these very events were offered before.
    Append {
        append: Append,
        tries: u32,
    },
    Start(Effect),
    /// The effect is no longer wanted.
    Stop(Effect),
    Answer {
        caller: Caller,
        answer: Result<Version, Refusal>,
    },
    /// Say `Due` at this time; an earlier wish is forgotten.
    Wake {
        at: Time,
    },
    /// Say `Again` when everything before this is done: what begins takes what it needs from the state as it is now.
    Again,
    Quarantine {
        version: Version,
        reason: String,
    },
    Release {
        epoch: Epoch,
    },
    /// The last thing a driver says.
    Leave(Leave),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Refusal {
    Rejected(Rejection),
    /// The loop ended first and did not store the input; if it was offered before, it may be in the log since then.
    Left,
    /// The loop ended while the append was under way; the input may be in the log.
    Unclear,
}

/// Why a driver ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Leave {
    Drained,
    Held(HostId),
    Fenced,
    Quarantined {
        version: Version,
        reason: String,
    },
    Unreadable {
        version: Version,
        reason: String,
    },
    Broken(String),
    /// The log could not be asked, and may be a little later.
    Unreachable(String),
    /// This process can write nothing any more; whoever has it end frees what it holds.
    LogBroken(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Phase {
    New,
    Acquiring,
    Loading,
    Driving,
    Left,
}

#[derive(Clone, Debug, Serialize)]
struct Pending {
    caller: Option<Caller>,
    input: Input,
}

/// An append under way and the inputs it answers.
#[derive(Clone, Debug, Serialize)]
struct Flight {
    /// What the inputs lead to from the state they met; whoever compares drivers looks at those.
    #[serde(skip)]
    append: Append,
    /// Counts for the patience of the shell only; nothing is decided by it.
    #[serde(skip)]
    tries: u32,
    pending: Vec<Pending>,
}

/// Who drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub host: HostId,
    pub machine: MachineId,
    pub boot: BootId,
}

#[derive(Clone, Debug, Serialize)]
pub struct Driver<M: Machine> {
    stream: StreamId,
    place: Place,
    phase: Phase,
    epoch: Epoch,
    /// Mostly the fold of the log; whoever compares drivers adds it where it is not.
    #[serde(skip)]
    state: M::State,
    queue: VecDeque<Pending>,
    flight: Option<Flight>,
    /// Effects begun in this epoch that are still wanted. Sorted by hash, so whoever compares drivers sorts anew.
    #[serde(skip)]
    begun: BTreeMap<(EffectId, u16), Begun>,
    draining: bool,
    /// The time that `Due` was asked for.
    wake: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Begun {
    effect: Effect,
    /// Its executor has ended; there is nothing to stop.
    ended: bool,
}

impl<M: Machine> Driver<M> {
    #[must_use]
    pub fn new(stream: StreamId, place: Place) -> Driver<M> {
        let state = M::new(stream.clone());
        Driver {
            stream,
            place,
            phase: Phase::New,
            epoch: Epoch::default(),
            state,
            queue: VecDeque::new(),
            flight: None,
            begun: BTreeMap::new(),
            draining: false,
            wake: None,
        }
    }

    #[must_use]
    pub fn state(&self) -> &M::State {
        &self.state
    }

    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Whether the state shown is durable and nothing waits to be decided.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.phase == Phase::Driving && self.flight.is_none() && self.queue.is_empty()
    }

    /// The append under way.
    #[must_use]
    pub fn in_flight(&self) -> Option<&Append> {
        self.flight.as_ref().map(|flight| &flight.append)
    }

    /// Effects begun and still wanted, and whether the executor of each has ended.
    pub fn begun(&self) -> impl Iterator<Item = (Effect, bool)> {
        self.begun.values().map(|begun| (begun.effect, begun.ended))
    }

    #[must_use]
    pub fn has_left(&self) -> bool {
        self.phase == Phase::Left
    }

    pub fn on(&mut self, cause: Cause, now: Time) -> Vec<Do> {
        let mut dos = Vec::new();
        if self.phase == Phase::Left {
            if let Cause::Input { caller: Some(caller), .. } = cause {
                dos.push(Do::Answer { caller, answer: Err(Refusal::Left) });
            }
            return dos;
        }
        // A machine that panics must not take the others with it.
        let handled = catch_unwind(AssertUnwindSafe(|| self.handle(cause, now, &mut dos)));
        match handled {
            Ok(Ok(())) => {}
            Ok(Err(halt)) => self.halt(halt, &mut dos),
            Err(panic) => self.halt(Halt::Quarantine(panic_text(panic.as_ref())), &mut dos),
        }
        dos
    }

    fn handle(&mut self, cause: Cause, now: Time, dos: &mut Vec<Do>) -> Result<(), Halt> {
        match cause {
            Cause::Open => {
                self.phase = Phase::Acquiring;
                dos.push(Do::Acquire);
            }
            Cause::Acquired(epoch) => {
                self.epoch = epoch;
                // Inputs given before the stream was open come first: a resume must count for this takeover.
                self.queue.push_back(Pending { caller: None, input: self.taken() });
                self.load(dos);
            }
            Cause::Held(host) => return Err(Halt::Leave(Leave::Held(host))),
            Cause::Inherited(event) => M::fold(&mut self.state, &event)?,
            Cause::Read { events, more } => self.read(events, more, now, dos)?,
            Cause::Unreadable { version, reason } => return Err(Halt::Leave(Leave::Unreadable { version, reason })),
            Cause::Input { caller, input } => {
                self.queue.push_back(Pending { caller, input });
                self.decide(now, dos)?;
            }
            Cause::Outcome { effect, attempt, outcome } => {
                self.note_ended(effect, attempt, &outcome);
                self.queue.push_back(Pending { caller: None, input: Input::Done { effect, attempt, outcome } });
                self.decide(now, dos)?;
            }
            Cause::Appended { last } => self.appended(last, now, dos)?,
            Cause::Conflict => self.reload(dos),
            Cause::Fenced => return Err(Halt::Leave(Leave::Fenced)),
            Cause::Unavailable => self.repeat(dos),
            Cause::Unknown => self.unknown(now, dos)?,
            Cause::Broken(reason) => return Err(Halt::Leave(Leave::Broken(reason))),
            Cause::Unreachable(reason) => return Err(Halt::Leave(Leave::Unreachable(reason))),
            Cause::LogBroken(reason) => return Err(Halt::Leave(Leave::LogBroken(reason))),
            Cause::Changed => {
                // With an append under way its conflict will say the same.
                if self.phase == Phase::Driving && self.flight.is_none() {
                    self.phase = Phase::Loading;
                    dos.push(Do::Read { from: M::version(&self.state).next() });
                }
            }
            Cause::Due => {
                self.wake = None;
                self.decide(now, dos)?;
            }
            Cause::Again => self.decide(now, dos)?,
            Cause::Drain => {
                self.draining = true;
                self.decide(now, dos)?;
            }
        }
        Ok(())
    }

    fn taken(&self) -> Input {
        let Place { host, machine, boot } = self.place.clone();
        Input::Taken { epoch: self.epoch, host, machine, boot }
    }

    /// Drops the state and folds it again from the first event.
    fn load(&mut self, dos: &mut Vec<Do>) {
        self.phase = Phase::Loading;
        self.state = M::new(self.stream.clone());
        dos.push(Do::Read { from: Version::NONE.next() });
    }

    fn read(&mut self, events: Vec<Event>, more: bool, now: Time, dos: &mut Vec<Do>) -> Result<(), Halt> {
        for event in &events {
            M::fold(&mut self.state, event)?;
        }
        if more {
            dos.push(Do::Read { from: M::version(&self.state).next() });
            return Ok(());
        }
        if M::epoch(&self.state) > self.epoch && !planted::active(Bug::StaleOwner) {
            return Err(Halt::Leave(Leave::Fenced));
        }
        self.phase = Phase::Driving;
        self.decide(now, dos)
    }

    fn note_ended(&mut self, effect: EffectId, attempt: u16, outcome: &Outcome) {
        if let Some(begun) = self.begun.get_mut(&(effect, attempt)) {
            begun.ended = outcome.is_end();
        }
    }

    fn halt(&mut self, halt: Halt, dos: &mut Vec<Do>) {
        let leave = match halt {
            Halt::Leave(leave) => leave,
            Halt::Quarantine(reason) => {
                let version = M::version(&self.state);
                dos.push(Do::Quarantine { version, reason: reason.clone() });
                Leave::Quarantined { version, reason }
            }
        };
        self.leave(leave, dos);
    }

    fn leave(&mut self, leave: Leave, dos: &mut Vec<Do>) {
        self.phase = Phase::Left;
        let in_flight = self.flight.take().map(|flight| flight.pending).unwrap_or_default();
        let unclear = in_flight.into_iter().map(|pending| (pending, Refusal::Unclear));
        let left = std::mem::take(&mut self.queue).into_iter().map(|pending| (pending, Refusal::Left));
        for (pending, refusal) in unclear.chain(left) {
            if let Some(caller) = pending.caller {
                dos.push(Do::Answer { caller, answer: Err(refusal) });
            }
        }
        // Executors are let go, not stopped: what they do is recovered by whoever owns the stream next.
        self.begun.clear();
        if self.epoch > Epoch::default() && leave != Leave::Fenced {
            dos.push(Do::Release { epoch: self.epoch });
        }
        dos.push(Do::Leave(leave));
    }
}

/// Why the loop cannot go on.
#[derive(Debug)]
enum Halt {
    Leave(Leave),
    Quarantine(String),
}

impl From<Illegal> for Halt {
    fn from(illegal: Illegal) -> Halt {
        Halt::Quarantine(illegal.to_string())
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a text".to_owned())
}
