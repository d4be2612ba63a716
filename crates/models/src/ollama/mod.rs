//! Ollama's own chat: a JSON object a line, calls without names of their own, a window that must be asked for.

mod list;
mod reply;
mod request;
mod wire;

#[cfg(test)]
mod tests;

pub use list::{calls_tools, listed, showing};
pub use reply::Reply;

use crate::asking::{Asking, bytes};
use crate::endpoint::url;
use contract::config::{Endpoint, RunConfig};
use contract::request::Item;
use std::sync::Arc;

pub fn asking(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    let body = bytes(&request::body(config, endpoint, items), items)?;
    Ok(Asking { url: url(endpoint, "/api", "/chat"), headers: Vec::new(), body })
}

pub fn listing(endpoint: &Endpoint) -> Asking {
    Asking { url: url(endpoint, "/api", "/tags"), headers: Vec::new(), body: Vec::new() }
}
