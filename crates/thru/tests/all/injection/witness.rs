//! Who would notice: a server that takes whatever comes, the names that are looked up, and files as they were.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use throughline::{Addresses, Resolve};

/// The one host that a job may ask for a page; every other name is the stranger's.
pub const PAGES: &str = "pages.example";

/// Takes every connection and every datagram, keeps what came, and serves one page.
pub struct Collector {
    pub at: SocketAddr,
    udp: UdpSocket,
    came: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl Collector {
    pub fn start(page: String) -> Collector {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        let page = page.replace("{port}", &at.port().to_string());
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        udp.set_nonblocking(true).unwrap();
        let (came, is_over) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let serving = std::thread::spawn({
            let (came, is_over) = (came.clone(), is_over.clone());
            move || {
                for stream in listener.incoming() {
                    if is_over.load(Ordering::SeqCst) {
                        return;
                    }
                    let said = serve(stream.unwrap(), &page);
                    came.lock().unwrap().push(said);
                }
            }
        });
        Collector { at, udp, came, is_over, serving: Some(serving) }
    }

    pub fn udp_port(&self) -> u16 {
        self.udp.local_addr().unwrap().port()
    }

    /// All that came and was no request for the page, once nobody is left who could send more.
    pub fn taken(&mut self) -> Vec<String> {
        self.end();
        let mut taken = std::mem::take(&mut *self.came.lock().unwrap());
        let mut datagram = [0; 2_048];
        while let Ok(bytes) = self.udp.recv(&mut datagram) {
            taken.push(String::from_utf8_lossy(&datagram[..bytes]).into_owned());
        }
        taken.retain(|said| !is_for_the_page(said));
        taken
    }

    fn end(&mut self) {
        if let Some(serving) = self.serving.take() {
            self.is_over.store(true, Ordering::SeqCst);
            // Wakes whoever waits for the next one; all before it have been served.
            drop(TcpStream::connect(self.at));
            serving.join().unwrap();
        }
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads a request or all there is, and answers with the page.
fn serve(mut stream: TcpStream, page: &str) -> String {
    let (mut said, mut piece) = (Vec::new(), [0; 4_096]);
    while !said.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(bytes @ 1..) => said.extend_from_slice(&piece[..bytes]),
            Ok(0) | Err(_) => break,
        }
    }
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", page.len());
    // A command that only sends has gone by now.
    drop(stream.write_all(format!("{head}{page}").as_bytes()));
    String::from_utf8_lossy(&said).into_owned()
}

fn is_for_the_page(said: &str) -> bool {
    said.starts_with("GET /page HTTP/1.1\r\n") && said.to_ascii_lowercase().contains(&format!("host: {PAGES}:"))
}

/// Every name leads to the collector, and is remembered.
#[derive(Debug, Default)]
pub struct Names(Mutex<Vec<String>>);

impl Names {
    /// Names that were looked up but for that of the page.
    pub fn taken(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().filter(|name| *name != PAGES).cloned().collect()
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        self.0.lock().unwrap().push(name.to_owned());
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

/// Every file below a folder with what it holds, and every folder and link.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                found.insert(path.clone(), b"folder".to_vec());
                open.push(path);
            } else if kind.is_symlink() {
                found.insert(path.clone(), fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
            } else {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}
