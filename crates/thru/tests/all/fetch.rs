//! `fetch_url` by the shipped binary: this machine is out of its reach, whatever people allow.

use crate::desk::desk;
use crate::script::{call, say};
use serde_json::json;
use std::io::ErrorKind;
use std::net::TcpListener;

#[test]
fn nothing_on_this_machine_is_reached_in_any_mode() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    for url in [format!("http://127.0.0.1:{port}/"), format!("http://localhost:{port}/"), "http://169.254.169.254/latest".to_owned()] {
        let desk = desk();
        desk.script(&[call("fetch_url", json!({ "url": url })), say("told")]);
        let run = desk.spawn_run(&["--mode", "full", "--allow", "fetch_url"]);
        let session = run.session();
        assert_eq!(run.wait().code, Some(0), "{url}");
        let withdrawn = desk.events(&session).one("action.withdrawn").clone();
        let note = withdrawn["note"]["inline"].as_str().unwrap();
        assert!(note.contains("not public") || note.contains("is not one at which pages are served"), "{note}");
        assert_eq!(server.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{url}: nobody came");
    }
    std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    assert!(server.accept().is_ok(), "whoever comes is seen");
}
