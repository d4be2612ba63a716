//! Every way in which a provider fails has its class, and never leaves half an answer.

use super::conversations::PROTOCOLS;
use super::talk::{Talk, remote, said};
use contract::body::FailureClass::{self, Auth, ContextTooLong, Overloaded, Permanent, RateLimited, Transient};
use contract::config::Protocol;
use models::HttpLimits;

/// Fault, class, wait, and words of the message.
const TABLE: [(&str, FailureClass, Option<u64>, &str); 19] = [
    ("rate_limited", RateLimited, Some(7_000), "status 429: Rate limit reached"),
    ("rate_limited_until", RateLimited, Some(10_000), "status 429: Rate limit reached"),
    ("quota", Permanent, None, "status 429: You exceeded your current quota"),
    ("overloaded", Overloaded, None, "status 529: Overloaded"),
    ("server_error", Transient, None, "status 500: Internal server error"),
    ("context_too_long", ContextTooLong, None, "status 400: prompt is too long"),
    ("auth", Auth, None, "status 401: Incorrect API key provided"),
    ("bad_request", Permanent, None, "status 400: Unknown parameter"),
    ("cut_text", Transient, None, "the connection was lost"),
    ("cut_arguments", Transient, None, "the connection was lost"),
    ("ends_early", Transient, None, "the answer ended before its end"),
    ("garbage", Transient, None, "the answer cannot be read"),
    ("silent", Transient, None, "the server sent nothing for 100 ms"),
    ("content_type", Permanent, None, "status 200: text/html instead of"),
    ("broken_json", Transient, None, "status 200: the answer is no JSON"),
    ("error_in_stream", Overloaded, None, "error inside the answer: Overloaded"),
    ("empty", Transient, None, "the answer was empty"),
    ("output_limit", Permanent, None, "the reply was cut at the limit of output tokens"),
    ("refused", Permanent, None, "the provider stopped the reply"),
];

#[tokio::test]
async fn every_fault_has_its_class_and_the_next_attempt_answers() {
    for protocol in PROTOCOLS {
        for (fault, class, retry_after_ms, message) in TABLE {
            // Ollama has sentences but no words for its errors, and does not refuse.
            let class = match (protocol, fault) {
                (Protocol::Ollama, "quota") => RateLimited,
                (Protocol::Ollama, "error_in_stream") => Transient,
                (Protocol::Ollama, "refused") => continue,
                _ => class,
            };
            let line = r#""text":"one two three","calls":[{"tool":"shell","args":{"command":"ls -la /tmp"}}]"#;
            let script = format!("{{\"fault\":\"{fault}\",{line}}}\n{{\"text\":\"well\"}}");
            let mut talk = Talk::with(protocol, &script).say("go");
            if fault == "silent" {
                // Whoever waits for silence need not wait long.
                talk.remote = remote(HttpLimits { silent_ms_max: 100, ..HttpLimits::default() });
            }
            let failure = talk.ask().await.expect_err(&format!("{protocol:?} {fault}"));
            assert_eq!((failure.class, failure.retry_after_ms), (class, retry_after_ms), "{protocol:?} {fault}: {}", failure.message);
            // There it may be the answer that was asked for, so it is read like one.
            let message = if (protocol, fault) == (Protocol::Ollama, "broken_json") { "the answer ended before its end" } else { message };
            assert!(failure.message.starts_with(message), "{protocol:?} {fault}: {}", failure.message);
            talk.remote = remote(HttpLimits::default());
            assert_eq!(said(&talk.ask().await.unwrap()).0, "well", "{protocol:?} {fault}");
        }
    }
}

#[tokio::test]
async fn a_wait_in_milliseconds_counts_before_one_in_seconds() {
    for protocol in PROTOCOLS {
        let talk = Talk::with(protocol, "{\"fail\":{\"class\":\"rate_limited\",\"retry_after_ms\":250}}").say("go");
        let failure = talk.ask().await.unwrap_err();
        assert_eq!((failure.class, failure.retry_after_ms), (RateLimited, Some(250)), "{protocol:?}");
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_a_failure_that_may_pass() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, "").say("go");
        // The port was free a moment ago, and nothing listens on it now.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        talk.endpoint.base_url = format!("http://{free}/v1");
        let failure = talk.ask().await.unwrap_err();
        assert_eq!(failure.class, Transient, "{}", failure.message);
        assert!(failure.message.contains("cannot be reached"), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_configuration_that_cannot_work_is_never_asked_again() {
    let mut talk = Talk::with(PROTOCOLS[0], "").say("go");
    talk.endpoint.base_url = "localhost:1234".into();
    assert_eq!(talk.ask().await.unwrap_err().class, Permanent);
    talk.endpoint.base_url = format!("{}/nowhere", talk.provider.address());
    let failure = talk.ask().await.unwrap_err();
    assert_eq!(failure.class, Permanent, "{}", failure.message);
    assert!(failure.message.starts_with("status 404: no route POST /nowhere"), "{}", failure.message);
}
