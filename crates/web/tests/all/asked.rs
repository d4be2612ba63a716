//! A server that somebody configured, asked without a body: the limits of every request hold.

use crate::server::{Reply, Server, answer, head, text, to};
use hyper::header::{HeaderName, HeaderValue};
use web::{Client, Get, HttpError, HttpLimits};

const KEY: HeaderName = HeaderName::from_static("x-key");

fn get(server: &Server, path: &str) -> Get {
    Get::new(server.url(path)).header(KEY, HeaderValue::from_static("canary"))
}

#[tokio::test]
async fn a_question_has_its_query_its_headers_and_no_body() {
    let server = Server::start("127.0.0.1", |_| text("[1]")).await;
    let get = get(&server, "/v1/models?limit=2");
    assert!(!format!("{get:?}").contains("canary"));
    let answer = Client::new(HttpLimits::default()).get(get).await.unwrap();
    assert_eq!((answer.status(), answer.whole(100).await.unwrap()), (200, b"[1]".to_vec()));
    let asked = server.asked().remove(0).to_lowercase();
    assert!(asked.starts_with("get /v1/models?limit=2 http/1.1\r\n"), "{asked}");
    assert!(asked.contains("x-key: canary\r\n") && asked.contains(&format!("host: {}\r\n", server.at)), "{asked}");
    assert!(!asked.contains("content-length") && !asked.contains("content-type"), "{asked}");
}

#[tokio::test]
async fn nobody_is_sent_elsewhere_with_a_key() {
    let elsewhere = Server::start("127.0.0.1", |_| text("inside")).await;
    let there = elsewhere.url("/");
    let server = Server::start("127.0.0.1", move |_| to(&there)).await;
    let answer = Client::new(HttpLimits::default()).get(get(&server, "/")).await.unwrap();
    assert_eq!((answer.status(), elsewhere.asked().len()), (302, 0));
}

#[tokio::test]
async fn what_is_late_lost_or_too_long_is_none() {
    let server = Server::start("127.0.0.1", |path| match path {
        "/silent" => Reply::Hang(Vec::new()),
        "/stops" => Reply::Hang(head(200, "", 10).into_bytes()),
        "/cut" => Reply::Whole([head(200, "", 10).as_bytes(), b"half"].concat()),
        _ => answer(200, "", &[b'x'; 101]),
    })
    .await;
    let client = Client::new(HttpLimits { head_ms_max: 100, silent_ms_max: 100, ..HttpLimits::default() });
    let whole = async |path: &str| client.get(get(&server, path)).await?.whole(100).await;
    assert!(matches!(whole("/silent").await, Err(HttpError::Silent { ms: 100 })));
    assert!(matches!(whole("/stops").await, Err(HttpError::Silent { ms: 100 })));
    assert!(matches!(whole("/cut").await, Err(HttpError::Cut(_))));
    assert!(matches!(whole("/long").await, Err(HttpError::TooLong { bytes: 100 })));
    for bad in ["", "x", "ftp://x/", "http://me:canary@x/"] {
        assert!(matches!(client.get(Get::new(bad.to_owned())).await, Err(HttpError::Malformed(_))), "{bad}");
    }
}

#[tokio::test]
async fn dropping_the_future_leaves_the_server() {
    let server = Server::start("127.0.0.1", |_| Reply::Hang(Vec::new())).await;
    let client = Client::new(HttpLimits::default());
    let asking = get(&server, "/");
    let asking = tokio::spawn(async move { client.get(asking).await.map(|answer| answer.status()) });
    while server.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    asking.abort();
    server.left.notified().await;
}
