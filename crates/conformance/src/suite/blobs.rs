//! Blobs: whole, durable, and there before the event that names them.

use crate::events::*;
use crate::world::*;
use contract::Version;
use contract::id::Sha256;
use contract::limits::BLOB_ROW_BYTES_MAX;

const LARGE: usize = BLOB_ROW_BYTES_MAX + 1;

fn bytes(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i % 251) as u8).collect()
}

pub async fn blobs_of_every_size_come_back(world: &dyn World) {
    let first = world.start(1);
    let sizes = [0, 1, 8_193, BLOB_ROW_BYTES_MAX, LARGE, 3 * LARGE];
    for size in sizes {
        // Twice: the same bytes are the same blob.
        for _ in 0..2 {
            assert_eq!(first.journal.put(bytes(size)).await.unwrap(), Sha256::of(&bytes(size)));
        }
        assert_eq!(first.journal.get(Sha256::of(&bytes(size))).await.unwrap(), Some(bytes(size)));
    }
    world.kill(first);
    let second = world.start(2);
    for size in sizes {
        assert_eq!(second.journal.get(Sha256::of(&bytes(size))).await.unwrap(), Some(bytes(size)), "{size} bytes");
    }
}

pub async fn a_blob_that_is_not_there_is_none(world: &dyn World) {
    let host = world.start(1);
    host.journal.put(bytes(10)).await.unwrap();
    assert_eq!(host.journal.get(Sha256::of(&bytes(11))).await.unwrap(), None);
}

pub async fn a_blob_is_there_for_whoever_reads_the_event_that_names_it(world: &dyn World) {
    let (writer, reader) = (world.start(1), world.start(2));
    let stream = stream("one");
    for (after, size) in (0..).zip([100, LARGE]) {
        let blob = writer.journal.put(bytes(size)).await.unwrap();
        writer.journal.append(append(&stream, after, &[&blob.to_string()])).await.unwrap();
        let read = reader.journal.read(&stream, Version(after + 1), 1).await.unwrap();
        assert_eq!(ids_of(&read), named(&[&blob.to_string()]));
        assert_eq!(reader.journal.get(blob).await.unwrap(), Some(bytes(size)));
    }
}
