//! One process that looks after every session of a data folder: it takes what is busy or due and nobody does, and lets go
//! of what rests. What rests costs nothing: it is a row in the index of the log. After others that died one after the other
//! it takes nothing until a person says so.

mod drivers;
mod due;

use crate::{StartError, Throughline};
use contract::body::Principal;
use contract::filter::Filter;
use contract::id::{HostId, SessionId, StreamId};
use contract::machine::{Rest, RestClass};
use contract::port::{AppendError, Delivery, LeaseError, LogError, Subscription, Tail};
use contract::units::Position;
use drivers::{Drivers, Heard, How};
use due::Due;
use runtime::drive::Leave;
use runtime::{host, shell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Sessions that are driven at the same time; others wait for a place.
const DRIVEN_MAX: usize = 256;
/// How often sessions of other processes are looked at: one that died gives no sign.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Streams read from the index at once.
const PAGE: usize = 1_000;

/// What the host tells whoever runs it.
#[derive(Debug)]
pub enum Told {
    /// It looks after the folder now; so many sessions are busy, and so many wait for a time.
    Ready { busy: usize, timed: usize },
    /// So many before it died shortly after their start, so it takes nothing by itself. It is ready once a person lets it.
    HeldBack { died: usize, busy: usize, timed: usize },
    /// This process owns the session now and goes on with it.
    Takes(SessionId),
    /// The session rests and has left memory.
    Rests { session: SessionId, rest: Rest },
    /// This process cannot go on with the session before something changes.
    Refuses { session: SessionId, why: Refused },
}

/// Why a session cannot be gone on with here.
#[derive(Debug)]
pub enum Refused {
    /// It was not even taken.
    Untaken(StartError),
    Left(Leave),
    /// What drove it ended without a word, which only a bug does.
    Died,
}

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("the process {0} looks after this folder already")]
    Held(HostId),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error("whether another process looks after this folder cannot be told: {0}")]
    Lease(String),
    #[error("the log cannot be written any more: {0}")]
    LogBroken(String),
}

/// The process that looks after all sessions.
pub(crate) struct Daemon {
    pub(crate) host: HostId,
    /// It takes nothing by itself.
    pub(crate) held_back: bool,
}

struct Host<'a> {
    throughline: &'a Throughline,
    /// Takes one more event of the log.
    news: Box<dyn Subscription>,
    driven: Drivers,
    /// To be taken when there is a place.
    waiting: VecDeque<StreamId>,
    due: Due,
    /// Busy, but driven by another living process.
    elsewhere: BTreeSet<StreamId>,
    /// When those are looked at next, however much else happens meanwhile.
    look: Interval,
    /// Refused at this position; tried again when the stream has grown.
    refused: BTreeMap<StreamId, Position>,
    held_back: bool,
    stop: tokio::sync::watch::Receiver<bool>,
}

enum Next {
    News(Result<Delivery, LogError>),
    Heard(Heard),
    Due,
    Look,
    Stop,
}

impl Throughline {
    /// Looks after every session until told to stop; then lets go of all, and supervised commands go on.
    pub async fn host(&self, stop: tokio::sync::watch::Receiver<bool>, mut tell: impl FnMut(Told)) -> Result<(), HostError> {
        let guard = guard(self);
        let lease = match self.log().acquire(&guard).await {
            Ok(lease) => lease,
            Err(LeaseError::Held { holder }) => return Err(HostError::Held(holder)),
            Err(error @ (LeaseError::Lost { .. } | LeaseError::Unavailable(_))) => return Err(HostError::Lease(error.to_string())),
        };
        let ended = self.look_after_all(stop, &mut tell).await;
        // Whoever comes next takes it over anyway once this process has ended.
        drop(self.log().release(&guard, lease.epoch).await);
        ended
    }

    async fn look_after_all(&self, stop: tokio::sync::watch::Receiver<bool>, tell: &mut impl FnMut(Told)) -> Result<(), HostError> {
        self.show_to_others();
        // From here on, so that nothing falls between the index and what comes after it.
        let last = self.log().streams("session", 1).await?.first().map_or(Position(0), |tail| tail.position);
        let news = self.log().subscribe(last, Filter::everything());
        let mut host = Host {
            throughline: self,
            news,
            driven: Drivers::new(),
            waiting: VecDeque::new(),
            due: Due::default(),
            elsewhere: BTreeSet::new(),
            look: look(),
            refused: BTreeMap::new(),
            held_back: false,
            stop,
        };
        // After the subscription, so that a person's word cannot fall between what the log says now and what comes.
        host::started(&self.ports).await?;
        let died = self.machine().await?.lives.held_back();
        host.held_back = died.is_some();
        let (busy, timed) = host.index().await?;
        tell(died.map_or(Told::Ready { busy, timed }, |died| Told::HeldBack { died, busy, timed }));
        let ended = host.run(tell).await;
        if ended.is_ok() {
            host.driven.end().await;
        }
        ended?;
        Ok(host::stopped(&self.ports).await?)
    }

