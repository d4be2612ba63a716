//! The forms in which a value travels: as it is, inside JSON and addresses, in hex, and in base64 wherever it begins.

const HEX: &[u8; 16] = b"0123456789abcdef";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_FOR_ADDRESSES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Every form, the value itself first.
pub fn of(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let hex = hex(bytes);
    let mut forms = vec![value.to_owned(), in_json(value), percent(bytes, false), percent(bytes, true), hex.to_uppercase(), hex];
    for alphabet in [BASE64, BASE64_FOR_ADDRESSES] {
        forms.extend((0..3).map(|before| base64_inside(bytes, before, alphabet)));
    }
    forms.sort();
    forms.dedup();
    forms
}

fn in_json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted.trim_matches('"').to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]).map(char::from).collect()
}

fn percent(bytes: &[u8], small: bool) -> String {
    let mut text = String::new();
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            let digits = hex(&[*byte]);
            text.push('%');
            text.push_str(&if small { digits } else { digits.to_uppercase() });
        }
    }
    text
}

/// The letters that the bytes alone decide when so many others stand before them, whatever stands around.
fn base64_inside(bytes: &[u8], before: usize, alphabet: &[u8; 64]) -> String {
    let padded: Vec<u8> = std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
    let letters = padded.chunks(3).flat_map(|chunk| {
        let group = chunk.iter().chain([&0, &0]).take(3).fold(0u32, |group, byte| group << 8 | u32::from(*byte));
        (0..4).map(move |place| alphabet[(group >> (18 - 6 * place) & 63) as usize])
    });
    // Of the first and the last letter other bytes decide a part.
    let first = (before * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    letters.skip(first).take(last.saturating_sub(first)).map(char::from).collect()
}
