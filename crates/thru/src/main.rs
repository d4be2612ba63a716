//! The terminal binary.
fn main() {}
