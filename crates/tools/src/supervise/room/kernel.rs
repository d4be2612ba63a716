//! System calls that have no safe form elsewhere: mounts, Landlock, seccomp, namespaces.
//!
//! Must not decide anything; each function is one call with its arguments checked by their types.

use rustix::io::Errno;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// What a mount is to be, or no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attributes {
    pub set: u64,
    pub clear: u64,
}

pub(super) const READ_ONLY: u64 = 0x1;
pub(super) const NO_SUID: u64 = 0x2;
pub(super) const NO_DEVICES: u64 = 0x4;

#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Whether the mounts below are meant too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    This,
    All,
}

/// Changes the mount that `at` is in, which must be its root.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn set_attributes(at: BorrowedFd<'_>, depth: Depth, attributes: Attributes) -> io::Result<()> {
    let attr = MountAttr { set: attributes.set, clear: attributes.clear, propagation: 0, user_namespace: 0 };
    let flags = libc::AT_EMPTY_PATH | if depth == Depth::All { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a text with an end, and the structure is as long as is said.
    let said =
        unsafe { libc::syscall(libc::SYS_mount_setattr, at.as_raw_fd(), c"".as_ptr(), flags, &raw const attr, size_of::<MountAttr>()) };
    checked(said).map(drop)
}

#[expect(unsafe_code, reason = "what is unshared must not be the descriptors that other threads use")]
pub(super) fn unshare(flags: rustix::thread::UnshareFlags) -> io::Result<()> {
    // SAFETY: no caller asks for a table of descriptors of its own.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags - rustix::thread::UnshareFlags::FILES) }?)
}

/// What a Landlock domain refuses where no rule allows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Handled {
    pub files: u64,
    pub network: u64,
    pub scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: RawFd,
}

const LANDLOCK_VERSION: u32 = 1;
const PATH_BENEATH: u32 = 1;

/// The version of Landlock that the kernel has.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn landlock_version() -> io::Result<u32> {
    // SAFETY: without a structure the kernel only tells its version.
    let said = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<Handled>(), 0_usize, LANDLOCK_VERSION) };
    checked(said).map(|version| u32::try_from(version).unwrap_or(0))
}

/// `bytes` is the part of the structure that this version of the kernel knows.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn create_ruleset(handled: &Handled, bytes: usize) -> io::Result<OwnedFd> {
    let bytes = bytes.min(size_of::<Handled>());
    // SAFETY: the structure is at least as long as is said.
    let said = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const *handled, bytes, 0_u32) };
    let fd = RawFd::try_from(checked(said)?).map_err(|_| io::Error::from(Errno::BADF))?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn allow_beneath(ruleset: BorrowedFd<'_>, parent: BorrowedFd<'_>, allowed: u64) -> io::Result<()> {
    let rule = PathBeneath { allowed, parent: parent.as_raw_fd() };
    // SAFETY: the structure has the layout that this kind of rule has.
    let said = unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), PATH_BENEATH, &raw const rule, 0_u32) };
    checked(said).map(drop)
}

#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn restrict_self(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: two numbers.
    checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) }).map(drop)
}

/// Lets every system call of this process and its children go through this program from now on.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn install_filter(program: &[libc::sock_filter]) -> io::Result<()> {
    let length = u16::try_from(program.len()).map_err(|_| io::Error::from(Errno::TOOBIG))?;
    let program = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the program, which is as long as is said, and changes nothing of it.
    let said = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW, &raw const program)
    };
    checked(said).map(drop)
}

/// Closes every descriptor from this number on.
#[expect(unsafe_code, reason = "descriptors without an owner can only be closed by their number")]
pub(super) fn close_from(first: u32) -> io::Result<()> {
    // SAFETY: whoever calls this keeps nothing that it uses above this number.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0_u32) }).map(drop)
}

/// Gives a descriptor this number, for this process and those that it executes.
#[expect(unsafe_code, reason = "a descriptor is moved to a number that nobody owns")]
pub(super) fn move_to(fd: OwnedFd, number: RawFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() != number {
        // SAFETY: whatever had this number is not used any more.
        checked(unsafe { libc::syscall(libc::SYS_dup3, fd.as_raw_fd(), number, 0_i32) })?;
        drop(fd);
    } else {
        std::mem::forget(fd);
    }
    // SAFETY: it is open, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Takes over a descriptor that this process was executed with.
#[expect(unsafe_code, reason = "what was inherited is known by its number alone")]
pub(super) fn inherited(number: RawFd) -> OwnedFd {
    // SAFETY: only asked for the number at which whoever executed this process has put it, before anything else is opened.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Switches a network interface of this namespace on.
#[expect(unsafe_code, reason = "interfaces are switched by a request that has no safe form")]
pub(super) fn switch_on(name: &CStr) -> io::Result<()> {
    let socket = rustix::net::socket_with(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        rustix::net::SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: a structure of numbers and texts may be all zero.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.to_bytes()) {
        *to = from.cast_signed() as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: the request is what this number takes.
    checked(libc::c_long::from(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) })).map(drop)
}

fn checked(said: libc::c_long) -> io::Result<libc::c_long> {
    if said < 0 { Err(io::Error::last_os_error()) } else { Ok(said) }
}
