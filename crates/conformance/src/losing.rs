//! A log that loses the answer to its first append, around any other.

use crate::journal::{Journal, Loss};
use contract::filter::Filter;
use contract::id::{HostId, Sha256, StreamId};
use contract::machine::RestClass;
use contract::port::{
    Append, AppendError, Appended, Blobs, BoxFuture, Lease, LeaseError, Log, LogError, Stored, Subscription, Tail, Watch,
};
use contract::units::{Epoch, Position, Version};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct Losing {
    inner: Arc<dyn Journal>,
    loss: Loss,
    has_lost: AtomicBool,
}

impl Losing {
    pub fn new(inner: Arc<dyn Journal>, loss: Loss) -> Losing {
        Losing { inner, loss, has_lost: AtomicBool::new(false) }
    }
}

impl Log for Losing {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Appended, AppendError>> {
        Box::pin(async move {
            if self.has_lost.swap(true, Ordering::Relaxed) {
                return self.inner.append(append).await;
            }
            match self.loss {
                Loss::Stored => drop(self.inner.append(append).await?),
                Loss::NotStored => {}
            }
            Err(AppendError::Unknown("the answer is lost".to_owned()))
        })
    }

    fn read<'a>(&'a self, stream: &'a StreamId, from: Version, max: usize) -> BoxFuture<'a, Result<Vec<Stored>, LogError>> {
        self.inner.read(stream, from, max)
    }

    fn tail<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<Tail>, LogError>> {
        self.inner.tail(stream)
    }

    fn streams<'a>(&'a self, kind: &'a str, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>> {
        self.inner.streams(kind, max)
    }

    fn resting<'a>(&'a self, class: RestClass, after: Option<&'a Tail>, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>> {
        self.inner.resting(class, after, max)
    }

    fn subscribe(&self, from: Position, filter: Filter) -> Box<dyn Subscription> {
        self.inner.subscribe(from, filter)
    }

    fn watch(&self, stream: &StreamId) -> Box<dyn Watch> {
        self.inner.watch(stream)
    }

    fn acquire<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Lease, LeaseError>> {
        self.inner.acquire(stream)
    }

    fn renew<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<Lease, LeaseError>> {
        self.inner.renew(stream, epoch)
    }

    fn release<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.inner.release(stream, epoch)
    }

    fn holder<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<HostId>, LeaseError>> {
        self.inner.holder(stream)
    }
}

impl Blobs for Losing {
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<Sha256, LogError>> {
        self.inner.put(bytes)
    }

    fn get(&self, sha256: Sha256) -> BoxFuture<'_, Result<Option<Vec<u8>>, LogError>> {
        self.inner.get(sha256)
    }
}
