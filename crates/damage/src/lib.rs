//! Valid input spoilt as input of others may be, for the properties of everything that reads such.
//!
//! A text that was never valid is refused at its first byte and tells little; what lies beside a valid one reaches every
//! branch of a parser. Must not know any format but JSON.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use std::mem::discriminant;

/// Changes of one input; more of them only hide what the first one does.
const CHANGES_MAX: usize = 3;

/// One change of bytes, at a place that is found once the bytes are known.
#[derive(Clone, Debug)]
enum Change {
    Flip {
        bit: u8,
    },
    Put {
        byte: u8,
    },
    Insert {
        bytes: Vec<u8>,
    },
    Remove {
        count: usize,
    },
    /// As a write that was cut short leaves it.
    Truncate,
    Double {
        count: usize,
    },
}

/// These bytes with some of them flipped, replaced, inserted, removed or doubled, or cut short.
pub fn damaged(valid: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let change = prop_oneof![
        (0u8..8).prop_map(|bit| Change::Flip { bit }),
        any::<u8>().prop_map(|byte| Change::Put { byte }),
        vec(any::<u8>(), 1..4).prop_map(|bytes| Change::Insert { bytes }),
        (1usize..9).prop_map(|count| Change::Remove { count }),
        Just(Change::Truncate),
        (1usize..9).prop_map(|count| Change::Double { count }),
    ];
    (valid, vec((any::<Index>(), change), 1..=CHANGES_MAX)).prop_map(|(mut bytes, changes)| {
        for (place, change) in changes {
            let at = place.index(bytes.len() + 1);
            make(&mut bytes, at, change);
        }
        bytes
    })
}

/// This text with characters as they may be left by a slip of whoever types or edits it.
pub fn damaged_text(valid: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    damaged(valid.prop_map(String::into_bytes)).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn make(bytes: &mut Vec<u8>, at: usize, change: Change) {
    let upto = |count: usize, length: usize| (at + count).min(length);
    match change {
        Change::Flip { bit } => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << bit),
        Change::Put { byte: other } => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = other),
        Change::Insert { bytes: more } => drop(bytes.splice(at..at, more)),
        Change::Remove { count } => drop(bytes.drain(at..upto(count, bytes.len()))),
        Change::Truncate => bytes.truncate(at),
        Change::Double { count } => {
            let again = bytes[at..upto(count, bytes.len())].to_vec();
            drop(bytes.splice(at..at, again));
        }
    }
}

/// This JSON with some values in it replaced by others that are JSON too, or left out: the grammar holds, the meaning
/// does not.
pub fn reshaped(valid: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    // A value of the same kind comes further than one of another, which is refused at once.
    let how = prop_oneof![4 => Just(How::SameKind), 2 => Just(How::AnyKind), 1 => Just(How::LeftOut)];
    (valid, vec((any::<Index>(), how, any::<Index>()), 1..=CHANGES_MAX)).prop_map(|(mut value, changes)| {
        for (place, how, which) in changes {
            let mut places = Vec::new();
            collect_places(&value, String::new(), &mut places);
            change(&mut value, &places[place.index(places.len())], how, which);
        }
        value
    })
}

#[derive(Clone, Copy, Debug)]
enum How {
    SameKind,
    AnyKind,
    LeftOut,
}

fn change(value: &mut Value, at: &str, how: How, which: Index) {
    let odd: Vec<Value> = match (how, value.pointer(at)) {
        (How::SameKind, Some(was)) => odd_values().into_iter().filter(|odd| discriminant(odd) == discriminant(was)).collect(),
        (How::AnyKind, _) | (How::SameKind, None) => odd_values(),
        (How::LeftOut, _) => return leave_out(value, at),
    };
    if let Some(place) = value.pointer_mut(at) {
        *place = odd[which.index(odd.len())].clone();
    }
}

/// The ends of every number, and some of each other kind.
fn odd_values() -> Vec<Value> {
    let numbers = [json!(0), json!(1), json!(-1), json!(u64::MAX), json!(i64::MIN), json!(1 + u64::from(u32::MAX)), json!(u16::MAX)];
    let fractions = [json!(0.5), json!(1e300)];
    let texts = ["", "x", "+1", "\u{0}", "/", "é\n"].map(Value::from);
    let others = [Value::Null, json!(true), json!(false), json!([]), json!([[{}]]), json!({}), json!({ "x": 1 })];
    [numbers.as_slice(), &fractions, &texts, &others].concat()
}

/// The pointers to all numbers in this JSON.
#[must_use]
pub fn numbers(value: &Value) -> Vec<String> {
    let mut places = Vec::new();
    collect_places(value, String::new(), &mut places);
    places.retain(|place| value.pointer(place).is_some_and(Value::is_number));
    places
}

/// The pointer to every value inside this one, and to itself.
fn collect_places(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                collect_places(field, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect_places(value, format!("{at}/{index}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    places.push(at);
}

fn leave_out(value: &mut Value, at: &str) {
    let (parent, name) = at.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(fields)) = value.pointer_mut(parent) {
        fields.remove(&name.replace("~1", "/").replace("~0", "~"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_damaged_stays_near_what_it_was(bytes in damaged(Just(b"0123456789".to_vec()))) {
            prop_assert!(bytes.len() <= 10 + 8 * CHANGES_MAX);
        }

        #[test]
        fn what_is_reshaped_is_json(value in reshaped(Just(json!({"a/b": [1, {"c~d": null}], "e": "f"})))) {
            prop_assert_eq!(serde_json::from_str::<Value>(&value.to_string()).unwrap(), value);
        }
    }

    #[test]
    fn every_value_has_a_place_that_leads_to_it() {
        let value = json!({"a/b": [1, {"c~d": null}], "e": "f"});
        let mut places = Vec::new();
        collect_places(&value, String::new(), &mut places);
        assert!(places.iter().all(|place| value.pointer(place).is_some()), "{places:?}");
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), 6);
        let mut without = value;
        leave_out(&mut without, "/a~1b/1/c~0d");
        assert_eq!(without, json!({"a/b": [1, {}], "e": "f"}));
    }
}
