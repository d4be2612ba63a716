//! `make explore`: searches every scenario, then sees that every planted bug is caught.
//!
//! `--write` checks the found figures in. `--only NAME` searches one scenario and plants nothing; `--shortest NAME` does
//! so in the order that finds the shortest way to a violation, for more memory.

#![allow(clippy::print_stdout, reason = "its lines are its purpose; scripts read them")]

use contract::planted::{Bug, plant};
use std::process::ExitCode;
use std::time::Instant;
use testkit::coverage::Coverage;
use testkit::explore::{Found, Order, Report, explore, explore_by};
use testkit::figures::Figures;
use testkit::monitor::Invariant;
use testkit::scenario::{Scenario, all};
use testkit::threads::in_threads;

/// Searches share nothing, so two of them keep both cores of a small machine busy.
const THREADS: usize = 2;
/// Characters of an event's data shown with a violation.
const DATA_CHARS_MAX: usize = 160;

struct Searched {
    report: Report,
    coverage: Coverage,
    took_ms: u128,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (only, write, order) = match arguments.as_slice() {
        [] => (None, false, Order::DepthFirst),
        ["--write"] => (None, true, Order::DepthFirst),
        ["--only", name] => (Some(*name), false, Order::DepthFirst),
        ["--shortest", name] => (Some(*name), false, Order::BreadthFirst),
        _ => {
            println!("usage: explore [--write | --only SCENARIO | --shortest SCENARIO]");
            return ExitCode::from(2);
        }
    };
    let mut scenarios = all();
    scenarios.retain(|scenario| only.is_none_or(|only| scenario.name == only));
    let searched = in_threads(THREADS, &scenarios, |scenario| search(order, scenario));
    let (figures, violations) = tell(&scenarios, &searched);
    if only.is_some() {
        return if violations == 0 && !scenarios.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if violations > 0 {
        // What fails by itself would seem to catch everything.
        println!("no bug was planted: the code fails without one");
        return ExitCode::FAILURE;
    }
    let uncaught = catch_all(scenarios, &searched);
    let too_few = if write { checked_in(&figures) } else { compare(&figures) } + unmet(&searched);
    if violations + uncaught + too_few == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn search(order: Order, scenario: &Scenario) -> Searched {
    let began = Instant::now();
    let mut coverage = Coverage::default();
    let report = explore_by(order, scenario, |visit| coverage.see(visit.world));
    Searched { report, coverage, took_ms: began.elapsed().as_millis() }
}

/// Prints what was found, and returns its figures and the number of violations.
fn tell(scenarios: &[Scenario], searched: &[Searched]) -> (Figures, usize) {
    let mut figures = Figures { invariants: Invariant::ALL.len(), ..Figures::default() };
    for (scenario, Searched { report, took_ms, .. }) in scenarios.iter().zip(searched) {
        let Report { states, worlds, edges, violation } = report;
        println!("scenario {}: states {states} worlds {worlds} edges {edges} ({took_ms} ms)", scenario.name);
        figures.states += states;
        figures.edges += edges;
        figures.scenarios.insert(scenario.name.to_owned(), *states);
        violation.iter().for_each(show);
    }
    let violations = searched.iter().filter(|searched| searched.report.violation.is_some()).count();
    println!("explore: states {} edges {} invariants {} violations {violations}", figures.states, figures.edges, figures.invariants);
    (figures, violations)
}

fn show(found: &Found) {
    println!("  violation of {}: {}", found.violation.invariant.name(), found.violation.detail);
    println!("  after these moves:");
    for a_move in &found.moves {
        println!("    {a_move:?}");
    }
    println!("  with this log:");
    for event in found.events.iter() {
        let data: String = event.draft.body.data_json().chars().take(DATA_CHARS_MAX).collect();
        println!("    {} {} {data}", event.version, event.draft.body.name());
    }
}

/// Plants each bug, and returns how many were not caught. Small scenarios come first, so most are caught at once.
fn catch_all(scenarios: Vec<Scenario>, searched: &[Searched]) -> usize {
    let mut scenarios: Vec<(usize, Scenario)> = searched.iter().map(|searched| searched.report.worlds).zip(scenarios).collect();
    scenarios.sort_by_key(|(worlds, _)| *worlds);
    let caught = in_threads(THREADS, Bug::ALL, |bug| {
        // The switch is of this thread, and the next bug of this thread sets it anew.
        plant(Some(*bug));
        scenarios.iter().find_map(|(_, scenario)| explore(scenario, |_| {}).violation)
    });
    for (bug, found) in Bug::ALL.iter().zip(&caught) {
        match found {
            Some(found) => println!("mutant {} caught by {}", bug.name(), found.violation.invariant.name()),
            None => println!("mutant {} missed", bug.name()),
        }
    }
    caught.iter().filter(|found| found.is_none()).count()
}

fn compare(figures: &Figures) -> usize {
    let path = Figures::path();
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    let lower = match text.and_then(|text| Figures::from_toml(&text)) {
        Ok(expected) => figures.lower_than(&expected),
        Err(error) => vec![format!("{}: {error}", path.display())],
    };
    for line in &lower {
        println!("the search became smaller: {line}; if that is meant, check it in with --write");
    }
    lower.len()
}

fn checked_in(figures: &Figures) -> usize {
    let path = Figures::path();
    match std::fs::write(&path, figures.to_toml()) {
        Ok(()) => 0,
        Err(error) => {
            println!("{} is not written: {error}", path.display());
            1
        }
    }
}

fn unmet(searched: &[Searched]) -> usize {
    let mut coverage = Coverage::default();
    for searched in searched {
        coverage.merge(searched.coverage.clone());
    }
    let missing = coverage.missing();
    for mark in &missing {
        println!("no scenario reaches: {mark}");
    }
    missing.len()
}
