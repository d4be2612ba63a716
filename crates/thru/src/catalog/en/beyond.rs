//! Rules that count for good, and money.

use crate::catalog::BeyondLine;

pub fn beyond_line(what: &BeyondLine<'_>) -> String {
    match what {
        BeyondLine::Delivering { rule, folder } => format!("later sessions in {folder} may too: {rule}"),
        BeyondLine::Delivered => "that rule counts from now on".to_owned(),
        BeyondLine::NotDelivered { reason } => format!("that rule counts for this session only: {reason}"),
        BeyondLine::StandingAdded { rule, folder, by } => format!("{by} allowed in {folder}: {rule}"),
        BeyondLine::StandingRemoved { rule, folder, by } => format!("{by} no longer allows in {folder}: {rule}"),
        BeyondLine::CostWarning { used, threshold } => {
            format!("careful: this session has cost {}, more than {}", money(*used), money(*threshold))
        }
        BeyondLine::SlowModel { waited_ms } => format!("the model has said nothing for {} s", waited_ms / 1_000),
        BeyondLine::DaySpent { used, allowed } => {
            format!("not asked: {} of the {} that a day may cost are spent", money(*used), money(*allowed))
        }
    }
}

fn money(micros: u64) -> String {
    format!("{:.4}", micros as f64 / 1e6)
}
