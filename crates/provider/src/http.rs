//! As much of HTTP/1.1 as a provider needs, and the ways in which a connection can go wrong.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};

/// Bytes of a piece of a streamed answer: small and odd, so that events and characters are split everywhere.
const PIECE_BYTES: usize = 61;
/// Bytes of a request that are read.
const BODY_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Null where it was no JSON.
    pub body: Value,
}

impl Recorded {
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    pub end: End,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it should; in pieces where it is a stream.
    Whole,
    Streamed,
    /// The connection is closed instead of the end.
    Cut,
    /// Nothing more comes, and the connection stays.
    Silent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Next,
    Closed,
    /// The client went away before the end.
    Abandoned,
}

#[derive(Debug)]
pub struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        Ok(Connection { reader: BufReader::new(stream) })
    }

    /// The next request, or nothing when the client has closed.
    pub fn read(&mut self) -> io::Result<Option<Recorded>> {
        let Some(first) = self.line()? else { return Ok(None) };
        let mut words = first.split(' ');
        let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
        let mut headers = Vec::new();
        while let Some(line) = self.line()?.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Recorded { method, path, headers, body: Value::Null };
        let bytes = request.header("content-length").and_then(|length| length.parse::<u64>().ok()).unwrap_or(0);
        let mut body = Vec::new();
        self.reader.by_ref().take(bytes.min(BODY_BYTES_MAX)).read_to_end(&mut body)?;
        request.body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(Some(request))
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        match self.reader.read_line(&mut line)? {
            0 => Ok(None),
            _ => Ok(Some(line.trim_end().to_owned())),
        }
    }

    pub fn write(&mut self, answer: &Answer) -> io::Result<After> {
        let mut head = format!("HTTP/1.1 {} Scripted\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n", answer.status);
        for (name, value) in &answer.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let stream = self.reader.get_mut();
        if answer.end == End::Whole {
            head += &format!("content-length: {}\r\n\r\n", answer.body.len());
            stream.write_all(&[head.as_bytes(), &answer.body].concat())?;
            return Ok(After::Next);
        }
        head += "transfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        let pieces = answer.body.chunks(PIECE_BYTES).map(|piece| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
        stream.write_all(&pieces.collect::<Vec<_>>().concat())?;
        match answer.end {
            End::Whole | End::Streamed => {
                stream.write_all(b"0\r\n\r\n")?;
                Ok(After::Next)
            }
            End::Cut => {
                stream.shutdown(Shutdown::Both)?;
                Ok(After::Closed)
            }
            End::Silent => {
                // Nothing is expected but the end.
                let _ = io::copy(&mut self.reader, &mut io::sink());
                Ok(After::Abandoned)
            }
        }
    }
}
