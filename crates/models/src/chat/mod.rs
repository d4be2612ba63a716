//! OpenAI chat completions, as OpenAI and all those speak it who say that they do.
//!
//! Read with every liberty that servers take; written with nothing that only some of them understand.

mod list;
mod reply;
mod request;
mod wire;

#[cfg(test)]
mod tests;

pub use list::listed;
pub use reply::Reply;

use crate::asking::Asking;
use crate::drafts::{Writing, Written};
use crate::endpoint::url;
use contract::config::{Endpoint, RunConfig};
use contract::request::Item;
use std::sync::Arc;

pub fn asking(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    let mut written = Chat::begin(config, endpoint)?;
    Chat::go_on(&mut written, endpoint, items)?;
    Ok(about(endpoint, written.bytes()))
}

/// The request with this body.
pub fn about(endpoint: &Endpoint, body: Vec<u8>) -> Asking {
    Asking { url: url(endpoint, "", "/chat/completions"), headers: Vec::new(), body }
}

/// How bodies of this protocol are written.
pub struct Chat;

impl Writing for Chat {
    fn begin(config: &RunConfig, endpoint: &Endpoint) -> Result<Written, serde_json::Error> {
        request::begin(config, endpoint)
    }

    fn go_on(written: &mut Written, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<(), serde_json::Error> {
        let listener = request::Listener::new(endpoint);
        items.iter().filter_map(|item| listener.message(item)).try_for_each(|message| written.push(&message))
    }
}

pub fn listing(endpoint: &Endpoint) -> Asking {
    Asking { url: url(endpoint, "", "/models"), headers: Vec::new(), body: Vec::new() }
}
