//! `thru auth`: keys of models, kept in a file that only their owner may read.

use crate::args::Auth;
use crate::catalog::{AuthLine, Problem, Setup, auth_line};
use crate::fault::{Fault, code};
use crate::render::out;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal, Write};
use throughline::Home;
use throughline::settings::{Environment, PRESETS, Process, Secret, Secrets};

pub fn run(auth: Auth) -> Result<u8, Fault> {
    let secrets = Secrets::at(Home::locate()?.folder());
    match auth {
        Auth::Set { name } => {
            let value = read_value(&name).map_err(|error| Fault::new(Problem::Setup(Setup::Secret(&error.to_string()))))?;
            secrets.set(&name, &value)?;
            out(auth_line(&AuthLine::Kept { name: &name, hidden_by_variable: Process.get(&name).is_some() }).as_bytes());
        }
        Auth::List { json } => list(&secrets.names()?, json),
        Auth::Remove { name } => {
            if !secrets.remove(&name)? {
                return Err(Fault::new(Problem::Setup(Setup::NoSecret(&name))));
            }
            out(auth_line(&AuthLine::Forgotten { name: &name }).as_bytes());
        }
    }
    Ok(code::DONE)
}

/// Where a key is: the environment comes first.
fn list(kept: &[String], json: bool) {
    let mut places: BTreeMap<&str, &str> = kept.iter().map(|name| (name.as_str(), "file")).collect();
    let in_environment = PRESETS.iter().filter_map(|preset| preset.key_env).chain(kept.iter().map(String::as_str));
    places.extend(in_environment.filter(|name| Process.get(name).is_some()).map(|name| (name, "environment")));
    for (name, place) in &places {
        if json {
            out(serde_json::json!({ "name": name, "place": place }).to_string().as_bytes());
        } else {
            out(auth_line(&AuthLine::Key { name, in_file: *place == "file" }).as_bytes());
        }
    }
    if places.is_empty() && !json {
        out(auth_line(&AuthLine::NoKeys).as_bytes());
    }
}

/// One line of standard input; on a terminal it is asked for and not shown.
fn read_value(name: &str) -> io::Result<Secret> {
    let input = io::stdin();
    let hidden = if input.is_terminal() { Some(Hidden::begin(name)?) } else { None };
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    drop(hidden);
    Ok(Secret::new(line.trim_end_matches(['\n', '\r'])))
}

/// A terminal that does not show what is typed, until this is dropped.
struct Hidden {
    before: rustix::termios::Termios,
}

impl Hidden {
    fn begin(name: &str) -> io::Result<Hidden> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent)?;
        let mut terminal = io::stderr().lock();
        // Whoever cannot see the question still may answer it.
        drop(write!(terminal, "{}", auth_line(&AuthLine::Ask { name })).and_then(|()| terminal.flush()));
        Ok(Hidden { before })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing anyway.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
        drop(writeln!(io::stderr().lock()));
    }
}
