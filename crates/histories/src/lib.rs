//! Golden histories: logs as the program once wrote them, kept for ever, so that no change makes an old log unreadable.
//!
//! Each scenario here plays the agent machine with fixed ids and times. A file is written once and never again. The
//! check reads every file, folds it and compares what it folds to; of the scenarios it demands only that today's code
//! still writes the same event types in the same order, because texts may change. A scenario that must write something
//! else gets a new name: the old file stays and is still folded.
//!
//! Beside each log stand two files of what it folds to. `.state` has its meaning, in words that outlive the layout of a
//! state, and changes only by somebody who deletes it. `.whole` has every field of the state, so that a change of the fold
//! is read as a difference; `cargo xtask histories --states` writes it anew.

mod scenarios;
mod shapes;
mod summary;
mod writer;

use contract::event::Event;
use contract::id::StreamId;
use scenarios::{SCENARIOS, Scenario};
use serde_json::Value;
use shapes::{Stored, missing_envelopes, missing_shapes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use summary::{Folded, folded};
use writer::Writer;

/// One log, by the name of its file.
#[derive(Clone, Debug)]
pub struct History {
    pub name: &'static str,
    pub stream: StreamId,
    pub events: Vec<Event>,
    /// Events of the session that this one was forked from, which stand before its own.
    pub inherited: Vec<(StreamId, Event)>,
}

impl History {
    /// Everything that is folded, in that order.
    pub fn folded(&self) -> impl Iterator<Item = (&StreamId, &Event)> {
        let inherited = self.inherited.iter().map(|(stream, event)| (stream, event));
        inherited.chain(self.events.iter().map(|event| (&self.stream, event)))
    }
}

/// What is wrong with a history, by the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub history: String,
    pub what: String,
}

impl Fault {
    fn new(history: impl Display, what: impl Display) -> Fault {
        Fault { history: history.to_string(), what: what.to_string() }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.history, self.what)
    }
}

/// Where the files are.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// Every history as today's code plays it; together they hold every event type.
pub fn played() -> Result<Vec<History>, Fault> {
    SCENARIOS.iter().map(play).collect()
}

/// Writes what is missing, and names it; a file that exists is never touched.
pub fn write_new(folder: &Path) -> Result<Vec<String>, Fault> {
    let mut written = Vec::new();
    for scenario in SCENARIOS {
        let history = play(scenario)?;
        let mut lines = String::new();
        for (stream, event) in history.folded() {
            let bytes = event.encode(stream).map_err(|error| Fault::new(history.name, error))?;
            lines += &String::from_utf8_lossy(&bytes);
            lines.push('\n');
        }
        written.extend(write_missing(folder, &format!("{}.jsonl", history.name), &lines)?);
    }
    for name in names(folder)? {
        let Folded { summary, whole } = read(folder, &name)?.folded;
        written.extend(write_missing(folder, &format!("{name}.state"), &summary)?);
        if let Some(whole) = whole {
            written.extend(write_missing(folder, &format!("{name}.whole"), &whole)?);
        }
    }
    Ok(written)
}

/// Writes every whole state that differs from the one kept, and names it. No log and no meaning is touched.
pub fn write_states(folder: &Path) -> Result<Vec<String>, Fault> {
    let mut written = Vec::new();
    for name in names(folder)? {
        let (file, Some(whole)) = (format!("{name}.whole"), read(folder, &name)?.folded.whole) else { continue };
        let is_kept = std::fs::read_to_string(folder.join(&file)).is_ok_and(|kept| kept == whole);
        if !is_kept {
            std::fs::write(folder.join(&file), whole).map_err(|error| Fault::new(&file, error))?;
            written.push(file);
        }
    }
    Ok(written)
}

fn write_missing(folder: &Path, file: &str, text: &str) -> Result<Option<String>, Fault> {
    let path = folder.join(file);
    if path.exists() {
        return Ok(None);
    }
    std::fs::write(&path, text).map_err(|error| Fault::new(file, error))?;
    Ok(Some(file.to_owned()))
}

