//! The canonical form of a value: ids renamed in order of first use, versions and epochs by rank, times as seen from
//! the first one, because only their distances are decided by.
//!
//! Two worlds with one canonical form behave alike, so only one of them is explored. It is a serde serializer,
//! because the names of newtypes tell ids and orders from plain numbers without a second description of the types.

mod hash;
mod serializer;

use serde::ser::Serialize;

/// Bytes, and names or ranks, of a usual world: room made at once costs less than room made bit by bit.
const BYTES_USUAL: usize = 16 * 1024;
const NAMES_USUAL: usize = 64;

/// Digest of the canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Canon(pub u128);

/// Canonical digest of any value of ours.
#[must_use]
pub fn canon<T: Serialize + ?Sized>(value: &T) -> Canon {
    let mut tokens = Tokens::new(Spending::Counts);
    tokens.add(value);
    tokens.digest()
}

/// Whether two values that differ in what was spent are different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    Counts,
    Ignored,
}

/// Canonical digests of the first value, and of both together, for the price of one.
#[must_use]
pub fn canon_both<T: Serialize + ?Sized, U: Serialize + ?Sized>(first: &T, second: &U, spending: Spending) -> (Canon, Canon) {
    let mut tokens = Tokens::new(spending);
    tokens.add(first);
    let one = tokens.digest();
    tokens.add(second);
    (one, tokens.digest())
}

/// Numbers whose order matters and whose size does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Version,
    Epoch,
}

/// The serial form with ids replaced by their number and room left for ranks.
struct Tokens {
    bytes: Vec<u8>,
    /// Ids by the number they were given; there are few, so they are searched in line.
    names: Vec<[u8; 16]>,
    /// Where the rank of a number belongs in `bytes`.
    ranked: Vec<(usize, Order, u64)>,
    /// The first time met.
    begin: Option<u64>,
    next: Option<Newtype>,
    spending: Spending,
    /// The fields that follow are of something that does not count.
    is_muted: bool,
}

/// What the value that follows stands for.
#[derive(Clone, Copy)]
enum Newtype {
    Id,
    Key,
    Order(Order),
    Time,
}

impl Tokens {
    fn new(spending: Spending) -> Tokens {
        let (bytes, names, ranked) = (Vec::with_capacity(BYTES_USUAL), Vec::with_capacity(NAMES_USUAL), Vec::with_capacity(NAMES_USUAL));
        Tokens { bytes, names, ranked, begin: None, next: None, spending, is_muted: false }
    }

    fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        // The serializer refuses nothing that our types contain.
        value.serialize(self).unwrap_or_else(|error| unreachable!("{error}"));
    }

    /// Writes the ranks among all numbers so far, then hashes.
    fn digest(&mut self) -> Canon {
        let mut values: Vec<(Order, u64)> = self.ranked.iter().map(|(_, order, value)| (*order, *value)).collect();
        values.sort_unstable();
        values.dedup();
        for (place, order, value) in &self.ranked {
            let first = values.partition_point(|(other, _)| other < order);
            let rank = values.partition_point(|other| *other < (*order, *value)) - first;
            self.bytes[*place..place + 2].copy_from_slice(&(rank as u16).to_be_bytes());
        }
        Canon(hash::hash(&self.bytes))
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    fn number(&mut self, tag: u8, value: u64) {
        self.tag(tag);
        match self.next.take() {
            Some(Newtype::Order(order)) => {
                self.ranked.push((self.bytes.len(), order, value));
                self.bytes.extend([0, 0]);
            }
            Some(Newtype::Time) => {
                let begin = *self.begin.get_or_insert(value);
                self.bytes.extend(value.wrapping_sub(begin).to_be_bytes());
            }
            Some(Newtype::Id | Newtype::Key) | None => self.bytes.extend(value.to_be_bytes()),
        }
    }

    fn text(&mut self, text: &str) {
        self.tag(b's');
        if let Some(Newtype::Key) = self.next.take() {
            return self.key(text);
        }
        self.plain(text.as_bytes());
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.tag(b'b');
        match (self.next.take(), <[u8; 16]>::try_from(bytes)) {
            (Some(Newtype::Id), Ok(id)) => self.id(id),
            _ => self.plain(bytes),
        }
    }

    fn plain(&mut self, bytes: &[u8]) {
        self.bytes.extend((bytes.len() as u32).to_be_bytes());
        self.bytes.extend(bytes);
    }

    /// An id without its kind, because a run is named after the event that started it.
    fn id(&mut self, id: [u8; 16]) {
        let number = self.names.iter().position(|name| *name == id).unwrap_or_else(|| {
            self.names.push(id);
            self.names.len() - 1
        });
        self.bytes.extend((number as u16).to_be_bytes());
    }

    /// Keys of our own making contain ids between slashes.
    fn key(&mut self, text: &str) {
        for part in text.split('/') {
            self.tag(b'/');
            match part.get(4..).and_then(|name| format!("evt_{name}").parse::<contract::id::EventId>().ok()) {
                Some(id) => self.id(id.0),
                None => self.plain(part.as_bytes()),
            }
        }
        self.tag(b'.');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::body::Spend;
    use contract::id::{EventId, Key, RunId};
    use contract::units::{Epoch, Time, Version};

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
    fn versions_count_by_rank_and_apart_from_epochs() {
        assert_eq!(canon(&(Version(3), Version(9))), canon(&(Version(4), Version(5))));
        assert_ne!(canon(&(Version(3), Version(9))), canon(&(Version(9), Version(3))));
        assert_ne!(canon(&(Version(3), Version(3))), canon(&(Version(3), Version(4))));
        assert_eq!(canon(&(Version(3), Epoch(9))), canon(&(Version(9), Epoch(3))));
        assert_ne!(canon(&3u64), canon(&4u64));
    }

    #[test]
    fn times_count_by_their_distance() {
        assert_eq!(canon(&(Time(3), Time(9), Time(1))), canon(&(Time(13), Time(19), Time(11))));
        assert_ne!(canon(&(Time(3), Time(9))), canon(&(Time(3), Time(8))));
        assert_ne!(canon(&(Time(3), 9u64)), canon(&(Time(3), 8u64)));
    }

    #[test]
    fn what_was_spent_counts_where_it_is_limited() {
        let spent = |tokens| (Spend { tokens, cost_micros: 0 }, 7u64);
        let both = |tokens, spending| canon_both(&spent(tokens), &tokens, spending).0;
        assert_ne!(both(1, Spending::Counts), both(2, Spending::Counts));
        assert_eq!(both(1, Spending::Ignored), both(2, Spending::Ignored));
        assert_ne!(canon_both(&spent(1), &1u64, Spending::Ignored).1, canon_both(&spent(1), &2u64, Spending::Ignored).1);
    }

    #[test]
    fn the_first_of_two_counts_by_itself() {
        let both = |a: u64, b: u64| canon_both(&Version(a), &Version(b), Spending::Counts);
        assert_eq!(both(5, 4).0, canon(&Version(5)));
        assert_eq!(both(5, 4).0, both(5, 6).0);
        assert_ne!(both(5, 4).1, both(5, 6).1);
    }

    #[test]
    fn ids_inside_keys_are_renamed_and_the_rest_is_kept() {
        let key = |id: EventId, word: &str| Key(format!("outcome/{id}/{word}"));
        let (a, b) = (EventId([1; 16]), EventId([2; 16]));
        assert_eq!(canon(&key(a, "x")), canon(&key(b, "x")));
        assert_ne!(canon(&key(a, "x")), canon(&key(a, "y")));
        assert_eq!(canon(&(a, key(a, "x"))), canon(&(b, key(b, "x"))));
        assert_ne!(canon(&(a, key(a, "x"))), canon(&(a, key(b, "x"))));
    }

    #[test]
    fn texts_and_lists_do_not_run_into_each_other() {
        assert_ne!(canon(&("ab", "c")), canon(&("a", "bc")));
        assert_ne!(canon(&(vec![1u8], vec![2u8, 3])), canon(&(vec![1u8, 2], vec![3u8])));
        assert_ne!(canon(&Some(0u8)), canon(&None::<u8>));
    }
}
