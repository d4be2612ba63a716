//! Output on disk: the first half of the cap in `output`, the newest half after it in the ring file `tail`.
//!
//! The ring begins with a counter of all bytes that ever went into it and its own size, so a reader needs no other
//! record, also while the writer lives or after it was killed. Must not know what the bytes mean, unless a terminal has them.

use super::session;
use crate::texts;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const HEAD: &str = "output";
const TAIL: &str = "tail";
/// The counter and the size of the ring, eight bytes each.
const HEADER_BYTES: u64 = 16;

/// Makes the file that output begins in.
pub(super) fn create_head(folder: &Path) -> io::Result<File> {
    OpenOptions::new().create_new(true).append(true).open(folder.join(HEAD))
}

#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    head: File,
    tail: Option<File>,
    half: u64,
    total: u64,
    /// The first failure; later bytes are counted and not kept, and the command goes on.
    error: Option<io::Error>,
}

impl Writer {
    /// A writer into the folder, which the second file finds by this path too.
    pub(super) fn new(head: File, folder: &Path, bytes_max: u64) -> Writer {
        Writer { folder: folder.to_owned(), head, tail: None, half: (bytes_max / 2).max(1), total: 0, error: None }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn error(&self) -> Option<String> {
        self.error.as_ref().map(ToString::to_string)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.error = self.store(bytes).err();
        }
        self.total += bytes.len() as u64;
    }

    fn store(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(self.half.saturating_sub(self.total)).unwrap_or(usize::MAX).min(bytes.len());
        let (for_head, for_tail) = bytes.split_at(room);
        self.head.write_all(for_head)?;
        if for_tail.is_empty() {
            return Ok(());
        }
        let tail = match &mut self.tail {
            Some(tail) => tail,
            none => none.insert(OpenOptions::new().create(true).truncate(false).write(true).open(self.folder.join(TAIL))?),
        };
        let mut written = (self.total + room as u64) - self.half;
        let mut rest = for_tail;
        while !rest.is_empty() {
            let at = written % self.half;
            let piece = usize::try_from(self.half - at).unwrap_or(usize::MAX).min(rest.len());
            tail.write_all_at(&rest[..piece], HEADER_BYTES + at)?;
            written += piece as u64;
            rest = &rest[piece..];
        }
        tail.write_all_at(&[written.to_le_bytes(), self.half.to_le_bytes()].concat(), 0)
    }
}

/// Bytes from `offset` on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub offset: u64,
    pub bytes: Vec<u8>,
}

/// Where the kept bytes are at one moment.
struct Extent {
    head: File,
    head_bytes: u64,
    ring: Option<Ring>,
}

struct Ring {
    file: File,
    /// Bytes that ever went into it.
    written: u64,
    size: u64,
}

impl Extent {
    fn open(folder: &Path) -> io::Result<Extent> {
        // The ring first: once it is there the head no longer grows, so no byte can fall between the two looks.
        let ring = Ring::open(folder);
        let head = File::open(folder.join(HEAD))?;
        let head_bytes = head.metadata()?.len();
        Ok(Extent { head, head_bytes, ring })
    }

    /// Offset behind the newest byte.
    fn end(&self) -> u64 {
        self.ring.as_ref().map_or(self.head_bytes, |ring| ring.size + ring.written)
    }

    /// Up to `max` bytes at `offset`, in one piece; those that are lost are skipped.
    fn read(&self, offset: u64, max: u64) -> io::Result<Chunk> {
        if offset < self.head_bytes {
            return read_piece(&self.head, offset, offset, max.min(self.head_bytes - offset));
        }
        match &self.ring {
            Some(ring) => ring.read(offset, max),
            None => Ok(Chunk { offset, bytes: Vec::new() }),
        }
    }
}

impl Ring {
    /// A ring whose header is not there yet, or was lost with a boot, counts as none. So does one whose numbers nobody
    /// can have written: offsets are counted up to their sum.
    fn open(folder: &Path) -> Option<Ring> {
        let file = File::open(folder.join(TAIL)).ok()?;
        let [mut written, mut size] = [[0; 8]; 2];
        file.read_exact_at(&mut written, 0).ok()?;
        file.read_exact_at(&mut size, 8).ok()?;
        let ring = Ring { file, written: u64::from_le_bytes(written), size: u64::from_le_bytes(size) };
        (ring.size > 0 && ring.size.checked_add(ring.written).is_some()).then_some(ring)
    }

