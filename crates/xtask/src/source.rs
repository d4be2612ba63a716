//! A Rust file as the rules see it: comments and literals set apart from code, tests set apart from the product.
//!
//! This is no parser. It knows where comments, literals and braces are, which is enough to count lines and find words,
//! and it keeps every byte at its place so that a finding can name its line.

use std::ops::Range;

#[derive(Debug)]
pub struct Source {
    /// From the root of the repository.
    pub path: String,
    pub raw: String,
    /// The file with comments and literals replaced by spaces.
    pub code: String,
    /// Where the string literals are, quotes included.
    pub literals: Vec<Range<usize>>,
    /// Items that exist only in tests.
    pub tests: Vec<Range<usize>>,
}

impl Source {
    pub fn new(path: &str, raw: &str) -> Source {
        let (code, literals) = set_apart(raw);
        let tests = test_items(&code);
        Source { path: path.to_owned(), raw: raw.to_owned(), code, literals, tests }
    }

    /// The crate's folder name.
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Whether the whole file is there for tests.
    pub fn is_test(&self) -> bool {
        let inner = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        inner.split('/').any(|part| part == "tests" || part.ends_with("_tests"))
    }

    /// The code that is shipped.
    pub fn product(&self) -> String {
        if self.is_test() { String::new() } else { wiped(&self.code, &self.tests) }
    }

    /// Lines of the file without its test items.
    pub fn product_lines(&self) -> usize {
        let tests: usize = self.tests.iter().map(|test| lines_of(&self.raw, test)).sum();
        self.raw.lines().count().saturating_sub(tests)
    }

    pub fn at(&self, offset: usize) -> String {
        format!("{}:{}", self.path, line_number(&self.raw, offset))
    }
}

pub fn line_number(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
}

/// How many lines the range touches.
pub fn lines_of(text: &str, range: &Range<usize>) -> usize {
    1 + line_number(text, range.end.saturating_sub(1)) - line_number(text, range.start)
}

/// Where `word` stands and is not part of a longer name.
pub fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = text.as_bytes();
    let is_name = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| is_name_byte(*byte));
    let begins_as_name = word.bytes().next().is_some_and(is_name_byte);
    let ends_as_name = word.bytes().last().is_some_and(is_name_byte);
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let joined_before = begins_as_name && is_name(at.checked_sub(1));
        let joined_after = ends_as_name && is_name(Some(at + word.len()));
        !joined_before && !joined_after
    })
}

pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Just after the bracket that closes the one at `open`.
pub fn closing(code: &str, open: usize) -> usize {
    let bytes = code.as_bytes();
    let (opening, closing) = match bytes.get(open) {
        Some(b'(') => (b'(', b')'),
        Some(b'[') => (b'[', b']'),
        _ => (b'{', b'}'),
    };
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        if *byte == opening {
            depth += 1;
        } else if *byte == closing {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    bytes.len()
}

/// The end of the item whose head begins at `from`, and whether it has a body in braces.
pub fn item_end(code: &str, from: usize) -> (usize, bool) {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return (closing(code, at), true),
            b';' if depth == 0 => return (at + 1, false),
            _ => {}
        }
    }
    (code.len(), false)
}

fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for (start, _) in code.match_indices("#[cfg(") {
        let end = closing(code, start + 1);
        let condition: String = code[start..end].split_whitespace().collect();
        let nested = items.last().is_some_and(|item| item.contains(&start));
        if !nested && (condition == "#[cfg(test)]" || condition.starts_with("#[cfg(all(test,")) {
            items.push(start..item_end(code, end).0);
        }
    }
    items
}

