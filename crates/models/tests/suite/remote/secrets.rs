//! A key reaches its provider and nobody else.

use super::conversations::PROTOCOLS;
use super::talk::{KEY, Talk};
use contract::body::FailureClass;
use models::{HttpLimits, Key, Remote};
use std::sync::Arc;

#[tokio::test]
async fn a_key_is_found_when_it_is_needed_and_shown_to_nobody() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, "{\"text\":\"a\"}").say("go");
        assert!(!format!("{:?} {:?} {:?}", talk.remote, Key::new(KEY), talk.call()).contains(KEY));
        assert!(talk.ask().await.is_ok());

        let wrong = |value: &'static str| Remote::new(Arc::new(move |_: &str| Some(Key::new(value))), HttpLimits::default());
        talk.remote = wrong("Incorrect");
        let failure = talk.ask().await.unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (FailureClass::Auth, "status 401: [key] API key provided"), "{protocol:?}");
        talk.remote = wrong("two\nlines");
        let failure = talk.ask().await.unwrap_err();
        assert_eq!(failure.message, "the key `TEST_KEY` has characters that no header can carry");
        talk.remote = wrong("  ");
        assert_eq!(talk.ask().await.unwrap_err().message, "the key `TEST_KEY` is not set");
        talk.endpoint.key = Some("OTHER".into());
        talk.remote = super::talk::remote(HttpLimits::default());
        let failure = talk.ask().await.unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (FailureClass::Auth, "the key `OTHER` is not set"));
    }
}
