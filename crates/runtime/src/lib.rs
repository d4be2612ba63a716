//! The only loop: drives machines, executes effects through ports, owns streams.
