//! `make explore`: searches every scenario, then sees that every planted bug is caught.

#![allow(clippy::print_stdout, reason = "its lines are its purpose; scripts read them")]

use contract::planted::{Bug, plant};
use std::process::ExitCode;
use testkit::explore::{Report, explore};
use testkit::monitor::Invariant;
use testkit::scenario::{Scenario, all};

fn main() -> ExitCode {
    let only = std::env::args().nth(1);
    let scenarios: Vec<_> = all().into_iter().filter(|s| only.as_deref().is_none_or(|o| s.name == o)).collect();
    let mut totals = (0, 0, 0);
    let mut violations = 0;
    for scenario in &scenarios {
        let began = std::time::Instant::now();
        let report = explore(scenario, |_| {});
        println!(
            "scenario {}: states {} worlds {} edges {} ({} ms)",
            scenario.name,
            report.states,
            report.worlds,
            report.edges,
            began.elapsed().as_millis()
        );
        totals = (totals.0 + report.states, totals.1 + report.edges, totals.2 + report.worlds);
        violations += usize::from(report.violation.is_some());
        show(&report);
    }
    println!("explore: states {} edges {} invariants {} violations {violations}", totals.0, totals.1, Invariant::ALL.len());
    let missed = Bug::ALL.iter().filter(|bug| !catch(**bug, &scenarios)).count();
    if violations == 0 && missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn catch(bug: Bug, scenarios: &[Scenario]) -> bool {
    plant(Some(bug));
    let found = scenarios.iter().find_map(|scenario| explore(scenario, |_| {}).violation);
    plant(None);
    match &found {
        Some(found) => println!("mutant {} caught by {}", bug.name(), found.violation.invariant.name()),
        None => println!("mutant {} missed", bug.name()),
    }
    found.is_some()
}

fn show(report: &Report) {
    if let Some(found) = &report.violation {
        println!("  violation of {}: {}", found.violation.invariant.name(), found.violation.detail);
        for a_move in &found.moves {
            println!("    {a_move:?}");
        }
        for event in found.events.iter() {
            println!(
                "    {} {} {}",
                event.version,
                event.draft.body.name(),
                event.draft.body.data_json().chars().take(200).collect::<String>()
            );
        }
    }
}
