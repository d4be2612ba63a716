//! Our own HTTP client, over HTTP/1.1 with or without TLS.
//!
//! [`Client`] asks a server that somebody configured: one request out, a streamed answer back; it follows no redirects
//! and repeats nothing that a server may have seen, so that no attempt is hidden from the log. [`Visitor`] gets any public
//! address that a stranger may have written, and nothing else. Both own connections and their limits; neither reads proxy
//! settings, keeps cookies, or knows about models and tools.

mod address;
mod answer;
mod connect;
mod limits;
pub mod page;
mod pool;
mod post;
mod public;
mod resolve;
mod tls;
mod visit;

pub use address::{ADDRESS_BYTES_MAX, Address, BadAddress, Host};
pub use answer::Answer;
pub use limits::{HttpLimits, VisitLimits};
pub use post::{Get, Post, origin};
pub use public::is_public;
pub use resolve::{Addresses, Resolve, System};
pub use visit::{Page, Reach, VisitError, Visitor};

use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::{Request, Response};
use pool::{Line, Pool};
use post::{Origin, Whole};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("{address} cannot be reached: {reason}")]
    Connect { address: String, reason: String },
    #[error("{address} did not accept a connection within {ms} ms")]
    ConnectTime { address: String, ms: u64 },
    #[error("no secure connection to {address}: {reason}")]
    Tls { address: String, reason: String },
    #[error("no certificates of authorities were found on this machine: {0}")]
    NoAuthorities(String),
    #[error("the server sent nothing for {ms} ms")]
    Silent { ms: u64 },
    #[error("the connection was lost: {0}")]
    Cut(String),
    #[error("the answer is longer than {bytes} bytes")]
    TooLong { bytes: usize },
    /// What was to be sent is no request; nothing was sent.
    #[error("the request cannot be sent: {0}")]
    Malformed(String),
}

/// Connections to any number of servers. Cheap to make: nothing is opened or read before the first request.
#[derive(Debug)]
pub struct Client {
    limits: HttpLimits,
    pool: Arc<Pool>,
    tls: tls::Lazy,
}

impl Client {
    #[must_use]
    pub fn new(limits: HttpLimits) -> Client {
        Client { limits, pool: Arc::default(), tls: tls::Lazy::default() }
    }

    /// Whether the certificates of this machine have been read.
    #[must_use]
    pub fn has_tls(&self) -> bool {
        self.tls.is_set_up()
    }

    /// Sends the request and waits for the head of the answer. Dropping the future or the answer closes the connection.
    pub async fn post(&self, post: Post) -> Result<Answer, HttpError> {
        let (origin, request) = post.into_request()?;
        self.send(origin, request).await
    }

    /// The same without a body.
    pub async fn get(&self, get: Get) -> Result<Answer, HttpError> {
        let (origin, request) = get.into_request()?;
        self.send(origin, request).await
    }

    async fn send(&self, origin: Origin, mut request: Request<Whole>) -> Result<Answer, HttpError> {
        let silent = Duration::from_millis(self.limits.head_ms_max);
        let head = async {
            while let Some(line) = self.pool.take(&origin) {
                match exchange(line, request).await? {
                    Sent::Answered(line, response) => return Ok((line, response)),
                    // The server had closed it meanwhile; the request comes back unsent.
                    Sent::NotAtAll(again) => request = again,
                }
            }
            let line = connect::connect(&origin, &self.limits, &self.tls).await?;
            match exchange(line, request).await? {
                Sent::Answered(line, response) => Ok((line, response)),
                Sent::NotAtAll(_) => Err(HttpError::Cut("the server closed it before the request".to_owned())),
            }
        };
        let (line, response) = match tokio::time::timeout(silent, head).await {
            Ok(done) => done?,
            Err(_) => return Err(HttpError::Silent { ms: self.limits.head_ms_max }),
        };
        Ok(Answer::new(response, line, origin, self.pool.clone(), self.limits))
    }
}

enum Sent {
    Answered(Line, Response<Incoming>),
    NotAtAll(Request<Whole>),
}

async fn exchange(mut line: Line, request: Request<Whole>) -> Result<Sent, HttpError> {
    if is_gone(&mut line.sender).await {
        return Ok(Sent::NotAtAll(request));
    }
    match line.sender.try_send_request(request).await {
        Ok(response) => Ok(Sent::Answered(line, response)),
        Err(mut failed) => match failed.take_message() {
            Some(request) => Ok(Sent::NotAtAll(request)),
            None => Err(cut(failed.error())),
        },
    }
}

async fn is_gone(sender: &mut SendRequest<Whole>) -> bool {
    sender.ready().await.is_err()
}

/// The first words of the library name the part, its source the reason.
fn cut(error: &hyper::Error) -> HttpError {
    use std::error::Error;
    HttpError::Cut(error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}")))
}

/// A piece of a body.
pub type Chunk = Bytes;
