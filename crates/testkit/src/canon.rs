//! The canonical form of a value: ids renamed in order of first use, versions, epochs and times by rank.
//!
//! Two worlds with one canonical form behave alike, so only one of them is explored. It is a serde serializer,
//! because the names of newtypes tell ids and orders from plain numbers without a second description of the types.

use serde::ser::{self, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Digest of the canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Canon(pub [u8; 16]);

/// Canonical digest of any value of ours.
///
/// # Panics
/// Never for our own types: the serializer refuses nothing they contain.
#[must_use]
pub fn canon<T: Serialize + ?Sized>(value: &T) -> Canon {
    let mut tokens = Tokens::default();
    value.serialize(&mut tokens).unwrap_or_else(|error| unreachable!("{error}"));
    tokens.digest()
}

/// Numbers whose order matters and whose size does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Version,
    Epoch,
    Time,
}

#[derive(Default)]
struct Tokens {
    bytes: Vec<u8>,
    /// Where a renamed thing stands in `bytes`, in order.
    marks: Vec<(usize, Mark)>,
    next: Option<Newtype>,
}

enum Mark {
    Id(String),
    Order(Order, u64),
}

#[derive(Clone, Copy)]
enum Newtype {
    Id,
    Key,
    Order(Order),
}

impl Tokens {
    fn digest(self) -> Canon {
        let mut values: BTreeMap<Order, BTreeSet<u64>> = BTreeMap::new();
        for (_, mark) in &self.marks {
            if let Mark::Order(order, value) = mark {
                values.entry(*order).or_default().insert(*value);
            }
        }
        let ranks: BTreeMap<(Order, u64), u64> =
            values.iter().flat_map(|(order, set)| set.iter().enumerate().map(|(rank, value)| ((*order, *value), rank as u64))).collect();
        let mut names: BTreeMap<&str, u64> = BTreeMap::new();
        let mut hasher = Sha256::new();
        let mut from = 0;
        for (place, mark) in &self.marks {
            hasher.update(&self.bytes[from..*place]);
            from = *place;
            let number = match mark {
                Mark::Id(id) => {
                    let next = names.len() as u64;
                    *names.entry(id.as_str()).or_insert(next)
                }
                Mark::Order(order, value) => ranks[&(*order, *value)],
            };
            hasher.update(number.to_be_bytes());
        }
        hasher.update(&self.bytes[from..]);
        let digest: [u8; 32] = hasher.finalize().into();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Canon(short)
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    fn number(&mut self, tag: u8, value: u64) {
        self.tag(tag);
        match self.next.take() {
            Some(Newtype::Order(order)) => self.marks.push((self.bytes.len(), Mark::Order(order, value))),
            Some(Newtype::Id | Newtype::Key) | None => self.bytes.extend(value.to_be_bytes()),
        }
    }

    fn text(&mut self, text: &str) {
        self.tag(b's');
        match self.next.take() {
            Some(Newtype::Id) => self.id(text),
            Some(Newtype::Key) => self.key(text),
            Some(Newtype::Order(_)) | None => {
                self.bytes.extend((text.len() as u64).to_be_bytes());
                self.bytes.extend(text.as_bytes());
            }
        }
    }

    /// An id without its prefix, because a run is named after the event that started it.
    fn id(&mut self, text: &str) {
        let name = text.split_once('_').map_or(text, |(_, name)| name);
        self.marks.push((self.bytes.len(), Mark::Id(name.to_owned())));
    }

    /// Keys of our own making contain ids between slashes.
    fn key(&mut self, text: &str) {
        for part in text.split('/') {
            self.tag(b'/');
            if part.len() == 30 && part.as_bytes()[3] == b'_' {
                self.id(part);
            } else {
                self.bytes.extend(part.as_bytes());
            }
        }
    }
}

#[derive(Debug)]
pub struct CanonError(String);

impl Display for CanonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CanonError {}

impl ser::Error for CanonError {
    fn custom<T: Display>(message: T) -> Self {
        CanonError(message.to_string())
    }
}

macro_rules! numbers {
    ($($method:ident $kind:ty;)*) => {$(
        fn $method(self, value: $kind) -> Result<(), CanonError> {
            self.number(b'n', value as u64);
            Ok(())
        }
    )*};
}

impl ser::Serializer for &mut Tokens {
    type Ok = ();
    type Error = CanonError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! {
        serialize_i8 i8; serialize_i16 i16; serialize_i32 i32; serialize_i64 i64;
        serialize_u8 u8; serialize_u16 u16; serialize_u32 u32; serialize_u64 u64;
        serialize_bool bool; serialize_char char;
    }

