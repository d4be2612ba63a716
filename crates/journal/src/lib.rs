//! The log: in memory and on SQLite, with blobs, leases and host locks.
