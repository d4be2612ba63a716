//! OpenAI Responses: a flat list of items, with reasoning that travels encrypted because nothing is stored over there.

mod reply;
mod request;
mod wire;

#[cfg(test)]
mod tests;

pub use reply::Reply;

use crate::asking::{Asking, bytes};
use crate::endpoint::url;
use contract::config::{Endpoint, RunConfig};
use contract::request::Item;
use std::sync::Arc;

pub fn asking(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    let body = bytes(&request::body(config, endpoint, items), items)?;
    Ok(Asking { url: url(endpoint, "", "/responses"), headers: Vec::new(), body })
}
