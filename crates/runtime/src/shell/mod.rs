//! The tokio shell of a driver: one task a stream. It does what the driver says and decides nothing.

mod deliver;
mod executor;
mod heard;
mod model;
mod report;
mod tool;

use crate::drive::{Caller, Cause, Do, Driver, Leave, Refusal};
use crate::tails::with_tails;
use crate::{Ports, host, read};
use agent::rest::{Turn, turn};
use agent::{Agent, State};
use contract::body::Body;
use contract::crash;
use contract::effect::{Effect, EffectId};
use contract::id::{ActionId, StreamId};
use contract::input::Input;
use contract::machine::{Machine, Rest};
use contract::port::{Append, AppendError, LeaseError, LogError, Stored, Watch};
use contract::units::{Time, Version};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle};

/// Events read at once, so that a long stream does not stand in memory twice.
const READ_MAX: usize = 1_000;
/// Pause after which a log that could not be watched is watched again.
const WATCH_AGAIN: Duration = Duration::from_secs(1);
/// Pause after which the clock is looked at again before something is due.
const WAKE_MAX: Duration = Duration::from_secs(10);
/// First pause before a repeated append, doubled each time.
const RETRY_FIRST_MS: u64 = 10;
/// Longest pause before a repeated append: storage that comes back is noticed within a second.
const RETRY_LAST_MS: u64 = 1_000;

/// Where a session stands, as far as it is durable.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub version: Version,
    pub rest: Rest,
    pub turn: Turn,
    /// Set when the driver has ended.
    pub left: Option<Leave>,
}

/// A driven stream; dropped, it is let go of as by [`Handle::drain`], which nobody waits for.
#[derive(Debug)]
pub struct Handle {
    causes: mpsc::UnboundedSender<Message>,
    progress: watch::Receiver<Progress>,
    /// Present until somebody waits for its end.
    task: Option<JoinHandle<()>>,
}

enum Message {
    Cause(Cause),
    Input(Input, oneshot::Sender<Result<Version, Refusal>>),
}

impl Handle {
    /// Offers an input; the answer comes when it is durable, or says why it is not.
    pub async fn input(&self, input: Input) -> Result<Version, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.causes.send(Message::Input(input, answer)).map_err(|_| Refusal::Left)?;
        answered.await.unwrap_or(Err(Refusal::Unclear))
    }

    #[must_use]
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// Stops deciding and lets go of the stream; supervised processes go on.
    pub async fn drain(mut self) {
        self.let_go();
        if let Some(task) = self.task.take() {
            drop(task.await);
        }
    }

    fn let_go(&self) {
        // One that has ended hears nothing more and holds nothing.
        drop(self.causes.send(Message::Cause(Cause::Drain)));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.let_go();
    }
}

/// Takes the stream and drives it. The first inputs are accepted before the takeover is recorded.
#[must_use]
pub fn open(ports: Ports, stream: StreamId, first: Vec<Input>) -> Handle {
    let (causes, inbox) = mpsc::unbounded_channel();
    let at_start = Progress { version: Version::NONE, rest: Rest::Busy, turn: Turn::Session, left: None };
    let (shown, progress) = watch::channel(at_start);
    let driver = Driver::new(stream.clone(), ports.place.clone());
    let shell = Shell {
        ports,
        stream,
        driver,
        causes: causes.clone(),
        shown,
        callers: BTreeMap::new(),
        next_caller: 0,
        executors: BTreeMap::new(),
        ended: Vec::new(),
        alarm: None,
        kept: BTreeSet::new(),
    };
    let task = tokio::spawn(shell.run(first, inbox));
    Handle { causes, progress, task: Some(task) }
}

struct Shell {
    ports: Ports,
    stream: StreamId,
    driver: Driver<Agent>,
    causes: mpsc::UnboundedSender<Message>,
    shown: watch::Sender<Progress>,
    callers: BTreeMap<Caller, oneshot::Sender<Result<Version, Refusal>>>,
    next_caller: u64,
    executors: BTreeMap<(EffectId, u16), AbortHandle>,
    /// Attempts whose outcome is not known to be durable yet.
    ended: Vec<(ActionId, u16)>,
    /// Says `Due` at the time that was last asked for.
    alarm: Option<AbortHandle>,
    /// What an earlier process did not live to forget.
    kept: BTreeSet<(ActionId, u16)>,
}

