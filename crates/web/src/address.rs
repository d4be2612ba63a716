//! An address of the web, taken apart so strictly that no two readers can differ about its host.
//!
//! What browsers mend (numbers in other bases, backslashes, users before the host) is refused: who checks an address and
//! who connects to it must see the same one. Pure.

use crate::post::Origin;
use std::fmt::{self, Write};
use std::net::{IpAddr, Ipv6Addr};

/// Bytes of an address; servers refuse longer ones.
pub const ADDRESS_BYTES_MAX: usize = 8 * 1024;
/// Bytes of the name of a host, as DNS has it.
const NAME_BYTES_MAX: usize = 253;
/// Bytes between two dots of such a name.
const LABEL_BYTES_MAX: usize = 63;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub secure: bool,
    pub host: Host,
    pub port: u16,
    /// Path and query, percent-encoded; the part after `#` is never sent.
    pub target: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// In small letters and without the dot that may end it.
    Name(String),
    /// An IPv4 address is always one, however it was wrapped.
    Ip(IpAddr),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("it is longer than {ADDRESS_BYTES_MAX} bytes")]
    TooLong,
    #[error("it holds a control character")]
    Control,
    #[error("it begins neither with http:// nor with https://")]
    Scheme,
    #[error("it contains a user or a password")]
    User,
    #[error("it names no host")]
    NoHost,
    #[error("its host is not written in ASCII; the form that begins with xn-- is needed")]
    NotAscii,
    #[error("its host is neither a name nor an address")]
    BadHost,
    #[error("its host is a number in an unusual form; an address is written as four decimal numbers")]
    Numeric,
    #[error("its port is none")]
    BadPort,
}

impl Address {
    pub fn parse(text: &str) -> Result<Address, BadAddress> {
        let text = text.trim();
        check(text)?;
        let (scheme, rest) = text.split_once("://").ok_or(BadAddress::Scheme)?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(BadAddress::Scheme),
        };
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (host, port) = authority_of(authority)?;
        Ok(Address { secure, host, port: port.unwrap_or(if secure { 443 } else { 80 }), target: target(rest) })
    }

    /// Where a reference inside this page, or a redirect away from it, leads.
    pub fn join(&self, reference: &str) -> Result<Address, BadAddress> {
        let reference = reference.trim();
        check(reference)?;
        if has_scheme(reference) {
            return Address::parse(reference);
        }
        if let Some(rest) = reference.strip_prefix("//") {
            return Address::parse(&format!("{}://{rest}", self.scheme()));
        }
        let reference = reference.split('#').next().unwrap_or_default();
        let path = self.target.split('?').next().unwrap_or_default();
        let joined = match reference.chars().next() {
            None => self.target.clone(),
            Some('/') => reference.to_owned(),
            Some('?') => format!("{path}{reference}"),
            Some(_) => format!("{}{reference}", &path[..=path.rfind('/').unwrap_or(0)]),
        };
        let joined = target(&without_dots(&joined));
        if joined.len() > ADDRESS_BYTES_MAX {
            return Err(BadAddress::TooLong);
        }
        Ok(Address { target: joined, ..self.clone() })
    }

    /// The host as rules name it.
    #[must_use]
    pub fn host_name(&self) -> String {
        self.host.to_string()
    }

    pub(crate) fn origin(&self) -> Origin {
        Origin { secure: self.secure, host: self.host.to_string(), port: self.port }
    }

    fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }
}

fn check(text: &str) -> Result<(), BadAddress> {
    if text.len() > ADDRESS_BYTES_MAX {
        return Err(BadAddress::TooLong);
    }
    if text.chars().any(char::is_control) { Err(BadAddress::Control) } else { Ok(()) }
}

fn authority_of(authority: &str) -> Result<(Host, Option<u16>), BadAddress> {
    if authority.contains('@') {
        return Err(BadAddress::User);
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (inside, after) = rest.split_once(']').ok_or(BadAddress::BadHost)?;
            // An address with a zone names a network of this machine, and the parser takes none.
            let address: Ipv6Addr = inside.parse().map_err(|_| BadAddress::BadHost)?;
            let port = if after.is_empty() { Some("") } else { after.strip_prefix(':') };
            (Host::Ip(IpAddr::V6(address).to_canonical()), port.ok_or(BadAddress::BadHost)?)
        }
        None => {
            let (name, port) = authority.split_once(':').unwrap_or((authority, ""));
            (host_of(name)?, port)
        }
    };
    Ok((host, port_of(port)?))
}

