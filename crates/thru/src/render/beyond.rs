//! The story of what reaches beyond one session, and of machines.

use crate::catalog::{BeyondLine, Line, beyond_line, line};
use contract::body::{Body, DeliveryStarted, Parcel, Warning};

/// The line about a warning, a delivery or a rule that counts for good.
pub fn sentence(body: &Body) -> Option<String> {
    let told = if let Body::BudgetWarned(warned) = body {
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
        return of_host(body);
    };
    Some(beyond_line(&told))
}

/// What a machine says of itself in its own stream.
fn of_host(body: &Body) -> Option<String> {
    let host;
    let told = if let Body::HostQuarantined(quarantined) = body {
        Line::Quarantined { stream: quarantined.stream.as_str(), reason: &quarantined.reason }
    } else if let Body::HostRecovered(recovered) = body {
        Line::Released { stream: recovered.stream.as_str() }
    } else if let Body::HostStarted(started) = body {
        host = started.host.to_string();
        Line::HostStarted { host: &host }
    } else if let Body::HostStopped(stopped) = body {
        host = stopped.host.to_string();
        Line::HostStopped { host: &host }
    } else {
        return None;
    };
    Some(line(&told))
}
