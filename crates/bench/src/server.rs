//! A model behind an address that thinks for no time: it does not even look at what it is asked, and has one `echo` after
//! another run, then says that it is done.

use crate::problem::{Problem, io};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

/// Runs until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    steps: u32,
    /// Requests of the job that is under way.
    asked: AtomicU32,
    is_stopped: AtomicBool,
}

impl Server {
    /// One that has so many commands run before it is done.
    pub fn start(steps: u32) -> Result<Server, Problem> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(io("a port"))?;
        let address = listener.local_addr().map_err(io("a port"))?;
        let shared = Arc::new(Shared { steps, asked: AtomicU32::new(0), is_stopped: AtomicBool::new(false) });
        let serving = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if serving.is_stopped.load(Ordering::SeqCst) {
                    return;
                }
                let serving = serving.clone();
                // A client that goes away ends its connection and nothing else.
                thread::spawn(move || drop(serve(stream, &serving)));
            }
        });
        Ok(Server { address, shared })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The next request is the first of another job.
    pub fn begin(&self) {
        self.shared.asked.store(0, Ordering::SeqCst);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        // Wakes whoever accepts.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(bytes) = head(&mut reader)? {
        std::io::copy(&mut reader.by_ref().take(bytes), &mut std::io::sink())?;
        let body = reply(shared.asked.fetch_add(1, Ordering::SeqCst), shared.steps);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
    }
    Ok(())
}

/// Reads up to a body and gives its length; nothing when the other side has gone.
pub fn head(reader: &mut impl BufRead) -> std::io::Result<Option<u64>> {
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line == "\r\n" {
            return Ok(Some(length));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
}

/// The stream of one answer, in the form of chat completions.
fn reply(number: u32, steps: u32) -> String {
    let (delta, finish) = if number < steps {
        let args = serde_json::json!({ "command": format!("echo {number}") }).to_string();
        let function = serde_json::json!({ "name": "shell", "arguments": args });
        let call = serde_json::json!({ "index": 0, "id": format!("call_{number}"), "type": "function", "function": function });
        (serde_json::json!({ "role": "assistant", "tool_calls": [call] }), "tool_calls")
    } else {
        (serde_json::json!({ "role": "assistant", "content": "Done." }), "stop")
    };
    let chunk = |choices: serde_json::Value, usage: serde_json::Value| serde_json::json!({ "id": "zero", "object": "chat.completion.chunk", "model": "zero", "choices": choices, "usage": usage });
    let usage = serde_json::json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let chunks = [
        chunk(serde_json::json!([{ "index": 0, "delta": delta, "finish_reason": null }]), serde_json::Value::Null),
        chunk(serde_json::json!([{ "index": 0, "delta": {}, "finish_reason": finish }]), serde_json::Value::Null),
        chunk(serde_json::json!([]), usage),
    ];
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect::<String>() + "data: [DONE]\n\n"
}
