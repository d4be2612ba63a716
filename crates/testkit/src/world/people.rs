//! People: they send messages, send them again when nobody answered, and decide about parked sessions.

use super::{Move, World};
use crate::monitor::{Invariant, Monitor, Violation, hold};
use crate::scenario::Scenario;
use agent::Agent;
use contract::ask::Answer;
use contract::id::{HostId, Key};
use contract::input::Input;
use contract::machine::Machine;
use contract::port::{Append, Expected};
use runtime::drive::{Caller, Refusal};
use serde::Serialize;

#[derive(Clone, Debug)]
pub struct People {
    messages: Vec<Letter>,
    decisions_left: u8,
}

/// What a person knows about a message of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Letter {
    Unsent,
    /// Given to this host, no answer yet; whether an earlier host had stored it by then.
    Sent(HostId, bool),
    Acknowledged,
}

impl People {
    #[must_use]
    pub fn new(scenario: &Scenario) -> People {
        People { messages: vec![Letter::Unsent; scenario.messages.len()], decisions_left: scenario.resumes }
    }

    /// The message to send next: the first that nobody has answered for.
    fn next(&self) -> Option<usize> {
        let next = self.messages.iter().position(|letter| *letter != Letter::Acknowledged)?;
        (self.messages[next] == Letter::Unsent).then_some(next)
    }

    /// What people still know and want when every host is dead: a message without an answer is sent again.
    #[must_use]
    pub fn durable(&self) -> impl Serialize {
        let open: Vec<bool> = self.messages.iter().map(|letter| *letter == Letter::Acknowledged).collect();
        (open, self.decisions_left)
    }

    /// Who waits for an answer of which host.
    #[must_use]
    pub fn living(&self) -> impl Serialize {
        &self.messages
    }

    #[must_use]
    pub fn may_resume(&self) -> bool {
        self.decisions_left > 0
    }

    #[must_use]
    pub fn has_message(&self) -> bool {
        self.next().is_some()
    }

    pub fn moves(&self, world: &World, moves: &mut Vec<Move>) {
        let exists = world.log.state.session.is_some();
        if self.next().is_some() {
            moves.extend((0..world.hosts.len()).map(|host| Move::Says { to: Some(host) }));
            if world.scenario.foreign && exists {
                moves.push(Move::Says { to: None });
            }
        }
        if self.decisions_left > 0 && world.log.state.is_parked() && world.log.state.gate.is_none() {
            moves.push(Move::Decides);
        }
    }

    /// A person whose host died does not know whether it had listened, and says it again.
    pub fn host_died(&mut self, host: HostId) {
        for letter in &mut self.messages {
            if matches!(letter, Letter::Sent(other, _) if *other == host) {
                *letter = Letter::Unsent;
            }
        }
    }

    pub fn answered(&mut self, caller: Caller, answer: &Result<contract::Version, Refusal>, monitor: &Monitor) -> Result<(), Violation> {
        let index = caller.0 as usize;
        let stored = monitor.has_message(&key(index));
        self.messages[index] = match answer {
            Ok(_) => {
                hold(stored, Invariant::AckedIsStored, || key(index).to_string())?;
                Letter::Acknowledged
            }
            Err(Refusal::Unclear) => Letter::Unsent,
            // A host that left without a look at it cannot know what earlier hosts did with it.
            Err(Refusal::Left) => {
                let before = matches!(self.messages[index], Letter::Sent(_, true));
                hold(!stored || before, Invariant::RefusedIsNotStored, || format!("{} {answer:?}", key(index)))?;
                Letter::Unsent
            }
            Err(Refusal::Rejected(_)) => {
                hold(!stored, Invariant::RefusedIsNotStored, || format!("{} {answer:?}", key(index)))?;
                Letter::Unsent
            }
        };
        Ok(())
    }

    pub fn check_quiet(&self, monitor: &Monitor) -> Result<(), Violation> {
        for (index, letter) in self.messages.iter().enumerate() {
            let lost = *letter == Letter::Acknowledged && !monitor.has_message(&key(index));
            hold(!lost, Invariant::AckedIsStored, || key(index).to_string())?;
        }
        Ok(())
    }
}

fn key(index: usize) -> Key {
    Key(format!("m{index}"))
}

impl World {
    /// The next message is what a new host is started with.
    pub(super) fn say_first(&mut self, host: &mut super::Host) -> Result<(), Violation> {
        let Some(next) = self.people.next() else { return Ok(()) };
        self.people.messages[next] = Letter::Sent(host.id(), self.monitor.has_message(&key(next)));
        let input = self.scenario.message(next);
        host.input(self, Some(Caller(next as u64)), input)
    }

    /// A person starts a host to let the session go on.
    pub(super) fn resume_first(&mut self, host: &mut super::Host) -> Result<(), Violation> {
        self.people.decisions_left -= 1;
        let key = Key(format!("resume{}", self.people.decisions_left));
        let by = self.scenario.person();
        host.input(self, None, Input::Resume { key, by })
    }

    pub(super) fn say(&mut self, to: Option<usize>) -> Result<(), Violation> {
        let Some(next) = self.people.next() else { return Ok(()) };
        let input = self.scenario.message(next);
        match to {
            Some(index) => {
                self.people.messages[next] = Letter::Sent(self.hosts[index].id(), self.monitor.has_message(&key(next)));
                self.with_host(index, |host, world| host.input(world, Some(Caller(next as u64)), input))
            }
            None => {
                self.offer(input)?;
                self.people.messages[next] = Letter::Acknowledged;
                Ok(())
            }
        }
    }

    pub(super) fn decide(&mut self) -> Result<(), Violation> {
        self.people.decisions_left -= 1;
        let by = self.scenario.person();
        let number = self.people.decisions_left;
        let ask = self.log.state.asks.keys().next().copied().filter(|_| self.scenario.denies);
        self.offer(match ask {
            Some(ask) => Input::Answer { ask, key: Key(format!("deny{number}")), answer: Answer::Deny, by },
            None => Input::Resume { key: Key(format!("resume{number}")), by },
        })
    }

    /// What any process does with an input: fold, accept, append; the owner notices later.
    fn offer(&mut self, input: Input) -> Result<(), Violation> {
        let Ok(drafts) = Agent::accept(&self.log.state, input, self.clock) else { return Ok(()) };
        let mut after = self.log.state.as_ref().clone();
        for draft in &drafts {
            let event = contract::Event { version: after.version.next(), time: self.clock, draft: draft.clone() };
            Agent::fold(&mut after, &event).map_err(|illegal| Violation::new(Invariant::ReachesRest, illegal.to_string()))?;
        }
        let append = Append {
            stream: self.log.stream.clone(),
            expected: Expected::after(self.log.version()),
            time: self.clock,
            drafts,
            fence: None,
            rest: Agent::rest(&after),
        };
        self.monitor.offered(&append)?;
        self.log.append(&append, None, &mut self.monitor)?.map(drop).or(Ok(()))
    }
}
