//! A server that answers as it is told, and remembers what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What comes back for a path.
pub enum Reply {
    /// These bytes, then the end.
    Whole(Vec<u8>),
    /// These bytes, then nothing until the visitor leaves.
    Hang(Vec<u8>),
    /// These bytes, then one more again and again.
    Drip(Vec<u8>),
}

#[derive(Clone)]
pub struct Server {
    pub at: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    /// A visitor left before the answer was over.
    pub left: Arc<Notify>,
}

impl Server {
    pub async fn start(ip: &str, answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let server = Server { at: listener.local_addr().unwrap(), heads: Arc::default(), left: Arc::default() };
        let (shared, answer) = (server.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone(), answer.clone()));
            }
        });
        server
    }

    /// The heads of all requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// The paths of all requests so far.
    pub fn paths(&self) -> Vec<String> {
        self.asked().iter().map(|head| head.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.at)
    }
}

async fn serve(mut stream: TcpStream, server: Server, answer: Arc<impl Fn(&str) -> Reply>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    server.heads.lock().unwrap().push(head);
    let (bytes, drips) = match answer(&path) {
        Reply::Whole(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            return;
        }
        Reply::Hang(bytes) => (bytes, false),
        Reply::Drip(bytes) => (bytes, true),
    };
    let _ = stream.write_all(&bytes).await;
    while drips && stream.write_all(b"x").await.is_ok() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mut rest = [0; 1];
    while matches!(stream.read(&mut rest).await, Ok(1)) {}
    server.left.notify_one();
}

/// An answer of this status with these headers and this body.
pub fn answer(status: u16, headers: &str, body: &[u8]) -> Reply {
    Reply::Whole([head(status, headers, body.len()).as_bytes(), body].concat())
}

pub fn head(status: u16, headers: &str, length: usize) -> String {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n")
}

pub fn to(location: &str) -> Reply {
    answer(302, &format!("location: {location}\r\nset-cookie: a=b\r\n"), b"")
}

pub fn text(body: &str) -> Reply {
    answer(200, "content-type: text/plain\r\n", body.as_bytes())
}