fn port_of(port: &str) -> Result<Option<u16>, BadAddress> {
    if port.is_empty() {
        return Ok(None);
    }
    if !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadAddress::BadPort);
    }
    match port.parse() {
        Ok(0) | Err(_) => Err(BadAddress::BadPort),
        Ok(port) => Ok(Some(port)),
    }
}

fn host_of(name: &str) -> Result<Host, BadAddress> {
    if !name.is_ascii() {
        return Err(BadAddress::NotAscii);
    }
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix('.').unwrap_or(&name);
    if name.is_empty() {
        return Err(BadAddress::NoHost);
    }
    let labels: Vec<&str> = name.split('.').collect();
    let plain = |label: &&str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if name.len() > NAME_BYTES_MAX || !labels.iter().all(plain) {
        return Err(BadAddress::BadHost);
    }
    // Resolvers read `127.1`, `0x7f.1` and `2130706433` as addresses, so whatever ends like one must be one.
    if labels.last().is_some_and(|last| is_numeric(last)) {
        return name.parse().map(Host::Ip).map_err(|_| BadAddress::Numeric);
    }
    Ok(Host::Name(name.to_owned()))
}

fn is_numeric(label: &str) -> bool {
    let hex = label.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hex || label.bytes().all(|byte| byte.is_ascii_digit())
}

/// What is sent of everything after the host.
fn target(rest: &str) -> String {
    let rest = rest.split('#').next().unwrap_or_default();
    let mut target = String::with_capacity(rest.len() + 1);
    if !rest.starts_with('/') {
        target.push('/');
    }
    for byte in rest.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte) {
            target.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(target, "%{byte:02X}");
        }
    }
    target
}

/// A path without the parts `.` and `..`, its query as it is.
fn without_dots(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let mut parts: Vec<&str> = Vec::new();
    let mut pieces = path.split('/').skip(1).peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        match piece {
            ".." => drop(parts.pop()),
            "." => {}
            other => {
                parts.push(other);
                continue;
            }
        }
        if is_last {
            parts.push("");
        }
    }
    format!("/{}{query}", parts.join("/"))
}

