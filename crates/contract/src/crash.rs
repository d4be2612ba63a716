//! Named places at which a test may end the process, as a power cut or `kill -9` would.
//!
//! Without the feature `crash-points` a place is nothing. With it, whoever wires the program says what happens there.

#[cfg(feature = "crash-points")]
static HOOK: std::sync::OnceLock<fn(&'static str)> = std::sync::OnceLock::new();

/// Says what happens at each place; only the first call counts.
#[cfg(feature = "crash-points")]
pub fn install(hook: fn(&'static str)) {
    // A second hook would mean two programs in one process.
    let _ = HOOK.set(hook);
}

/// A place between two steps that must not depend on each other in memory.
#[inline]
pub fn point(name: &'static str) {
    #[cfg(feature = "crash-points")]
    if let Some(hook) = HOOK.get() {
        hook(name);
    }
    let _ = name;
}
