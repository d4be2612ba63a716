//! The three kinds of patterns. A backslash takes the next character literally in all of them.

/// `*` is any text, also none.
pub(super) fn text(pattern: &str, text: &str) -> bool {
    let pieces = pieces(pattern, Star::Text);
    matches(&pieces, &text.chars().collect::<Vec<_>>())
}

/// A name, or `*.name` for every name below it; letters have no case and a dot at the end is none.
pub(super) fn host(pattern: &str, host: &str) -> bool {
    let plain = |name: &str| name.trim_end_matches('.').to_ascii_lowercase();
    let (pattern, host) = (plain(pattern), plain(host));
    match pattern.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => pattern == host,
    }
}

/// As ignore files write it: `*` and `?` stay within a folder, `**` does not, `[a-z]` is one of these. A pattern without
/// a slash is the name of a file or folder anywhere; with one, or with `./` before it, it begins where the path begins.
/// What is below a folder that matches matches too.
pub(super) fn path(pattern: &str, path: &str) -> bool {
    let trimmed = pattern.strip_suffix('/').unwrap_or(pattern);
    let (anchored, trimmed) = trimmed.strip_prefix("./").map_or((trimmed.contains('/'), trimmed), |rest| (true, rest));
    let path: Vec<&str> = path.split('/').collect();
    if !anchored {
        let pieces = pieces(trimmed, Star::Name);
        return path.iter().any(|name| matches(&pieces, &name.chars().collect::<Vec<_>>()));
    }
    let mut wanted: Vec<Segment> = trimmed.split('/').map(Segment::of).collect();
    // `a/**` is what is in the folder, and not the folder.
    if matches!(wanted.last(), Some(Segment::Folders)) {
        wanted.push(Segment::of("*"));
    }
    (1..=path.len()).any(|end| segments(&wanted, &path[..end]))
}

/// The pattern that only this path matches.
pub(super) fn exact_path(path: &str) -> String {
    let literal = escape(path, &['\\', '*', '?', '[']);
    if path.starts_with('/') { literal } else { format!("./{literal}") }
}

/// The pattern that only this text matches.
pub(super) fn exact_text(text: &str) -> String {
    escape(text, &['\\', '*'])
}

/// Whether a star of the pattern stands for any text.
pub(super) fn has_star(pattern: &str) -> bool {
    pieces(pattern, Star::Text).contains(&Piece::Any)
}

fn escape(text: &str, special: &[char]) -> String {
    let mut literal = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(&c) {
            literal.push('\\');
        }
        literal.push(c);
    }
    literal
}

/// What the special characters are.
#[derive(Clone, Copy, PartialEq)]
enum Star {
    /// Only the star is one.
    Text,
    /// Also `?` and brackets.
    Name,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Any,
    One,
    Char(char),
    /// Ranges of characters, and whether one of them is wanted or none.
    Class(Vec<(char, char)>, bool),
}

impl Piece {
    fn takes(&self, c: char) -> bool {
        match self {
            Piece::Any => false,
            Piece::One => true,
            Piece::Char(wanted) => *wanted == c,
            Piece::Class(ranges, wanted) => ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) == *wanted,
        }
    }
}

enum Segment {
    /// `**`: any number of folders.
    Folders,
    Name(Vec<Piece>),
}

impl Segment {
    fn of(text: &str) -> Segment {
        if text == "**" { Segment::Folders } else { Segment::Name(pieces(text, Star::Name)) }
    }
}

fn pieces(pattern: &str, star: Star) -> Vec<Piece> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        at += 1;
        pieces.push(match c {
            '*' => Piece::Any,
            '\\' => {
                at += 1;
                Piece::Char(chars.get(at - 1).copied().unwrap_or('\\'))
            }
            '?' if star == Star::Name => Piece::One,
            '[' if star == Star::Name => match class(&chars[at..]) {
                Some((class, length)) => {
                    at += length;
                    class
                }
                None => Piece::Char('['),
            },
            other => Piece::Char(*other),
        });
    }
    pieces
}

