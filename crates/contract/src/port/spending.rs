//! What everything together has cost.

use super::BoxFuture;

pub trait Spending: Send + Sync {
    /// Millionths of the price unit that all sessions have cost since the day began; an error says why nobody knows.
    fn today(&self) -> BoxFuture<'_, Result<u64, String>>;
}
