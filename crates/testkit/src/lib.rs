//! Virtual world, crash explorer and golden histories.
