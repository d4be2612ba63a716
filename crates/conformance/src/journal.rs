//! What a suite needs of an implementation: a log and its blobs, and answers that get lost.

use contract::port::{Blobs, Log};

pub trait Journal: Log + Blobs {}
impl<J: Log + Blobs + ?Sized> Journal for J {}

/// What becomes of an append that gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    Stored,
    NotStored,
}
