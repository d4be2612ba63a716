//! One decision: take the waiting inputs, let the machine accept and advance, offer the result as one append.

use super::{Begun, Do, Driver, Flight, Halt, Leave, Pending, Phase, Refusal};
use contract::event::{Draft, Event};
use contract::input::{Input, Rejection};
use contract::limits::{ADVANCE_ROUNDS_MAX, APPEND_EVENTS_MAX, FACTS_BYTES_SOFT_MAX};
use contract::machine::Machine;
use contract::planted::{self, Bug};
use contract::port::{Append, Expected, Fence};
use contract::units::{Time, Version};

/// Events of one append after which further inputs wait for the next, so that their intents still fit.
const FACTS_SOFT_MAX: usize = APPEND_EVENTS_MAX / 4;

impl<M: Machine> Driver<M> {
    pub(super) fn decide(&mut self, now: Time, dos: &mut Vec<Do>) -> Result<(), Halt> {
        if self.phase != Phase::Driving || self.flight.is_some() {
            return Ok(());
        }
        let now = now.max(M::time(&self.state));
        let base = M::version(&self.state);
        let mut drafts = Vec::new();
        let mut pending = Vec::new();
        let mut bytes = 0;
        while drafts.len() < FACTS_SOFT_MAX && bytes < FACTS_BYTES_SOFT_MAX {
            let Some(next) = self.queue.pop_front() else { break };
            match M::accept(&self.state, next.input.clone(), now) {
                Ok(facts) => {
                    bytes += facts.iter().map(|fact| fact.body.data_json().len()).sum::<usize>();
                    self.fold_drafts(facts, now, &mut drafts)?;
                    pending.push(next);
                }
                // A refusal must rest on durable state, so it waits until what came before it is stored.
                Err(_) if !drafts.is_empty() => {
                    self.queue.push_front(next);
                    break;
                }
                Err(rejection) => self.reject(next, rejection, dos)?,
            }
        }
        self.advance(now, &mut drafts)?;
        if !drafts.is_empty() {
            self.offer(base, now, drafts, pending, dos);
        } else if self.draining && self.queue.is_empty() {
            return Err(Halt::Leave(Leave::Drained));
        } else {
            self.reconcile_effects(dos);
            self.wish_to_wake(dos);
        }
        Ok(())
    }

    /// A clock that runs ahead of the log may say `Due` too early; then the wish is simply made again.
    pub(super) fn wish_to_wake(&mut self, dos: &mut Vec<Do>) {
        let due = M::due(&self.state).filter(|_| M::epoch(&self.state) == self.epoch);
        if let Some(at) = due.filter(|_| self.wake != due) {
            dos.push(Do::Wake { at });
        }
        self.wake = due;
    }

    fn reject(&mut self, pending: Pending, rejection: Rejection, dos: &mut Vec<Do>) -> Result<(), Halt> {
        match (&pending.input, &rejection, pending.caller) {
            // The takeover is in the log already: an append of ours whose answer was lost.
            (Input::Taken { epoch, .. }, Rejection::OldEpoch { current, .. }, _) if epoch == current => {}
            (Input::Taken { .. }, Rejection::OldEpoch { .. }, _) => return Err(Halt::Leave(Leave::Fenced)),
            (Input::Taken { .. }, _, _) => return Err(Halt::Leave(Leave::Drained)),
            (_, Rejection::Known(version), Some(caller)) => dos.push(Do::Answer { caller, answer: Ok(*version) }),
            (_, _, Some(caller)) => dos.push(Do::Answer { caller, answer: Err(Refusal::Rejected(rejection)) }),
            // An outcome that came too late changes nothing.
            (_, _, None) => {}
        }
        Ok(())
    }

    fn advance(&mut self, now: Time, drafts: &mut Vec<Draft>) -> Result<(), Halt> {
        if M::epoch(&self.state) != self.epoch && !planted::active(Bug::StaleOwner) {
            return Ok(());
        }
        for _ in 0..ADVANCE_ROUNDS_MAX {
            let intents = M::advance(&self.state, now);
            if intents.is_empty() {
                return Ok(());
            }
            self.fold_drafts(intents, now, drafts)?;
        }
        Err(Halt::Quarantine(format!("no rest after {ADVANCE_ROUNDS_MAX} rounds")))
    }

    fn fold_drafts(&mut self, new: Vec<Draft>, now: Time, drafts: &mut Vec<Draft>) -> Result<(), Halt> {
        for draft in new {
            let event = Event { version: M::version(&self.state).next(), time: now, draft };
            M::fold(&mut self.state, &event)?;
            drafts.push(event.draft);
        }
        Ok(())
    }

    fn offer(&mut self, base: Version, now: Time, drafts: Vec<Draft>, pending: Vec<Pending>, dos: &mut Vec<Do>) {
        let append = Append {
            stream: self.stream.clone(),
            expected: Expected::after(base),
            time: now,
            drafts,
            fence: (!planted::active(Bug::StaleOwner)).then_some(Fence { epoch: self.epoch }),
            rest: M::rest(&self.state),
        };
        dos.push(Do::Append { append: append.clone(), tries: 0 });
        if planted::active(Bug::AcknowledgedEarly) {
            let last = M::version(&self.state);
            let callers = pending.iter().filter_map(|pending| pending.caller);
            dos.extend(callers.map(|caller| Do::Answer { caller, answer: Ok(last) }));
        }
        self.flight = Some(Flight { append, tries: 0, pending });
        if planted::active(Bug::RunBeforeStarted) {
            self.reconcile_effects(dos);
        }
    }

    /// Starts what is wanted and not begun, stops what is begun and no longer wanted.
    pub(super) fn reconcile_effects(&mut self, dos: &mut Vec<Do>) {
        if M::epoch(&self.state) != self.epoch && !planted::active(Bug::StaleOwner) {
            return;
        }
        let wanted = M::effects(&self.state);
        let is_wanted = |key: &(_, u16)| wanted.iter().any(|effect| (effect.id(), effect.attempt()) == *key);
        self.begun.retain(|key, begun| {
            let keep = is_wanted(key);
            if !keep && !begun.ended {
                dos.push(Do::Stop(begun.effect));
            }
            keep
        });
        for effect in wanted {
            self.begun.entry((effect.id(), effect.attempt())).or_insert_with(|| {
                dos.push(Do::Start(effect));
                Begun { effect, ended: false }
            });
        }
    }
}
