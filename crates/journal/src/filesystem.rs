//! Which file systems can hold the log.
//!
//! Owns the list of network file systems: their locks and their shared memory do not keep the promises that SQLite
//! and the host locks rest on. Must not guess: what the kernel does not name as a network file system is allowed,
//! and FUSE is, because a local and a remote one look the same.

use std::io;
use std::path::Path;

/// Asks for the magic number of the file system that holds a path; a test gives one that lies.
pub type ProbeFilesystem = fn(&Path) -> io::Result<u64>;

/// The magic number as `statfs` tells it.
pub fn filesystem_magic(path: &Path) -> io::Result<u64> {
    // Some kernels extend the sign of a 32-bit number, all of which fit into 32 bits.
    Ok(rustix::fs::statfs(path)?.f_type as u64 & 0xFFFF_FFFF)
}

/// The name of the network file system that holds a path, if one does.
pub fn network_filesystem(path: &Path) -> io::Result<Option<&'static str>> {
    filesystem_magic(path).map(network_kind)
}

/// Bytes that whoever runs this may still write to the file system that holds a path.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let status = rustix::fs::statvfs(path)?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}

/// The name of a network file system, if the magic number is that of one.
pub(crate) fn network_kind(magic: u64) -> Option<&'static str> {
    match magic {
        0x6969 => Some("NFS"),
        0x517B => Some("SMB"),
        0xFF53_4D42 => Some("CIFS"),
        0xFE53_4D42 => Some("SMB2"),
        0x5346_414F | 0x6B41_4653 => Some("AFS"),
        0x00C3_6400 => Some("Ceph"),
        _ => None,
    }
}
