//! What a visitor reaches, and what it never does.

use crate::server::{Reply, Server, answer, head, text, to};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use web::{Address, Addresses, BadAddress, HttpError, Page, Reach, Resolve, VisitError, VisitLimits, Visitor};

/// Gives one list of addresses after the other, and the last one for ever.
#[derive(Debug, Default)]
struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn new(answers: &[&[&str]]) -> Arc<Names> {
        let answers = answers.iter().map(|list| list.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        Arc::new(Names { answers, asked: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        let mut asked = self.asked.lock().unwrap();
        let answer = self.answers.get(asked.len()).or(self.answers.last()).cloned().unwrap_or_default();
        asked.push(name.to_owned());
        Box::pin(async { Ok(answer) })
    }
}

fn visitor(names: &Arc<Names>, also: &[SocketAddr], limits: VisitLimits) -> Visitor {
    Visitor::new(Reach { resolver: names.clone(), also: BTreeSet::from_iter(also.iter().copied()) }, limits)
}

async fn get(visitor: &Visitor, url: &str) -> Result<Page, VisitError> {
    visitor.get(&Address::parse(url).unwrap(), |kind| kind.is_some_and(|kind| kind.starts_with("text/"))).await
}

fn body(page: &Page) -> &str {
    std::str::from_utf8(page.body.as_deref().unwrap()).unwrap()
}

/// Small enough for a test that waits for them.
const SHORT: VisitLimits =
    VisitLimits { connect_ms_max: 5_000, head_ms_max: 300, silent_ms_max: 300, total_ms_max: 900, body_bytes_max: 100, redirects_max: 5 };

#[tokio::test]
async fn this_machine_is_reached_only_where_a_test_opens_it() {
    let server = Server::start("127.0.0.1", |_| text("inside")).await;
    let names = Names::new(&[&["127.0.0.1"]]);
    let port = server.at.port();
    let hosts = ["127.0.0.1", "localhost", "any.example", "[::ffff:127.0.0.1]"];
    let closed = visitor(&names, &[], VisitLimits::default());
    for host in hosts {
        let refused = get(&closed, &format!("http://{host}:{port}/")).await.unwrap_err();
        assert!(matches!(refused, VisitError::NotPublic { .. } | VisitError::Port(_)), "{host}: {refused}");
    }
    assert_eq!(server.asked(), Vec::<String>::new());
    let open = visitor(&names, &[server.at], VisitLimits::default());
    for host in hosts {
        let page = get(&open, &format!("http://{host}:{port}/")).await.unwrap();
        assert_eq!((page.status, body(&page)), (200, "inside"), "the same visit without the defence: {host}");
    }
}

#[tokio::test]
async fn a_name_with_one_address_that_is_not_public_is_not_visited() {
    let server = Server::start("127.0.0.1", |_| text("inside")).await;
    let url = format!("http://both.example:{}/", server.at.port());
    for other in ["10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fd00::1"] {
        for list in [["127.0.0.1", other], [other, "127.0.0.1"]] {
            let refused = get(&visitor(&Names::new(&[&list]), &[server.at], SHORT), &url).await.unwrap_err();
            assert!(matches!(&refused, VisitError::NotPublic { address, .. } if address.to_string() == other), "{refused}");
        }
    }
    let unknown = get(&visitor(&Names::new(&[&[]]), &[server.at], SHORT), &url).await.unwrap_err();
    assert!(matches!(unknown, VisitError::NotFound { .. }), "{unknown}");
    assert_eq!(server.asked(), Vec::<String>::new());
    let page = get(&visitor(&Names::new(&[&["127.0.0.1"]]), &[server.at], SHORT), &url).await.unwrap();
    assert_eq!(body(&page), "inside", "the name alone is fine");
}

#[tokio::test]
async fn a_resolver_that_changes_its_mind_changes_nothing() {
    let good = Server::start("127.0.0.1", |path| if path == "/" { to("/again") } else { text("good") }).await;
    let port = good.at.port();
    let bad = tokio::net::TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let open = [good.at, SocketAddr::from(([127, 0, 0, 2], port))];
    let url = format!("http://rebinds.example:{port}/");

    let page = get(&visitor(&names, &open[..1], VisitLimits::default()), &url).await.unwrap();
    assert_eq!((body(&page), good.paths()), ("good", vec!["/".to_owned(), "/again".to_owned()]));
    assert_eq!(names.asked(), 1, "what was checked is what was connected to");
    // The next visit asks anew, and with the defence off it reaches what the name means by then.
    let visiting = visitor(&names, &open, SHORT);
    let (reached, _) = tokio::join!(bad.accept(), get(&visiting, &url));
    assert!(reached.is_ok());
    let refused = get(&visitor(&names, &open[..1], SHORT), &url).await.unwrap_err();
    assert!(matches!(refused, VisitError::NotPublic { .. }), "{refused}");
}

#[tokio::test]
async fn every_redirect_is_checked_like_the_first_address() {
    let inside = Server::start("127.0.0.1", |_| text("inside")).await;
    let there = inside.url("/metadata");
    let server = Server::start("127.0.0.1", move |path| match path {
        "/inside" => to(&there),
        "/named" => to("http://localhost/"),
        "/file" => to("file:///etc/passwd"),
        "/gopher" => to("gopher://127.0.0.1/"),
        "/user" => to("http://me@127.0.0.1/"),
        "/numbers" => to("http://2130706433/"),
        "/loop" => to("/loop"),
        "/port" => to("//127.0.0.1:22/"),
        "/none" => answer(302, "content-type: text/plain\r\n", b"nowhere"),
        "/0" => text("arrived"),
        counting => to(&format!("/{}", counting[1..].parse::<usize>().unwrap() - 1)),
    })
    .await;
    let names = Names::new(&[&["127.0.0.1"]]);
    let visiting = visitor(&names, &[server.at], VisitLimits::default());
    let got = async |path: &str| get(&visiting, &server.url(path)).await;

    for path in ["/inside", "/port"] {
        let refused = got(path).await.unwrap_err();
        assert!(matches!(refused, VisitError::NotPublic { .. }), "{path}: {refused}");
    }
    assert_eq!(inside.asked(), Vec::<String>::new());
    let elsewhere = got("/named").await.unwrap_err();
    assert!(matches!(&elsewhere, VisitError::Elsewhere(to) if to.to_string() == "http://localhost/"), "{elsewhere}");
    for path in ["/file", "/gopher"] {
        assert!(matches!(got(path).await, Err(VisitError::BadRedirect(BadAddress::Scheme))), "{path}");
    }
    assert!(matches!(got("/user").await, Err(VisitError::BadRedirect(BadAddress::User))));
    assert!(matches!(got("/numbers").await, Err(VisitError::BadRedirect(BadAddress::Numeric))));
    assert!(matches!(got("/loop").await, Err(VisitError::Redirects(5))));
    assert!(matches!(got("/6").await, Err(VisitError::Redirects(5))));
    let page = got("/5").await.unwrap();
    assert_eq!((body(&page), page.address.to_string()), ("arrived", server.url("/0")));
    assert_eq!(body(&got("/none").await.unwrap()), "nowhere", "a redirect to nowhere is a page");

    let open = visitor(&names, &[server.at, inside.at], VisitLimits::default());
    let page = get(&open, &server.url("/inside")).await.unwrap();
    assert_eq!((body(&page), inside.paths()), ("inside", vec!["/metadata".to_owned()]), "the same redirect without the defence");
}

#[tokio::test]
async fn nothing_of_this_machine_goes_along() {
    let server = Server::start("127.0.0.1", |path| if path == "/" { to("/next?q=1") } else { text("x") }).await;
    let visiting = visitor(&Names::new(&[]), &[server.at], VisitLimits::default());
    get(&visiting, &server.url("/")).await.unwrap();
    for head in server.asked() {
        let names: Vec<String> = head.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.0.to_ascii_lowercase())).collect();
        assert_eq!(names, ["host", "user-agent", "accept", "accept-encoding"], "{head}");
        assert!(head.contains(&format!("host: {}\r\n", server.at)) && head.contains("accept-encoding: identity\r\n"), "{head}");
    }
    assert_eq!(server.paths(), ["/", "/next?q=1"]);
}

