//! Everything the journal promises, in one test binary.

#[cfg(test)]
mod suite;
