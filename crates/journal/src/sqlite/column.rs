//! Values of the contract as columns, and back.
//!
//! Owns the stored form of numbers, hashes and rests. A column that holds something else is an error, never a default.

use contract::id::Sha256;
use contract::machine::{Rest, RestClass};
use contract::units::Time;
use rusqlite::types::Type;
use rusqlite::{Error, Result, Row};

/// SQLite counts to 2^63 - 1. No version, position or epoch gets there, and a time beyond it is the same as never.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A limit beyond what SQLite counts is none.
pub(super) fn limit(max: usize) -> i64 {
    i64::try_from(max).unwrap_or(i64::MAX)
}

pub(super) fn number(row: &Row<'_>, index: usize) -> Result<u64> {
    let stored: i64 = row.get(index)?;
    u64::try_from(stored).map_err(|_| Error::IntegralValueOutOfRange(index, stored))
}

pub(super) fn digest(row: &Row<'_>, index: usize) -> Result<Sha256> {
    row.get(index).map(Sha256)
}

/// The class of a rest and, for one that ends by itself, its time.
pub(super) fn rest_columns(rest: Rest) -> (&'static str, Option<i64>) {
    (rest_class(rest.class()), rest.due().map(|Time(due)| integer(due)))
}

pub(super) fn rest_class(class: RestClass) -> &'static str {
    match class {
        RestClass::Busy => "busy",
        RestClass::Until => "until",
        RestClass::Waiting => "waiting",
        RestClass::Closed => "closed",
    }
}

pub(super) fn rest(row: &Row<'_>, index: usize, due_index: usize) -> Result<Rest> {
    match row.get_ref(index)?.as_str()? {
        "busy" => Ok(Rest::Busy),
        "until" => Ok(Rest::Until(Time(number(row, due_index)?))),
        "waiting" => Ok(Rest::Waiting),
        "closed" => Ok(Rest::Closed),
        other => Err(malformed(index, Type::Text, format!("`{other}` is not a rest"))),
    }
}

pub(super) fn malformed(index: usize, found: Type, reason: String) -> Error {
    Error::FromSqlConversionFailure(index, found, reason.into())
}
