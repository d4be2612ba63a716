//! Gets a page from an address that a stranger may have written.
//!
//! A name is resolved once for a visit. If any of its addresses is not public the visit ends before anything is sent, else
//! exactly those addresses are connected to, also after redirects; so a resolver that changes its mind changes nothing. No
//! credentials, cookies or proxies. Dropping the future closes the connection.

use crate::address::{Address, BadAddress, Host};
use crate::limits::{ADDRESSES_TRIED_MAX, VisitLimits};
use crate::pool::Line;
use crate::post::{PRODUCT, Whole};
use crate::public::is_public;
use crate::resolve::{Resolve, System};
use crate::{HttpError, answer, connect, cut, tls};
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, LOCATION, USER_AGENT};
use hyper::{Request, Response};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

/// Ports at which pages are served; others belong to services that would take a request for something else.
const PORTS: &[u16] = &[80, 443, 8080, 8443];
/// What is asked for; anything else that comes is named and not read.
const ACCEPTED: &str = "text/html,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.9,*/*;q=0.5";

#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    #[error("port {0} is not one at which pages are served")]
    Port(u16),
    #[error("{host} has the address {address}, which is not public")]
    NotPublic { host: String, address: IpAddr },
    #[error("{host} was not found: {reason}")]
    NotFound { host: String, reason: String },
    /// The page is at another host, or no longer behind TLS: another visit, for whoever decides about visits.
    #[error("it redirects to {0}")]
    Elsewhere(Address),
    #[error("it redirects to an address that cannot be used: {0}")]
    BadRedirect(BadAddress),
    #[error("it redirects more than {0} times")]
    Redirects(usize),
    #[error("the answer is compressed ({0}), which was not asked for")]
    Compressed(String),
    #[error("it took longer than {ms} ms")]
    Late { ms: u64 },
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// Which servers may be visited.
#[derive(Clone, Debug)]
pub struct Reach {
    pub resolver: Arc<dyn Resolve>,
    /// Addresses that count as public, at this port, although they are not: a server of a test. Only code can set it; no
    /// setting, flag or variable leads here.
    pub also: BTreeSet<SocketAddr>,
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { resolver: Arc::new(System), also: BTreeSet::new() }
    }
}

#[derive(Debug)]
pub struct Visitor {
    reach: Reach,
    limits: VisitLimits,
    tls: tls::Lazy,
}

/// What was found at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it was found at last.
    pub address: Address,
    pub status: u16,
    pub content_type: Option<String>,
    /// Bytes of the whole body, if the server says.
    pub length: Option<u64>,
    /// The body, as far as it was read; none when nobody wanted it.
    pub body: Option<Vec<u8>>,
    /// More came than was read.
    pub is_cut: bool,
}

impl Visitor {
    /// Cheap: nothing is opened or read before the first visit.
    #[must_use]
    pub fn new(reach: Reach, limits: VisitLimits) -> Visitor {
        Visitor { reach, limits, tls: tls::Lazy::default() }
    }

    /// Refuses what can be refused without asking anybody.
    pub fn check(&self, address: &Address) -> Result<(), VisitError> {
        match address.host {
            Host::Ip(ip) => self.check_all(address, &[ip]),
            Host::Name(_) if self.reach.also.iter().any(|also| also.port() == address.port) => Ok(()),
            Host::Name(_) => check_port(address.port),
        }
    }

    /// Gets a page and reads it if its content type is wanted.
    pub async fn get(&self, address: &Address, wanted: fn(Option<&str>) -> bool) -> Result<Page, VisitError> {
        let ms = self.limits.total_ms_max;
        match tokio::time::timeout(Duration::from_millis(ms), self.follow(address, wanted)).await {
            Ok(found) => found,
            Err(_) => Err(VisitError::Late { ms }),
        }
    }