/// Whether a reference begins with a scheme, such as `file:` or `https:`.
fn has_scheme(reference: &str) -> bool {
    let Some((scheme, _)) = reference.split_once(':') else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(plain)
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Ip(address) => write!(f, "{address}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme(), self.origin().authority(), self.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged_text;
    use proptest::prelude::*;

    fn shown(text: &str) -> Result<String, BadAddress> {
        Address::parse(text).map(|address| address.to_string())
    }

    #[test]
    fn an_address_has_one_form() {
        for (written, canonical) in [
            ("http://example.com", "http://example.com/"),
            ("HTTPS://Example.COM.:443/A?b=c#d", "https://example.com/A?b=c"),
            ("http://example.com:8080?x", "http://example.com:8080/?x"),
            (" https://a_b.example/Köln x ", "https://a_b.example/K%C3%B6ln%20x"),
            ("http://xn--kln-sna.example/", "http://xn--kln-sna.example/"),
            ("http://1.2.3.4:/", "http://1.2.3.4/"),
            ("http://[2606:4700::1]:8443/", "http://[2606:4700::1]:8443/"),
            ("http://[::ffff:10.0.0.1]/", "http://10.0.0.1/"),
            ("http://[::FFFF:a00:1]/", "http://10.0.0.1/"),
            ("http://a/b\\c", "http://a/b%5Cc"),
        ] {
            assert_eq!(shown(written).as_deref(), Ok(canonical), "{written}");
        }
    }

    #[test]
    fn whatever_two_readers_could_take_for_two_hosts_is_refused() {
        use BadAddress::{BadHost, BadPort, Control, NoHost, NotAscii, Numeric, Scheme, TooLong, User};
        for (written, why) in [
            ("", Scheme),
            ("example.com", Scheme),
            ("file:///etc/passwd", Scheme),
            ("gopher://example.com/", Scheme),
            ("javascript:alert(1)", Scheme),
            ("http:/example.com", Scheme),
            ("//example.com/", Scheme),
            ("http://", NoHost),
            ("http:///etc", NoHost),
            ("http://./", NoHost),
            ("http://me@example.com/", User),
            ("http://me:secret@example.com/", User),
            ("http://example.com\\@127.0.0.1/", User),
            ("http://example.com\\.evil/", BadHost),
            ("http://a..b/", BadHost),
            ("http://a../", BadHost),
            ("http://a b/", BadHost),
            ("http://%31%32%37.0.0.1/", BadHost),
            ("http://*.example.com/", BadHost),
            ("http://[::1/", BadHost),
            ("http://[::1]x/", BadHost),
            ("http://[fe80::1%25eth0]/", BadHost),
            ("http://[127.0.0.1]/", BadHost),
            ("http://127.1/", Numeric),
            ("http://127.0.1/", Numeric),
            ("http://2130706433/", Numeric),
            ("http://0x7f.1/", Numeric),
            ("http://0x7f000001/", Numeric),
            ("http://0X7F000001/", Numeric),
            ("http://0177.0.0.1/", Numeric),
            ("http://127.0.0.01/", Numeric),
            ("http://017700000001/", Numeric),
            ("http://1.2.3.4.5/", Numeric),
            ("http://256.1.1.1/", Numeric),
            ("http://example.0x/", Numeric),
            ("http://köln.example/", NotAscii),
            ("http://①②⑦.⓪.⓪.①/", NotAscii),
            ("http://127。0。0。1/", NotAscii),
            ("http://a:0/", BadPort),
            ("http://a:65536/", BadPort),
            ("http://a:+80/", BadPort),
            ("http://a:80:80/", BadPort),
            ("http://::1/", NoHost),
            ("http://a/\r\nHost: b", Control),
            ("http://a\t/", Control),
        ] {
            assert_eq!(shown(written), Err(why), "{written}");
        }
        assert_eq!(shown(&format!("http://a/{}", "x".repeat(ADDRESS_BYTES_MAX))), Err(TooLong));
        assert_eq!(shown(&format!("http://{}/", "x".repeat(LABEL_BYTES_MAX + 1))), Err(BadHost));
        assert_eq!(shown(&format!("http://{}x/", "x.".repeat(NAME_BYTES_MAX))), Err(BadHost));
    }

    #[test]
    fn a_reference_leads_from_where_it_stands() {
        let page = Address::parse("https://a.example/docs/one/two?q=1").unwrap();
        let to = |reference: &str| page.join(reference).map(|address| address.to_string());
        for (reference, leads) in [
            ("", "https://a.example/docs/one/two?q=1"),
            ("#part", "https://a.example/docs/one/two?q=1"),
            ("?p", "https://a.example/docs/one/two?p"),
            ("/x", "https://a.example/x"),
            ("x", "https://a.example/docs/one/x"),
            ("./x/./y", "https://a.example/docs/one/x/y"),
            ("../x", "https://a.example/docs/x"),
            ("../../../../x", "https://a.example/x"),
            ("..", "https://a.example/docs/"),
            ("x?a=../b", "https://a.example/docs/one/x?a=../b"),
            ("//b.example/x", "https://b.example/x"),
            ("http://b.example", "http://b.example/"),
            ("a b", "https://a.example/docs/one/a%20b"),
        ] {
            assert_eq!(to(reference).as_deref(), Ok(leads), "{reference}");
        }
        for refused in ["file:///etc/passwd", "gopher://a/", "http:x", "javascript:1", "//me@b/"] {
            assert!(to(refused).is_err(), "{refused}");
        }
        assert_eq!(to(&"x".repeat(ADDRESS_BYTES_MAX)), Err(BadAddress::TooLong));
    }

    proptest! {
        #[test]
        fn what_is_taken_comes_back_as_it_was(
            text in damaged_text(Just("https://docs.example.com:8443/a/b?c=d#e".to_owned())),
            wild in "\\PC{0,40}",
            reference in "[a-z./?#:%é]{0,12}",
        ) {
            for text in [text, wild.clone(), format!("http://{wild}/")] {
                let Ok(address) = Address::parse(&text) else { continue };
                prop_assert_eq!(Address::parse(&address.to_string()), Ok(address.clone()), "{}", text);
                prop_assert!(!address.host_name().contains(['@', '/', '\\', ' ']), "{}", text);
                if let Ok(joined) = address.join(&reference) {
                    prop_assert_eq!(Address::parse(&joined.to_string()), Ok(joined));
                }
            }
        }
    }
}
