//! Model adapters. One folder each; its wire structs never leave it, and no attempt is hidden from the log.
//!
//! [`Remote`] asks a model behind an address for a reply, and a provider for its list of models. Requests are made and answers
//! read without IO, by the folder of each protocol; [`check`] tells beforehand what a protocol would refuse.

mod anthropic;
mod asking;
mod chat;
mod drafts;
mod endpoint;
mod facts;
mod failure;
mod keys;
mod listing;
mod live;
mod offer;
mod ollama;
mod protocol;
mod reader;
mod remote;
mod reply;
mod responses;
mod script;
mod stream;

#[cfg(test)]
mod bodies_tests;
#[cfg(test)]
mod prefix_tests;
#[cfg(test)]
mod rehearsal;
#[cfg(test)]
mod spoilt_tests;

pub use endpoint::{BadEndpoint, check};
pub use keys::{Key, Keys};
pub use offer::Offered;
pub use remote::Remote;
pub use script::{BadLine, ScriptError, ScriptedModel};
pub use web::HttpLimits;
