//! The serializer behind [`super::canon`]: writes tokens and notices ids, keys and orders by the names of their types.

use super::{Newtype, Order, Spending, Tokens};
use serde::ser::{self, Serialize};
use std::fmt::Display;

#[derive(Debug)]
pub(super) struct CanonError(String);

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

    /// Ids come as bytes then, which need no decoding.
    fn is_human_readable(&self) -> bool {
        false
    }

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
        self.raw(value);
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
            "EventId" | "RunId" | "MessageId" | "ActionId" | "AskId" | "TimerId" | "HostId" => Some(Newtype::Id),
            "Key" => Some(Newtype::Key),
            "Version" => Some(Newtype::Order(Order::Version)),
            "Epoch" => Some(Newtype::Order(Order::Epoch)),
            "Time" => Some(Newtype::Time),
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
    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self, CanonError> {
        // It has plain numbers only, so nothing inside ends the silence.
        self.is_muted = name == "Spend" && self.spending == Spending::Ignored;
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
                if self.is_muted {
                    return Ok(());
                }
                self.bytes.extend(key.as_bytes());
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), CanonError> {
                self.is_muted = false;
                Ok(())
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}
