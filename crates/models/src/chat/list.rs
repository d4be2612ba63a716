//! The list of models, as everybody has it who speaks chat completions.

use crate::offer::Offered;
use serde::Deserialize;

#[derive(Deserialize)]
struct List {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
    /// Only those have it who sell the models of others.
    supported_parameters: Option<Vec<String>>,
}

pub fn listed(bytes: &[u8]) -> Result<Vec<Offered>, serde_json::Error> {
    let List { data } = serde_json::from_slice(bytes)?;
    let tools = |model: &Model| model.supported_parameters.as_ref().map(|all| all.iter().any(|one| one == "tools"));
    Ok(data.into_iter().filter_map(|model| Offered::new(model.id.clone(), tools(&model))).collect())
}
