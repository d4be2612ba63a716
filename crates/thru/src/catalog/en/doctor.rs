//! What `thru doctor` finds, and what to do about it.

use super::count;
use super::models::models_line;
use crate::catalog::ModelsLine;
use crate::render::excerpt;
use throughline::Way;
use throughline::doctor::{Finding, Health};
use throughline::settings::Wish;

const MIB: u64 = 1024 * 1024;

pub fn health(health: Health) -> &'static str {
    match health {
        Health::Ok => "ok",
        Health::Warn => "warn",
        Health::Fail => "fail",
    }
}

pub fn symptom(finding: &Finding) -> String {
    match finding {
        Finding::Versions { program, tables, export } => format!("thru {program}, tables {tables}, export format {export}"),
        Finding::FolderMissing { path } => format!("{} is not there yet; the first run makes it", path.display()),
        Finding::Folder { path, free_bytes } => format!("{} is writable and local, {} MiB free", path.display(), free_bytes / MIB),
        Finding::FolderUnusable { path, reason } => format!("{} cannot be used: {reason}", path.display()),
        Finding::FolderOnNetwork { path, kind } => format!("{} is on a network file system ({kind})", path.display()),
        Finding::LittleSpace { path, free_bytes } => format!("{} has only {} MiB free", path.display(), free_bytes / MIB),
        Finding::JournalMissing => "there is no log yet; the first run makes it".to_owned(),
        Finding::Journal { tables } => format!("the log opens, tables {tables}"),
        Finding::JournalUnusable { reason } => format!("the log cannot be opened: {reason}"),
        Finding::MachineUnknown { reason } => format!("the name of this machine is lost: {reason}"),
        Finding::Database => "SQLite finds every page in order".to_owned(),
        Finding::DatabaseDamaged { reason } => format!("SQLite finds damage: {reason}"),
        Finding::DatabaseBusy => "the database did not answer in time, so it was not looked at".to_owned(),
        Finding::Chains { streams, events } => {
            let (streams, events) = (count(*streams as u64, "stream"), count(*events, "event"));
            format!("whole: {streams} with {events}")
        }
        Finding::ChainBroken { stream, reason, .. } => format!("{stream}: {reason}"),
        Finding::Quarantined { stream, version, reason } => format!("{stream} is quarantined at event {version}: {reason}"),
        Finding::Hosts { running, removed: 0 } => others(*running),
        Finding::Hosts { running, removed: 1 } => format!("{}; the lock of a dead one was removed", others(*running)),
        Finding::Hosts { running, removed } => format!("{}; {removed} locks of dead ones were removed", others(*running)),
        Finding::HostsUnclear { reason } => format!("which processes run cannot be told: {reason}"),
        Finding::Leases { driven } => format!("driven: {}", count(*driven as u64, "session")),
        Finding::Daemon { runs: true } => "a daemon looks after every session".to_owned(),
        Finding::Daemon { runs: false } => "no daemon runs".to_owned(),
        Finding::HeldBack { died, released: false } => format!("{died} daemons died within ten minutes, so it takes nothing by itself"),
        Finding::HeldBack { died, released: true } => format!("{died} daemons died within ten minutes; it may take sessions again"),
        Finding::DaemonUnclear { reason } => format!("whether a daemon is held back cannot be told: {reason}"),
        Finding::Abandoned { session } => format!("{session} has work to do and nobody does it"),
        Finding::Processes { watched } => format!("running and watched: {}", count(*watched as u64, "command")),
        Finding::Unwatched { session, tool, args, pid } => {
            format!("a command of {session} runs and nobody drives the session: {tool} {}{}", excerpt(args), of_pid(*pid))
        }
        Finding::Stray { folder, pid } => format!("a command runs that no session knows of: {}{}", folder.display(), of_pid(*pid)),
        Finding::Spool { folders } => format!("output is kept for {}", count(*folders as u64, "command")),
        Finding::Leftovers { folders, removed } if folders == removed => {
            format!("removed what nothing needs: {}", count(*removed as u64, "folder"))
        }
        Finding::Leftovers { folders, .. } => {
            format!("{} of output and temporary files that nothing needs any more", count(*folders as u64, "folder"))
        }
        Finding::Sandbox { is_full, way, landlock, counted, failed } => sandbox(*is_full, *way, *landlock, *counted, failed),
        Finding::SandboxMissing { reason } => format!("no sandbox can be made, so commands are refused: {reason}"),
        Finding::Model { wish, candidates } => models_line(&ModelsLine::Unnamed { wish, candidates }),
        Finding::SettingsUnusable { reason } => format!("the settings cannot be used: {reason}"),
        Finding::ViewsMissing => "the lists are not made yet".to_owned(),
        Finding::Views => "the lists can be read".to_owned(),
        Finding::ViewsDamaged { reason } => format!("the lists are damaged: {reason}"),
        Finding::Blobs { blobs } => {
            format!("there with their sizes: {} that events name; `thru verify` also reads them", count(*blobs as u64, "blob"))
        }
        Finding::BlobBroken { stream, version, reason } => format!("event {version} of {stream}: {reason}"),
    }
}

