//! Opens a connection: names, TCP, TLS where the address asks for it, HTTP/1.1 on top.

use crate::limits::{HEAD_BYTES_MAX, HEADERS_MAX, HttpLimits};
use crate::pool::Line;
use crate::post::{Origin, Whole};
use crate::{HttpError, cut, tls};
use hyper::client::conn::http1::Builder;
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

pub async fn connect(origin: &Origin, limits: &HttpLimits, tls: &tls::Lazy) -> Result<Line, HttpError> {
    let opening = async {
        let stream = TcpStream::connect((origin.host.as_str(), origin.port)).await;
        let stream = stream.map_err(|error| HttpError::Connect { address: origin.authority(), reason: error.to_string() })?;
        over(origin, stream, tls).await
    };
    match tokio::time::timeout(Duration::from_millis(limits.connect_ms_max), opening).await {
        Ok(opened) => opened,
        Err(_) => Err(HttpError::ConnectTime { address: origin.authority(), ms: limits.connect_ms_max }),
    }
}

/// HTTP on a connection that stands.
pub async fn over(origin: &Origin, stream: TcpStream, tls: &tls::Lazy) -> Result<Line, HttpError> {
    // Small requests must not wait for the acknowledgement of the last one.
    let _ = stream.set_nodelay(true);
    if origin.secure { speak(tls.wrap(origin, stream).await?).await } else { speak(stream).await }
}

async fn speak<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(stream: S) -> Result<Line, HttpError> {
    let mut builder = Builder::new();
    builder.max_buf_size(HEAD_BYTES_MAX).max_headers(HEADERS_MAX);
    let (sender, connection) = builder.handshake::<_, Whole>(TokioIo::new(stream)).await.map_err(|error| cut(&error))?;
    // Its end is seen by whoever holds the other half.
    let task = tokio::spawn(async move { drop(connection.await) });
    Ok(Line { sender, task: task.abort_handle() })
}
