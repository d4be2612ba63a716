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
    /// Whether files may be watched; else the log is looked at again and again.
    pub may_watch: bool,
    /// Whether other processes are told of a commit; one that dies right after it tells nobody.
    pub rings: bool,
    /// What becomes of the first append.
    pub loss: Option<Loss>,
}

/// An append that gets no answer.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    Stored,
    NotStored,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { pages_max: None, busy_timeout_ms: BUSY_TIMEOUT_MS, may_watch: true, rings: true, loss: None }
    }
}
