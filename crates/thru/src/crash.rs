//! Kills this process at a chosen place, for tests: `CRASH_AT=k` at the k-th place that is reached, of a supervisor
//! `CRASH_AT_SUPERVISOR=k`. `CRASH_LIST=FILE` writes the name of every place that is reached, of supervisors
//! `CRASH_LIST_SUPERVISOR=FILE`.

use rustix::process::{Signal, getpid, kill_process};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

static REACHED: AtomicU64 = AtomicU64::new(0);

/// Must run first: the supervisor is this program too, and has places of its own.
pub fn install() {
    contract::crash::install(reach);
}

fn reach(name: &'static str) {
    let (at, list) = match throughline::supervisor::is_supervisor() {
        true => ("CRASH_AT_SUPERVISOR", "CRASH_LIST_SUPERVISOR"),
        false => ("CRASH_AT", "CRASH_LIST"),
    };
    let number = REACHED.fetch_add(1, Ordering::SeqCst) + 1;
    if let Some(file) = std::env::var_os(list) {
        let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
        // In one piece, because others write it too. A list that cannot be written shows as missing lines.
        let _ = opened.and_then(|mut file| file.write_all(format!("{number} {name}\n").as_bytes()));
    }
    let here = std::env::var(at).ok().and_then(|at| at.parse::<u64>().ok());
    if here == Some(number) {
        // SIGKILL to oneself does not come back.
        let _ = kill_process(getpid(), Signal::KILL);
    }
}
