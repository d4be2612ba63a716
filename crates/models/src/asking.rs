//! A request in the words of its protocol, before anything is sent.

use hyper::header::{HeaderName, HeaderValue};

#[derive(Debug)]
pub struct Asking {
    pub url: String,
    /// Beside those that every request has; the key is not among them.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Vec<u8>,
}
