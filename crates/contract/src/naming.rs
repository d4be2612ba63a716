//! Ids of events: a fact is named after what was said, an intent after where it was decided and what it says.

use crate::body::Body;
use crate::id::{EventId, Key, StreamId, derive};
use crate::planted;
use crate::units::Version;

impl EventId {
    /// Id of a fact: the same input has the same id at any version.
    #[must_use]
    pub fn of_input(stream: &StreamId, key: &Key, base: Version) -> EventId {
        if let Some(id) = planted::misnamed(stream, base) {
            return id;
        }
        EventId(derive("input", &[stream.as_str().as_bytes(), key.0.as_bytes()]))
    }

    /// Id of an intent: it belongs to the place it was decided at, and another body is another intent.
    #[must_use]
    pub fn of_intent(stream: &StreamId, base: Version, index: usize, body: &Body) -> EventId {
        let data = body.data_json();
        let parts: [&[u8]; 5] =
            [stream.as_str().as_bytes(), &base.0.to_be_bytes(), &(index as u64).to_be_bytes(), body.name().as_bytes(), data.as_bytes()];
        EventId(derive("intent", &parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SessionId;

    #[test]
    fn a_fact_keeps_its_id_at_any_version() {
        let stream = StreamId::session(SessionId([7; 16]));
        let key = Key("m1".into());
        assert_eq!(EventId::of_input(&stream, &key, Version(1)), EventId::of_input(&stream, &key, Version(9)));
        assert_ne!(EventId::of_input(&stream, &key, Version(1)), EventId::of_input(&stream, &Key("m2".into()), Version(1)));
    }
}
