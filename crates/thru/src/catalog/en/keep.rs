//! Sessions as a whole: what is said of them, and texts of `--help`.

use crate::catalog::{KeepHelp, KeepLine};

pub fn keep_line(what: &KeepLine<'_>) -> String {
    match what {
        KeepLine::SessionForked { session, from, at } => {
            format!("session {session} branches off from {from} after its event {at}; what came before: thru events {from}")
        }
        KeepLine::ForkWaits { session } => {
            format!("it waits for your word: thru run --session {session} \"TEXT\"")
        }
        KeepLine::Exported { session, events, blobs, parents, hash, folder } => {
            format!("exported {session} to {folder}: {events} events, {blobs} blobs{}, hash {hash}", stands_on(*parents))
        }
        KeepLine::Imported { session, events, blobs, parents, hash } => {
            let counts = format!("{events} events, {blobs} blobs{}, hash {hash}", stands_on(*parents));
            format!("imported {session}: {counts}\nit stands still: thru events {session}, thru fork {session}, thru resume {session}")
        }
        KeepLine::ImportedBefore { session, events, hash } => {
            format!("{session} is here already with the same {events} events, hash {hash}: nothing was changed")
        }
    }
}

fn stands_on(parents: usize) -> String {
    if parents == 0 { String::new() } else { format!(", {parents} sessions that it stands on") }
}

pub fn keep_help(text: KeepHelp) -> &'static str {
    match text {
        KeepHelp::Fork => "Begin a new session where another one was, and leave that one as it is",
        KeepHelp::ForkAfter => {
            "The new session knows everything up to that event, in the very words its model was shown. What was open there\n\
             stays with the other session: nothing of it runs, is asked or is stopped here, and the agent is told so. The\n\
             other one may go on running. Files are not copied: both work in the same folder.\n\
             With TEXT the new session starts at once; without, its name is printed and it waits.\n\n\
             Examples:\n  thru events ses_…                                  # find the event to branch off after\n  \
             thru fork ses_… --at 17 \"Try it without the cache\"\n  \
             thru fork ses_… --at 17 --key try-2 \"Try it without the cache\"   # the same key is the same fork\n  \
             id=$(thru fork ses_…) && thru run --session $id \"Now in Chinese\""
        }
        KeepHelp::ForkAt => "The last event that counts, by its number [default: the newest]",
        KeepHelp::Export => "Write a session to a folder that anybody can read and check",
        KeepHelp::ExportAfter => {
            "events.jsonl holds every event, byte for byte as it was hashed, chain.json the hash after each, blobs/ every long\n\
             text by its SHA-256, parents/ what a fork stands on. Everything is checked on the way. The folder appears whole\n\
             or not at all, and the same session gives the same bytes. It holds all that was said and read: look before you\n\
             give it away.\n\n\
             Examples:\n  thru export ses_… ./job-7\n  thru export ses_… ./job-7 --json\n  \
             THRU_HOME=/tmp/other thru import ./job-7"
        }
        KeepHelp::ExportFolder => "Where to write it; the folder must not be there, or be empty",
        KeepHelp::Import => "Take over a session from a folder that `thru export` wrote",
        KeepHelp::ImportAfter => {
            "Everything is checked before anything is stored: each line against its hash, each event, each blob. The session\n\
             keeps its name, its events and its hashes. It stands still until you resume it; what ran on the other machine\n\
             cannot be looked at here, and counts as unknown. Import again to complete one that was cut off; what is here\n\
             already and the same is left as it is.\n\
             Exit codes: 1 changed or cut, with the first broken line; 3 no export, or of a newer version; 9 the session is\n\
             here and is another one.\n\n\
             Examples:\n  thru import ./job-7\n  thru import ./job-7 && thru verify ses_…"
        }
        KeepHelp::ImportFolder => "The folder that was written",
        KeepHelp::Doctor => "Check the data folder: disk, log, locks, what runs, what is left over",
        KeepHelp::DoctorAfter => {
            "One line a check: ok, warn or fail, the name of the check, what was found, and below it what to do. Nothing is\n\
             changed without --fix, and nothing that runs is touched. Exit code 1 when a check fails. Blobs are only measured:\n\
             `thru verify` reads them too.\n\n\
             Examples:\n  thru doctor\n  thru doctor --fix\n  thru doctor --json | jq 'select(.verdict!=\"ok\")'"
        }
        KeepHelp::DoctorFix => {
            "Remove what nothing needs: output of commands that ended, and whose end is in the log; let a daemon that was held \
             back take sessions again"
        }
        KeepHelp::ForkKey => "Names the fork: the same key again finds it, and does not make or tell it anything twice",
        KeepHelp::ForkJson => {
            "With TEXT: print canonical events as JSON lines, the last one is the outcome; without: the new session as one object"
        }
        KeepHelp::ForkText => "What you say to the new session",
    }
}