/// What stands between brackets, and how long it is with the closing one; none when nothing closes it.
fn class(rest: &[char]) -> Option<(Piece, usize)> {
    let negated = matches!(rest.first(), Some('!' | '^'));
    let mut at = usize::from(negated);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        match rest.get(at)? {
            // Right at the start it stands for itself.
            ']' if at > first => return Some((Piece::Class(ranges, !negated), at + 1)),
            c => match (rest.get(at + 1), rest.get(at + 2)) {
                (Some('-'), Some(last)) if *last != ']' => {
                    ranges.push((*c, *last));
                    at += 3;
                }
                _ => {
                    ranges.push((*c, *c));
                    at += 1;
                }
            },
        }
    }
}

/// Row by row: which beginnings of the text the pieces so far can match. Quick on any pattern.
fn matches(pieces: &[Piece], text: &[char]) -> bool {
    let mut reach: Vec<bool> = std::iter::once(true).chain(text.iter().map(|_| false)).collect();
    for piece in pieces {
        let mut next = vec![false; reach.len()];
        for at in 0..reach.len() {
            next[at] = match piece {
                Piece::Any => reach[at] || (at > 0 && next[at - 1]),
                other @ (Piece::One | Piece::Char(_) | Piece::Class(..)) => at > 0 && reach[at - 1] && other.takes(text[at - 1]),
            };
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

/// The same over the names of a path.
fn segments(wanted: &[Segment], path: &[&str]) -> bool {
    let mut reach: Vec<bool> = std::iter::once(true).chain(path.iter().map(|_| false)).collect();
    for segment in wanted {
        let mut next = vec![false; reach.len()];
        for at in 0..reach.len() {
            next[at] = match segment {
                Segment::Folders => reach[at] || (at > 0 && next[at - 1]),
                Segment::Name(pieces) => at > 0 && reach[at - 1] && matches(pieces, &path[at - 1].chars().collect::<Vec<_>>()),
            };
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_matched_as_ignore_files_match_them() {
        for (pattern, at, wanted) in [
            ("*.md", "docs/a.md", true),
            ("*.md", "a.md/b", true),
            ("src", "src/a/b.rs", true),
            ("src", "lib/src/x", true),
            ("src/", "src/a", true),
            ("src/**", "src/a/b.rs", true),
            ("src/**", "src", false),
            ("src/**", "lib/src/a", false),
            ("src/*", "src/a", true),
            ("src/*", "src/a/b", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("**/*.rs", "src/a/b.rs", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("./a.md", "a.md", true),
            ("./a.md", "docs/a.md", false),
            ("?.md", "ab.md", false),
            ("?.md", "b.md", true),
            ("[a-c].md", "b.md", true),
            ("[!a-c].md", "b.md", false),
            ("[!a-c].md", "d.md", true),
            ("[]a].md", "].md", true),
            ("[a.md", "[a.md", true),
            ("/srv/other/*", "/srv/other/a.md", true),
            ("/srv/*", "srv/a", false),
        ] {
            assert_eq!(path(pattern, at), wanted, "{pattern} on {at}");
        }
    }

    #[test]
    fn a_host_is_itself_or_below_a_name() {
        for (pattern, name, wanted) in [
            ("docs.rs", "docs.rs", true),
            ("docs.rs", "DOCS.rs.", true),
            ("docs.rs", "x.docs.rs", false),
            ("*.rust-lang.org", "doc.rust-lang.org", true),
            ("*.rust-lang.org", "a.b.rust-lang.org", true),
            ("*.rust-lang.org", "rust-lang.org", false),
            ("*.rust-lang.org", "evilrust-lang.org", false),
            ("*.rust-lang.org", ".rust-lang.org", false),
            ("*", "docs.rs", false),
            ("d*.rs", "docs.rs", false),
        ] {
            assert_eq!(host(pattern, name), wanted, "{pattern} on {name}");
        }
    }

    #[test]
    fn an_exact_pattern_matches_itself_only() {
        for at in ["a.md", "a[b]*?.md", "docs/a.md", "/srv/a\\b", "**"] {
            assert!(path(&exact_path(at), at), "{at}");
        }
        assert!(!path(&exact_path("a*"), "ab") && !path(&exact_path("**"), "x/y"));
        assert!(text(&exact_text("ls *.rs \\*"), "ls *.rs \\*") && !text(&exact_text("ls *"), "ls x"));
    }

    #[test]
    fn hostile_patterns_are_quick() {
        assert!(!text(&"*a".repeat(200), &"a".repeat(199)));
        assert!(text(&"*a".repeat(200), &"a".repeat(200)));
        assert!(!path(&format!("{}b", "**/".repeat(200)), &"a/".repeat(200)));
    }
}
