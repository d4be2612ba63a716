//! The virtual world in which the shipped driver and machines are searched for crashes that lose or repeat work.
//!
//! [`world`] is everything outside the driver: the log, processes, people, hosts that die. [`explore`] walks every
//! order in which things can happen in it, [`monitor`] holds the invariants, [`canon`] tells which worlds are the same.
//! [`coverage`] and [`figures`] see that a search did not quietly become smaller.
//!
//! [`crash`] is the same question put to the real binary, which is killed for it.

pub mod canon;
pub mod coverage;
#[cfg(feature = "crash")]
pub mod crash;
pub mod dice;
pub mod explore;
pub mod figures;
pub mod monitor;
pub mod scenario;
pub mod threads;
pub mod until;
pub mod world;