    /// The ring follows a head of its own size.
    fn read(&self, offset: u64, max: u64) -> io::Result<Chunk> {
        let oldest = self.written.saturating_sub(self.size);
        let from = offset.saturating_sub(self.size).max(oldest);
        if from >= self.written {
            return Ok(Chunk { offset, bytes: Vec::new() });
        }
        let at = from % self.size;
        let piece = max.min(self.written - from).min(self.size - at);
        read_piece(&self.file, self.size + from, HEADER_BYTES + at, piece)
    }
}

fn read_piece(file: &File, offset: u64, at: u64, length: u64) -> io::Result<Chunk> {
    // A header may promise more than the file has, and no memory is taken for that.
    let length = length.min(file.metadata()?.len().saturating_sub(at));
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
    let read = file.read_at(&mut bytes, at)?;
    bytes.truncate(read);
    Ok(Chunk { offset, bytes })
}

/// Output from `offset` on, at most `max` bytes; none when there is no more, or no output at all.
pub(super) fn since(folder: &Path, offset: u64, max: u64) -> Chunk {
    let read = Extent::open(folder).and_then(|extent| extent.read(offset, max));
    read.unwrap_or(Chunk { offset, bytes: Vec::new() })
}

/// All that was kept, with a mark where bytes are missing, as text. What cannot be read is left out.
#[must_use]
pub fn whole(folder: &Path) -> String {
    let Ok(extent) = Extent::open(folder) else { return String::new() };
    let mut bytes = Vec::new();
    let mut offset = 0;
    while let Ok(chunk) = extent.read(offset, u64::MAX) {
        if chunk.bytes.is_empty() {
            break;
        }
        if chunk.offset > offset {
            bytes.extend_from_slice(texts::bytes_omitted(chunk.offset - offset).as_bytes());
        }
        offset = chunk.offset + chunk.bytes.len() as u64;
        bytes.extend(chunk.bytes);
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if session::has_terminal(folder) { terminal::plain(&text) } else { text }
}

/// The end of what was printed, in at most `bytes_max` bytes and whole characters; none when no output is kept.
pub(crate) fn tail(folder: &Path, bytes_max: usize) -> Option<String> {
    let extent = Extent::open(folder).ok()?;
    let end = extent.end();
    let mut offset = end.saturating_sub(bytes_max as u64);
    let begins_inside = offset > 0;
    let mut bytes = Vec::new();
    while offset < end {
        let chunk = extent.read(offset, end - offset).ok()?;
        if chunk.bytes.is_empty() {
            break;
        }
        if chunk.offset > offset {
            // Bytes between were lost: only what follows them is the end.
            bytes.clear();
        }
        offset = chunk.offset + chunk.bytes.len() as u64;
        bytes.extend(chunk.bytes);
    }
    let rest_of_character = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let from = if begins_inside { bytes.iter().take(3).take_while(rest_of_character).count() } else { 0 };
    let to = bytes.len() - cut_character(&bytes);
    let text = String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default());
    let text = if session::has_terminal(folder) { Cow::Owned(terminal::plain(&text)) } else { text };
    // A byte that is no text is shown with three, so the text may be longer than its bytes were.
    Some(text[text.ceil_char_boundary(text.len().saturating_sub(bytes_max))..].to_owned())
}

