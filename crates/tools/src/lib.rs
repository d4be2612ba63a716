//! Built-in tools, preparation of calls and the process supervisor.
