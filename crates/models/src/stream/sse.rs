//! Server-sent events as the standard has them, without what a model's answer never uses: ids and reconnection.

use super::lines::Splitter;
use super::{BadStream, EVENT_BYTES_MAX, Event};

const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Debug, Default)]
pub struct Sse {
    lines: Splitter,
    begun: Begun,
}

/// The event whose empty line has not come yet.
#[derive(Debug, Default)]
struct Begun {
    name: String,
    data: String,
    has_data: bool,
    /// Only the first line of a stream may begin with a byte order mark.
    is_later_line: bool,
}

impl Sse {
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<Event>, BadStream> {
        let mut found = Vec::new();
        let begun = &mut self.begun;
        self.lines.push(piece, |line| {
            found.extend(begun.line(line)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Servers that end without the empty line still mean their last event; whether it is whole, its data tells.
    pub fn end(self) -> Result<Option<Event>, BadStream> {
        let Sse { lines, mut begun } = self;
        let last = lines.end()?;
        if !last.is_empty() {
            begun.line(&last)?;
        }
        begun.line("")
    }
}

impl Begun {
    /// The event that this line ends, if it does.
    fn line(&mut self, mut line: &str) -> Result<Option<Event>, BadStream> {
        if !std::mem::replace(&mut self.is_later_line, true) {
            line = line.trim_start_matches(BYTE_ORDER_MARK);
        }
        if line.is_empty() {
            let Begun { name, data, has_data, .. } = std::mem::take(self);
            self.is_later_line = true;
            return Ok(has_data.then_some(Event { name, data }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add(value)?,
            "event" => value.clone_into(&mut self.name),
            // A comment has no field; ids and reconnection times change nothing here.
            _ => {}
        }
        Ok(None)
    }

    fn add(&mut self, value: &str) -> Result<(), BadStream> {
        if self.data.len() + value.len() >= EVENT_BYTES_MAX {
            return Err(BadStream::TooLong);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push('\n');
        }
        self.data.push_str(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lines;
    use super::*;
    use damage::damaged;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    fn named(name: &str, data: &str) -> Event {
        Event { name: name.into(), data: data.into() }
    }

    fn read(bytes: &[u8]) -> Result<Vec<Event>, BadStream> {
        read_pieces(&[bytes])
    }

    fn read_pieces(pieces: &[&[u8]]) -> Result<Vec<Event>, BadStream> {
        let (mut sse, mut events) = (Sse::default(), Vec::new());
        for piece in pieces {
            events.extend(sse.push(piece)?);
        }
        events.extend(sse.end()?);
        Ok(events)
    }

    fn read_lines(pieces: &[&[u8]]) -> Result<Vec<Event>, BadStream> {
        let (mut lines, mut events) = (Lines::default(), Vec::new());
        for piece in pieces {
            events.extend(lines.push(piece)?);
        }
        events.extend(lines.end()?);
        Ok(events)
    }

    #[test]
    fn fields_comments_and_ends_of_lines_are_read_as_the_standard_says() {
        let stream = "\u{feff}data: a\n\n: keep-alive\r\n\r\nevent: ping\r\ndata:b\r\ndata:  c\r\n\r\nid: 7\nretry: 5\ndata\ndata: d\n\nevent: lonely\n\ndata: \r\rdata: last";
        let expected = [named("", "a"), named("ping", "b\n c"), named("", "\nd"), named("", ""), named("", "last")];
        assert_eq!(read(stream.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn an_endless_event_and_one_that_is_no_text_are_refused() {
        let line = [b"data: ".as_slice(), &vec![b'x'; EVENT_BYTES_MAX / 2], b"\n"].concat();
        assert_eq!(read_pieces(&[&line, &line]), Err(BadStream::TooLong));
        assert_eq!(read_pieces(&[&vec![b'x'; EVENT_BYTES_MAX], b"x"]), Err(BadStream::TooLong));
        assert_eq!(read(b"data: \xff\n\n"), Err(BadStream::NotText));
    }

    /// The pieces of these bytes between any places.
    fn cut<'a>(bytes: &'a [u8], places: &[Index]) -> Vec<&'a [u8]> {
        let mut places: Vec<usize> = places.iter().map(|place| place.index(bytes.len() + 1)).collect();
        places.sort_unstable();
        places.push(bytes.len());
        let mut from = 0;
        places.into_iter().map(|to| &bytes[std::mem::replace(&mut from, to)..to]).collect()
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let line =
            prop_oneof!["data: [a-zé中🦀:]{0,9}", Just("data".to_owned()), "event: [a-z_]{0,4}", ": [ -~]{0,5}", Just(String::new())];
        let end = prop::sample::select(vec!["\n", "\r\n", "\r"]);
        vec((line, end), 0..20).prop_map(|lines| lines.into_iter().flat_map(|(line, end)| (line + end).into_bytes()).collect())
    }

    proptest! {
        #[test]
        fn the_pieces_in_which_a_stream_comes_do_not_matter(bytes in prop_oneof![stream(), damaged(stream())], places in vec(any::<Index>(), 0..12)) {
            prop_assert_eq!(read_pieces(&cut(&bytes, &places)), read(&bytes));
            prop_assert_eq!(read_lines(&cut(&bytes, &places)), read_lines(&[&bytes]));
        }

        #[test]
        fn what_is_written_is_read(events in vec(("[a-z_]{0,6}", vec("[ -~é中🦀]{0,9}", 1..4)), 0..6)) {
            let lines = |(name, data): &(String, Vec<String>)| {
                let data: Vec<String> = data.iter().map(|line| format!("data: {line}\n")).collect();
                format!("event: {name}\n{}\n", data.concat())
            };
            let stream: String = events.iter().map(lines).collect();
            let expected: Vec<Event> = events.iter().map(|(name, data)| named(name, &data.join("\n"))).collect();
            prop_assert_eq!(read(stream.as_bytes()).unwrap(), expected);
        }
    }
}
