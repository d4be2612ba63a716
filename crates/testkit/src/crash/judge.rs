//! Holds what the log says against what arrived outside.

use super::counter::{SAID, Tally};
use super::desk::Desk;
use super::fault::Fault;
use super::job::{COMMANDS, EDITED, HEARS, HELD, NOTES, SIGNALS, SPEAKS};
use serde_json::Value;

/// How much must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Supervisors lived, so every command was done once and the log knows it.
    Exact,
    /// A supervisor may have died: then the log may say that nobody knows, and what it does not know happened at most once.
    AtMostOnce,
}

/// The end of a call, as the log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished {
        ok: bool,
    },
    Unknown,
    Withdrawn,
    /// Decided, and nothing said since.
    Open,
    /// The model never wanted it, or nobody wrote it down.
    Absent,
}

/// Judges a job that has come to its end.
pub fn judge(desk: &Desk<'_>) -> Result<(), Vec<Fault>> {
    let one = |fault: Fault| vec![fault];
    let measure = if desk.lost_supervisors.get() { Measure::AtMostOnce } else { Measure::Exact };
    let events = desk.events().map_err(one)?;
    let events: Vec<Value> = events.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let tally = desk.bench.counter.tally(&desk.case).map_err(one)?;
    let mut faults = faults(&events, &tally, desk.notes().as_deref(), measure);
    faults.extend(desk.standing().map_or_else(Some, |rules| standing(&Log(&events), &rules)));
    faults.extend(desk.verified().err());
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn faults(events: &[Value], tally: &Tally, notes: Option<&str>, measure: Measure) -> Vec<Fault> {
    let log = Log(events);
    let mut faults = log.ending();
    for (step, command) in COMMANDS {
        let end = log.end("shell", |args| args["command"] == command);
        let told = format!("step {step} is {end:?} and arrived {} times", arrived(tally, step));
        // A held command ends by a signal or by itself, and either way it began.
        let done = matches!(end, End::Finished { ok } if ok || step == HELD);
        let wanted = step != HEARS || log.messages() > 0;
        let known = done || (measure == Measure::AtMostOnce && !matches!(end, End::Open | End::Absent));
        match arrived(tally, step) {
            0 if done && (measure == Measure::Exact || step != HELD) => faults.push(Fault::Lost(told)),
            0 | 1 if wanted && !known => faults.push(Fault::Lost(told)),
            1 if end == End::Withdrawn => faults.push(Fault::Wrong(told)),
            0 | 1 => {}
            _ => faults.push(Fault::Doubled(told)),
        }
    }
    for (signal, step) in SIGNALS {
        let end = log.end("process_signal", |args| args["signal"] == signal);
        let told = format!("signal {signal} is {end:?} and arrived {} times", arrived(tally, step));
        match arrived(tally, step) {
            0 if end == (End::Finished { ok: true }) && measure == Measure::Exact => faults.push(Fault::Lost(told)),
            0 | 1 => {}
            _ => faults.push(Fault::Doubled(told)),
        }
    }
    faults.extend(message(&log));
    faults.extend(file(&log, notes));
    faults
}

fn arrived(tally: &Tally, step: &str) -> usize {
    tally.get(step).copied().unwrap_or_default()
}

/// What was acknowledged was heard, once.
fn message(log: &Log<'_>) -> Option<Fault> {
    let spoken = log.end("shell", |args| args["command"].as_str().is_some_and(|command| command.contains(SPEAKS)));
    match log.messages() {
        0 if spoken == (End::Finished { ok: true }) => Some(Fault::Lost(format!("the message `{SAID}`"))),
        0 | 1 => None,
        times => Some(Fault::Doubled(format!("the message `{SAID}` came {times} times"))),
    }
}

/// What was allowed for good counts for good, once.
fn standing(log: &Log<'_>, rules: &[String]) -> Option<Fault> {
    let allowed = log.of("ask.answered").filter(|answered| answered["answer"]["approve"]["grant"] == "always").count();
    let told = format!("{allowed} calls were allowed for good, and {rules:?} count");
    match rules.len() {
        counting if counting < allowed => Some(Fault::Lost(told)),
        counting if counting > allowed => Some(Fault::Doubled(told)),
        _ => None,
    }
}

/// A file can be asked, so what became of it is always known.
fn file(log: &Log<'_>, notes: Option<&str>) -> Option<Fault> {
    let ends = ["write_file", "edit_file"].map(|tool| log.end(tool, |_| true));
    let told = format!("{NOTES} was to be written and edited, which is {ends:?}; it has {notes:?}");
    match notes {
        Some(EDITED) if ends == [End::Finished { ok: true }; 2] => None,
        Some(text) if text.len() > EDITED.len() => Some(Fault::Doubled(told)),
        Some(_) | None => Some(Fault::Lost(told)),
    }
}

struct Log<'a>(&'a [Value]);

