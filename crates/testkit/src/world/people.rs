//! People: they do one thing after the other, and do it again when nobody answered.

use super::outside::Slot;
use super::{Host, Move, VirtualLog, World};
use crate::monitor::{Invariant, Monitor, Violation, hold};
use crate::scenario::{Act, Call, Kind, Reaction, Routes, Scenario, What};
use agent::state::Stage;
use agent::{Agent, State};
use contract::ask::{Answer, AskKind, Grant, Subject};
use contract::body::Scope;
use contract::id::{HostId, Key};
use contract::input::{Input, OutputTail, Rejection};
use contract::machine::Machine;
use contract::port::{Append, Expected};
use contract::text::Text;
use contract::units::Version;
use runtime::drive::{Caller, Refusal};
use serde::Serialize;

#[derive(Clone, Debug)]
pub struct People(Vec<Person>);

#[derive(Clone, Debug, Default)]
struct Person {
    /// Acts that they got an answer for.
    done: usize,
    waits_for: Option<Waits>,
    /// What they did without an answer, if they would not do it of anything else: it is done again as it was.
    tried: Option<Input>,
}

/// A host has the next act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Waits {
    host: HostId,
    /// Whether the act was in the log by then.
    stored: bool,
    /// How far the person had seen the session.
    seen: Version,
}

impl People {
    #[must_use]
    pub fn new(scenario: &Scenario) -> People {
        People(vec![Person::default(); scenario.people.len()])
    }

    /// What people still know and want when every host is dead: what has no answer is done again.
    #[must_use]
    pub fn durable(&self) -> impl Serialize {
        self.0.iter().map(|person| (person.done, person.tried.as_ref())).collect::<Vec<_>>()
    }

    /// Who waits for an answer of which host.
    #[must_use]
    pub fn living(&self) -> impl Serialize {
        self.0.iter().map(|person| person.waits_for).collect::<Vec<_>>()
    }

    pub fn moves(&self, world: &World, moves: &mut Vec<Move>) {
        let exists = world.log.state.session.is_some();
        for person in (0..self.0.len()).filter(|person| self.next_input(*person, world).is_some()) {
            if world.scenario.routes != Routes::Other || !exists {
                moves.extend((0..world.hosts.len()).map(|host| Move::Gives { person, to: Some(host) }));
            }
            if world.scenario.routes != Routes::Owner && exists {
                moves.push(Move::Gives { person, to: None });
            }
        }
    }

