//! What a test may change about a journal to bring about what a disk or another process would.

/// Milliseconds that a statement waits for another process before it counts as busy: longer than any commit takes.
pub(super) const BUSY_TIMEOUT_MS: u64 = 5_000;

/// Limits of the writer that only tests change.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Pages that the database may have: a full disk.
    pub pages_max: Option<u32>,
    /// Milliseconds that the writer waits for another process.
    pub busy_timeout_ms: u64,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { pages_max: None, busy_timeout_ms: BUSY_TIMEOUT_MS }
    }
}