impl Log<'_> {
    fn of(&self, name: &str) -> impl DoubleEndedIterator<Item = &Value> {
        self.0.iter().filter(move |event| event["type"] == name).map(|event| &event["data"])
    }

    /// The run ended well and once, and the events are counted without a gap.
    fn ending(&self) -> Vec<Fault> {
        let gap = (1..).zip(self.0).find(|(version, event)| event["version"] != *version);
        let gap = gap.map(|(version, _)| Fault::Lost(format!("event {version} is missing")));
        let outcomes: Vec<&str> = self.of("run.finished").filter_map(|finished| finished["outcome"].as_str()).collect();
        let end = match outcomes[..] {
            ["completed"] => None,
            [] => Some(Fault::Stuck("the run has not ended".to_owned())),
            _ => Some(Fault::Wrong(format!("the run ended as {outcomes:?}"))),
        };
        gap.into_iter().chain(end).collect()
    }

    fn messages(&self) -> usize {
        self.of("message.received").filter(|message| message["text"]["inline"] == SAID).count()
    }

    /// How the only call of that tool with such arguments ended.
    fn end(&self, tool: &str, with: impl Fn(&Value) -> bool) -> End {
        let args = |decided: &Value| serde_json::from_str(decided["args"]["inline"].as_str()?).ok();
        let decided = self
            .of("action.decided")
            .filter(|decided| decided["tool"] == tool)
            .rfind(|decided| args(decided).is_some_and(|args| with(&args)));
        let Some(action) = decided.map(|decided| &decided["action"]) else { return End::Absent };
        let mut ends =
            self.0.iter().filter(|event| event["data"]["action"] == *action).filter_map(|event| match event["type"].as_str()? {
                "tool.finished" => Some(End::Finished { ok: event["data"]["ok"] == true }),
                "tool.unknown" => Some(End::Unknown),
                "action.withdrawn" => Some(End::Withdrawn),
                _ => None,
            });
        ends.next_back().unwrap_or(End::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    /// The log and the tally of a job in which all went well.
    fn well() -> (Vec<Value>, Tally) {
        let calls = COMMANDS.map(|(step, command)| ("shell", json!({ "command": command }), step));
        let signals = SIGNALS.map(|(signal, step)| ("process_signal", json!({ "signal": signal }), step));
        let files = ["write_file", "edit_file"].map(|tool| (tool, json!({}), ""));
        let mut events = Vec::new();
        let mut tally = BTreeMap::new();
        for (tool, args, step) in calls.into_iter().chain(signals).chain(files) {
            let action = format!("{tool} {step}");
            events.push(
                json!({ "type": "action.decided", "data": { "tool": tool, "action": action, "args": { "inline": args.to_string() } } }),
            );
            events.push(json!({ "type": "tool.finished", "data": { "action": action, "ok": step != HELD } }));
            tally.extend(Some((step.to_owned(), 1)).filter(|(step, _)| !step.is_empty()));
        }
        events.push(json!({ "type": "message.received", "data": { "text": { "inline": SAID } } }));
        events.push(json!({ "type": "run.finished", "data": { "outcome": "completed" } }));
        (counted(events), tally)
    }

    fn counted(mut events: Vec<Value>) -> Vec<Value> {
        events.iter_mut().zip(1..).for_each(|(event, version)| event["version"] = json!(version));
        events
    }

    /// What is found when one thing is changed, with supervisors alive and with one dead.
    fn found(change: impl Fn(&mut Vec<Value>, &mut Tally)) -> [Vec<Fault>; 2] {
        let (mut events, mut tally) = well();
        change(&mut events, &mut tally);
        [Measure::Exact, Measure::AtMostOnce].map(|measure| faults(&counted(events.clone()), &tally, Some(EDITED), measure))
    }

    fn end_of<'a>(events: &'a mut [Value], action: &str) -> &'a mut Value {
        events.iter_mut().find(|event| event["type"] == "tool.finished" && event["data"]["action"] == action).unwrap()
    }

    #[test]
    fn a_job_in_which_all_went_well_has_no_fault() {
        assert_eq!(found(|_, _| {}), [vec![], vec![]]);
    }

    #[test]
    fn a_step_that_is_done_and_did_not_arrive_is_lost() {
        for faults in found(|_, tally| tally.retain(|step, _| step != "two")) {
            assert!(matches!(&faults[..], [Fault::Lost(what)] if what.contains("two")), "{faults:?}");
        }
    }

    #[test]
    fn a_step_that_arrived_twice_is_doubled() {
        for step in ["two", "poked"] {
            for faults in found(|_, tally| tally.extend([(step.to_owned(), 2)])) {
                assert!(matches!(&faults[..], [Fault::Doubled(_)]), "{step}: {faults:?}");
            }
        }
    }

    #[test]
    fn an_unknown_end_is_honest_only_when_a_supervisor_died() {
        for arrived in [0, 1] {
            let [exact, at_most_once] = found(|events, tally| {
                end_of(events, "shell two")["type"] = json!("tool.unknown");
                tally.insert("two".to_owned(), arrived);
            });
            assert!(matches!(&exact[..], [Fault::Lost(_)]), "{exact:?}");
            assert_eq!(at_most_once, []);
        }
    }

    #[test]
    fn a_step_of_which_nothing_is_said_is_lost() {
        for name in ["tool.finished", "action.decided"] {
            for faults in found(|events, _| events.retain(|event| event["data"]["action"] != "shell two" || event["type"] != name)) {
                assert!(matches!(&faults[..], [Fault::Lost(_)]), "{name}: {faults:?}");
            }
        }
    }

    #[test]
    fn a_message_is_heard_once() {
        for faults in found(|events, _| events.retain(|event| event["type"] != "message.received")) {
            assert!(faults.iter().any(|fault| matches!(fault, Fault::Lost(what) if what.contains(SAID))), "{faults:?}");
        }
        for faults in found(|events, _| events.extend(events.clone().into_iter().filter(|event| event["type"] == "message.received"))) {
            assert!(matches!(&faults[..], [Fault::Doubled(_)]), "{faults:?}");
        }
    }

    #[test]
    fn a_file_shows_an_edit_that_is_missing_or_made_twice() {
        let (events, tally) = well();
        let notes = |notes| faults(&events, &tally, notes, Measure::AtMostOnce);
        assert!(matches!(notes(Some("tally\n"))[..], [Fault::Lost(_)]));
        assert!(matches!(notes(None)[..], [Fault::Lost(_)]));
        assert!(matches!(notes(Some("tally++\n"))[..], [Fault::Doubled(_)]));
    }

    #[test]
    fn a_run_ends_once_and_no_event_is_missing() {
        let (events, tally) = well();
        let open: Vec<Value> = events.iter().filter(|event| event["type"] != "run.finished").cloned().collect();
        assert!(matches!(faults(&open, &tally, Some(EDITED), Measure::Exact)[..], [Fault::Stuck(_)]));
        let hole: Vec<Value> = events.iter().filter(|event| event["data"]["text"]["inline"] != SAID).cloned().collect();
        assert!(matches!(&faults(&hole, &tally, Some(EDITED), Measure::Exact)[..], [Fault::Lost(what), ..] if what.contains("missing")));
    }
}
