//! What was asked for.

use crate::size::Size;
use std::path::PathBuf;

#[derive(Debug)]
pub struct Wanted {
    pub only: Vec<String>,
    pub size: Size,
    pub thru: Option<PathBuf>,
    pub data: Option<PathBuf>,
    pub parked: Vec<String>,
}

impl Wanted {
    pub fn wants(&self, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == row)
    }
}
