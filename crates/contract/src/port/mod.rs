//! Ports: what the runtime needs of the outside, implemented by adapters and injected.

mod clock;
mod configure;
mod live;
mod log;
mod model;
mod projection;
mod spending;
mod tools;

pub use clock::Clock;
pub use configure::Configure;
pub use live::{Frame, Live, Silent};
pub use log::{
    Append, AppendError, Appended, Blobs, Delivered, Delivery, Expected, Fence, Lease, LeaseError, Log, LogError, Stored, Subscription,
    Tail, Watch,
};
pub use model::{Model, ModelCall, ModelFailure, RawCall, RawPart, RawReply};
pub use projection::{Projection, Rows};
pub use spending::Spending;
pub use tools::{Here, Preparation, Prepare, PrepareRefused, RawOutcome, Recovery, Stopping, Target, ToolJob, Tools};

use std::future::Future;
use std::pin::Pin;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
