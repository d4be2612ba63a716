//! Rows in memory.

use contract::event::Event;
use contract::id::StreamId;
use contract::port::{Projection, Rows};
use contract::units::Position;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use views::Lists;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(BTreeMap<(&'static str, String), (u64, String)>);

impl Rows for Memory {
    fn get(&mut self, list: &'static str, key: &str) -> Option<String> {
        self.0.get(&(list, key.to_owned())).map(|(_, row)| row.clone())
    }

    fn put(&mut self, list: &'static str, key: &str, order: u64, row: String) {
        self.0.insert((list, key.to_owned()), (order, row));
    }

    fn remove(&mut self, list: &'static str, key: &str) {
        self.0.remove(&(list, key.to_owned()));
    }
}

impl Memory {
    pub fn see(&mut self, stream: &StreamId, event: &Event) {
        Lists.see(self, stream, Position(event.version.0), event);
    }

    pub fn of(stream: &StreamId, events: &[Event]) -> Memory {
        let mut rows = Memory::default();
        events.iter().for_each(|event| rows.see(stream, event));
        rows
    }

    /// Every row, to be spoilt as in a file that somebody else wrote.
    pub fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.0.values_mut().map(|(_, row)| row)
    }

    /// The rows of one list; each must have its shape.
    pub fn list<R: DeserializeOwned>(&self, list: &str) -> Vec<R> {
        let of_list = self.0.iter().filter(|((name, _), _)| *name == list);
        of_list.map(|(_, (_, row))| serde_json::from_str(row).unwrap()).collect()
    }
}
