//! Where everything is measured: the binary, the folder on a real disk, the sizes.

use crate::problem::{Problem, io, wrong};
use crate::size::Size;
use crate::wanted::Wanted;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Threads of the async runtime, as many as `thru` has.
const WORKERS: usize = 2;

/// What a row says that needs the binary when there is none.
pub const NO_THRU: &str = "thru is not beside this program";

#[derive(Debug)]
pub struct World {
    pub size: Size,
    /// Arguments that make the binary wait for all sessions.
    pub parked: Vec<String>,
    thru: Option<PathBuf>,
    data: PathBuf,
}

impl World {
    pub fn new(wanted: &Wanted) -> Result<World, Problem> {
        let me = std::env::current_exe().map_err(io("this program"))?;
        let beside = me.with_file_name("thru");
        let thru = match &wanted.thru {
            Some(named) if !named.is_file() => return Err(wrong(format!("there is no {}", named.display()))),
            Some(named) => Some(named.clone()),
            None => beside.is_file().then_some(beside),
        };
        // Two levels up is the folder of all builds, which is on a disk and thrown away with them.
        let built = me.parent().and_then(Path::parent).ok_or_else(|| wrong("this program lies in no folder"))?;
        let data = wanted.data.clone().unwrap_or_else(|| built.join("bench-data"));
        fs::create_dir_all(&data).map_err(io(data.display().to_string()))?;
        let data = data.canonicalize().map_err(io(data.display().to_string()))?;
        Ok(World { size: wanted.size, parked: wanted.parked.clone(), thru, data })
    }

    pub fn thru(&self) -> Option<&Path> {
        self.thru.as_deref()
    }

    /// A folder for one measurement, gone after it.
    pub fn folder(&self) -> Result<TempDir, Problem> {
        TempDir::with_prefix_in("run-", &self.data).map_err(io("a folder for a measurement"))
    }

    /// A folder that stays for the next run.
    pub fn kept(&self, name: &str) -> PathBuf {
        self.data.join(name)
    }

    pub fn runtime() -> Result<Runtime, Problem> {
        Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build().map_err(io("an async runtime"))
    }

    /// What a reader must know to trust the figures.
    pub fn about(&self) -> String {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load: Vec<&str> = load.split_whitespace().take(3).collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!(
            "bench: {cores} cores, load {}, scripted model unless a line says otherwise, commands in the sandbox, data in {}",
            load.join(" "),
            self.data.display()
        )
    }
}