impl Shell {
    async fn run(mut self, first: Vec<Input>, mut inbox: mpsc::UnboundedReceiver<Message>) {
        self.kept = self.ports.tools.kept().await.into_iter().collect();
        for input in first {
            self.on(Cause::Input { caller: None, input }).await;
        }
        self.on(Cause::Open).await;
        let mut watch = self.ports.log.watch(&self.stream);
        while !self.driver.has_left() {
            // While an append is under way its conflict says the same.
            let (is_settled, known) = (self.driver.is_settled(), self.driver.state().version);
            let message = tokio::select! {
                message = inbox.recv() => message,
                () = grown(watch.as_mut(), known), if is_settled => Some(Message::Cause(Cause::Changed)),
            };
            // It has a sender of its own, so there is always one more to come.
            let Some(message) = message else { break };
            let cause = match message {
                Message::Cause(cause) => cause,
                Message::Input(input, answer) => {
                    let input = with_tails(&self.ports, self.driver.state(), input).await;
                    let caller = Caller(self.next_caller);
                    self.next_caller += 1;
                    self.callers.insert(caller, answer);
                    Cause::Input { caller: Some(caller), input }
                }
            };
            self.on(cause).await;
        }
    }

    async fn on(&mut self, cause: Cause) {
        if let Cause::Outcome { effect: EffectId::Tool(action), attempt, .. } = &cause {
            self.ended.push((*action, *attempt));
        }
        if let Cause::Read { events, .. } = &cause {
            let ended = events.iter().filter_map(|event| ended_attempt(&event.draft.body));
            self.ended.extend(ended.filter(|attempt| self.kept.contains(attempt)));
        }
        for a_do in self.driver.on(cause, self.ports.clock.now()) {
            self.perform(a_do).await;
        }
        if self.driver.is_settled() {
            self.settle();
        }
    }

    async fn perform(&mut self, a_do: Do) {
        crash::point("do");
        match a_do {
            Do::Acquire => self.acquire(),
            Do::Read { from } => self.read(from),
            Do::Append { append, tries } => self.append(append, tries),
            Do::Start(effect) => self.start(effect),
            Do::Stop(effect) => self.stop(effect),
            Do::Answer { caller, answer } => {
                if let Some(waiting) = self.callers.remove(&caller) {
                    // A caller that went away does not want to know.
                    drop(waiting.send(answer));
                }
            }
            Do::Wake { at } => self.wake(at),
            // A loop that has ended has nothing to go on with.
            Do::Again => drop(self.causes.send(Message::Cause(Cause::Again))),
            Do::Quarantine { version, reason } => {
                let told = host::quarantine(&self.ports, &self.stream, version, &reason).await;
                // Whoever waits is told by `Leave` in any case; the log only makes it last.
                drop(told);
            }
            Do::Release { epoch } => drop(self.ports.log.release(&self.stream, epoch).await),
            Do::Leave(leave) => self.leave(leave),
        }
    }

    /// Runs a request to the log beside the loop; its answer is the next cause.
    fn ask_log(&self, request: impl Future<Output = Cause> + Send + 'static) {
        let causes = self.causes.clone();
        tokio::spawn(async move { drop(causes.send(Message::Cause(request.await))) });
    }

    fn acquire(&self) {
        let (log, stream) = (self.ports.log.clone(), self.stream.clone());
        self.ask_log(async move {
            match log.acquire(&stream).await {
                Ok(lease) => Cause::Acquired(lease.epoch),
                Err(LeaseError::Held { holder }) => Cause::Held(holder),
                Err(error @ (LeaseError::Lost { .. } | LeaseError::Unavailable(_))) => Cause::Unreachable(error.to_string()),
            }
        });
    }

    fn read(&self, from: Version) {
        let (log, stream, causes) = (self.ports.log.clone(), self.stream.clone(), self.causes.clone());
        self.ask_log(async move {
            // What it inherits goes ahead of its own events, and a loop that has ended wants neither.
            let inherit = |stored: &Stored| {
                drop(causes.send(Message::Cause(Cause::Inherited(Box::new(stored.event.clone())))));
                Ok(())
            };
            let inherited = if from == Version::NONE.next() { read::inherited(log.as_ref(), &stream, inherit).await } else { Ok(()) };
            let read = match inherited {
                Ok(()) => log.read(&stream, from, READ_MAX).await,
                Err(error) => Err(error),
            };
            match read {
                Ok(stored) => {
                    let more = stored.len() == READ_MAX;
                    Cause::Read { events: stored.into_iter().map(|stored| stored.event).collect(), more }
                }
                Err(LogError::Unavailable(reason)) => Cause::Unreachable(reason),
                Err(error @ (LogError::Corrupt { version, .. } | LogError::Unreadable { version, .. })) => {
                    Cause::Unreadable { version, reason: error.to_string() }
                }
            }
        });
    }

