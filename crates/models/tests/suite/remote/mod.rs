//! Models behind an address, against a scripted provider on loopback: the same conversations in every protocol.

mod connections;
mod conversations;
mod faults;
mod lists;
mod secrets;
mod talk;
