//! `thru cost`: what models used, by day and model.

use super::open_existing;
use crate::catalog::{self, CostLine};
use crate::fault::{Fault, code};
use crate::render::out;
use contract::units::Position;

pub async fn run(after: Option<Position>, json: bool) -> Result<u8, Fault> {
    let rows = open_existing()?.costs(after).await?;
    for row in &rows {
        if json {
            // Strings and numbers: nothing in it can fail to be JSON.
            out(serde_json::to_string(row).unwrap_or_default().as_bytes());
        } else {
            out(catalog::cost(&CostLine::Day(row)).as_bytes());
        }
    }
    if !json {
        let (calls, tokens, cost_micros) =
            rows.iter().fold((0, 0, 0), |(calls, tokens, cost), row| (calls + row.calls, tokens + row.tokens, cost + row.cost_micros));
        out(catalog::cost(&CostLine::Total { calls, tokens, cost_micros }).as_bytes());
    }
    Ok(code::DONE)
}