#[tokio::test]
async fn long_and_strange_answers_are_bounded() {
    let server = Server::start("127.0.0.1", |path| match path {
        "/exact" => answer(200, "content-type: text/plain\r\n", &[b'x'; 100]),
        "/long" => answer(200, "content-type: text/plain\r\n", &[b'x'; 100_000]),
        "/binary" => Reply::Hang(head(200, "content-type: application/zip\r\n", 10_000_000_000).into_bytes()),
        "/gzip" => answer(200, "content-type: text/plain\r\ncontent-encoding: gzip\r\n", b"\x1f\x8b"),
        "/untyped" => answer(200, "", b"?"),
        "/headers" => Reply::Whole(format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(100_000)).into_bytes()),
        "/404" => answer(404, "content-type: text/html\r\n", b"gone"),
        _ => Reply::Whole(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()),
    })
    .await;
    let visiting = visitor(&Names::new(&[]), &[server.at], SHORT);
    let got = async |path: &str| get(&visiting, &server.url(path)).await;

    let exact = got("/exact").await.unwrap();
    assert_eq!((exact.body.unwrap().len(), exact.is_cut), (100, false));
    let long = got("/long").await.unwrap();
    assert_eq!((long.body.unwrap().len(), long.is_cut, long.length), (100, true, Some(100_000)));
    let binary = got("/binary").await.unwrap();
    assert_eq!((binary.body, binary.length, binary.content_type.as_deref()), (None, Some(10_000_000_000), Some("application/zip")));
    assert!(matches!(got("/gzip").await, Err(VisitError::Compressed(how)) if how == "gzip"));
    assert_eq!(got("/untyped").await.unwrap().body, None);
    assert_eq!(got("/404").await.unwrap().status, 404);
    for path in ["/headers", "/no-http"] {
        assert!(matches!(got(path).await, Err(VisitError::Http(HttpError::Cut(_)))), "{path}");
    }
}

