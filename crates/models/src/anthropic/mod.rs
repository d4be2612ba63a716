//! Anthropic Messages: blocks instead of messages, named events, thinking that goes back as it came.

mod list;
mod reply;
mod request;
mod wire;

#[cfg(test)]
mod tests;

pub use list::listed;
pub use reply::Reply;

use crate::asking::{Asking, bytes};
use crate::endpoint::url;
use contract::config::{Endpoint, RunConfig};
use contract::request::Item;
use hyper::header::{HeaderName, HeaderValue};
use std::sync::Arc;

/// Understood by the provider and by all those who speak like it; the newer one refuses settings that old models need.
const VERSION: &str = "2023-06-01";

pub fn asking(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    let body = bytes(&request::body(config, endpoint, items), items)?;
    Ok(Asking { url: url(endpoint, "/v1", "/messages"), headers: headers(), body })
}

pub fn listing(endpoint: &Endpoint) -> Asking {
    Asking { url: url(endpoint, "/v1", &format!("/models?limit={}", list::LIMIT)), headers: headers(), body: Vec::new() }
}

fn headers() -> Vec<(HeaderName, HeaderValue)> {
    vec![(HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION))]
}