    /// People who would start a host to say something or to let the session go on.
    pub fn openers(&self, world: &World) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|person| match self.next_act(*person, &world.scenario).map(|act| act.what) {
            Some(What::Say(..)) => true,
            Some(What::Resume) => world.log.has_owner(),
            Some(What::Withdraw(_) | What::Answer(..) | What::Stop(_) | What::Pause) | None => false,
        })
    }

    fn next_act(&self, person: usize, scenario: &Scenario) -> Option<Act> {
        let Person { done, waits_for, .. } = &self.0[person];
        scenario.people[person].get(*done).copied().filter(|_| waits_for.is_none())
    }

    /// What the person would do now: what they did before without an answer, or what they see reason for.
    fn next_input(&self, person: usize, world: &World) -> Option<Input> {
        let act = self.next_act(person, &world.scenario)?;
        self.0[person].tried.clone().or_else(|| world.scenario.input(act, &world.log.state))
    }

    /// A person whose host died does not know whether it had listened, and does it again.
    pub fn host_died(&mut self, host: HostId) {
        for person in &mut self.0 {
            person.waits_for.take_if(|waits| waits.host == host);
        }
    }

    /// Everybody goes on with the fork: what was stored before belongs to it too, what was not is done there.
    pub fn turn_to_fork(&mut self, scenario: &Scenario, monitor: &Monitor) {
        for (person, acts) in self.0.iter_mut().zip(&scenario.people) {
            let stored = acts.get(person.done).is_some_and(|act| monitor.has_key(&Key(act.key.to_owned())));
            *person = Person { done: person.done + usize::from(stored), ..Person::default() };
        }
    }

    pub fn answered(
        &mut self,
        caller: Caller,
        answer: &Result<Version, Refusal>,
        scenario: &Scenario,
        log: &VirtualLog,
        monitor: &Monitor,
    ) -> Result<(), Violation> {
        let index = caller.0 as usize;
        let person = &mut self.0[index];
        let act = scenario.people[index][person.done];
        let key = Key(act.key.to_owned());
        let stored = monitor.has_key(&key);
        let waits = person.waits_for.take();
        let before = waits.is_some_and(|waits| waits.stored);
        match answer {
            Ok(_) => {
                hold(stored, Invariant::AckedIsStored, || key.to_string())?;
                let seen = waits.filter(|_| !before && matches!(act.what, What::Say(..))).map(|waits| waits.seen);
                let answers = log.asked(&key).filter(|asked| seen.is_some_and(|seen| *asked > seen));
                hold(answers.is_none(), Invariant::AnsweredAsSeen, || format!("{key} answers what was asked at {answers:?}"))?;
            }
            // A host that left without a look at it, or that is no owner any more, cannot know what others did with it.
            Err(Refusal::Left | Refusal::Rejected(_)) => {
                hold(!stored || before, Invariant::RefusedIsNotStored, || format!("{key} {answer:?}"))?;
            }
            Err(Refusal::Unclear) => {}
        }
        if matches!(answer, Ok(_) | Err(Refusal::Rejected(_))) {
            *person = Person { done: person.done + 1, ..Person::default() };
        }
        Ok(())
    }
}

impl Scenario {
    /// What the act is in this state, if the person sees reason for it.
    #[must_use]
    pub fn input(&self, act: Act, state: &State) -> Option<Input> {
        let key = Key(act.key.to_owned());
        let by = self.person();
        match act.what {
            What::Say(text, mode) => {
                let (text, seen) = (Text::from(text), state.version);
                Some(Input::Message { key, text, mode, from: by, seen, tails: Vec::new() })
            }
            What::Withdraw(message) => {
                let message = Key(message.to_owned());
                state.inbox.iter().any(|waiting| waiting.key == message).then_some(Input::Withdraw { key, message, by })
            }
            What::Answer(kind, reaction) => self.react(state, key, kind, reaction),
            What::Stop(scope) => {
                let going = state.run.is_some() || state.next_message().is_some() || (scope == Scope::All && !state.calls.is_empty());
                going.then_some(Input::Stop { key, scope, by })
            }
            What::Pause => state.run.is_some().then_some(Input::Pause { key, by }),
            What::Resume => (state.is_parked() && state.gate.is_none()).then_some(Input::Resume { key, by }),
        }
    }

    fn react(&self, state: &State, key: Key, kind: AskKind, reaction: Reaction) -> Option<Input> {
        let of_kind = state.asks.values().map(|open| &open.ask).filter(|ask| ask.subject.kind() == kind);
        let open = of_kind.min_by_key(|ask| ask.subject.call())?;
        let (ask, by) = (open.ask, self.person());
        let answer = match reaction {
            Reaction::Approve => Answer::YES,
            Reaction::ForSession => Answer::Approve { grant: Grant::Session },
            Reaction::ForGood => Answer::Approve { grant: Grant::Always },
            Reaction::Deny => Answer::NO,
            Reaction::DenyAndStop => Answer::Deny { message: None, stop: true },
            Reaction::Reply(text) => Answer::Reply(Text::from(text)),
            Reaction::Extend(amount) => Answer::Extend { amount },
            Reaction::Edit(args) => {
                let Subject::Tool { tool, .. } = &open.subject else { return None };
                let call = Box::new(Call::of(Kind::of(tool)?).with(args).risky().prepared());
                return Some(Input::Edit { ask, key, call, by });
            }
        };
        Some(Input::Answer { ask, key, answer, by })
    }
}

