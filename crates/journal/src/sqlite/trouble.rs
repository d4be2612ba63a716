//! What an error of SQLite means for the log.
//!
//! Owns the classes; whoever asks decides what follows from them.

use rusqlite::{Error, ErrorCode};

/// Another process kept the lock for the whole timeout; nothing was changed.
pub(super) fn is_busy(error: &Error) -> bool {
    has_code(error, &[ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked])
}

/// The file is not, or not any more, the database it should be.
pub(crate) fn is_damage(error: &Error) -> bool {
    has_code(error, &[ErrorCode::DatabaseCorrupt, ErrorCode::NotADatabase])
}

pub(super) fn is_unwritable(error: &Error) -> bool {
    has_code(error, &[ErrorCode::ReadOnly, ErrorCode::CannotOpen, ErrorCode::PermissionDenied, ErrorCode::DiskFull])
}

/// A row says what cannot be: the database works, but this stream does not.
pub(crate) fn is_bad_row(error: &Error) -> bool {
    has_code(error, &[ErrorCode::ConstraintViolation])
        || matches!(
            error,
            Error::FromSqlConversionFailure(..) | Error::IntegralValueOutOfRange(..) | Error::InvalidColumnType(..) | Error::Utf8Error(..)
        )
}

/// The file is a database and none of ours: a statement does not fit its tables, or its header forbids to write it.
pub(crate) fn is_foreign(error: &Error) -> bool {
    has_code(error, &[ErrorCode::Unknown, ErrorCode::ReadOnly, ErrorCode::TypeMismatch]) || matches!(error, Error::SqlInputError { .. })
}

fn has_code(error: &Error, codes: &[ErrorCode]) -> bool {
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}
