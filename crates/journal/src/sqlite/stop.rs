//! How a job ends without having done what it was asked. Must not say what is done about it: that is the writer's.

/// Why a job did not do what it was asked.
pub(super) enum Stop<E> {
    /// Its own answer; the other jobs go on.
    Refused(E),
    Storage(rusqlite::Error),
}

impl<E> From<rusqlite::Error> for Stop<E> {
    fn from(error: rusqlite::Error) -> Stop<E> {
        Stop::Storage(error)
    }
}
