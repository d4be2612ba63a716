//! The library people embed: all adapters wired into a runtime on one data folder.
//!
//! Owns the wiring and nothing else. Must not parse arguments, draw on a terminal, or decide what a machine decides.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use throughline::{Home, Job, Throughline, Until};
//!
//! let throughline = Throughline::open(&Home::locate()?)?;
//! let mut running = throughline.start(Job::new(".", "script:job.jsonl", "Count the words")).await?;
//! while let Some(events) = running.next(Until::Done).await? {
//!     for stored in events { println!("{}", String::from_utf8_lossy(&stored.bytes)); }
//! }
//! let ended = running.end().await;
//! # Ok(()) }
//! ```

mod asks;
mod book;
mod bundle;
mod choosing;
mod clock;
mod configure;
mod delivery;
pub mod doctor;
mod following;
mod fork;
mod home;
mod host;
mod inspect;
mod lists;
mod live;
mod models;
pub mod policy;
mod probe;
mod redact;
mod rules;
mod running;
mod send;
pub mod settings;
mod standing;
mod start;
mod status;
mod stop;
mod verify;

pub use agent::rest::Turn;
pub use asks::{AskFate, AskView, Found, OpenAsks};
pub use bundle::{BundleError, ExportError, Exported, ImportError, Imported, check_export};
pub use choosing::{Choice, ChooseError, Found as FoundModel, Passed, Unfit, Vain, choose};
pub use clock::SystemClock;
pub use configure::ConfigError;
pub use delivery::{Delivery, Fate};
pub use following::Following;
pub use home::{Home, HomeError};
pub use host::{HostError, Refused, Told};
pub use inspect::Quarantined;
pub use journal::{OpenError as JournalError, Verified};
pub use lists::{ListError, RunningWork, Work};
pub use live::{Listening, Shown, Watching};
pub use models::ModelNameError;
pub use probe::{ProbeError, Probed, probe};
pub use rules::{root_of, rules_in};
pub use running::{Ended, Running, Until};
pub use runtime::drive::{Leave, Refusal};
pub use runtime::fork::{ForkError, Forked};
pub use send::{Answered, SayError, Sent};
pub use start::{Job, StartError, check};

pub use status::{RunTurns, RunningTool, Standing, Status};
pub use verify::Inspection;
pub use views::{CostRow, RunningRow, WorkRow};

/// The other program inside this one; a binary must ask for it before it does anything else.
pub mod supervisor {
    pub use tools::supervise::{is_supervisor, main};
}

use book::Book;
use contract::id::HostId;
use contract::port::Log;
use journal::SqliteJournal;
use live::Stage;
use redact::{RedactedLive, RedactedModel, RedactedTools, Redactor};
use runtime::Ports;
use runtime::drive::Place;
use settings::{Environment, Secrets, Sources};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tools::Toolbox;

pub use tools::supervise::Way;
pub use tools::{Addresses, Reach, Resolve, Sandboxing};

/// A runtime on one data folder. Several may share the folder; each is a host of its own.
pub struct Throughline {
    ports: Ports,
    journal: Arc<SqliteJournal>,
    book: Arc<Book>,
    home: PathBuf,
    sources: Sources,
    redactor: Redactor,
    stage: Arc<Stage>,
    /// Where the frames of this process are shown, once it drives a session.
    socket: OnceLock<Option<live::Open>>,
}

impl fmt::Debug for Throughline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Throughline").field("home", &self.home).finish_non_exhaustive()
    }
}

/// What an owner of sessions may choose.
#[derive(Clone)]
pub struct Options {
    /// Where keys and settings come from.
    pub environment: Arc<dyn Environment>,
    /// Whether commands run in a sandbox; a session that is gone on with elsewhere is held to what that process chose.
    pub sandboxing: Sandboxing,
    /// Which servers `fetch_url` may visit.
    pub reach: Reach,
    /// The program that becomes a supervisor of commands: this one, if it asks [`supervisor::is_supervisor`].
    pub supervisor: PathBuf,
}

