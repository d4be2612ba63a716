//! What comes of an append: stored, lost to another writer, or unknown.

use super::{Do, Driver, Halt, Refusal};
use contract::machine::Machine;
use contract::planted::{self, Bug};
use contract::units::{Time, Version};

impl<M: Machine> Driver<M> {
    pub(super) fn appended(&mut self, last: Version, now: Time, dos: &mut Vec<Do>) -> Result<(), Halt> {
        let Some(flight) = self.flight.take() else {
            return Ok(());
        };
        if last != M::version(&self.state) {
            return Err(Halt::Quarantine(format!("stored up to version {last}, decided up to {}", M::version(&self.state))));
        }
        for caller in flight.pending.iter().filter_map(|pending| pending.caller) {
            dos.push(Do::Answer { caller, answer: Ok(last) });
        }
        self.reconcile_effects(dos);
        self.wish_to_wake(dos);
        // Executors are made from this state; what was said meanwhile must not change it under them.
        let begins = dos.iter().any(|a_do| matches!(a_do, Do::Start(_)));
        if begins && !self.queue.is_empty() {
            dos.push(Do::Again);
            return Ok(());
        }
        self.decide(now, dos)
    }

    /// Another writer was first: its events are read, and the same inputs are offered again.
    pub(super) fn reload(&mut self, dos: &mut Vec<Do>) {
        let inputs = self.flight.take().map(|flight| flight.pending).unwrap_or_default();
        for pending in inputs.into_iter().rev() {
            match pending.caller.filter(|_| planted::active(Bug::InterjectionLost)) {
                Some(caller) => dos.push(Do::Answer { caller, answer: Ok(M::version(&self.state)) }),
                None => self.queue.push_front(pending),
            }
        }
        self.load(dos);
    }

    /// Offers the very same events again; the log tells a repeat from a conflict.
    pub(super) fn repeat(&mut self, dos: &mut Vec<Do>) {
        if let Some(flight) = &mut self.flight {
            flight.tries += 1;
            dos.push(Do::Append { append: flight.append.clone(), tries: flight.tries });
        }
    }

    pub(super) fn unknown(&mut self, now: Time, dos: &mut Vec<Do>) -> Result<(), Halt> {
        if planted::active(Bug::UnknownAsSuccess) {
            let last = M::version(&self.state);
            return self.appended(last, now, dos);
        }
        if planted::active(Bug::UnknownAsFailure) {
            for caller in self.flight.take().into_iter().flat_map(|flight| flight.pending).filter_map(|pending| pending.caller) {
                dos.push(Do::Answer { caller, answer: Err(Refusal::Left) });
            }
            self.load(dos);
            return Ok(());
        }
        self.repeat(dos);
        Ok(())
    }
}