    async fn follow(&self, start: &Address, wanted: fn(Option<&str>) -> bool) -> Result<Page, VisitError> {
        self.check(start)?;
        let pinned = self.resolve(start).await?;
        let mut address = start.clone();
        for _ in 0..=self.limits.redirects_max {
            self.check_all(&address, &pinned)?;
            let (response, line) = self.ask(&address, &pinned).await?;
            let Some(location) = redirect(&response) else { return self.read(address, response, line, wanted).await };
            let to = address.join(&location).map_err(VisitError::BadRedirect)?;
            if leaves(&address, &to) {
                return Err(VisitError::Elsewhere(to));
            }
            address = to;
        }
        Err(VisitError::Redirects(self.limits.redirects_max))
    }

    async fn resolve(&self, address: &Address) -> Result<Vec<IpAddr>, VisitError> {
        let name = match &address.host {
            Host::Ip(ip) => return Ok(vec![*ip]),
            Host::Name(name) => name,
        };
        let not_found = |reason: String| VisitError::NotFound { host: name.clone(), reason };
        let patience = Duration::from_millis(self.limits.connect_ms_max);
        let found = tokio::time::timeout(patience, self.reach.resolver.resolve(name)).await;
        let found = found.map_err(|_| VisitError::Late { ms: self.limits.connect_ms_max })?;
        let found = found.map_err(|error| not_found(error.to_string()))?;
        if found.is_empty() { Err(not_found("it has no address".to_owned())) } else { Ok(found) }
    }

    /// One address that is not public refuses all: a name that has both is set up to be taken for the other.
    fn check_all(&self, address: &Address, ips: &[IpAddr]) -> Result<(), VisitError> {
        let strange = |ip: &&IpAddr| !self.reach.also.contains(&SocketAddr::new(**ip, address.port));
        for ip in ips.iter().filter(strange) {
            if !is_public(*ip) {
                return Err(VisitError::NotPublic { host: address.host_name(), address: *ip });
            }
            check_port(address.port)?;
        }
        Ok(())
    }

    async fn ask(&self, address: &Address, pinned: &[IpAddr]) -> Result<(Response<Incoming>, Line), VisitError> {
        let origin = address.origin();
        let request = Request::get(&address.target)
            .header(HOST, origin.authority())
            .header(USER_AGENT, PRODUCT)
            .header(ACCEPT, ACCEPTED)
            .header(ACCEPT_ENCODING, "identity")
            .body(Whole::empty())
            .map_err(|error| HttpError::Malformed(error.to_string()))?;
        let opening = async {
            let stream = self.connect(address, pinned).await?;
            connect::over(&origin, stream, &self.tls).await
        };
        let ms = self.limits.connect_ms_max;
        let opened = tokio::time::timeout(Duration::from_millis(ms), opening).await;
        let mut line = opened.map_err(|_| HttpError::ConnectTime { address: origin.authority(), ms })??;
        let ms = self.limits.head_ms_max;
        let answered = tokio::time::timeout(Duration::from_millis(ms), line.sender.send_request(request)).await;
        let response = answered.map_err(|_| HttpError::Silent { ms })?.map_err(|error| cut(&error))?;
        Ok((response, line))
    }