#[tokio::test]
async fn a_server_that_stalls_is_not_waited_for() {
    let server = Server::start("127.0.0.1", |path| match path {
        "/head" => Reply::Hang(b"HTTP/1.1 200 OK\r\n".to_vec()),
        "/body" => Reply::Hang(head(200, "content-type: text/plain\r\n", 50).into_bytes()),
        _ => Reply::Drip(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n".to_vec()),
    })
    .await;
    let limits = VisitLimits { body_bytes_max: usize::MAX, ..SHORT };
    let visiting = visitor(&Names::new(&[]), &[server.at], limits);
    let got = async |path: &str| get(&visiting, &server.url(path)).await.unwrap_err();
    for path in ["/head", "/body"] {
        let stalled = got(path).await;
        assert!(matches!(stalled, VisitError::Http(HttpError::Silent { ms: 300 })), "{stalled}");
    }
    let drips = got("/drip").await;
    assert!(matches!(drips, VisitError::Late { ms: 900 }), "{drips}");
}

#[tokio::test]
async fn a_visit_that_is_given_up_closes_its_connection() {
    let server = Server::start("127.0.0.1", |_| Reply::Hang(b"HTTP/1.1 200 OK\r\n".to_vec())).await;
    let visiting = visitor(&Names::new(&[]), &[server.at], VisitLimits::default());
    let url = server.url("/");
    let visit = tokio::spawn(async move { get(&visiting, &url).await });
    while server.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    visit.abort();
    let left = tokio::time::timeout(Duration::from_secs(10), server.left.notified()).await;
    assert!(left.is_ok(), "the server saw the end");
}