/// Bytes at the end that may become a character when more come.
pub(super) fn cut_character(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    (0..tail.len())
        .find(|start| std::str::from_utf8(&tail[*start..]).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none()))
        .map_or(0, |start| tail.len() - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(folder: &Path, bytes_max: u64, pieces: &[&[u8]]) -> Writer {
        let mut writer = Writer::new(create_head(folder).unwrap(), folder, bytes_max);
        pieces.iter().for_each(|piece| writer.write(piece));
        assert_eq!(writer.error(), None);
        writer
    }

    #[test]
    fn output_within_the_cap_is_whole() {
        for length in 0..=20 {
            let temp = tempfile::tempdir().unwrap();
            let text: String = ('a'..='z').take(length).collect();
            write_all(temp.path(), 20, &[text.as_bytes()]);
            assert_eq!(whole(temp.path()), text);
        }
    }

    #[test]
    fn beyond_the_cap_both_ends_stay() {
        // Every way to cut the same text into pieces leaves the same files.
        let text = b"0123456789abcdefghijklmnopqrstuvwxyz";
        for size in 1..=text.len() {
            let temp = tempfile::tempdir().unwrap();
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            let writer = write_all(temp.path(), 20, &pieces);
            assert_eq!(writer.total(), 36);
            assert_eq!(whole(temp.path()), format!("0123456789{}qrstuvwxyz", texts::bytes_omitted(16)));
        }
    }

    #[test]
    fn a_follower_sees_each_byte_once_and_a_late_one_skips_what_is_lost() {
        let temp = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(create_head(temp.path()).unwrap(), temp.path(), 8);
        let mut seen = Vec::new();
        for byte in b'a'..=b'z' {
            writer.write(&[byte]);
            let chunk = since(temp.path(), seen.len() as u64, 100);
            assert_eq!(chunk.offset, seen.len() as u64);
            seen.extend(chunk.bytes);
        }
        assert_eq!(seen, (b'a'..=b'z').collect::<Vec<u8>>());
        assert_eq!(since(temp.path(), 5, 100), Chunk { offset: 22, bytes: b"wx".to_vec() });
        assert_eq!(since(temp.path(), 24, 100), Chunk { offset: 24, bytes: b"yz".to_vec() });
        assert_eq!(since(temp.path(), 26, 100).bytes, Vec::<u8>::new());
    }

    #[test]
    fn no_output_is_an_empty_text() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(whole(temp.path()), "");
        assert_eq!(since(temp.path(), 3, 9), Chunk { offset: 3, bytes: Vec::new() });
    }
    #[test]
    fn the_tail_is_the_end_however_the_output_lies_in_the_files() {
        let text = "0123456789abcdefghijklmnopqrstuvwxyz";
        for (length, bytes_max) in (0..=text.len()).flat_map(|length| (0..=10).map(move |bytes_max| (length, bytes_max))) {
            let temp = tempfile::tempdir().unwrap();
            write_all(temp.path(), 20, &[&text.as_bytes()[..length]]);
            let expected = &text[length.saturating_sub(bytes_max)..length];
            assert_eq!(tail(temp.path(), bytes_max).as_deref(), Some(expected), "{bytes_max} of {length}");
        }
    }

    #[test]
    fn a_tail_longer_than_what_is_kept_of_the_end_has_nothing_from_before_the_gap() {
        let temp = tempfile::tempdir().unwrap();
        write_all(temp.path(), 20, &[b"0123456789abcdefghijklmnopqrstuvwxyz"]);
        assert_eq!(tail(temp.path(), 30).as_deref(), Some("qrstuvwxyz"));
        assert_eq!(tail(temp.path(), 20).as_deref(), Some("qrstuvwxyz"));
    }

    #[test]
    fn a_tail_has_only_whole_characters_and_fits() {
        let ends = |bytes: &[u8], bytes_max: usize| {
            let temp = tempfile::tempdir().unwrap();
            write_all(temp.path(), 100, &[bytes]);
            tail(temp.path(), bytes_max).unwrap()
        };
        let crabs = "🦀🦀".as_bytes();
        let found: Vec<String> = (0..=8).map(|bytes_max| ends(crabs, bytes_max)).collect();
        assert_eq!(found, ["", "", "", "", "🦀", "🦀", "🦀", "🦀", "🦀🦀"]);
        assert_eq!(ends(&crabs[..7], 8), "🦀", "the last one is not whole yet");
        assert_eq!(ends(b"\x80a", 8), "\u{fffd}a", "what was printed as no text is shown as such");
        assert_eq!(ends(b"\xff\xff\xff", 3), "\u{fffd}");
    }

    #[test]
    fn a_ring_that_promises_more_than_it_has_takes_no_memory_for_it() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join(HEAD), "head").unwrap();
        for (written, size, expected) in
            [(1 << 40, 1 << 40, "headtail"), (u64::MAX, 1, "head"), (u64::MAX, u64::MAX, "head"), (0, 0, "head")]
        {
            let header = [u64::to_le_bytes(written), u64::to_le_bytes(size)].concat();
            std::fs::write(temp.path().join(TAIL), [header, b"tail".to_vec()].concat()).unwrap();
            let kept: String = whole(temp.path()).split(&texts::bytes_omitted((1 << 40) - 4)).collect();
            assert_eq!(kept, expected, "{written} of {size}");
        }
    }

    #[test]
    fn no_output_has_no_tail_and_an_empty_one_is_empty() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(tail(temp.path(), 9), None);
        assert_eq!(tail(&temp.path().join("none"), 9), None);
        write_all(temp.path(), 20, &[]);
        assert_eq!(tail(temp.path(), 9), Some(String::new()));
    }

    #[test]
    fn a_character_is_held_back_until_it_is_whole() {
        let crab = "🦀".as_bytes();
        for split in 1..4 {
            assert_eq!(cut_character(&[b"ab", &crab[..split]].concat()), split);
        }
        assert_eq!(cut_character("ab🦀".as_bytes()), 0);
        assert_eq!(cut_character(b"ab\xff"), 0, "a byte that can never be a character is not waited for");
        assert_eq!(cut_character(b""), 0);
    }
}
