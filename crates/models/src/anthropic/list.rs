//! The list of models, one page of it: a page holds more than there are.

use crate::offer::Offered;
use serde::Deserialize;

/// Models of a page; the provider allows no more.
pub const LIMIT: usize = 1_000;

#[derive(Deserialize)]
struct Page {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

pub fn listed(bytes: &[u8]) -> Result<Vec<Offered>, serde_json::Error> {
    let Page { data } = serde_json::from_slice(bytes)?;
    Ok(data.into_iter().filter_map(|model| Offered::new(model.id, None)).collect())
}
