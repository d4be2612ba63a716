//! What holds commands on this machine: a room is made for one, in a folder that is gone again afterwards.

use super::Finding;
use crate::{Home, Sandboxing};
use contract::call::Sandbox;
use contract::id::{SessionId, StreamId};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tools::{Options, Toolbox, ways_failed};

/// Makes a room as a session would. The program that runs this must be able to be a supervisor.
pub async fn sandbox(home: &Home) -> Finding {
    match Scratch::new() {
        Ok(scratch) => probe(home, &scratch.0).await,
        Err(error) => Finding::SandboxMissing { reason: error.to_string() },
    }
}

async fn probe(home: &Home, scratch: &Path) -> Finding {
    let options = Options {
        sandboxing: Sandboxing::On,
        ways: crate::ways(),
        temp: scratch.join("temp"),
        unseen: vec![home.folder().to_owned()],
        ..Options::new(scratch.join("spool"))
    };
    let found = match Toolbox::new(options) {
        Ok(tools) => tools.sandbox(&scratch.join("work"), &StreamId::session(SessionId([0; 16]))).await,
        Err(error) => Err(error.to_string()),
    };
    match found {
        Ok(found) => Finding::Sandbox {
            is_full: found.sandbox == Sandbox::Full,
            way: found.room.map(|(way, _)| way),
            landlock: found.room.and_then(|(_, fitted)| fitted.landlock),
            counted: found.room.is_some_and(|(_, fitted)| fitted.counted),
            failed: ways_failed(&found.failed),
        },
        Err(reason) => Finding::SandboxMissing { reason },
    }
}

/// A folder with a workspace in it, which goes with this value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let folder = std::env::temp_dir().join(format!("thru-doctor-{}", std::process::id()));
        let scratch = Scratch(folder);
        fs::create_dir_all(scratch.0.join("work"))?;
        Ok(scratch)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
