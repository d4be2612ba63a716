//! Ids name causes, not places: each is derived by SHA-256 from what it stands for, so a repeat mints the same id.

use crate::units::{Epoch, Version};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256 as Hasher};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const ID_TEXT_LEN: usize = 26;

/// The value of each byte as a digit of [`ALPHABET`]. Ids are most of what is read of an event.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        digits[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    digits
};
const HEX: &[u8; 16] = b"0123456789abcdef";
const NO_DIGIT: u8 = u8::MAX;

#[derive(Debug, thiserror::Error, PartialEq, Eq, Clone)]
#[error("`{text}` is not {expected}")]
pub struct BadId {
    pub text: String,
    pub expected: &'static str,
}

fn base32(bytes: &[u8; 16]) -> String {
    let mut bits = u128::from_be_bytes(*bytes);
    let mut text = [b'0'; ID_TEXT_LEN];
    for slot in text.iter_mut().rev() {
        *slot = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    text.into_iter().map(char::from).collect()
}

fn unbase32(text: &str) -> Option<[u8; 16]> {
    if text.len() != ID_TEXT_LEN {
        return None;
    }
    let mut bits: u128 = 0;
    for (place, byte) in text.bytes().enumerate() {
        let digit = DIGITS[usize::from(byte)];
        if digit == NO_DIGIT {
            return None;
        }
        // 26 digits hold 130 bits: the first one may only use three of its five.
        if place == 0 && digit > 7 {
            return None;
        }
        bits = (bits << 5) | u128::from(digit);
    }
    Some(bits.to_be_bytes())
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let digit = |letter: u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    if text.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (slot, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *slot = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// Reads an id from its text where it stands, without a copy of the text.
fn from_text<'de, D: Deserializer<'de>, T: FromStr<Err = BadId>>(deserializer: D) -> Result<T, D::Error> {
    struct InText<T>(PhantomData<T>);

    impl<T: FromStr<Err = BadId>> de::Visitor<'_> for InText<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(InText(PhantomData))
}

/// Bytes of an id for serializers that are not read by people, such as the one that compares states. Nothing is
/// stored in that form, so it is never read back.
struct Raw<'a>(&'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl $name {
            pub const PREFIX: &'static str = $prefix;
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, base32(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = BadId;
            fn from_str(text: &str) -> Result<Self, BadId> {
                text.strip_prefix($prefix)
                    .and_then(unbase32)
                    .map(Self)
                    .ok_or_else(|| BadId { text: text.to_owned(), expected: concat!("a whole id: ", $prefix, " and 26 letters or digits") })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    return serializer.serialize_newtype_struct(stringify!($name), &self.to_string());
                }
                serializer.serialize_newtype_struct(stringify!($name), &Raw(&self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                from_text(deserializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": concat!("^", $prefix, "[0-9a-hjkmnp-tv-z]{26}$") })
            }
        }
    )*};
}

ids! {
    /// An event, in any stream.
    EventId = "evt_";
    /// A conversation.
    SessionId = "ses_";
    /// From a message to `run.finished`.
    RunId = "run_";
    /// A message of a person to a session.
    MessageId = "msg_";
    /// One decided tool call; also the idempotency key given to the tool.
    ActionId = "act_";
    /// A question to a person.
    AskId = "ask_";
    /// A wait of a call.
    TimerId = "tmr_";
    /// One running process of ours; every start is a new one.
    HostId = "hst_";
    /// One data folder on one kernel.
    MachineId = "mac_";
}

impl From<EventId> for RunId {
    fn from(id: EventId) -> Self {
        RunId(id.0)
    }
}
impl From<EventId> for MessageId {
    fn from(id: EventId) -> Self {
        MessageId(id.0)
    }
}
impl From<EventId> for ActionId {
    fn from(id: EventId) -> Self {
        ActionId(id.0)
    }
}

impl AskId {
    /// The ask that the state at this version leads to.
    #[must_use]
    pub fn at(stream: &StreamId, version: Version, about: &str) -> AskId {
        AskId(derive("ask", &[stream.as_str().as_bytes(), &version.0.to_be_bytes(), about.as_bytes()]))
    }
}

impl TimerId {
    /// The wait of an action; an action waits once.
    #[must_use]
    pub fn of(action: ActionId) -> TimerId {
        TimerId(derive("timer", &[&action.0]))
    }
}

/// The slot of a tool call in the conversation: which reply, and which call of it. An edited action keeps its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId {
    pub reply: u32,
    pub index: u16,
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call_{}_{}", self.reply, self.index)
    }
}

impl FromStr for CallId {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        let parts = || {
            let (reply, index) = text.strip_prefix("call_")?.split_once('_')?;
            Some(CallId { reply: reply.parse().ok()?, index: index.parse().ok()? })
        };
        // Numbers are also read with a sign or zeros before them, which would be other names of the same call.
        let canonical = |call: &CallId| call.to_string() == text;
        parts().filter(canonical).ok_or_else(|| BadId { text: text.to_owned(), expected: "a call id such as call_3_0" })
    }
}

impl Serialize for CallId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        (self.reply, self.index).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl JsonSchema for CallId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CallId".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^call_[0-9]+_[0-9]+$" })
    }
}

/// Name of a stream: `<kind>/<id>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct StreamId(String);

impl StreamId {
    #[must_use]
    pub fn session(id: SessionId) -> StreamId {
        StreamId(format!("session/{id}"))
    }

