//! House rules as checks.
fn main() {}
