//! What only the log tells: whether it is whole, and what of the spool and of what runs belongs to whom.

use super::{Finding, Mend};
use crate::{Home, Throughline};
use agent::State;
use contract::event::NamedBlob;
use contract::id::{ActionId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::LogError;
use contract::units::Version;
use runtime::read;
use std::collections::{BTreeMap, BTreeSet};
use tools::supervise::Folder;
use tools::supervise::survey::{Spooled, abandoned_drafts, survey};
use tools::unused_temps;

/// An open attempt, and whose it is.
struct Open {
    session: SessionId,
    tool: String,
    args: String,
    driven: bool,
}

/// What a walk over all sessions collects.
#[derive(Default)]
struct Walk {
    streams: usize,
    events: u64,
    open: BTreeMap<(ActionId, u16), Open>,
    driven: usize,
    /// Sessions with an open run, whose commands may want what they kept.
    at_work: BTreeSet<SessionId>,
    abandoned: Vec<SessionId>,
    blobs: BTreeMap<NamedBlob, (StreamId, Version)>,
    /// A stream could not be read, so nobody knows which attempts it has open.
    unclear: bool,
}

impl Throughline {
    pub(super) async fn examine_log(&self, home: &Home, mend: &Mend, findings: &mut Vec<Finding>) {
        // First the spool: an attempt is in the log before its folder is there, so whatever is found now is known there.
        let spool = home.spool();
        let spooled = survey(&spool);
        let walk = self.walk(findings).await;
        findings.push(Finding::Leases { driven: walk.driven });
        findings.extend(walk.abandoned.iter().map(|session| Finding::Abandoned { session: *session }));
        findings.push(self.examine_daemon(mend).await.unwrap_or_else(|reason| Finding::DaemonUnclear { reason }));
        processes(&walk, &spooled, home, findings);
        leftovers(&walk, &spooled, home, mend, findings);
        self.examine_blobs(&walk.blobs, findings).await;
    }

    async fn walk(&self, findings: &mut Vec<Finding>) -> Walk {
        let mut walk = Walk::default();
        let streams = match self.streams().await {
            Ok(streams) => streams,
            Err(error) => {
                walk.unclear = true;
                findings.push(Finding::JournalUnusable { reason: error.to_string() });
                return walk;
            }
        };
        for stream in &streams {
            walk.streams += 1;
            if let Err(error) = self.look_at(stream, &mut walk).await {
                walk.unclear = true;
                findings.push(Finding::ChainBroken {
                    stream: stream.clone(),
                    whole: whole_up_to(stream, &error),
                    reason: error.to_string(),
                });
            }
        }
        let broken = findings.iter().any(|finding| matches!(finding, Finding::ChainBroken { .. }));
        if !broken {
            findings.push(Finding::Chains { streams: walk.streams, events: walk.events });
        }
        for (stream, why) in self.quarantined().await.unwrap_or_default() {
            findings.push(Finding::Quarantined { stream, version: why.version, reason: why.reason });
        }
        walk
    }

    async fn look_at(&self, stream: &StreamId, walk: &mut Walk) -> Result<(), LogError> {
        let inspected = self.verify_events(stream).await?;
        walk.events += inspected.verified.events;
        let Some(session) = stream.session_id() else { return Ok(()) };
        let folded = self
            .fold_with(stream, |_, stored, whose| {
                if whose == read::Whose::Own {
                    for blob in stored.event.blobs() {
                        walk.blobs.entry(blob).or_insert_with(|| (stream.clone(), stored.event.version));
                    }
                }
                Ok(())
            })
            .await?;
        let state = folded.map_err(|illegal| crate::running::disagreement(stream, illegal))?;
        let driven = self.holder(session).await.map_err(|error| LogError::Unavailable(error.to_string()))?.is_some();
        walk.driven += usize::from(driven);
        let tail = self.log().tail(stream).await?;
        if !driven && tail.is_some_and(|tail| tail.rest == Rest::Busy) && state.owner.is_some() {
            walk.abandoned.push(session);
        }
        if state.run.is_some() {
            walk.at_work.insert(session);
        }
        walk.open.extend(open_attempts(session, &state, driven));
        Ok(())
    }

    async fn examine_daemon(&self, mend: &Mend) -> Result<Finding, String> {
        let Some(died) = self.held_back().await.map_err(|error| error.to_string())? else {
            let daemon = self.daemon().await.map_err(|error| error.to_string())?;
            return Ok(Finding::Daemon { runs: daemon.is_some() });
        };
        let released = match mend {
            Mend::Nothing => false,
            Mend::Harmless { by } => {
                self.release_daemon(by.clone()).await.map_err(|error| error.to_string())?;
                true
            }
        };
        Ok(Finding::HeldBack { died, released })
    }

    async fn examine_blobs(&self, named: &BTreeMap<NamedBlob, (StreamId, Version)>, findings: &mut Vec<Finding>) {
        let faults = match self.journal.missing_blobs(named.keys().copied().collect()).await {
            Ok(faults) if faults.is_empty() => return findings.push(Finding::Blobs { blobs: named.len() }),
            Ok(faults) => faults,
            Err(error) => return findings.push(Finding::JournalUnusable { reason: error.to_string() }),
        };
        for (blob, fault) in faults {
            // Only what is named was asked for.
            let Some((stream, version)) = named.get(&blob).cloned() else { continue };
            findings.push(Finding::BlobBroken { stream, version, reason: fault.to_string() });
        }
    }
}

/// The last event before the damage, where that is in this stream.
fn whole_up_to(stream: &StreamId, error: &LogError) -> Option<Version> {
    let (damaged, version) = match error {
        LogError::Corrupt { stream, version, .. } | LogError::Unreadable { stream, version, .. } => (stream, version),
        LogError::Unavailable(_) => return None,
    };
    (damaged == stream && version.0 > 1).then(|| Version(version.0 - 1))
}

fn open_attempts(session: SessionId, state: &State, driven: bool) -> Vec<((ActionId, u16), Open)> {
    let open = state.calls.values().filter_map(|call| {
        let attempt = call.attempt()?;
        let open = Open { session, tool: call.tool.clone(), args: call.args.shown(), driven };
        Some(((call.action, attempt.number), open))
    });
    open.collect()
}

/// Commands that run although nobody would hear of their end.
fn processes(walk: &Walk, spooled: &[Spooled], home: &Home, findings: &mut Vec<Finding>) {
    let mut watched = 0;
    for one in spooled.iter().filter(|one| one.alive) {
        match walk.open.get(&(one.action, one.attempt)) {
            Some(open) if open.driven => watched += 1,
            Some(open) => {
                let (session, tool, args) = (open.session, open.tool.clone(), open.args.clone());
                findings.push(Finding::Unwatched { session, tool, args, pid: one.pid });
            }
            // Its session cannot be read, or has just recorded its end.
            None if walk.unclear || one.pid.is_none() => watched += 1,
            None => {
                let folder = Folder::of(&home.spool(), one.action, one.attempt);
                findings.push(Finding::Stray { folder: folder.path().to_owned(), pid: one.pid });
            }
        }
    }
    findings.push(Finding::Processes { watched });
}

/// Folders that no open attempt and no living process needs; with a stream that cannot be read, nobody can tell.
fn leftovers(walk: &Walk, spooled: &[Spooled], home: &Home, mend: &Mend, findings: &mut Vec<Finding>) {
    let needed = |one: &&Spooled| one.alive || walk.unclear || walk.open.contains_key(&(one.action, one.attempt));
    let (kept, left): (Vec<&Spooled>, Vec<&Spooled>) = spooled.iter().partition(needed);
    findings.push(Finding::Spool { folders: kept.len() });
    let drafts = abandoned_drafts(&home.spool());
    let mut temps = unused_temps(&home.temp());
    temps.retain(|(session, _)| !walk.unclear && !walk.at_work.contains(session));
    let found = left.len() + drafts.len() + temps.len();
    if found == 0 {
        return;
    }
    let still_dead: BTreeSet<(ActionId, u16)> = match mend {
        Mend::Nothing => BTreeSet::new(),
        Mend::Harmless { .. } => survey(&home.spool()).into_iter().filter(|one| !one.alive).map(|one| (one.action, one.attempt)).collect(),
    };
    let removable = left.iter().filter(|one| still_dead.contains(&(one.action, one.attempt)));
    let removed = removable.filter(|one| Folder::of(&home.spool(), one.action, one.attempt).remove().is_ok()).count();
    let removed_others = match mend {
        Mend::Nothing => 0,
        Mend::Harmless { .. } => {
            let drafts = drafts.iter().filter(|draft| draft.remove().is_ok()).count();
            drafts + temps.into_iter().filter_map(|(_, temp)| temp.remove().ok()).count()
        }
    };
    findings.push(Finding::Leftovers { folders: found, removed: removed + removed_others });
}