/// Everything that is wrong with the files in this folder.
#[must_use]
pub fn check(folder: &Path) -> Vec<Fault> {
    let names = match names(folder) {
        Ok(names) => names,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    let mut kept = BTreeMap::new();
    for name in names {
        match read(folder, &name) {
            Ok(read) => {
                faults.extend(check_summary(folder, &name, &read.folded.summary));
                faults.extend(read.folded.whole.as_ref().and_then(|whole| check_whole(folder, &name, whole)));
                kept.insert(name, read);
            }
            Err(fault) => faults.push(fault),
        }
    }
    faults.extend(SCENARIOS.iter().filter_map(|scenario| check_scenario(scenario, &kept)));
    let stored: Vec<&Stored> = kept.values().flat_map(|read| &read.stored).collect();
    faults.extend(missing_envelopes(&stored));
    faults.extend(missing_shapes(&stored));
    faults
}

/// A file as it was read.
struct Read {
    stored: Vec<Stored>,
    folded: Folded,
}

fn names(folder: &Path) -> Result<BTreeSet<String>, Fault> {
    let entries = std::fs::read_dir(folder).map_err(|error| Fault::new(folder.display(), error))?;
    let files = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(files.filter_map(|file| file.strip_suffix(".jsonl").map(str::to_owned)).collect())
}

fn read(folder: &Path, name: &str) -> Result<Read, Fault> {
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).map_err(|error| Fault::new(name, error))?;
    let (mut stored, mut events, mut stream) = (Vec::new(), Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        let fault = |what: &dyn Display| Fault::new(name, format!("line {number}: {what}"));
        let value: Value = serde_json::from_str(line).map_err(|error| fault(&error))?;
        let of_line = StreamId::parse(value["stream"].as_str().unwrap_or_default()).map_err(|error| fault(&error))?;
        let stream = stream.get_or_insert_with(|| of_line.clone());
        if value["type"] == "session.forked" {
            *stream = of_line;
        }
        let event = Event::decode(stream, line.as_bytes()).map_err(|error| fault(&error))?;
        let v = value["v"].as_u64().unwrap_or_default();
        let written = event.encode(stream).map_err(|error| fault(&error))?;
        if v == u64::from(event.draft.body.v()) && written != line.as_bytes() {
            return Err(fault(&format!(
                "{} is written differently by today's code: its shape needs a new version",
                event.draft.body.name()
            )));
        }
        stored.push(Stored { name: event.draft.body.name().to_owned(), v, line: value });
        events.push(event);
    }
    let stream = stream.ok_or_else(|| Fault::new(name, "is empty"))?;
    let folded = folded(stream, &events).map_err(|what| Fault::new(name, what))?;
    Ok(Read { stored, folded })
}

/// The first line in which a whole state differs from the one kept.
fn check_whole(folder: &Path, name: &str, whole: &str) -> Option<Fault> {
    let file = format!("{name}.whole");
    let kept = match std::fs::read_to_string(folder.join(&file)) {
        Err(error) => return Some(Fault::new(file, format!("{error}: `cargo xtask histories` writes it"))),
        Ok(kept) if kept == whole => return None,
        Ok(kept) => kept,
    };
    let line = kept.lines().zip(whole.lines()).take_while(|(before, now)| before == now).count();
    let at = |text: &str| text.lines().nth(line).map_or("nothing".to_owned(), |line| format!("`{}`", line.trim()));
    let what = format!("line {}: the fold gives {}, not {}", line + 1, at(whole), at(&kept));
    Some(Fault::new(file, format!("{what}: if that is meant, `cargo xtask histories --states` writes it anew")))
}

fn check_summary(folder: &Path, name: &str, summary: &str) -> Option<Fault> {
    let kept = std::fs::read_to_string(folder.join(format!("{name}.state")));
    match kept {
        Err(error) => Some(Fault::new(format!("{name}.state"), format!("{error}: `cargo xtask histories` writes it"))),
        Ok(kept) if kept == summary => None,
        Ok(_) => Some(Fault::new(name, "folds to another state than before: if that is meant, delete its .state file and write it anew")),
    }
}

fn check_scenario(scenario: &Scenario, kept: &BTreeMap<String, Read>) -> Option<Fault> {
    let today = match play(scenario) {
        Ok(history) => history,
        Err(fault) => return Some(fault),
    };
    let Some(read) = kept.get(scenario.0) else {
        return Some(Fault::new(scenario.0, "has no file: `cargo xtask histories` writes it"));
    };
    let before = read.stored.iter().map(|stored| stored.name.as_str());
    let now: Vec<&str> = today.folded().map(|(_, event)| event.draft.body.name()).collect();
    let before: Vec<&str> = before.collect();
    if before == now {
        return None;
    }
    let line = before.iter().zip(&now).take_while(|(before, now)| before == now).count();
    let at = |names: &[&str]| names.get(line).map_or("nothing".to_owned(), |name| (*name).to_owned());
    let what = format!("line {}: today's code writes {}, not {}: rename the scenario and keep the file", line + 1, at(&now), at(&before));
    Some(Fault::new(scenario.0, what))
}

fn play(scenario: &Scenario) -> Result<History, Fault> {
    let mut writer = Writer::new();
    (scenario.1)(&mut writer).map_err(|what| Fault::new(scenario.0, format!("today's code does not play it: {what}")))?;
    Ok(History { name: scenario.0, stream: writer.state.stream.clone(), events: writer.events, inherited: writer.inherited })
}

#[cfg(test)]
mod tests;