    fn serialize_f32(self, value: f32) -> Result<(), CanonError> {
        self.number(b'f', u64::from(value.to_bits()));
        Ok(())
    }
    fn serialize_f64(self, value: f64) -> Result<(), CanonError> {
        self.number(b'f', value.to_bits());
        Ok(())
    }
    fn serialize_str(self, value: &str) -> Result<(), CanonError> {
        self.text(value);
        Ok(())
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<(), CanonError> {
        self.tag(b'b');
        self.bytes.extend((value.len() as u64).to_be_bytes());
        self.bytes.extend(value);
        Ok(())
    }
    fn serialize_none(self) -> Result<(), CanonError> {
        self.tag(b'-');
        Ok(())
    }
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), CanonError> {
        self.tag(b'+');
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), CanonError> {
        self.tag(b'u');
        Ok(())
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), CanonError> {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _name: &'static str, index: u32, _variant: &'static str) -> Result<(), CanonError> {
        self.number(b'v', u64::from(index));
        Ok(())
    }
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<(), CanonError> {
        self.next = match name {
            "EventId" | "RunId" | "MessageId" | "ActionId" | "AskId" | "HostId" => Some(Newtype::Id),
            "Key" => Some(Newtype::Key),
            "Version" => Some(Newtype::Order(Order::Version)),
            "Epoch" => Some(Newtype::Order(Order::Epoch)),
            "Time" => Some(Newtype::Order(Order::Time)),
            _ => None,
        };
        value.serialize(&mut *self)?;
        self.next = None;
        Ok(())
    }
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
        value: &T,
    ) -> Result<(), CanonError> {
        self.number(b'v', u64::from(index));
        value.serialize(self)
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<Self, CanonError> {
        self.number(b'[', len.unwrap_or_default() as u64);
        Ok(self)
    }
    fn serialize_tuple(self, len: usize) -> Result<Self, CanonError> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Self, CanonError> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_variant(self, _name: &'static str, index: u32, _variant: &'static str, len: usize) -> Result<Self, CanonError> {
        self.number(b'v', u64::from(index));
        self.serialize_seq(Some(len))
    }
    fn serialize_map(self, len: Option<usize>) -> Result<Self, CanonError> {
        self.number(b'{', len.unwrap_or_default() as u64);
        Ok(self)
    }
    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Self, CanonError> {
        self.serialize_map(Some(len))
    }
    fn serialize_struct_variant(self, _name: &'static str, index: u32, _variant: &'static str, len: usize) -> Result<Self, CanonError> {
        self.number(b'v', u64::from(index));
        self.serialize_map(Some(len))
    }
}

macro_rules! compound {
    ($($kind:ident $method:ident;)*) => {$(
        impl ser::$kind for &mut Tokens {
            type Ok = ();
            type Error = CanonError;
            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), CanonError> {
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), CanonError> {
                Ok(())
            }
        }
    )*};
}

compound! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

impl ser::SerializeMap for &mut Tokens {
    type Ok = ();
    type Error = CanonError;
    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), CanonError> {
        key.serialize(&mut **self)
    }
    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), CanonError> {
        value.serialize(&mut **self)
    }
    fn end(self) -> Result<(), CanonError> {
        Ok(())
    }
}

macro_rules! fields {
    ($($kind:ident;)*) => {$(
        impl ser::$kind for &mut Tokens {
            type Ok = ();
            type Error = CanonError;
            fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), CanonError> {
                self.bytes.extend(key.as_bytes());
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), CanonError> {
                Ok(())
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::{EventId, Key, RunId};
    use contract::units::Version;

    #[test]
    fn ids_count_by_first_use_and_share_a_name_across_prefixes() {
        let a = EventId([1; 16]);
        let b = EventId([2; 16]);
        assert_eq!(canon(&(a, b, a)), canon(&(b, a, b)));
        assert_ne!(canon(&(a, b, a)), canon(&(a, b, b)));
        assert_eq!(canon(&(a, RunId(a.0))), canon(&(b, RunId(b.0))));
        assert_ne!(canon(&(a, RunId(a.0))), canon(&(a, RunId(b.0))));
    }

    #[test]
    fn versions_count_by_rank() {
        assert_eq!(canon(&(Version(3), Version(9))), canon(&(Version(4), Version(5))));
        assert_ne!(canon(&(Version(3), Version(9))), canon(&(Version(9), Version(3))));
        assert_ne!(canon(&3u64), canon(&4u64));
    }

    #[test]
    fn ids_inside_keys_are_renamed_and_the_rest_is_kept() {
        let key = |id: EventId, word: &str| Key(format!("outcome/{id}/{word}"));
        let (a, b) = (EventId([1; 16]), EventId([2; 16]));
        assert_eq!(canon(&key(a, "x")), canon(&key(b, "x")));
        assert_ne!(canon(&key(a, "x")), canon(&key(a, "y")));
    }
}