fn sandbox(is_full: bool, way: Option<Way>, landlock: Option<u32>, counted: bool, failed: &str) -> String {
    let whole =
        if is_full { "commands run in a sandbox" } else { "commands run in a sandbox that does not protect .git, so each is asked about" };
    let landlock = landlock.map_or_else(|| "no Landlock".to_owned(), |version| format!("Landlock {version}"));
    let counted = if counted { "" } else { ", no limit to the number of processes" };
    let way = match way {
        Some(Way::Namespaces) => "namespaces, ",
        Some(Way::Bubblewrap) => "namespaces of bubblewrap, ",
        Some(Way::Landlock) | None => "",
    };
    let failed = if failed.is_empty() { String::new() } else { format!("; not possible: {failed}") };
    format!("{whole} ({way}{landlock}{counted}){failed}")
}

fn others(running: usize) -> String {
    if running == 1 { "1 other process runs".to_owned() } else { format!("{running} other processes run") }
}

fn of_pid(pid: Option<i32>) -> String {
    pid.map(|pid| format!(" (supervised by process {pid})")).unwrap_or_default()
}

/// Nothing where all is well.
pub fn cure(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Versions { .. }
        | Finding::FolderMissing { .. }
        | Finding::Folder { .. }
        | Finding::JournalMissing
        | Finding::Journal { .. }
        | Finding::Database
        | Finding::Chains { .. }
        | Finding::Hosts { .. }
        | Finding::Leases { .. }
        | Finding::Daemon { .. }
        | Finding::HeldBack { released: true, .. }
        | Finding::Processes { .. }
        | Finding::Spool { .. }
        | Finding::Sandbox { is_full: true, .. }
        | Finding::Model { wish: Wish::Named(_) | Wish::Nothing, .. }
        | Finding::ViewsMissing
        | Finding::Views
        | Finding::Blobs { .. } => return None,
        Finding::FolderUnusable { .. } | Finding::FolderOnNetwork { .. } => "set THRU_HOME to a writable folder on a local disk".to_owned(),
        Finding::LittleSpace { .. } => "make room, or set THRU_HOME to a folder on another disk".to_owned(),
        Finding::JournalUnusable { .. } => "leave the file as it is; mend the disk, or bring the folder back from a copy".to_owned(),
        Finding::MachineUnknown { .. } => {
            "remove that file: the machine is named anew, and commands that run count as another machine's".to_owned()
        }
        Finding::DatabaseDamaged { .. } => {
            "copy the whole folder away first; `thru export ID DIR` still works for sessions that `thru verify` finds whole".to_owned()
        }
        Finding::DatabaseBusy => "run it again when less is going on".to_owned(),
        Finding::ChainBroken { stream, whole, .. } => match (stream.session_id(), whole) {
            (Some(session), Some(event)) => {
                format!("other sessions are unaffected; `thru fork {session} --at {event}` goes on from before the damage")
            }
            (Some(_), None) => "other sessions are unaffected; bring the folder back from a copy".to_owned(),
            (None, _) => "sessions are unaffected; bring the folder back from a copy".to_owned(),
        },
        Finding::Quarantined { stream, .. } => match stream.session_id() {
            Some(session) => format!("`thru resume {session}` tries it again"),
            None => "sessions are unaffected".to_owned(),
        },
        Finding::HeldBack { released: false, .. } => {
            "`thru doctor --fix` lets it take sessions again; `thru resume ID` goes on with one".to_owned()
        }
        Finding::DaemonUnclear { .. } => "sessions are unaffected; `thru verify` shows what is damaged".to_owned(),
        Finding::HostsUnclear { .. } => "run it again; if it stays, look at the rights of the folder hosts/".to_owned(),
        Finding::Abandoned { session } => {
            format!("`thru resume {session}` goes on with it; `thru stop {session}`, then `thru resume {session}`, ends it")
        }
        Finding::Unwatched { session, .. } => {
            format!("`thru resume {session}` watches it; `thru stop {session} --scope all`, then `thru resume {session}`, ends it")
        }
        Finding::Stray { pid: Some(pid), .. } => format!("`kill {pid}` ends it"),
        Finding::Stray { pid: None, .. } => "run it again".to_owned(),
        Finding::Leftovers { folders, removed } if folders == removed => return None,
        Finding::Leftovers { .. } => "`thru doctor --fix` removes them".to_owned(),
        Finding::Sandbox { is_full: false, .. } | Finding::SandboxMissing { .. } => {
            "allow namespaces of users on this machine, or see decision 12 about --unsafe-no-sandbox".to_owned()
        }
        Finding::Model { wish: Wish::Several(_), .. } => {
            "set one in config.toml: [defaults] model = \"NAME\"; or name one in each run".to_owned()
        }
        Finding::SettingsUnusable { .. } => "mend the file; until then runs are refused".to_owned(),
        Finding::ViewsDamaged { .. } => "nothing is lost: they are made anew from the log; views.db may be deleted".to_owned(),
        Finding::BlobBroken { .. } => {
            "bring blobs/ back from a copy, or import the session from an export; the events themselves are whole".to_owned()
        }
    })
}
