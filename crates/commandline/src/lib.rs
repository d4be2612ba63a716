//! A command line taken apart into its simple commands, so that a rule can speak of each.
//!
//! Owns what of the language of the shell is understood. Whatever is not on its list makes the line opaque; it must
//! never guess, and never run anything.

#[cfg(test)]
mod tests;
mod word;

use contract::call::Prepared;
use tree_sitter::{Node, Parser};
use word::Word;

/// A longer line is not taken apart: nobody reads it either.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// What was found in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The words of each simple command with one space between them, and each file that is read from or written to as
    /// `< file` or `> file`; also those of loops, functions and substitutions.
    pub commands: Vec<String>,
    /// Some of it was not understood.
    pub opaque: bool,
    /// What the commands are called.
    #[cfg(test)]
    names: Vec<String>,
}

#[must_use]
pub fn parse(line: &str) -> Line {
    let strange = |c: char| c.is_control() && c != '\n' && c != '\t';
    let opaque = Line { opaque: true, ..Line::default() };
    if line.len() > LINE_BYTES_MAX || line.contains(strange) || joins_words(line) {
        return opaque;
    }
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() {
        return opaque;
    }
    let Some(tree) = parser.parse(masked(line), None) else { return opaque };
    let mut found = Line { opaque: tree.root_node().has_error(), ..Line::default() };
    let mut cursor = tree.walk();
    let mut read_to = 0;
    // Every node, each before those below it: without recursion, because a line may be nested as deeply as it is long.
    loop {
        let node = cursor.node();
        found.meet(node, line);
        if node.child_count() == 0 {
            // What the parser stepped over may only be space.
            found.opaque |= !is_space(line.get(read_to..node.start_byte()).unwrap_or_default());
            read_to = read_to.max(node.end_byte());
        }
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                found.opaque |= !is_space(line.get(read_to..).unwrap_or_default());
                return found;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

fn is_space(text: &str) -> bool {
    text.replace("\\\n", "").chars().all(|c| c.is_ascii_whitespace())
}

/// The line with a plain letter for every byte that is not ASCII: to a shell such a byte is a letter of a word too, and the
/// grammar's own code looks up any character in a table that only ASCII is sure to be in.
fn masked(line: &str) -> Vec<u8> {
    line.bytes().map(|byte| if byte.is_ascii() { byte } else { b'z' }).collect()
}

/// Whether a line break that the shell drops is more than a space between two words of one command. The parser takes it
/// for a space, but `r\` at the end of one line and `m` on the next are `rm`, and one on a line of its own parts commands.
fn joins_words(line: &str) -> bool {
    line.match_indices("\\\n").any(|(at, dropped)| {
        let (before, after) = (&line[..at], &line[at + dropped.len()..]);
        let begun = before.rsplit('\n').next().unwrap_or_default();
        let touches = !begun.ends_with([' ', '\t']) && !after.starts_with([' ', '\t', '\n']) && !after.is_empty();
        begun.trim().is_empty() || touches
    })
}

/// What preparing a call finds in its command line.
#[must_use]
pub fn prepared(line: &str) -> Prepared {
    let Line { commands, opaque, .. } = parse(line);
    // Most lines are one plain command, which need not be stored twice.
    let plain = !opaque && matches!(commands.as_slice(), [only] if only == line && is_plain(line));
    Prepared { line: (!plain).then(|| line.to_owned()), commands, opaque, ..Prepared::default() }
}

fn is_plain(line: &str) -> bool {
    line.chars().all(|c| c.is_alphanumeric() || " -_./=,:@%+".contains(c))
}

impl Line {
    fn meet(&mut self, node: Node<'_>, line: &str) {
        if !node.is_named() {
            return;
        }
        match node.kind() {
            "command" => self.command(node, line),
            "declaration_command" | "unset_command" => self.words(node, line),
            "word" if has_space(source(node, line)) => self.opaque = true,
            // Right before a word the sign belongs to it.
            "negated_command" if !source(node, line).strip_prefix('!').is_some_and(|rest| rest.starts_with([' ', '\t'])) => {
                self.opaque = true
            }
            "file_descriptor" if !source(node, line).bytes().all(|byte| byte.is_ascii_digit()) => self.opaque = true,
            "variable_assignment" if !assigns(source(node, line)) => self.opaque = true,
            "variable_assignment" if !is_part_of_command(node) => self.push(Word::of(node, line)),
            "file_redirect" => self.redirect(node, line),
            // The value of a variable is taken for the text of a prompt, in which commands are run.
            "expansion" if source(node, line).contains("@P") => self.opaque = true,
            kind if KNOWN.contains(&kind) => {}
            _ => self.opaque = true,
        }
    }

    fn command(&mut self, node: Node<'_>, line: &str) {
        let named = node.child_by_field_name("name").and_then(|name| name.named_child(0));
        // Without a name that can be read, nobody knows what runs: it may be a pattern, or no name, such as `time`.
        let readable = |name: Node<'_>| {
            let written = source(name, line);
            Word::of(name, line).is_literal && !RESERVED.contains(&written) && !written.contains(['*', '?', '[', '{'])
        };
        self.opaque |= !named.is_some_and(readable);
        #[cfg(test)]
        self.names.extend(named.map(|name| Word::of(name, line).text));
        self.words(node, line);
    }

    fn words(&mut self, node: Node<'_>, line: &str) {
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> = node.children(&mut cursor).collect();
        // Words without anything between them are one word to the shell, and a line break ends a command.
        let apart = |pair: &[Node<'_>]| {
            let between = line.get(pair[0].end_byte()..pair[1].start_byte()).unwrap_or_default();
            !between.is_empty() && !between.replace("\\\n", "").contains('\n')
        };
        self.opaque |= !parts.windows(2).all(apart);
        let words = parts.into_iter().filter(|child| !child.kind().ends_with("_redirect"));
        // The name of a declaration is a token of the language and no node with a name.
        let shown: Vec<String> = words.map(|child| Word::of(child, line).to_string()).collect();
        self.commands.push(shown.join(" "));
    }

    fn redirect(&mut self, node: Node<'_>, line: &str) {
        let Some(destination) = node.child_by_field_name("destination") else {
            self.opaque |= !source(node, line).ends_with('-');
            return;
        };
        let mut cursor = node.walk();
        // To the shell a second word is one of the command's own.
        self.opaque |= node.children_by_field_name("destination", &mut cursor).count() != 1;
        let word = Word::of(destination, line);
        let operator = node.children(&mut cursor).find(|child| !child.is_named()).map_or("", |token| token.kind());
        let to_descriptor =
            matches!(operator, ">&" | "<&") && word.is_literal && word.text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if to_descriptor || (word.is_literal && NOWHERE.contains(&word.text.as_str())) {
            return;
        }
        let way = if operator == "<" { "<" } else { ">" };
        self.commands.push(format!("{way} {word}"));
    }

    fn push(&mut self, word: Word) {
        self.commands.push(word.to_string());
    }
}

/// Reading or writing there changes nothing and tells nothing.
const NOWHERE: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"];

fn is_part_of_command(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| matches!(parent.kind(), "command" | "declaration_command"))
}

