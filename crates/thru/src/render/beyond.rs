//! The story of what reaches beyond one session.

use crate::catalog::{BeyondLine, beyond_line};
use contract::body::{Body, DeliveryStarted, Parcel, Warning};

/// The line about a warning, a delivery or a rule that counts for good.
pub fn sentence(body: &Body) -> Option<String> {
    let line = if let Body::BudgetWarned(warned) = body {
        match warned.warning {
            Warning::Cost { used, threshold } => BeyondLine::CostWarning { used, threshold },
            Warning::SlowCall { waited_ms, .. } => BeyondLine::SlowModel { waited_ms },
        }
    } else if let Body::DeliveryStarted(DeliveryStarted { parcel: Parcel::Rule { rule, folder, .. }, .. }) = body {
        BeyondLine::Delivering { rule, folder }
    } else if let Body::DeliveryFinished(_) = body {
        BeyondLine::Delivered
    } else if let Body::DeliveryFailed(failed) = body {
        BeyondLine::NotDelivered { reason: &failed.reason }
    } else if let Body::PolicyRuleAdded(added) = body {
        BeyondLine::StandingAdded { rule: &added.rule, folder: &added.folder, by: &added.by.0 }
    } else if let Body::PolicyRuleRemoved(removed) = body {
        BeyondLine::StandingRemoved { rule: &removed.rule, folder: &removed.folder, by: &removed.by.0 }
    } else {
        return None;
    };
    Some(beyond_line(&line))
}
