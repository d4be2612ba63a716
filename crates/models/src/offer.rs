//! A model as its provider lists it.

/// Bytes of a name that can be one; what is longer is no name that anybody types.
const NAME_BYTES_MAX: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// As requests name it.
    pub model: String,
    /// Whether it can call tools, where the provider says so.
    pub tools: Option<bool>,
}

impl Offered {
    /// Nothing where the name is none that could be shown and sent as it is.
    pub(crate) fn new(model: String, tools: Option<bool>) -> Option<Offered> {
        let is_name = (1..=NAME_BYTES_MAX).contains(&model.len()) && !model.contains(|c: char| c.is_control() || c.is_whitespace());
        is_name.then_some(Offered { model, tools })
    }
}
