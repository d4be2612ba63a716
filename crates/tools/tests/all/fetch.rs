//! `fetch_url` against a real server on this machine, through the port.

use crate::desk::{ACTION, ATTEMPT, Desk, desk, desk_that_reaches, until, within};
use contract::body::UnknownReason;
use contract::port::{Prepare, RawOutcome, Recovery, Stopping, ToolJob, Tools};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const PAGE: &str = "<title>Inside</title><h1>Secret</h1><a href=/next>on</a><script>x</script>";

/// What the server has seen.
#[derive(Default)]
struct Seen {
    asked: AtomicUsize,
    left: AtomicUsize,
}

/// Serves [`PAGE`], and under /hang nothing until its visitor leaves.
async fn serve() -> (SocketAddr, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (at, seen) = (listener.local_addr().unwrap(), Arc::<Seen>::default());
    let shared = seen.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = shared.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 4_096];
                let length = stream.read(&mut request).await.unwrap_or(0);
                seen.asked.fetch_add(1, Ordering::SeqCst);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                if request.starts_with("GET /hang ") {
                    while matches!(stream.read(&mut [0; 64]).await, Ok(1..)) {}
                    seen.left.fetch_add(1, Ordering::SeqCst);
                    return;
                }
                let status = if request.starts_with("GET /gone ") { 404 } else { 200 };
                let length = PAGE.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                let _ = stream.write_all(format!("{head}{PAGE}").as_bytes()).await;
            });
        }
    });
    (at, seen)
}

fn job(desk: &Desk, url: &str) -> ToolJob {
    ToolJob { tool: "fetch_url".into(), ..desk.job_with(&json!({ "url": url })) }
}

async fn fetch(desk: &Desk, url: &str) -> Result<String, String> {
    match within(desk.tools.start(job(desk, url))).await {
        RawOutcome::Finished { ok: true, output, .. } => Ok(output),
        RawOutcome::Finished { ok: false, output, .. } => Err(output),
        other @ (RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_on_this_machine_is_out_of_reach_unless_a_test_opens_it() {
    let (at, seen) = serve().await;
    let url = format!("http://{at}/");
    let closed = desk();
    let refused = fetch(&closed, &url).await.unwrap_err();
    assert!(refused.contains("127.0.0.1, which is not public"), "{refused}");
    let call = Prepare {
        stream: closed.job("").stream,
        tool: "fetch_url".into(),
        args: json!({ "url": url }).to_string(),
        folder: closed.folder.clone(),
        open: Vec::new(),
        known: Arc::default(),
    };
    let unprepared = closed.tools.prepare(call.clone()).await.unwrap_err().message;
    assert_eq!((unprepared, seen.asked.load(Ordering::SeqCst)), (refused, 0));

    let open = desk_that_reaches(&[at]);
    assert_eq!(open.tools.prepare(call).await.unwrap().prepared.hosts, ["127.0.0.1"]);
    let text = fetch(&open, &url).await.unwrap();
    assert_eq!(
        text,
        format!("http://{at}/ (200, text/html)\nTitle: Inside\n\n# Secret\n\n[on](http://{at}/next)"),
        "the same without the defence"
    );
    let gone = fetch(&open, &format!("http://{at}/gone")).await.unwrap_err();
    assert!(gone.contains("(404, text/html)") && gone.contains("# Secret"), "{gone}");
}

#[tokio::test]
async fn a_fetch_that_is_stopped_closes_its_connection() {
    let (at, seen) = serve().await;
    let desk = desk_that_reaches(&[at]);
    assert_eq!(desk.tools.stop(ACTION, ATTEMPT, Duration::ZERO).await, Stopping::NotReached);
    let running = desk.start(job(&desk, &format!("http://{at}/hang")));
    until("the request came", || (seen.asked.load(Ordering::SeqCst) == 1).then_some(())).await;
    assert_eq!(desk.tools.stop(ACTION, ATTEMPT, Duration::from_secs(5)).await, Stopping::Told);
    let RawOutcome::Finished { ok: false, output, .. } = within(running).await.unwrap() else { panic!("it was stopped") };
    assert!(output.contains("stopped"), "{output}");
    until("the server saw the end", || (seen.left.load(Ordering::SeqCst) == 1).then_some(())).await;
}

#[tokio::test]
async fn a_lost_fetch_may_run_again() {
    let desk = desk();
    let Recovery::Ended(found) = desk.tools.recover(job(&desk, "http://docs.rs/"), &desk.here()).await else { panic!("nothing runs") };
    assert_eq!(found, RawOutcome::Unknown { reason: UnknownReason::Died, output: String::new() });
}
