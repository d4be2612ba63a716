//! Keys of providers: found by their handle when a call is made, and shown to nobody.

/// Finds the value of a key; the caller decides where keys live.
pub trait Keys: Send + Sync {
    /// Nothing when no key has this handle.
    fn find(&self, handle: &str) -> Option<Key>;
}

impl<F: Fn(&str) -> Option<Key> + Send + Sync> Keys for F {
    fn find(&self, handle: &str) -> Option<Key> {
        self(handle)
    }
}

/// The value of a key. It has no `Display`, and its `Debug` says nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// White space around it comes from files and is never part of a key.
    #[must_use]
    pub fn new(value: &str) -> Key {
        Key(value.trim().to_owned())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// Providers like to repeat the key in their errors.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}
