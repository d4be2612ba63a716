//! Descriptors that go over a socket, beside the bytes that they go with.

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recvmsg,
    sendmsg,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Descriptors of one message at most: output and input of a command.
const FDS_MAX: usize = 2;

pub(super) fn send(link: impl AsFd, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::NOBUFS);
    }
    sendmsg(link, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// One byte and what came with it; none when nobody is at the other end, or can be understood.
pub(super) fn receive(link: impl AsFd) -> Option<(u8, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = loop {
        match recvmsg(&link, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            other => break other.ok()?,
        }
    };
    if received.bytes == 0 || received.flags.contains(ReturnFlags::CTRUNC) {
        return None;
    }
    let rights = |message| if let RecvAncillaryMessage::ScmRights(fds) = message { Some(fds) } else { None };
    Some((byte[0], ancillary.drain().filter_map(rights).flatten().collect()))
}
