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

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged_text;
    use proptest::prelude::*;
    use rusqlite::Connection;
    use rusqlite::types::Value;

    /// One row with these columns, as something other than this program may have left it.
    fn read<T>(connection: &Connection, class: &Value, due: &Value, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        connection.query_row("SELECT ?1, ?2", [class, due], read)
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = damaged_text(prop::sample::select(vec!["busy", "until", "waiting", "closed"]).prop_map(str::to_owned));
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Integer),
            any::<f64>().prop_map(Value::Real),
            text.prop_map(Value::Text),
            prop::collection::vec(any::<u8>(), 30..34).prop_map(Value::Blob),
        ]
    }

    proptest! {
        #[test]
        fn a_rest_comes_back_from_its_columns(due in 0..=i64::MAX as u64) {
            let connection = Connection::open_in_memory().unwrap();
            for stored in [Rest::Busy, Rest::Until(Time(due)), Rest::Waiting, Rest::Closed] {
                let (class, at) = rest_columns(stored);
                let (class, at) = (Value::Text(class.to_owned()), at.map_or(Value::Null, Value::Integer));
                prop_assert_eq!(read(&connection, &class, &at, |row| rest(row, 0, 1)).unwrap(), stored);
            }
        }

        /// A column that holds something else is an error, never a default.
        #[test]
        fn columns_of_any_kind_are_what_they_should_be_or_refused(first in value(), second in value()) {
            let connection = Connection::open_in_memory().unwrap();
            match read(&connection, &first, &second, |row| rest(row, 0, 1)) {
                Ok(found) => prop_assert_eq!(Value::Text(rest_columns(found).0.to_owned()), first.clone()),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
            match read(&connection, &first, &second, |row| number(row, 1)) {
                Ok(found) => prop_assert_eq!(Value::Integer(integer(found)), second),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
            if let Ok(found) = read(&connection, &first, &Value::Null, |row| digest(row, 0)) {
                prop_assert_eq!(Value::Blob(found.0.to_vec()), first);
            }
        }
    }
}
