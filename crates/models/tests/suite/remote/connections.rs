//! Connections: kept for the next request, closed with their future, plain without TLS.

use super::conversations::PROTOCOLS;
use super::talk::{Talk, remote};
use contract::body::FailureClass;
use contract::request::Item;
use contract::text::Text;
use models::HttpLimits;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use testkit::until::until;

#[tokio::test]
async fn one_connection_serves_a_conversation() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, "{\"text\":\"step {i}\",\"repeat\":5}").say("go");
        for _ in 0..5 {
            talk.turn().await;
            talk.items.push(Arc::new(Item::Message(Text::from("go on"))));
            settle().await;
        }
        assert_eq!(talk.provider.requests().len(), 5);
        assert!(talk.provider.opened() <= 2, "{protocol:?}: {} connections", talk.provider.opened());
        assert!(!talk.remote.has_tls());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_future_closes_the_connection() {
    for protocol in PROTOCOLS {
        let talk = Talk::with(protocol, r#"{"fault":"silent","text":"one two three"}"#).say("go");
        let (call, endpoint) = (talk.call(), talk.endpoint.clone());
        let Talk { provider, watcher, .. } = talk;
        let remote = remote(HttpLimits::default());
        let asking = tokio::spawn(async move { remote.reply(&call, &endpoint).await });
        tokio::task::block_in_place(|| until("the first words", || (!watcher.0.lock().unwrap().is_empty()).then_some(())));
        assert_eq!(provider.abandoned(), 0);
        asking.abort();
        tokio::task::block_in_place(|| until("the end of the connection", || (provider.abandoned() == 1).then_some(())));
    }
}

#[tokio::test]
async fn a_connection_that_its_server_has_closed_is_not_used_again() {
    let mut talk = Talk::with(PROTOCOLS[0], "{\"text\":\"a\"}").say("go");
    talk.turn().await;
    settle().await;
    talk.provider.hang_up();
    settle().await;
    talk.items.truncate(1);
    talk.turn().await;
    assert_eq!((talk.provider.opened(), talk.provider.requests().len()), (2, 2));
}

#[tokio::test]
async fn a_secure_address_sets_tls_up_and_no_secure_server_behind_it_is_no_answer() {
    let mut talk = Talk::with(PROTOCOLS[0], "{\"text\":\"a\"}").say("go");
    assert!(!talk.remote.has_tls());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    talk.endpoint.base_url = format!("https://{}/v1", listener.local_addr().unwrap());
    // Whoever comes is sent away before a word is said.
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let failure = talk.ask().await.unwrap_err();
    // A machine without certificates of authorities is told so instead.
    let expected = if talk.remote.has_tls() { FailureClass::Transient } else { FailureClass::Permanent };
    assert_eq!(failure.class, expected, "{}", failure.message);
}

#[tokio::test]
async fn an_answer_that_never_ends_is_given_up() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, "{\"text\":\"far more than a hundred bytes in any protocol\"}").say("go");
        talk.remote = remote(HttpLimits { body_bytes_max: 100, ..HttpLimits::default() });
        let failure = talk.ask().await.unwrap_err();
        assert_eq!(
            (failure.class, failure.message.as_str()),
            (FailureClass::Transient, "the answer is longer than 100 bytes"),
            "{protocol:?}"
        );
    }
    let mut talk = Talk::with(PROTOCOLS[0], "").say("go");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    talk.endpoint.base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        // Headers without an end, until nobody listens any more.
        while stream.write_all(b"x-more: and more and more and more and more\r\n").is_ok() {}
    });
    let failure = talk.ask().await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Transient, "{}", failure.message);
    assert!(failure.message.starts_with("the connection was lost: "), "{}", failure.message);
}

/// What goes on beside a conversation, such as the end of an answer, has its turn; this runtime has one thread.
async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}