    /// The living process that acts on what is said to this session: whoever drives it, else whoever looks after all.
    pub async fn actor(&self, session: SessionId) -> Result<Option<HostId>, LeaseError> {
        if let Some(holder) = self.holder(session).await? {
            return Ok(Some(holder));
        }
        let Some(daemon) = self.daemon().await?.filter(|daemon| !daemon.held_back) else { return Ok(None) };
        // What it refuses it refuses for what is in the log and on the disk, which is the same here.
        Ok(self.can_drive(session).await.is_ok().then_some(daemon.host))
    }

    /// The living process that looks after all sessions.
    pub(crate) async fn daemon(&self) -> Result<Option<Daemon>, LeaseError> {
        let Some(host) = self.log().holder(&guard(self)).await? else { return Ok(None) };
        let machine = self.machine().await.map_err(|error| LeaseError::Unavailable(error.to_string()))?;
        Ok(Some(Daemon { host, held_back: machine.lives.held_back().is_some() }))
    }

    /// How many daemons died one after the other, if that holds back the one that runs, or else the next one.
    pub(crate) async fn held_back(&self) -> Result<Option<usize>, LogError> {
        let lives = self.machine().await?.lives;
        let daemon = self.log().holder(&guard(self)).await.map_err(|error| LogError::Unavailable(error.to_string()))?;
        Ok(if daemon.is_some() { lives.held_back() } else { lives.held_back_from(self.ports.clock.now()) })
    }

    /// A person's word that the daemon may take sessions although others died before it; one that runs hears of it.
    pub(crate) async fn release_daemon(&self, by: Principal) -> Result<(), AppendError> {
        host::release(&self.ports, &guard(self), by).await
    }
}

/// Held by the process that looks after the whole folder.
fn guard(throughline: &Throughline) -> StreamId {
    StreamId::daemon(throughline.ports.place.machine)
}

