//! Leases: epochs only grow, the living are respected, the dead are not waited for.

use crate::events::*;
use crate::world::*;
use contract::id::HostId;
use contract::port::{Append, AppendError, Fence, Lease, LeaseError};
use contract::{Epoch, Version};

/// A lease without its time, which is the implementation's own.
fn ownership(lease: Lease) -> (Epoch, HostId) {
    (lease.epoch, lease.host)
}

pub async fn epochs_only_grow(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let first = host.journal.acquire(&stream).await.unwrap();
    assert_eq!(ownership(first), (Epoch(1), host.id));
    assert_eq!(host.journal.acquire(&stream).await.unwrap().epoch, Epoch(2), "the same host also gets a new epoch");
    host.journal.release(&stream, Epoch(2)).await.unwrap();
    assert_eq!(host.journal.acquire(&stream).await.unwrap().epoch, Epoch(3), "after a release");
    world.kill(host);
    let next = world.start(2);
    assert_eq!(ownership(next.journal.acquire(&stream).await.unwrap()), (Epoch(4), next.id), "after a restart");
}

pub async fn a_lease_of_a_living_host_is_refused(world: &dyn World) {
    let (owner, other) = (world.start(1), world.start(2));
    let stream = stream("one");
    let lease = owner.journal.acquire(&stream).await.unwrap();
    for _ in 0..2 {
        assert_eq!(other.journal.acquire(&stream).await, Err(LeaseError::Held { holder: owner.id }));
        assert_eq!(other.journal.holder(&stream).await.unwrap(), Some(owner.id));
    }
    assert_eq!(owner.journal.holder(&stream).await.unwrap(), Some(owner.id));
    let owned = Append { fence: Some(Fence { epoch: lease.epoch }), ..append(&stream, 0, &["a"]) };
    assert_eq!(versions(owner.journal.append(owned).await.unwrap()), (1, 1), "a refused host does not change the epoch");
}

pub async fn a_lease_of_a_dead_host_is_taken_at_once(world: &dyn World) {
    let (owner, other, third) = (world.start(1), world.start(2), world.start(3));
    let stream = stream("one");
    owner.journal.acquire(&stream).await.unwrap();
    world.kill(owner);
    assert_eq!(third.journal.holder(&stream).await.unwrap(), None);
    assert_eq!(ownership(other.journal.acquire(&stream).await.unwrap()), (Epoch(2), other.id));
    assert_eq!(third.journal.acquire(&stream).await, Err(LeaseError::Held { holder: other.id }));
}

pub async fn a_released_lease_can_be_taken(world: &dyn World) {
    let (owner, other) = (world.start(1), world.start(2));
    let stream = stream("one");
    let lease = owner.journal.acquire(&stream).await.unwrap();
    owner.journal.release(&stream, lease.epoch).await.unwrap();
    assert_eq!(other.journal.holder(&stream).await.unwrap(), None);
    assert_eq!(ownership(other.journal.acquire(&stream).await.unwrap()), (Epoch(2), other.id));
}

pub async fn only_the_current_epoch_is_released(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    host.journal.release(&stream, Epoch(1)).await.unwrap();
    assert_eq!(host.journal.acquire(&stream).await.unwrap().epoch, Epoch(1), "a release of nothing changes nothing");
    host.journal.acquire(&stream).await.unwrap();
    host.journal.release(&stream, Epoch(1)).await.unwrap();
    host.journal.release(&stream, Epoch(3)).await.unwrap();
    assert_eq!(host.journal.holder(&stream).await.unwrap(), Some(host.id));
    host.journal.release(&stream, Epoch(2)).await.unwrap();
    assert_eq!(host.journal.holder(&stream).await.unwrap(), None);
}

pub async fn a_taken_stream_fences_its_former_owner(world: &dyn World) {
    let (first, second) = (world.start(1), world.start(2));
    let stream = stream("one");
    let old = first.journal.acquire(&stream).await.unwrap().epoch;
    first.journal.release(&stream, old).await.unwrap();
    let new = second.journal.acquire(&stream).await.unwrap().epoch;
    let stale = Append { fence: Some(Fence { epoch: old }), ..append(&stream, 0, &["stale"]) };
    let owned = Append { fence: Some(Fence { epoch: new }), ..append(&stream, 0, &["owned"]) };
    assert_eq!(first.journal.append(stale.clone()).await, Err(AppendError::Fenced { epoch: new }));
    second.journal.append(owned).await.unwrap();
    assert_eq!(first.journal.append(stale).await, Err(AppendError::Fenced { epoch: new }));
    assert_eq!(ids(&*first.journal, &stream).await, named(&["owned"]));
}

pub async fn streams_have_leases_of_their_own(world: &dyn World) {
    let (first, second) = (world.start(1), world.start(2));
    let (one, two) = (stream("one"), stream("two"));
    assert_eq!(first.journal.acquire(&one).await.unwrap().epoch, Epoch(1));
    assert_eq!(second.journal.acquire(&two).await.unwrap().epoch, Epoch(1));
    assert_eq!(first.journal.holder(&two).await.unwrap(), Some(second.id));
    assert_eq!(first.journal.read(&one, Version(1), 1).await.unwrap(), [], "a lease makes no stream");
    assert_eq!(first.journal.tail(&one).await.unwrap(), None);
}

pub async fn a_lease_is_renewed_while_it_is_held(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let lease = host.journal.acquire(&stream).await.unwrap();
    for _ in 0..2 {
        let renewed = host.journal.renew(&stream, lease.epoch).await.unwrap();
        assert_eq!((renewed.epoch, renewed.host), (lease.epoch, host.id), "a renewal is no new ownership");
        assert!(renewed.until >= lease.until);
    }
    let owned = Append { fence: Some(Fence { epoch: lease.epoch }), ..append(&stream, 0, &["a"]) };
    assert_eq!(versions(host.journal.append(owned).await.unwrap()), (1, 1));
}

pub async fn a_lease_that_is_lost_is_not_renewed(world: &dyn World) {
    let (first, second) = (world.start(1), world.start(2));
    let stream = stream("one");
    assert_eq!(first.journal.renew(&stream, Epoch(1)).await, Err(LeaseError::Lost { epoch: Epoch(0) }), "never owned");
    let old = first.journal.acquire(&stream).await.unwrap().epoch;
    assert_eq!(second.journal.renew(&stream, old).await, Err(LeaseError::Lost { epoch: old }), "owned by another");
    first.journal.release(&stream, old).await.unwrap();
    assert_eq!(first.journal.renew(&stream, old).await, Err(LeaseError::Lost { epoch: old }), "let go of");
    let new = second.journal.acquire(&stream).await.unwrap().epoch;
    assert_eq!(first.journal.renew(&stream, old).await, Err(LeaseError::Lost { epoch: new }), "taken");
    assert_eq!(second.journal.renew(&stream, old).await, Err(LeaseError::Lost { epoch: new }), "an epoch that is over");
    assert_eq!(second.journal.renew(&stream, new).await.unwrap().epoch, new);
}
