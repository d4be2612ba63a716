//! What came from a server as text: which kinds can be read at all, in which signs they are written, and HTML made readable.
//!
//! Must not reach any server. Pages are hostile: nothing in one may cost more than its length.

mod charset;
mod entity;
mod render;
mod token;

pub use render::Rendered;

use crate::Address;

/// Bytes at the beginning in which a NUL says that something is no text.
const BINARY_PROBE_BYTES: usize = 8 * 1024;
/// Characters of a line; longer ones are broken, so that a text can be read in parts.
const LINE_CHARS_MAX: usize = 2_000;

/// Whether something of this type is worth reading; what has no type is looked at.
pub fn is_readable(content_type: Option<&str>) -> bool {
    let Some(kind) = content_type.map(media_type) else { return true };
    let known = ["json", "xml", "javascript", "ecmascript", "yaml", "x-yaml", "toml", "graphql", "sql", "x-sh", "x-ndjson", "jsonl", "rtf"];
    kind.is_empty()
        || kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || kind.strip_prefix("application/").is_some_and(|name| known.contains(&name))
}

/// How a text is to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Readable,
    /// HTML as it was sent.
    AsSent,
}

/// The text of a body; none when it is no text after all.
pub fn read(body: &[u8], content_type: Option<&str>, base: &Address, form: Form) -> Option<Rendered> {
    let text = charset::decode(body, content_type);
    if text.as_bytes()[..text.len().min(BINARY_PROBE_BYTES)].contains(&0) {
        return None;
    }
    let kind = content_type.map(media_type).unwrap_or_default();
    let is_html = kind == "text/html" || kind == "application/xhtml+xml" || (kind.is_empty() && begins_as_html(&text));
    let rendered = match form {
        Form::Readable if is_html => render::render(&text, base),
        Form::Readable | Form::AsSent => Rendered { text, ..Rendered::default() },
    };
    Some(Rendered { text: broken(&rendered.text), ..rendered })
}

fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn begins_as_html(text: &str) -> bool {
    let begin = text.trim_start();
    ["<!doctype html", "<html"].iter().any(|mark| begin.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark)))
}

/// The text with lines that are not too long.
fn broken(text: &str) -> String {
    let mut broken = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line.trim_end_matches(['\r', '\n']);
        let end_of_line = &line[rest.len()..];
        while let Some((end, _)) = rest.char_indices().nth(LINE_CHARS_MAX) {
            // Between words if there are any.
            let end = rest[..end].rfind(' ').map_or(end, |space| space + 1);
            broken.push_str(&rest[..end]);
            broken.push('\n');
            rest = &rest[end..];
        }
        broken.push_str(rest);
        broken.push_str(end_of_line);
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged;
    use proptest::prelude::*;

    fn base() -> Address {
        Address::parse("https://a.example/").unwrap()
    }

    #[test]
    fn types_say_what_can_be_read() {
        for kind in
            ["text/html", "Text/Plain; charset=x", "application/json", "application/ld+json", "image/svg+xml", "application/xml", ""]
        {
            assert!(is_readable(Some(kind)), "{kind}");
        }
        for kind in ["image/png", "application/pdf", "application/octet-stream", "video/mp4", "application/zip", "font/woff2"] {
            assert!(!is_readable(Some(kind)), "{kind}");
        }
        assert!(is_readable(None));
    }

    #[test]
    fn only_html_is_rendered_and_only_text_is_given() {
        let text = |body: &[u8], kind: Option<&str>, form| read(body, kind, &base(), form).map(|rendered| rendered.text);
        let html = b"<p>a</p><p>b";
        assert_eq!(text(html, Some("text/html; charset=utf-8"), Form::Readable), Some("a\n\nb".into()));
        assert_eq!(text(html, Some("text/html"), Form::AsSent), Some("<p>a</p><p>b".into()));
        assert_eq!(text(html, Some("text/plain"), Form::Readable), Some("<p>a</p><p>b".into()));
        assert_eq!(text(b" <!DOCTYPE html><p>a", None, Form::Readable), Some("a".into()));
        assert_eq!(text(b"{\"a\":1}", Some("application/json"), Form::Readable), Some("{\"a\":1}".into()));
        assert_eq!(text(b"a\0b", None, Form::Readable), None);
    }

    #[test]
    fn long_lines_are_broken_and_nothing_is_lost() {
        let (words, solid) = ("word ".repeat(1_000), "x".repeat(5_000));
        let text = broken(&format!("{words}\n{solid}\nshort\n"));
        assert!(text.lines().all(|line| line.chars().count() <= LINE_CHARS_MAX));
        assert_eq!(text.replace('\n', ""), format!("{words}{solid}short"));
        let fits = format!("{}\n", "é".repeat(LINE_CHARS_MAX));
        assert_eq!(broken(&fits), fits);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// Whatever a server sends, reading it ends, and gives text of a size that goes with it.
        #[test]
        fn any_page_can_be_read(
            bytes in damaged(Just(
                "<html><head><title>T</title></head><body><h1>A&eacute;</h1><a href='/x?y=\"1'>l</a><ul><li>1<ol><li>2</ol></ul>\
                 <pre>x\n y</pre><table><tr><td>1</table><!-- c --><script>a</script><p hidden>é</p>&#x41;"
                    .into(),
            )),
            wild in prop::collection::vec(prop_oneof![Just(b'<'), Just(b'>'), Just(b'&'), Just(b'/'), Just(b'\''), Just(b'='), any::<u8>()], 0..200),
            kind in prop::sample::select(vec!["text/html", "text/html; charset=gbk", "text/html; charset=utf-16le", "text/plain", ""]),
        ) {
            for bytes in [bytes, wild] {
                if let Some(rendered) = read(&bytes, Some(kind), &base(), Form::Readable) {
                    prop_assert!(rendered.text.len() <= 1_000 + 60 * bytes.len());
                }
            }
        }
    }
}