fn wiped(text: &str, ranges: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in ranges.iter().flat_map(|range| range.clone()) {
        if let Some(byte) = bytes.get_mut(byte).filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

enum Lexeme {
    Code,
    Comment,
    Literal,
}

fn set_apart(raw: &str) -> (String, Vec<Range<usize>>) {
    let bytes = raw.as_bytes();
    let (mut comments, mut literals) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let (lexeme, end) = lexeme(bytes, at);
        match lexeme {
            Lexeme::Code => {}
            Lexeme::Comment => comments.push(at..end),
            Lexeme::Literal => literals.push(at..end),
        }
        at = end;
    }
    (wiped(&wiped(raw, &comments), &literals), literals)
}

/// What begins at `at`, and where it ends.
fn lexeme(bytes: &[u8], at: usize) -> (Lexeme, usize) {
    match &bytes[at..] {
        [b'/', b'/', ..] => (Lexeme::Comment, find(bytes, at, b"\n")),
        [b'/', b'*', ..] => (Lexeme::Comment, block_comment_end(bytes, at)),
        [b'"', ..] => (Lexeme::Literal, quoted_end(bytes, at + 1, b'"')),
        [b'r', b'"' | b'#', ..] if !joined(bytes, at) => match raw_string_end(bytes, at + 1) {
            Some(end) => (Lexeme::Literal, end),
            None => (Lexeme::Code, at + 1),
        },
        [b'\'', b'\\', ..] => (Lexeme::Literal, quoted_end(bytes, at + 1, b'\'')),
        // A quote closed right after one character holds that character; any other quote begins a lifetime.
        [b'\'', first, ..] => match bytes.get(at + 1 + character_length(*first)) {
            Some(b'\'') => (Lexeme::Literal, at + 2 + character_length(*first)),
            _ => (Lexeme::Code, at + 1),
        },
        _ => (Lexeme::Code, at + 1),
    }
}

/// Whether the byte at `at` continues a name; the `b` and `c` of byte and C strings do not.
fn joined(bytes: &[u8], at: usize) -> bool {
    let before = |distance: usize| at.checked_sub(distance).and_then(|at| bytes.get(at)).copied();
    match before(1) {
        Some(b'b' | b'c') => before(2).is_some_and(is_name_byte),
        other => other.is_some_and(is_name_byte),
    }
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> usize {
    (from..bytes.len()).find(|at| bytes[*at..].starts_with(wanted)).unwrap_or(bytes.len())
}

fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut at) = (1usize, at + 2);
    while at < bytes.len() && depth > 0 {
        let step = match &bytes[at..] {
            [b'/', b'*', ..] => (depth + 1, 2),
            [b'*', b'/', ..] => (depth - 1, 2),
            _ => (depth, 1),
        };
        depth = step.0;
        at += step.1;
    }
    at.min(bytes.len())
}

fn quoted_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn raw_string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let hashes = bytes[from..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(from + hashes) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    Some((find(bytes, from + hashes + 1, &close) + close.len()).min(bytes.len()))
}

fn character_length(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_not_code() {
        let raw = "let a = \"std::fs // \\\" x\"; // std::net\n/* a /* std::env */ b */ let q = '\"'; let l: &'a u8 = br#\"\"rand\"\"#; fn é() {}";
        let source = Source::new("crates/a/src/lib.rs", raw);
        assert_eq!(source.code.len(), raw.len());
        let code: Vec<&str> = source.code.split_whitespace().collect();
        assert_eq!(code.join(" "), "let a = ; let q = ; let l: &'a u8 = b ; fn é() {}");
        assert_eq!(source.literals.len(), 3);
    }

    #[test]
    fn test_items_are_not_product() {
        let raw =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\n#[cfg(feature = \"test\")]\nfn c() {}\n#[cfg(test)] use x;\n";
        let source = Source::new("crates/a/src/lib.rs", raw);
        let product = source.product();
        assert!(product.contains("fn a") && product.contains("fn c") && !product.contains("fn b") && !product.contains("use x"));
        assert_eq!(source.product_lines(), 3);
        assert_eq!(Source::new("crates/a/tests/suite/main.rs", raw).product(), "");
    }

    #[test]
    fn a_word_is_not_part_of_a_longer_name() {
        assert_eq!(words("rand operand rand_core rand::x", "rand").collect::<Vec<_>>(), [0, 23]);
        assert_eq!(words("x.await; y.awaited", ".await").collect::<Vec<_>>(), [1]);
    }
}
