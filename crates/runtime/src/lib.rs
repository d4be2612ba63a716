//! The only loop: it drives machines, executes their effects through ports, and owns streams.
//!
//! [`drive`] decides and does nothing; [`shell`] does and decides nothing. The crash explorer runs the same
//! [`drive::Driver`] in a virtual world, so a bug of the loop is found in shipped code.

pub mod drive;
