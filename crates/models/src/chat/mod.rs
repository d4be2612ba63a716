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
use crate::endpoint::url;
use contract::config::{Endpoint, RunConfig};
use contract::request::Item;
use std::sync::Arc;

pub fn asking(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    let body = serde_json::to_vec(&request::body(config, endpoint, items))?;
    Ok(Asking { url: url(endpoint, "", "/chat/completions"), headers: Vec::new(), body })
}

pub fn listing(endpoint: &Endpoint) -> Asking {
    Asking { url: url(endpoint, "", "/models"), headers: Vec::new(), body: Vec::new() }
}