/// Whether a space stands in the word that no backslash makes part of it.
fn has_space(word: &str) -> bool {
    let mut escaped = false;
    word.chars().any(|c| {
        let bare = c.is_ascii_whitespace() && !escaped;
        escaped = c == '\\' && !escaped;
        bare
    })
}

/// Whether what stands before the sign can be the name of a variable; else the shell takes all of it for a command.
fn assigns(text: &str) -> bool {
    let name = text.split(['=', '[', '+']).next().unwrap_or_default();
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(letters) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn source<'a>(node: Node<'_>, line: &'a str) -> &'a str {
    line.get(node.byte_range()).unwrap_or_default()
}

/// Words of the shell itself that the parser may take for names.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then", "time",
    "until", "while", "{", "}",
];

/// What is understood: it runs nothing but the commands below it, which are met themselves.
const KNOWN: &[&str] = &[
    "ansi_c_string",
    "arithmetic_expansion",
    "array",
    "binary_expression",
    "brace_expression",
    "c_style_for_statement",
    "case_item",
    "case_statement",
    "command_name",
    "command_substitution",
    "comment",
    "compound_statement",
    "concatenation",
    "do_group",
    "elif_clause",
    "else_clause",
    "expansion",
    "extglob_pattern",
    "file_descriptor",
    "for_statement",
    "function_definition",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "heredoc_redirect",
    "heredoc_start",
    "herestring_redirect",
    "if_statement",
    "list",
    "negated_command",
    "number",
    "parenthesized_expression",
    "pipeline",
    "postfix_expression",
    "process_substitution",
    "program",
    "raw_string",
    "redirected_statement",
    "regex",
    "simple_expansion",
    "special_variable_name",
    "string",
    "string_content",
    "subscript",
    "subshell",
    "ternary_expression",
    "test_command",
    "test_operator",
    "unary_expression",
    "variable_assignment",
    "variable_assignments",
    "variable_name",
    "while_statement",
    "word",
];
