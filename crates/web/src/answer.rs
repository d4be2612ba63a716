//! An answer as it comes: its head, then its body piece by piece, within its limits.

use crate::limits::{END_MS_MAX, HttpLimits};
use crate::pool::{Line, Pool};
use crate::post::Origin;
use crate::{Chunk, HttpError, cut};
use hyper::Response;
use hyper::body::{Body, Incoming};
use hyper::header::HeaderName;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug)]
pub struct Answer {
    response: Response<Incoming>,
    line: Line,
    origin: Origin,
    pool: Arc<Pool>,
    limits: HttpLimits,
    read_bytes: usize,
}

impl Answer {
    pub(crate) fn new(response: Response<Incoming>, line: Line, origin: Origin, pool: Arc<Pool>, limits: HttpLimits) -> Answer {
        Answer { response, line, origin, pool, limits, read_bytes: 0 }
    }

    #[must_use]
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The value of a header, if it is text.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// The next piece of the body, or nothing at its end.
    pub async fn chunk(&mut self) -> Result<Option<Chunk>, HttpError> {
        let silent = Duration::from_millis(self.limits.silent_ms_max);
        let next = tokio::time::timeout(silent, next(self.response.body_mut())).await;
        let chunk = next.map_err(|_| HttpError::Silent { ms: self.limits.silent_ms_max })??;
        self.read_bytes += chunk.as_ref().map_or(0, Chunk::len);
        if self.read_bytes > self.limits.body_bytes_max {
            return Err(HttpError::TooLong { bytes: self.limits.body_bytes_max });
        }
        Ok(chunk)
    }

    /// The beginning of the body, for those who only want to know what it says.
    pub async fn beginning(mut self, bytes_max: usize) -> Vec<u8> {
        let mut read = Vec::new();
        while read.len() < bytes_max {
            match self.chunk().await {
                Ok(Some(chunk)) => read.extend_from_slice(&chunk),
                Ok(None) => {
                    self.keep_connection();
                    break;
                }
                // What came before it was lost still says something.
                Err(_) => break,
            }
        }
        read.truncate(bytes_max);
        read
    }

    /// The body as a whole; one that is lost or longer than this is none.
    pub async fn whole(mut self, bytes_max: usize) -> Result<Vec<u8>, HttpError> {
        let mut read = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if read.len() + chunk.len() > bytes_max {
                return Err(HttpError::TooLong { bytes: bytes_max });
            }
            read.extend_from_slice(&chunk);
        }
        self.keep_connection();
        Ok(read)
    }

    /// Everything wanted was read: the connection is kept for the next request if the answer ends soon.
    pub fn keep_connection(self) {
        let Answer { response, line, origin, pool, .. } = self;
        tokio::spawn(async move {
            let mut body = response.into_body();
            let end = async {
                loop {
                    match next(&mut body).await {
                        Ok(Some(_)) => {}
                        Ok(None) => return true,
                        Err(_) => return false,
                    }
                }
            };
            if let Ok(true) = tokio::time::timeout(Duration::from_millis(END_MS_MAX), end).await {
                pool.give_back(origin, line);
            }
        });
    }
}

/// The next piece of a body, or nothing at its end.
pub(crate) async fn next(body: &mut Incoming) -> Result<Option<Chunk>, HttpError> {
    loop {
        match poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
            None => return Ok(None),
            Some(Err(error)) => return Err(cut(&error)),
            Some(Ok(frame)) => {
                // Trailers say nothing that anyone here reads.
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}
