//! The library people embed: all adapters wired into a runtime.
