//! Limits of one append, at the border and over it.

use crate::events::*;
use crate::world::*;
use contract::event::Event;
use contract::limits::{APPEND_BYTES_MAX, APPEND_EVENTS_MAX};
use contract::port::{Append, AppendError};
use contract::{Draft, Time, Version};

pub async fn as_many_events_as_allowed_and_one_more(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let call = |count: usize| Append { drafts: (0..count).map(|i| draft(&format!("event {i}"))).collect(), ..append(&stream, 0, &[]) };
    let refused = host.journal.append(call(APPEND_EVENTS_MAX + 1)).await;
    let too_large = AppendError::TooLarge { what: "events in one append", found: APPEND_EVENTS_MAX + 1, max: APPEND_EVENTS_MAX };
    assert_eq!(refused, Err(too_large));
    assert_eq!(host.journal.tail(&stream).await.unwrap(), None);
    let appended = host.journal.append(call(APPEND_EVENTS_MAX)).await.unwrap();
    assert_eq!(versions(appended), (1, APPEND_EVENTS_MAX as u64));
    assert_eq!(ids(&*host.journal, &stream).await.len(), APPEND_EVENTS_MAX);
}

pub async fn as_many_bytes_as_allowed_and_one_more(world: &dyn World) {
    let host = world.start(1);
    let stream = stream("one");
    let encoded = |version, draft| Event { version: Version(version), time: Time(1_000), draft }.encode(&stream).unwrap().len();
    let taken = encoded(1, draft("small")) + encoded(2, draft_of_size("large", 0));
    let call = |bytes: usize| {
        let drafts: Vec<Draft> = vec![draft("small"), draft_of_size("large", bytes - taken)];
        Append { drafts, ..append(&stream, 0, &[]) }
    };
    let refused = host.journal.append(call(APPEND_BYTES_MAX + 1)).await;
    let too_large = AppendError::TooLarge { what: "bytes in one append", found: APPEND_BYTES_MAX + 1, max: APPEND_BYTES_MAX };
    assert_eq!(refused, Err(too_large));
    assert_eq!(host.journal.tail(&stream).await.unwrap(), None);
    host.journal.append(call(APPEND_BYTES_MAX)).await.unwrap();
    let stored = host.journal.read(&stream, Version(1), 10).await.unwrap();
    assert_eq!(stored.iter().map(|stored| stored.bytes.len()).sum::<usize>(), APPEND_BYTES_MAX);
}
