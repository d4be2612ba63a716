//! A request before it is sent, and where it goes.

use crate::HttpError;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Uri};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

pub(crate) const PRODUCT: &str = concat!("throughline/", env!("CARGO_PKG_VERSION"));

/// A JSON body for an address.
pub struct Post {
    head: Head,
    body: Vec<u8>,
}

/// A question that is all in its address.
pub struct Get {
    head: Head,
}

/// What both have.
struct Head {
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A server as connections tell them apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub secure: bool,
    pub host: String,
    pub port: u16,
}

impl Post {
    #[must_use]
    pub fn new(url: String, body: Vec<u8>) -> Post {
        Post { head: Head { url, headers: Vec::new() }, body }
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Post {
        self.head.headers.push((name, value));
        self
    }

    pub(crate) fn into_request(mut self) -> Result<(Origin, Request<Whole>), HttpError> {
        self.head.headers.insert(0, (CONTENT_TYPE, HeaderValue::from_static("application/json")));
        self.head.into_request(Method::POST, Whole(Some(Bytes::from(self.body))))
    }
}

impl Get {
    #[must_use]
    pub fn new(url: String) -> Get {
        Get { head: Head { url, headers: Vec::new() } }
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Get {
        self.head.headers.push((name, value));
        self
    }

    pub(crate) fn into_request(self) -> Result<(Origin, Request<Whole>), HttpError> {
        self.head.into_request(Method::GET, Whole::empty())
    }
}

impl Head {
    fn into_request(self, method: Method, body: Whole) -> Result<(Origin, Request<Whole>), HttpError> {
        let uri: Uri = self.url.parse().map_err(|_| HttpError::Malformed("its address is none".to_owned()))?;
        let origin = origin(&uri).map_err(|reason| HttpError::Malformed(reason.to_owned()))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::builder().method(method).uri(path).header(HOST, origin.authority()).header(USER_AGENT, PRODUCT);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let request = request.body(body).map_err(|error| HttpError::Malformed(error.to_string()))?;
        Ok((origin, request))
    }
}

/// The server of an address, or what is wrong with the address.
pub fn origin(uri: &Uri) -> Result<Origin, &'static str> {
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err("it begins neither with http:// nor with https://"),
    };
    let authority = uri.authority().ok_or("it names no host")?;
    // It would be stored with the configuration, where no secret may be.
    if authority.as_str().contains('@') {
        return Err("it contains a user or a password");
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
    if host.is_empty() {
        return Err("it names no host");
    }
    Ok(Origin { secure, host, port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }) })
}

impl Origin {
    /// As the `Host` header and errors write it.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match (self.secure, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }
}

/// A body that is sent in one piece.
#[derive(Debug)]
pub struct Whole(Option<Bytes>);

impl Whole {
    /// Of a request that has none.
    pub(crate) fn empty() -> Whole {
        Whole(None)
    }
}

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

/// Headers may hold a key.
impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Post").field("url", &self.head.url).field("body_bytes", &self.body.len()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Get {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Get").field("url", &self.head.url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<(bool, String, u16), &'static str> {
        origin(&url.parse().unwrap()).map(|origin| (origin.secure, origin.authority(), origin.port))
    }

    #[test]
    fn an_address_names_its_server() {
        assert_eq!(of("https://api.example/v1"), Ok((true, "api.example".into(), 443)));
        assert_eq!(of("http://[::1]:11434"), Ok((false, "[::1]:11434".into(), 11434)));
        assert_eq!(of("http://localhost:80/"), Ok((false, "localhost".into(), 80)));
        assert!(of("ftp://x/").is_err() && of("/only/a/path").is_err() && of("https://me:secret@x/").is_err());
    }
}
