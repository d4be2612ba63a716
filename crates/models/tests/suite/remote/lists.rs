//! Lists of models in every protocol, and every way in which one can be none.

use super::conversations::PROTOCOLS;
use super::talk::{KEY, Talk, remote};
use contract::body::FailureClass::{Auth, Overloaded, Permanent, RateLimited, Transient};
use contract::config::Protocol;
use models::{HttpLimits, Key, Offered, Remote};
use std::sync::Arc;

const MODELS: &str = r#"{"models": [{"id": "large-1", "tools": true}, {"id": "small-1", "tools": false}]}"#;

#[tokio::test]
async fn the_models_of_a_provider_are_listed_in_its_order() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, MODELS);
        // Nobody has to know the name of a model to ask for all of them.
        talk.endpoint.model = String::new();
        let said = |tools: bool| if protocol == Protocol::Anthropic { None } else { Some(tools) };
        let expected = [("large-1", said(true)), ("small-1", said(false))];
        let expected = expected.map(|(model, tools)| Offered { model: model.to_owned(), tools });
        assert_eq!(talk.remote.offered(&talk.endpoint).await.unwrap(), expected, "{protocol:?}");
        let asked: Vec<String> = talk.provider.requests().iter().map(|sent| format!("{} {}", sent.method, sent.path)).collect();
        let expected: &[&str] = match protocol {
            Protocol::OpenaiChat | Protocol::OpenaiResponses => &["GET /v1/models"],
            Protocol::Anthropic => &["GET /v1/models?limit=1000"],
            Protocol::Ollama => &["GET /api/tags", "POST /api/show", "POST /api/show"],
        };
        assert_eq!(asked, expected, "{protocol:?}");
    }
}

#[tokio::test]
async fn more_models_than_a_page_has_by_itself_are_one_list() {
    let models: Vec<String> = (0..50).map(|number| format!("{{\"id\": \"model-{number}\"}}")).collect();
    let talk = Talk::with(Protocol::Anthropic, &format!("{{\"models\": [{}]}}", models.join(",")));
    let offered = talk.remote.offered(&talk.endpoint).await.unwrap();
    assert_eq!((offered.len(), offered[49].model.as_str()), (50, "model-49"));
}

#[tokio::test]
async fn a_list_that_cannot_be_had_says_why() {
    for protocol in PROTOCOLS {
        for (fault, class, message) in [
            ("auth", Auth, "status 401: Incorrect API key provided"),
            ("server_error", Transient, "status 500: Internal server error"),
            ("rate_limited", RateLimited, "status 429: Rate limit reached"),
            ("overloaded", Overloaded, "status 529: Overloaded"),
            ("garbage", Permanent, "status 200: no list of models"),
            ("content_type", Permanent, "status 200: no list of models"),
            ("cut_text", Transient, "the connection was lost: "),
            ("silent", Transient, "the server sent nothing for 100 ms"),
        ] {
            let mut talk = Talk::with(protocol, &MODELS.replacen('{', &format!("{{\"fault\": \"{fault}\", "), 1));
            talk.remote = remote(HttpLimits { silent_ms_max: 100, ..HttpLimits::default() });
            let failure = talk.remote.offered(&talk.endpoint).await.unwrap_err();
            assert_eq!(failure.class, class, "{protocol:?}: {fault}: {}", failure.message);
            assert!(failure.message.starts_with(message), "{protocol:?}: {fault}: {}", failure.message);
        }
        let talk = Talk::with(protocol, r#"{"models": [{"id": "x"}], "fault": "empty"}"#);
        assert_eq!(talk.remote.offered(&talk.endpoint).await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_list_is_for_whoever_has_the_key_and_shows_it_to_nobody() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, MODELS);
        let wrong = |value: &'static str| Remote::new(Arc::new(move |_: &str| Some(Key::new(value))), HttpLimits::default());
        talk.remote = wrong("Incorrect");
        let failure = talk.remote.offered(&talk.endpoint).await.unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (Auth, "status 401: [key] API key provided"), "{protocol:?}");
        talk.remote = wrong("two\nlines");
        let failure = talk.remote.offered(&talk.endpoint).await.unwrap_err();
        assert_eq!(failure.message, "the key `TEST_KEY` has characters that no header can carry");
        talk.remote = wrong(" ");
        assert_eq!(talk.remote.offered(&talk.endpoint).await.unwrap_err().message, "the key `TEST_KEY` is not set");
        talk.endpoint.base_url = format!("http://user:{KEY}@127.0.0.1:1");
        let failure = talk.remote.offered(&talk.endpoint).await.unwrap_err();
        assert!(failure.class == Permanent && !failure.message.contains(KEY), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_model_that_is_not_there_is_not_asked() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, &format!("{MODELS}\n{{\"text\": \"here\"}}")).say("go");
        assert_eq!(talk.ask().await.unwrap_err().class, Permanent, "{protocol:?}");
        talk.endpoint.model = "large-1".to_owned();
        assert!(talk.ask().await.is_ok(), "{protocol:?}");
    }
}
