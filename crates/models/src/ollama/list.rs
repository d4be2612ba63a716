//! Which models were pulled, and what one of them can.

use crate::asking::Asking;
use crate::endpoint::url;
use crate::offer::Offered;
use contract::config::Endpoint;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

#[derive(Deserialize)]
struct Shown {
    /// Servers from before there were any do not say; then nothing is promised.
    #[serde(default)]
    capabilities: Vec<String>,
}

pub fn listed(bytes: &[u8]) -> Result<Vec<Offered>, serde_json::Error> {
    let Tags { models } = serde_json::from_slice(bytes)?;
    Ok(models.into_iter().filter_map(|tag| Offered::new(tag.name, None)).collect())
}

pub fn showing(endpoint: &Endpoint, model: &str) -> Result<Asking, serde_json::Error> {
    let body = serde_json::to_vec(&json!({ "model": model }))?;
    Ok(Asking { url: url(endpoint, "/api", "/show"), headers: Vec::new(), body })
}

pub fn calls_tools(bytes: &[u8]) -> Result<bool, serde_json::Error> {
    let Shown { capabilities } = serde_json::from_slice(bytes)?;
    Ok(capabilities.iter().any(|one| one == "tools"))
}