    fn append(&self, append: Append, tries: u32) {
        let log = self.ports.log.clone();
        self.ask_log(async move {
            if tries > 0 {
                let pause = RETRY_FIRST_MS.saturating_mul(1 << tries.min(16)).min(RETRY_LAST_MS);
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
            crash::point("append");
            let appended = log.append(append).await;
            crash::point("appended");
            match appended {
                Ok(appended) => Cause::Appended { last: appended.last },
                Err(AppendError::Conflict { .. }) => Cause::Conflict,
                Err(AppendError::Fenced { .. }) => Cause::Fenced,
                Err(AppendError::Unavailable(_)) => Cause::Unavailable,
                Err(AppendError::Unknown(_)) => Cause::Unknown,
                Err(error @ AppendError::Broken(_)) => Cause::LogBroken(error.to_string()),
                Err(error @ (AppendError::TooLarge { .. } | AppendError::Corrupt(_))) => Cause::Broken(error.to_string()),
            }
        });
    }

    fn wake(&mut self, at: Time) {
        // A timer stands still while the machine sleeps, and the time of the log does not.
        let pause = Duration::from_millis(at.0.saturating_sub(self.ports.clock.now().0)).min(WAKE_MAX);
        let causes = self.causes.clone();
        let alarm = tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            drop(causes.send(Message::Cause(Cause::Due)));
        });
        if let Some(earlier) = self.alarm.replace(alarm.abort_handle()) {
            earlier.abort();
        }
    }

    fn start(&mut self, effect: Effect) {
        let work = executor::work(&self.ports, self.driver.state(), &self.stream, effect, self.causes.clone());
        self.executors.insert((effect.id(), effect.attempt()), tokio::spawn(work).abort_handle());
    }

    fn stop(&mut self, effect: Effect) {
        if let Some(executor) = self.executors.remove(&(effect.id(), effect.attempt())) {
            executor.abort();
        }
    }

    /// What is shown and forgotten only when nothing undurable is left.
    fn settle(&mut self) {
        let state: &State = self.driver.state();
        let open: Vec<_> = state.calls.values().map(|call| (call.action, call.attempts)).collect();
        let (running, ended): (Vec<_>, Vec<_>) = std::mem::take(&mut self.ended).into_iter().partition(|one| open.contains(one));
        self.ended = running;
        for (action, attempt) in ended {
            let tools = self.ports.tools.clone();
            tokio::spawn(async move { tools.forget(action, attempt).await });
        }
        let wanted: Vec<_> = Agent::effects(state).iter().map(|effect| (effect.id(), effect.attempt())).collect();
        self.executors.retain(|key, executor| wanted.contains(key) || !executor.is_finished());
        let progress = Progress { version: state.version, rest: Agent::rest(state), turn: turn(state), left: None };
        self.shown.send_if_modified(|shown| std::mem::replace(shown, progress.clone()) != progress);
    }

    fn leave(&mut self, leave: Leave) {
        for executor in std::mem::take(&mut self.executors).into_values().chain(self.alarm.take()) {
            executor.abort();
        }
        self.shown.send_modify(|shown| shown.left = Some(leave));
    }
}

/// Ends when another process said something to the session.
async fn grown(watch: &mut dyn Watch, known: Version) {
    // A log that cannot be watched now is met by the next append.
    while watch.beyond(known).await.is_err() {
        tokio::time::sleep(WATCH_AGAIN).await;
    }
}

/// The attempt that this event ended.
fn ended_attempt(body: &Body) -> Option<(ActionId, u16)> {
    if let Body::ToolFinished(finished) = body {
        Some((finished.action, finished.attempt))
    } else if let Body::ToolCancelled(cancelled) = body {
        Some((cancelled.action, cancelled.attempt))
    } else if let Body::ToolUnknown(unknown) = body {
        Some((unknown.action, unknown.attempt))
    } else {
        None
    }
}
