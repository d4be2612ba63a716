//! HTML as a row of tokens. No tree is built, so nesting has no depth, and every byte is looked at a fixed number of times.

use super::entity;

/// Attributes kept of one tag; pages have a few.
const ATTRIBUTES_MAX: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// As it is written, entities not decoded.
    Text(&'a str),
    Open(Tag),
    Close(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// In small letters.
    pub name: String,
    /// It ends with a slash, which counts only where a drawing may stand.
    pub is_closed: bool,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// The value of an attribute, decoded.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The element whose content is no HTML, up to its end tag.
    raw: Option<&'static str>,
}

/// Elements whose content is text, whatever it looks like.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

impl<'a> Tokens<'a> {
    pub(super) fn of(html: &'a str) -> Tokens<'a> {
        Tokens { rest: html, raw: None }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// The content of an element without tags in it; without its end tag it is all that is left.
    fn raw_text(&mut self, name: &str) -> &'a str {
        let is_end = |at: usize| {
            let tag = self.rest.get(at + 2..at + 2 + name.len());
            let after = self.rest.as_bytes().get(at + 2 + name.len());
            tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
                && after.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
        };
        let end = self.rest.match_indices("</").map(|(at, _)| at).find(|at| is_end(*at));
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// Skips what begins here and ends with `end`, or everything.
    fn skip_past(&mut self, end: &str) {
        let length = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len());
        self.take(length);
    }

    /// Reads a tag whose `<`, and `/` if it has one, are taken.
    fn tag(&mut self) -> Tag {
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        let name = self.take(self.rest.find(ends).unwrap_or(self.rest.len())).to_ascii_lowercase();
        let mut attributes = Vec::new();
        let is_closed = loop {
            let space = |c: char| c.is_ascii_whitespace() || c == '/';
            let after = self.rest.trim_start_matches(space);
            let skipped = self.take(self.rest.len() - after.len());
            if self.rest.is_empty() || self.rest.starts_with('>') {
                break skipped.ends_with('/') && name == "svg";
            }
            let (key, value) = self.attribute();
            if attributes.len() < ATTRIBUTES_MAX {
                attributes.push((key.to_ascii_lowercase(), entity::decode(value).into_owned()));
            }
        };
        self.take(self.rest.len().min(1));
        Tag { name, is_closed, attributes }
    }

    fn attribute(&mut self) -> (&'a str, &'a str) {
        // A sign that begins a name belongs to it, so that something is always taken.
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '=');
        let key = self.take(self.rest[first..].find(ends).map_or(self.rest.len(), |at| at + first));
        let Some(after) = self.rest.trim_start().strip_prefix('=') else { return (key, "") };
        self.rest = after.trim_start();
        match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.take(1);
                let value = self.take(self.rest.find(quote).unwrap_or(self.rest.len()));
                self.take(self.rest.len().min(1));
                (key, value)
            }
            Some(_) | None => {
                let ends = |c: char| c.is_ascii_whitespace() || c == '>';
                (key, self.take(self.rest.find(ends).unwrap_or(self.rest.len())))
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if let Some(name) = self.raw.take() {
                let text = self.raw_text(name);
                if !text.is_empty() {
                    return Some(Token::Text(text));
                }
            }
            let mut after = self.rest.strip_prefix('<').unwrap_or_default().chars();
            match (self.rest.starts_with('<'), after.next(), after.next()) {
                (_, _, _) if self.rest.is_empty() => return None,
                (true, Some(first), _) if first.is_ascii_alphabetic() => {
                    self.take(1);
                    let tag = self.tag();
                    self.raw = RAW.iter().find(|raw| **raw == tag.name).copied();
                    return Some(Token::Open(tag));
                }
                (true, Some('/'), Some(second)) if second.is_ascii_alphabetic() => {
                    self.take(2);
                    return Some(Token::Close(self.tag().name));
                }
                (true, Some('!'), Some('-')) if self.rest.starts_with("<!--") => {
                    self.take("<!--".len());
                    self.skip_past("-->");
                }
                (true, Some('!'), Some('[')) if self.rest.starts_with("<![CDATA[") => {
                    self.take("<![CDATA[".len());
                    let text = self.take(self.rest.find("]]>").unwrap_or(self.rest.len()));
                    self.skip_past("]]>");
                    return Some(Token::Text(text));
                }
                (true, Some('!' | '?' | '/'), _) => self.skip_past(">"),
                (begins, _, _) => {
                    // A sign that begins no tag is text.
                    let from = usize::from(begins);
                    let end = self.rest[from..].find('<').map_or(self.rest.len(), |at| at + from);
                    return Some(Token::Text(self.take(end)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(html: &str) -> Vec<String> {
        let one = |token| match token {
            Token::Text(text) => format!("{text:?}"),
            Token::Close(name) => format!("</{name}>"),
            Token::Open(tag) => {
                let attributes: String = tag.attributes.iter().map(|(name, value)| format!(" {name}={value:?}")).collect();
                format!("<{}{attributes}>", tag.name)
            }
        };
        Tokens::of(html).map(one).collect()
    }

    #[test]
    fn tags_and_text_are_told_apart() {
        assert_eq!(told("a<B x=1 Y='2' z=\"&lt;3\" w>b</B >c"), ["\"a\"", "<b x=\"1\" y=\"2\" z=\"<3\" w=\"\">", "\"b\"", "</b>", "\"c\""]);
        assert_eq!(told("<br/><img src=a/b />"), ["<br>", "<img src=\"a/b\">"]);
        assert_eq!(told("1 < 2 <3 a<"), ["\"1 \"", "\"< 2 \"", "\"<3 a\"", "\"<\""]);
        assert_eq!(told("<!doctype html><?xml?>x<!-- <b> -->y<![CDATA[<z>]]></>."), ["\"x\"", "\"y\"", "\"<z>\"", "\".\""]);
    }

    #[test]
    fn a_script_is_one_text() {
        assert_eq!(told("<script>if (a<b) '</scr'</SCRIPT >x"), ["<script>", "\"if (a<b) '</scr'\"", "</script>", "\"x\""]);
        assert_eq!(told("<title>a <b></title>"), ["<title>", "\"a <b>\"", "</title>"]);
        assert_eq!(told("<style></styles>"), ["<style>", "\"</styles>\""]);
    }

    #[test]
    fn what_does_not_end_ends_with_the_page() {
        for html in ["<a href='x", "<a href=", "<a =", "<!-- x", "<script>x", "<![CDATA[x", "</a", "<?x", "<a / / x"] {
            assert!(told(html).len() <= 2, "{html}");
        }
    }
}