    /// A connection to one of the checked addresses, and to no other.
    async fn connect(&self, address: &Address, pinned: &[IpAddr]) -> Result<TcpStream, HttpError> {
        let mut reason = String::new();
        for ip in pinned.iter().take(ADDRESSES_TRIED_MAX) {
            match TcpStream::connect(SocketAddr::new(*ip, address.port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(HttpError::Connect { address: address.origin().authority(), reason })
    }

    /// The connection is open for as long as `_line` is held.
    async fn read(
        &self,
        address: Address,
        response: Response<Incoming>,
        _line: Line,
        wanted: fn(Option<&str>) -> bool,
    ) -> Result<Page, VisitError> {
        let content_type = header(&response, &CONTENT_TYPE);
        let encoding = header(&response, &CONTENT_ENCODING).filter(|encoding| !encoding.trim().eq_ignore_ascii_case("identity"));
        let status = response.status().as_u16();
        let mut body = response.into_body();
        let mut page = Page { address, status, length: body.size_hint().exact(), body: None, is_cut: false, content_type };
        if !wanted(page.content_type.as_deref()) {
            return Ok(page);
        }
        // Unpacked it could be of any size, and whoever sends it was asked not to.
        if let Some(encoding) = encoding {
            return Err(VisitError::Compressed(encoding));
        }
        let (mut read, silent) = (Vec::new(), Duration::from_millis(self.limits.silent_ms_max));
        loop {
            let next = tokio::time::timeout(silent, answer::next(&mut body)).await;
            let Some(chunk) = next.map_err(|_| HttpError::Silent { ms: self.limits.silent_ms_max })?? else { break };
            read.extend_from_slice(&chunk);
            if read.len() > self.limits.body_bytes_max {
                read.truncate(self.limits.body_bytes_max);
                page.is_cut = true;
                break;
            }
        }
        Ok(Page { body: Some(read), ..page })
    }
}

fn check_port(port: u16) -> Result<(), VisitError> {
    if PORTS.contains(&port) { Ok(()) } else { Err(VisitError::Port(port)) }
}

/// Whether a redirect goes where nobody decided to go.
fn leaves(from: &Address, to: &Address) -> bool {
    to.host != from.host || (from.secure && !to.secure)
}

/// Where an answer sends its visitor.
fn redirect(response: &Response<Incoming>) -> Option<String> {
    matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308).then(|| header(response, &LOCATION)).flatten()
}

fn header(response: &Response<Incoming>, name: &HeaderName) -> Option<String> {
    response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::Addresses;
    use crate::tls::tests::{serve, trust};
    use std::net::Ipv4Addr;

    /// Knows every name as this machine.
    #[derive(Debug)]
    struct Here;

    impl Resolve for Here {
        fn resolve<'a>(&'a self, _: &'a str) -> Addresses<'a> {
            Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
        }
    }

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    #[test]
    fn a_redirect_may_change_the_page_and_not_the_host() {
        let leaves = |from: &str, to: &str| leaves(&address(from), &address(to));
        assert!(!leaves("http://a.example/x", "http://a.example:8080/y"));
        assert!(!leaves("http://a.example/x", "https://a.example/x"));
        assert!(!leaves("http://1.2.3.4/", "http://[::ffff:1.2.3.4]/"));
        assert!(leaves("https://a.example/", "http://a.example/"));
        assert!(leaves("https://a.example/", "https://www.a.example/"));
        assert!(leaves("http://a.example/", "http://127.0.0.1/"));
    }

    #[test]
    fn what_needs_nobody_to_be_asked_is_refused_at_once() {
        let visitor = Visitor::new(Reach::default(), VisitLimits::default());
        let refused = |text: &str| visitor.check(&address(text)).unwrap_err().to_string();
        assert_eq!(refused("http://169.254.169.254/latest"), "169.254.169.254 has the address 169.254.169.254, which is not public");
        assert_eq!(refused("http://[::1]/"), "::1 has the address ::1, which is not public");
        assert_eq!(refused("http://example.com:22/"), "port 22 is not one at which pages are served");
        assert_eq!(refused("http://8.8.8.8:53/"), "port 53 is not one at which pages are served");
        for fine in ["http://example.com/", "https://example.com/", "http://example.com:8080/", "https://8.8.8.8:8443/"] {
            assert!(visitor.check(&address(fine)).is_ok(), "{fine}");
        }
    }

    #[tokio::test]
    async fn a_certificate_is_held_against_the_name_and_not_the_address() {
        let (port, certificate) = serve().await;
        let reach = Reach { resolver: Arc::new(Here), also: [SocketAddr::from(([127, 0, 0, 1], port))].into() };
        let visitor = Visitor { tls: trust(certificate), ..Visitor::new(reach, VisitLimits::default()) };
        let got = async |host: &str| visitor.get(&address(&format!("https://{host}:{port}/")), |_| true).await;
        let page = got("localhost").await.unwrap();
        assert_eq!((page.status, page.body.as_deref(), page.length), (200, Some(b"secret".as_slice()), Some(6)));
        let stranger = got("bank.example").await.unwrap_err();
        assert!(matches!(&stranger, VisitError::Http(HttpError::Tls { reason, .. }) if reason.contains("certificate")), "{stranger}");
    }
}