impl Host<'_> {
    /// Reads the index: what is busy waits for its turn, what has a time for its time. How many of each.
    async fn index(&mut self) -> Result<(usize, usize), LogError> {
        let (mut busy, mut timed) = (0, 0);
        for class in [RestClass::Busy, RestClass::Until] {
            let mut after: Option<Tail> = None;
            loop {
                let page = self.throughline.log().resting(class, after.as_ref(), PAGE).await?;
                for tail in page.iter().filter(|tail| tail.stream.session_id().is_some()) {
                    match class {
                        RestClass::Busy => busy += 1,
                        RestClass::Until | RestClass::Waiting | RestClass::Closed => timed += 1,
                    }
                    self.note(tail);
                }
                let is_last = page.len() < PAGE;
                after = page.into_iter().next_back();
                if is_last {
                    break;
                }
            }
        }
        Ok((busy, timed))
    }

    /// Notes what a stream at rest needs, by its tail.
    fn note(&mut self, tail: &Tail) {
        if self.driven.contains(&tail.stream) || self.refused.get(&tail.stream).is_some_and(|at| *at >= tail.position) {
            return;
        }
        match tail.rest {
            Rest::Until(at) => self.due.set(&tail.stream, at),
            Rest::Busy => self.wait_for_a_place(tail.stream.clone()),
            Rest::Waiting | Rest::Closed => self.due.forget(&tail.stream),
        }
    }

    fn wait_for_a_place(&mut self, stream: StreamId) {
        self.due.forget(&stream);
        if !self.waiting.contains(&stream) {
            self.waiting.push_back(stream);
        }
    }

    async fn run(&mut self, tell: &mut impl FnMut(Told)) -> Result<(), HostError> {
        loop {
            while !self.held_back
                && self.driven.len() < DRIVEN_MAX
                && let Some(stream) = self.waiting.pop_front()
            {
                self.take(stream, tell).await?;
            }
            match self.next().await {
                Next::News(Ok(Delivery::Event(event))) if event.stream.kind() == "host" => self.hear_of_release(tell).await?,
                Next::News(Ok(Delivery::Event(event))) => self.look_at(&event.stream).await?,
                Next::News(Ok(Delivery::CaughtUp(_))) => {}
                Next::News(Ok(Delivery::Lagged(position))) => {
                    self.news = self.throughline.log().subscribe(position, Filter::everything());
                }
                // Its driver finds that out and records it.
                Next::News(Err(LogError::Corrupt { .. } | LogError::Unreadable { .. })) => {}
                Next::News(Err(unavailable @ LogError::Unavailable(_))) => return Err(unavailable.into()),
                Next::Heard(Heard::Owned(stream)) => drop(stream.session_id().map(|session| tell(Told::Takes(session)))),
                Next::Heard(Heard::LetGo(stream, how)) => self.settle(stream, how, tell).await?,
                Next::Due => self.take_due().await?,
                Next::Look => {
                    for stream in std::mem::take(&mut self.elsewhere) {
                        self.look_at(&stream).await?;
                    }
                }
                Next::Stop => return Ok(()),
            }
        }
    }

    async fn next(&mut self) -> Next {
        let now = self.throughline.ports.clock.now();
        // A timer stands still while the machine sleeps, and the time of the log does not.
        let pause = self.due.first().map(|at| Duration::from_millis(at.0.saturating_sub(now.0)).min(LOOK_EVERY * 2));
        tokio::select! {
            biased;
            stopped = self.stop.wait_for(|stop| *stop) => {
                drop(stopped);
                Next::Stop
            }
            heard = self.driven.next() => Next::Heard(heard),
            _ = self.look.tick(), if !self.elsewhere.is_empty() => Next::Look,
            news = self.news.next() => Next::News(news),
            () = tokio::time::sleep(pause.unwrap_or_default()), if pause.is_some() => Next::Due,
        }
    }

    async fn take_due(&mut self) -> Result<(), HostError> {
        let now = self.throughline.ports.clock.now();
        while let Some(stream) = self.due.pop(now) {
            if let Some(tail) = self.throughline.log().tail(&stream).await? {
                // It may have changed since; only what is still due is taken.
                match tail.rest {
                    Rest::Until(at) if at <= now && !self.driven.contains(&stream) => self.wait_for_a_place(stream),
                    Rest::Until(_) | Rest::Busy | Rest::Waiting | Rest::Closed => self.note(&tail),
                }
            }
        }
        Ok(())
    }

    /// The machine's own stream has grown; whether a person let this process take sessions again.
    async fn hear_of_release(&mut self, tell: &mut impl FnMut(Told)) -> Result<(), HostError> {
        if self.held_back && self.throughline.machine().await?.lives.held_back().is_none() {
            self.held_back = false;
            tell(Told::Ready { busy: self.waiting.len(), timed: self.due.len() });
        }
        Ok(())
    }

    async fn look_at(&mut self, stream: &StreamId) -> Result<(), HostError> {
        if stream.session_id().is_some()
            && !self.driven.contains(stream)
            && let Some(tail) = self.throughline.log().tail(stream).await?
        {
            self.note(&tail);
        }
        Ok(())
    }

    async fn take(&mut self, stream: StreamId, tell: &mut impl FnMut(Told)) -> Result<(), HostError> {
        let Some(session) = stream.session_id().filter(|_| !self.driven.contains(&stream)) else { return Ok(()) };
        let holder = self.throughline.log().holder(&stream).await.map_err(|error| HostError::Lease(error.to_string()))?;
        // One that this process held when its driver died is taken again.
        if holder.is_some_and(|holder| holder != self.throughline.ports.place.host) {
            self.elsewhere.insert(stream);
            return Ok(());
        }
        if let Err(error) = self.throughline.can_drive(session).await {
            let at = self.throughline.log().tail(&stream).await?.map_or(Position(0), |tail| tail.position);
            self.refused.insert(stream, at);
            tell(Told::Refuses { session, why: Refused::Untaken(error) });
            return Ok(());
        }
        let ports = &self.throughline.ports;
        let handle = shell::open(ports.clone(), stream.clone(), Vec::new());
        self.driven.drive(stream, handle, self.stop.clone(), ports.clock.clone());
        Ok(())
    }

    async fn settle(&mut self, stream: StreamId, how: How, tell: &mut impl FnMut(Told)) -> Result<(), HostError> {
        let Some(session) = stream.session_id() else { return Ok(()) };
        let Some(tail) = self.throughline.log().tail(&stream).await? else { return Ok(()) };
        let refused = match how {
            How::Rested | How::Left(Leave::Drained) => {
                tell(Told::Rests { session, rest: tail.rest });
                None
            }
            // What cannot be asked now may be asked soon.
            How::Left(Leave::Held(_) | Leave::Fenced | Leave::Unreachable(_)) => {
                self.elsewhere.insert(stream.clone());
                return Ok(());
            }
            // Nothing is written by this process any more. It ends, so that others can take what it holds.
            How::Left(Leave::LogBroken(reason)) => return Err(HostError::LogBroken(reason)),
            How::Left(leave @ (Leave::Quarantined { .. } | Leave::Unreadable { .. } | Leave::Broken(_))) => Some(Refused::Left(leave)),
            How::Died => Some(Refused::Died),
        };
        if let Some(why) = refused {
            self.refused.insert(stream, tail.position);
            tell(Told::Refuses { session, why });
        }
        self.note(&tail);
        Ok(())
    }
}

/// The first look after one pause, and one that came late moves the others.
fn look() -> Interval {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    look.reset();
    look
}

impl Throughline {
    /// Whether this process could go on with the session.
    async fn can_drive(&self, session: SessionId) -> Result<(), StartError> {
        if let Some(state) = self.drivable(session).await? {
            crate::start::check_work(&self.sources, &state)?;
        }
        Ok(())
    }
}