impl World {
    /// The next act of a person is what a new host is started with.
    pub(super) fn give_first(&mut self, person: usize, host: &mut Host) -> Result<(), Violation> {
        let Some(act) = self.people.next_act(person, &self.scenario) else { return Ok(()) };
        let by = self.scenario.person();
        let input = match act.what {
            // The host looks first and asks later: it cannot know whether anything stands still.
            What::Resume => Some(Input::Resume { key: Key(act.key.to_owned()), by }),
            What::Say(..) | What::Withdraw(_) | What::Answer(..) | What::Stop(_) | What::Pause => self.scenario.input(act, &self.log.state),
        };
        input.map_or(Ok(()), |input| self.hand_over(person, host, input))
    }

    pub(super) fn give(&mut self, person: usize, to: Option<usize>) -> Result<(), Violation> {
        let Some(input) = self.people.next_input(person, self) else { return Ok(()) };
        match to {
            Some(index) => self.with_host(index, |host, world| {
                let input = world.with_tails(host.state(), input);
                world.hand_over(person, host, input)
            }),
            None => {
                let input = self.with_tails(&self.log.state, input);
                let answer = self.offer(input)?.map_err(Refusal::Rejected);
                self.people.answered(Caller(person as u64), &answer, &self.scenario, &self.log, &self.monitor)
            }
        }
    }

    fn hand_over(&mut self, person: usize, host: &mut Host, input: Input) -> Result<(), Violation> {
        let act = self.scenario.people[person][self.people.0[person].done];
        let stored = self.monitor.has_key(&Key(act.key.to_owned()));
        let known = &mut self.people.0[person];
        known.waits_for = Some(Waits { host: host.id(), stored, seen: self.log.version() });
        // Words mean the same whenever they are said; everything else is about what the person saw.
        known.tried = (!matches!(act.what, What::Say(..))).then(|| input.clone());
        host.input(self, Some(Caller(person as u64)), input)
    }

    /// What running commands have printed goes with a message.
    fn with_tails(&self, state: &State, input: Input) -> Input {
        let Input::Message { key, text, mode, from, seen, .. } = input else { return input };
        let running = state.calls.iter().filter_map(|(call, open)| match &open.stage {
            Stage::Started(attempt) => Some(Slot { call: *call, action: open.action, attempt: attempt.number }),
            Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Waiting { .. } | Stage::Unknown | Stage::Judged(..) => None,
        });
        let heard = running.filter(|slot| mode.enters_run() && self.outside.runs(*slot));
        let tails = heard.map(|slot| OutputTail { action: slot.action, attempt: slot.attempt, output: Text::from("part") }).collect();
        Input::Message { key, text, mode, from, seen, tails }
    }

    /// What any process does with an input: fold, accept, append; the owner notices later.
    fn offer(&mut self, input: Input) -> Result<Result<Version, Rejection>, Violation> {
        let drafts = match Agent::accept(&self.log.state, input, self.clock) {
            Ok(drafts) => drafts,
            Err(Rejection::Known(version)) => return Ok(Ok(version)),
            Err(rejection) => return Ok(Err(rejection)),
        };
        let now = self.clock.max(self.log.state.time);
        let mut after = self.log.state.as_ref().clone();
        for draft in &drafts {
            let event = contract::Event { version: after.version.next(), time: now, draft: draft.clone() };
            Agent::fold(&mut after, &event).map_err(|illegal| Violation::new(Invariant::ReachesRest, illegal.to_string()))?;
        }
        let append = Append {
            stream: self.log.stream.clone(),
            expected: Expected::after(self.log.version()),
            time: now,
            drafts,
            fence: None,
            rest: Agent::rest(&after),
        };
        self.monitor.offered(&append)?;
        let appended = self.log.append(&append, None, &mut self.monitor)?;
        // Nobody else writes meanwhile, and what has no fence is not fenced.
        Ok(Ok(appended.map_or(self.log.version(), |appended| appended.last)))
    }
}
