//! The log: in memory and on SQLite, with blobs, leases and host locks.
//!
//! Owns how events are stored, chained by hash, found again and checked, which host owns a stream, and which
//! hosts are alive. Must not know what an event means: a stream is a name, an event is an id and bytes, and
//! nothing here looks inside a body. Both implementations pass the suite of `conformance`.
//!
//! Read in this order: `append` (the checks every append passes), `chain` (hashes and what a read
//! verifies), `follow` (subscriptions) and `board` (who is woken), `memory` (the semantics in their simplest form),
//! then `sqlite`.

mod append;
mod blobs;
mod board;
mod chain;
mod durable;
mod examine;
mod filesystem;
mod follow;
mod hosts;
mod memory;
mod sqlite;
mod views;

pub use append::Import;
pub use chain::{GENESIS, Verified, link};
pub use examine::{Examined, examine};
pub use filesystem::{ProbeFilesystem, filesystem_magic, free_bytes, network_filesystem};
pub use hosts::{Survey, survey};
pub use memory::MemoryJournal;
pub use sqlite::{BlobFault, FORMAT, Loss, OpenError, Options, SqliteJournal, Tuning};
pub use views::{First, Mark, Told, Views, ViewsError};
