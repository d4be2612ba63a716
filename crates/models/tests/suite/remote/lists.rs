//! Lists of models in every protocol, and every way in which one can be none.

use super::conversations::PROTOCOLS;
use super::talk::{KEY, Talk, remote};
use contract::body::FailureClass::{Auth, Overloaded, Permanent, RateLimited, Transient};
use contract::config::Protocol;
use models::{HttpLimits, Key, Offered, Remote};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

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

/// Lists these models, and says of each what stands beside it, with its status line; nothing where that is empty. Ends after
/// as many connections as there are questions.
fn shows(models: &'static [(&'static str, &'static str, &'static str)]) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        for _ in 0..=models.len() {
            let (mut connection, _) = listener.accept().unwrap();
            let (mut asked, mut piece) = (String::new(), [0; 4096]);
            while !(asked.ends_with('}') || asked.starts_with("GET") && asked.ends_with("\r\n\r\n")) {
                let count = connection.read(&mut piece).unwrap();
                assert!(count > 0, "{asked}");
                asked.push_str(std::str::from_utf8(&piece[..count]).unwrap());
            }
            let names: Vec<_> = models.iter().map(|(name, ..)| json!({ "name": name, "model": name })).collect();
            let list = json!({ "models": names }).to_string();
            let shown = models.iter().find(|(name, ..)| asked.contains(&format!("\"{name}\"")));
            let (status, body) = shown.map_or(("200 OK", list.as_str()), |(_, status, body)| (status, body));
            if !status.is_empty() {
                write!(connection, "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).unwrap();
            }
        }
    });
    (address, serving)
}

#[tokio::test]
async fn a_local_model_that_cannot_be_shown_hides_no_other() {
    let mut talk = Talk::with(Protocol::Ollama, MODELS);
    let (address, serving) = shows(&[
        ("gone", "404 Not Found", r#"{"error":"model 'gone' not found"}"#),
        ("broken", "500 Internal Server Error", r#"{"error":"no manifest"}"#),
        ("odd", "200 OK", "<html>"),
        ("good", "200 OK", r#"{"capabilities":["completion","tools"]}"#),
    ]);
    talk.endpoint.base_url = address;
    let offered = talk.remote.offered(&talk.endpoint).await.unwrap();
    let told: Vec<_> = offered.iter().map(|one| (one.model.as_str(), one.tools)).collect();
    assert_eq!(told, [("gone", Some(false)), ("broken", Some(false)), ("odd", Some(false)), ("good", Some(true))]);
    serving.join().unwrap();
    // Whoever hangs up says nothing about a model.
    let (address, serving) = shows(&[("cut", "", "")]);
    talk.endpoint.base_url = address;
    let failure = talk.remote.offered(&talk.endpoint).await.unwrap_err();
    assert_eq!(failure.class, Transient, "{}", failure.message);
    serving.join().unwrap();
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