    /// Held by the process that looks after all sessions of a folder; it has no events.
    #[must_use]
    pub fn daemon(id: MachineId) -> StreamId {
        StreamId(format!("daemon/{id}"))
    }

    #[must_use]
    pub fn is_daemon(&self) -> bool {
        self.kind() == "daemon"
    }

    #[must_use]
    pub fn host(id: MachineId) -> StreamId {
        StreamId(format!("host/{id}"))
    }

    /// Rules that people want to count in every session of a folder.
    #[must_use]
    pub fn policy() -> StreamId {
        StreamId("policy/user".to_owned())
    }

    /// A stream of any kind, for tests and for implementations of the log, to which the kind means nothing.
    pub fn parse(text: &str) -> Result<StreamId, BadId> {
        let bad = || BadId { text: text.to_owned(), expected: "a stream such as session/ses_…" };
        let (kind, id) = text.split_once('/').ok_or_else(bad)?;
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if plain(kind) && plain(id) { Ok(StreamId(text.to_owned())) } else { Err(bad()) }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// What follows the kind.
    #[must_use]
    pub fn id(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, id)| id)
    }

    #[must_use]
    pub fn session_id(&self) -> Option<SessionId> {
        self.0.strip_prefix("session/")?.parse().ok()
    }
}

impl<'de> Deserialize<'de> for StreamId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl FromStr for StreamId {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        StreamId::parse(text)
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What makes an input the same input when it comes again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Key(pub String);

impl Key {
    #[must_use]
    pub fn owner(epoch: Epoch) -> Key {
        Key(format!("owner/{epoch}"))
    }

    /// What a person named, kept apart from everything this program names itself.
    #[must_use]
    pub fn person(what: &str, key: &Key) -> Key {
        Key(format!("person/{what}/{key}"))
    }

    /// An ask that nobody answered in time: whoever notices says the same.
    #[must_use]
    pub fn expiry(ask: AskId) -> Key {
        Key(format!("expiry/{ask}"))
    }

    /// The rule that an answer to this ask makes count for good.
    #[must_use]
    pub fn standing(ask: AskId) -> Key {
        Key(format!("standing/{ask}"))
    }

    /// The end of a wait: whoever notices says the same.
    #[must_use]
    pub fn timer(timer: TimerId) -> Key {
        Key(format!("timer/{timer}"))
    }

    /// Key of the `part`-th fact that an outcome of this effect and attempt leads to.
    #[must_use]
    pub fn outcome(effect: impl fmt::Display, attempt: u16, part: &str) -> Key {
        Key(format!("outcome/{effect}/{attempt}/{part}"))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identity of one boot of a kernel, as the kernel names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct BootId(pub String);

/// A SHA-256 digest; in text, 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    #[must_use]
    pub fn of(bytes: &[u8]) -> Sha256 {
        Sha256(Hasher::digest(bytes).into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        unhex(text).map(Sha256).ok_or_else(|| BadId { text: text.to_owned(), expected: "64 hex digits, the letters small" })
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_newtype_struct("Sha256", &self.to_string());
        }
        serializer.serialize_newtype_struct("Sha256", &Raw(&self.0))
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl JsonSchema for Sha256 {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

/// First 16 bytes of a SHA-256 over the parts, each with its length, under a domain of its own.
#[must_use]
pub fn derive(domain: &str, parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = Hasher::new();
    for part in std::iter::once(&domain.as_bytes()).chain(parts) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_survives_its_text(bytes: [u8; 16]) {
            let id = EventId(bytes);
            prop_assert_eq!(id.to_string().parse::<EventId>().unwrap(), id);
            prop_assert_eq!(id.to_string().len(), 4 + ID_TEXT_LEN);
        }

        #[test]
        fn any_text_is_an_id_or_a_clear_error(text in ".{0,40}") {
            if let Err(error) = text.parse::<EventId>() {
                prop_assert!(error.to_string().contains("evt_"));
            }
        }

        #[test]
        fn a_digest_survives_its_text(bytes: [u8; 32]) {
            let digest = Sha256(bytes);
            prop_assert_eq!(digest.to_string().parse::<Sha256>().unwrap(), digest);
        }
    }

    #[test]
    fn a_digest_has_one_text() {
        let text = "0f".repeat(32);
        assert_eq!(text.parse(), Ok(Sha256([0x0f; 32])));
        for bad in [text.replace('f', "F"), text.replace("0f", "+f"), text.replace("0f", "é"), "0".repeat(63)] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad}");
        }
    }

    #[test]
    fn derived_parts_do_not_run_into_each_other() {
        assert_ne!(derive("d", &[b"ab", b"c"]), derive("d", &[b"a", b"bc"]));
    }

    #[test]
    fn a_stream_name_has_a_kind_and_an_id() {
        assert_eq!(StreamId::parse("session/abc").unwrap().kind(), "session");
        for bad in ["", "session", "session/", "/x", "a/b/c", "a/b c", "a/../b"] {
            assert!(StreamId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn call_ids_are_in_the_order_of_the_conversation() {
        let early = CallId { reply: 2, index: 9 };
        let late = CallId { reply: 10, index: 0 };
        assert!(early < late);
        assert_eq!("call_10_0".parse::<CallId>().unwrap(), late);
        for bad in ["call_10", "call_+10_0", "call_010_0", "call_10_00", "call_-1_0"] {
            assert!(bad.parse::<CallId>().is_err(), "{bad}");
        }
    }
}
