//! One word of a command line, as the shell reads it.

use super::source;
use std::fmt;
use tree_sitter::Node;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Without quotes where it is literal; else as it is written.
    pub text: String,
    /// Nothing in it is only known when the command runs.
    pub is_literal: bool,
    /// Names the command: then what looks like an assignment is none.
    is_name: bool,
}

impl Word {
    pub(super) fn of(node: Node<'_>, line: &str) -> Word {
        let (text, is_literal) = literal(node, line).map_or_else(|| (source(node, line).to_owned(), false), |text| (text, true));
        Word { text, is_literal, is_name: node.kind() == "command_name" }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = |c: char| c.is_whitespace() || "'\"\\$`;|&<>(){}#!".contains(c);
        if self.is_literal && (self.text.is_empty() || self.text.contains(special) || (self.is_name && self.text.contains('='))) {
            return write!(f, "'{}'", self.text.replace('\'', "'\\''"));
        }
        f.write_str(&self.text)
    }
}

/// The text of a word without quotes and backslashes; none when a part of it is only known when it runs.
fn literal(node: Node<'_>, line: &str) -> Option<String> {
    let text = source(node, line);
    match node.kind() {
        "command_name" => literal(node.named_child(0)?, line),
        "word" => Some(unescape(text, |_| true)),
        "raw_string" => Some(text.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "string" => {
            let mut cursor = node.walk();
            let plain = node.named_children(&mut cursor).all(|child| child.kind() == "string_content");
            let inside = text.strip_prefix('"')?.strip_suffix('"')?;
            plain.then(|| unescape(inside, |c| "\"\\$`\n".contains(c)))
        }
        "concatenation" => {
            let mut cursor = node.walk();
            // A token between the parts, such as a brace, belongs to the word too.
            let parts = node
                .children(&mut cursor)
                .map(|child| if child.is_named() { literal(child, line) } else { Some(source(child, line).to_owned()) });
            parts.collect()
        }
        "variable_assignment" => {
            let value = node.child_by_field_name("value");
            let name = line.get(node.start_byte()..value.map_or(node.end_byte(), |value| value.start_byte()))?;
            Some(name.to_owned() + &value.map_or(Some(String::new()), |value| literal(value, line))?)
        }
        "number" | "variable_name" | "export" | "declare" | "typeset" | "readonly" | "local" | "unset" | "unsetenv" => {
            Some(text.to_owned())
        }
        _ => None,
    }
}

/// Takes away each backslash before a character of this kind; before a line break, that too.
fn unescape(text: &str, special: impl Fn(char) -> bool) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(next) if special(next) => plain.push(next),
                Some(next) => plain.extend(['\\', next]),
                None => plain.push('\\'),
            },
            other => plain.push(other),
        }
    }
    plain
}