impl Default for Options {
    fn default() -> Options {
        let (reach, supervisor) = (Reach::default(), "/proc/self/exe".into());
        Options { environment: Arc::new(settings::Process), sandboxing: Sandboxing::On, reach, supervisor }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("sandboxing", &self.sandboxing).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Journal(#[from] journal::OpenError),
    #[error("no randomness: {0}")]
    Random(getrandom::Error),
    #[error("the folder of running tools cannot be used: {0}")]
    Spool(std::io::Error),
}

impl Throughline {
    /// Opens the data folder, making it if it is not there.
    pub fn open(home: &Home) -> Result<Throughline, OpenError> {
        Throughline::open_with(home, Options::default())
    }

    /// The same with keys and settings from elsewhere than this process has them.
    pub fn open_in(home: &Home, environment: Arc<dyn Environment>) -> Result<Throughline, OpenError> {
        Throughline::open_with(home, Options { environment, ..Options::default() })
    }

    pub fn open_with(home: &Home, options: Options) -> Result<Throughline, OpenError> {
        let Options { environment, sandboxing, reach, supervisor } = options;
        let host = HostId(random()?);
        let journal = SqliteJournal::open(journal::Options::new(home.folder(), host)).map_err(|error| of_folder(home, error))?;
        let journal = Arc::new(journal);
        let place = Place { host, machine: home.machine()?, boot: home::boot()? };
        let sources = Sources::new(environment.clone(), home.folder());
        let keys = models::Keyring::new(sources.clone(), Secrets::at(home.folder()));
        let hidden = keys.handles().into_iter().map(Into::into).collect();
        let tools = tools::Options {
            hidden,
            sandboxing,
            reach,
            supervisor,
            ways: ways(),
            temp: home.temp(),
            unseen: vec![home.folder().to_owned()],
            unchanged: settings::user_file(environment.as_ref())
                .as_deref()
                .and_then(Path::parent)
                .map(Path::to_owned)
                .into_iter()
                .collect(),
            ..tools::Options::new(home.spool())
        };
        let tools = Arc::new(Toolbox::new(tools).map_err(OpenError::Spool)?);
        let stage = Arc::new(Stage::new());
        let redactor = keys.redactor();
        let clock = Arc::new(SystemClock);
        let book = Arc::new(Book::new(home.folder(), journal.clone(), clock.clone()));
        let ports = Ports {
            log: journal.clone(),
            blobs: journal.clone(),
            model: Arc::new(RedactedModel::new(models::ByName::new(Arc::new(keys)), redactor.clone())),
            configure: Arc::new(configure::Configuration::new(sources.clone(), redactor.clone(), tools.as_ref())),
            tools: Arc::new(RedactedTools::new(tools, redactor.clone())),
            live: Arc::new(RedactedLive::new(stage.clone(), redactor.clone())),
            spending: book.clone(),
            clock,
            place,
            breakers: Arc::default(),
            configs: Arc::default(),
        };
        let home = home.folder().to_owned();
        Ok(Throughline { ports, journal, book, home, sources, redactor, stage, socket: OnceLock::new() })
    }

    /// Lets other processes watch what this one shows; where that cannot be, they still have the log.
    pub(crate) fn show_to_others(&self) {
        self.socket.get_or_init(|| live::serve(&self.home, self.ports.place.host, self.stage.clone()).ok());
    }

    pub(crate) fn log(&self) -> &dyn Log {
        self.ports.log.as_ref()
    }
}

/// Ways to make a sandbox. A build for tests may be told that there is none, which only ever refuses commands.
fn ways() -> Vec<Way> {
    let is_told = cfg!(debug_assertions) && std::env::var_os("THRU_TEST_NO_SANDBOX").is_some();
    if is_told { Vec::new() } else { Way::ALL.to_vec() }
}

/// A folder that cannot even be made is no fault of the log.
fn of_folder(home: &Home, error: journal::OpenError) -> OpenError {
    let unmade = !home.folder().is_dir();
    if let journal::OpenError::Io { path, source } = error {
        let of_folder = unmade && path == home.folder();
        return if of_folder { HomeError::Io { path, source }.into() } else { journal::OpenError::Io { path, source }.into() };
    }
    error.into()
}

pub(crate) fn random() -> Result<[u8; 16], OpenError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(OpenError::Random)?;
    Ok(bytes)
}
