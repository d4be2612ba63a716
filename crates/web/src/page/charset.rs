//! From the bytes of a page to its text: by its mark, what the server says, what the page says, and else by what it can be.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Bytes at the beginning of a page in which it may say how it is written.
const PROMISE_BYTES_MAX: usize = 1_024;

/// `content_type` is the header, with its parameter if it has one.
pub(super) fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    // A mark at the beginning goes before everything else, and is not part of the text.
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, &bytes[length..]),
        None => (promised(bytes, content_type).unwrap_or_else(|| likely(bytes)), bytes),
    };
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn promised(bytes: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(PROMISE_BYTES_MAX)]).to_ascii_lowercase();
    let by_server = content_type.map(str::to_ascii_lowercase).and_then(|header| label(&header, "charset="));
    let by_page = || label(&head, "charset=").or_else(|| label(&head, "encoding="));
    // A page that can be read so far as to say that it is UTF-16 is not.
    let by_page = || by_page().filter(|encoding| encoding.is_ascii_compatible());
    by_server.or_else(by_page)
}

fn label(text: &str, before: &str) -> Option<&'static Encoding> {
    let value = text.split_once(before)?.1.trim_start_matches(['"', '\'', ' ']);
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c))).unwrap_or(value.len());
    Encoding::for_label(&value.as_bytes()[..end])
}

/// Hardly any text in another encoding happens to be UTF-8.
fn likely(bytes: &[u8]) -> &'static Encoding {
    let cut = std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some());
    if cut { WINDOWS_1252 } else { UTF_8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let html = Some("text/html");
        for (bytes, header, text) in [
            ("é".as_bytes(), Some("text/html; charset=UTF-8"), "é"),
            (b"\xe9", Some("text/html; charset=ISO-8859-1"), "é"),
            (b"\x80\x93", Some("text/html;charset=\"windows-1252\""), "€“"),
            (b"\xc4\xe3", Some("text/html; charset=gb2312"), "你"),
            (b"\x82\xa0", Some("text/html; charset=Shift_JIS"), "あ"),
            (b"<meta charset=gbk>\xc4\xe3", html, "<meta charset=gbk>你"),
            (b"<?xml encoding='latin1'?>\xe9", None, "<?xml encoding='latin1'?>é"),
            (b"<meta charset=utf-16>\xc3\xa9", html, "<meta charset=utf-16>é"),
            (b"\xef\xbb\xbf\xc3\xa9", Some("text/html; charset=latin1"), "é"),
            (b"\xff\xfea\0", html, "a"),
            (b"\xfe\xff\0a", html, "a"),
            ("é".as_bytes(), html, "é"),
            (b"\xe9.", html, "é."),
            (b"\xc3\xa9\xc3", html, "é\u{fffd}"),
            (b"\xe9.", Some("text/html; charset=no-such"), "é."),
            (b"\xe9", Some("text/html; charset=utf-8"), "\u{fffd}"),
            (b"", None, ""),
        ] {
            assert_eq!(decode(bytes, header), text, "{bytes:?} {header:?}");
        }
    }
}
