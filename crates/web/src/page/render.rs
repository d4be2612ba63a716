//! From the tokens of a page to text that a model reads: headings, lists, tables, links with where they lead.
//!
//! What only programs read is left out, and so is what the page hides. Output grows with its input and has an end.

use super::entity;
use super::token::{Tag, Token, Tokens};
use crate::Address;

/// Bytes of text made of one page.
const TEXT_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Characters of an address shown with a link; longer ones hold data, not a place.
const LINK_CHARS_MAX: usize = 500;
/// Lists and quotes inside each other that are still shown by indenting.
const NESTING_SHOWN_MAX: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    pub title: String,
    pub text: String,
    /// The page was longer than any text that is made of one.
    pub is_cut: bool,
}

pub(super) fn render(html: &str, base: &Address) -> Rendered {
    let mut page = Renderer {
        base,
        text: String::new(),
        title: String::new(),
        gap: Gap::None,
        lists: Vec::new(),
        quotes: 0,
        quoted: 0,
        pre: 0,
        cells: 0,
        link: None,
        in_title: false,
    };
    let mut skipping: Option<(String, usize)> = None;
    for token in Tokens::of(html) {
        if page.text.len() > TEXT_BYTES_MAX {
            page.text.truncate(page.text.floor_char_boundary(TEXT_BYTES_MAX));
            return Rendered { title: page.title, text: page.text, is_cut: true };
        }
        if let Some((name, depth)) = &mut skipping {
            match &token {
                Token::Open(tag) if tag.name == *name => *depth += 1,
                Token::Close(closed) if closed == name => *depth -= 1,
                Token::Open(_) | Token::Close(_) | Token::Text(_) => {}
            }
            if *depth == 0 {
                skipping = None;
            }
            continue;
        }
        match token {
            Token::Text(text) => page.text(&entity::decode(text)),
            Token::Open(tag) if is_skipped(&tag) && !tag.is_closed => skipping = Some((tag.name, 1)),
            Token::Open(tag) => page.open(&tag),
            Token::Close(name) => page.close(&name),
        }
    }
    page.close("a");
    Rendered { title: page.title.split_whitespace().collect::<Vec<_>>().join(" "), text: page.text, is_cut: false }
}

/// What no reader of the page sees. Only elements that have an end tag are skipped for being hidden, or the page would be
/// lost behind one.
fn is_skipped(tag: &Tag) -> bool {
    let hideable =
        ["div", "span", "section", "article", "aside", "nav", "form", "dialog", "header", "footer", "ul", "ol", "table", "button"];
    let unseen = || {
        let style: String = tag.get("style").unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
        tag.get("hidden").is_some() || style.to_ascii_lowercase().contains("display:none")
    };
    match tag.name.as_str() {
        "script" | "style" | "template" | "svg" | "iframe" | "object" | "noembed" | "noframes" | "canvas" => true,
        name => hideable.contains(&name) && unseen(),
    }
}

/// What must stand before the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

struct Renderer<'a> {
    base: &'a Address,
    text: String,
    title: String,
    gap: Gap,
    /// The next number of each open list; none for one without numbers.
    lists: Vec<Option<u32>>,
    quotes: usize,
    /// How deeply the last line was quoted.
    quoted: usize,
    pre: usize,
    /// Cells of the open row so far.
    cells: usize,
    /// Where the open link leads, and where its text begins.
    link: Option<(String, usize)>,
    in_title: bool,
}

impl Renderer<'_> {
    fn open(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "title" => self.in_title = self.title.is_empty(),
            "br" => self.wants(Gap::Line),
            "hr" => self.line("---"),
            "table" => {
                self.cells = 0;
                self.wants(Gap::Paragraph);
            }
            "p" | "div" | "section" | "article" | "header" | "footer" | "main" | "aside" | "nav" | "form" | "figure" | "dl"
            | "fieldset" | "details" | "address" => self.wants(Gap::Paragraph),
            "dt" | "dd" | "figcaption" | "summary" | "caption" | "option" | "legend" => self.wants(Gap::Line),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = usize::from(tag.name.as_bytes()[1] - b'0');
                self.wants(Gap::Paragraph);
                self.mark(&format!("{} ", "#".repeat(level)));
            }
            "ul" | "menu" => self.list(None),
            "ol" => self.list(Some(tag.get("start").and_then(|start| start.parse().ok()).unwrap_or(1))),
            "li" => self.item(),
            "blockquote" => {
                self.wants(Gap::Paragraph);
                self.quotes += 1;
            }
            "pre" => {
                self.wants(Gap::Paragraph);
                self.mark("```");
                self.gap = Gap::Line;
                self.pre += 1;
            }
            "code" | "kbd" | "samp" if self.pre == 0 => self.mark("`"),
            "tr" => {
                self.cells = 0;
                self.wants(Gap::Line);
            }
            "td" | "th" => {
                if self.gap == Gap::Space {
                    self.gap = Gap::None;
                }
                self.mark(if self.cells == 0 { "| " } else { " | " });
                self.cells += 1;
            }
            "img" => {
                if let Some(alt) = tag.get("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.text(&format!("![{}]", alt.trim()));
                }
            }
            "a" => self.open_link(tag),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "title" => self.in_title = false,
            "table" => {
                self.cells = 0;
                self.wants(Gap::Paragraph);
            }
            "p" | "div" | "section" | "article" | "header" | "footer" | "main" | "aside" | "nav" | "form" | "figure" | "dl"
            | "fieldset" | "details" | "address" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.wants(Gap::Paragraph),
            "li" | "dt" | "dd" | "figcaption" | "summary" | "caption" | "option" | "legend" => self.wants(Gap::Line),
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.wants(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
            }
            "blockquote" => {
                self.wants(Gap::Paragraph);
                self.quotes = self.quotes.saturating_sub(1);
            }
            "pre" if self.pre > 0 => {
                self.pre -= 1;
                if !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
                self.text.push_str("```");
                self.wants(Gap::Paragraph);
            }
            "code" | "kbd" | "samp" if self.pre == 0 => self.text.push('`'),
            "tr" if self.cells > 0 => {
                self.text.push_str(" |");
                self.cells = 0;
                self.wants(Gap::Line);
            }
            "a" => self.close_link(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        } else if self.pre > 0 {
            self.fill_gap();
            self.text.push_str(&text.replace("\r\n", "\n"));
        } else {
            if text.starts_with(char::is_whitespace) {
                self.wants(Gap::Space);
            }
            for word in text.split_whitespace() {
                self.fill_gap();
                self.text.push_str(word);
                self.gap = Gap::Space;
            }
            if !text.ends_with(char::is_whitespace) && self.gap == Gap::Space {
                self.gap = Gap::None;
            }
        }
    }

    fn wants(&mut self, gap: Gap) {
        // Cells of one row stand in one line; a page that is laid out as one cell keeps its paragraphs.
        let gap = if self.cells > 1 { gap.min(Gap::Space) } else { gap };
        self.gap = self.gap.max(gap);
    }

    /// A sign of ours before the words that come.
    fn mark(&mut self, sign: &str) {
        self.fill_gap();
        self.text.push_str(sign);
    }

    /// A line of ours between paragraphs.
    fn line(&mut self, line: &str) {
        self.wants(Gap::Paragraph);
        self.mark(line);
        self.wants(Gap::Paragraph);
    }

    fn fill_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        let lines = match gap {
            Gap::None => return,
            Gap::Space if self.text.ends_with([' ', '\n']) || self.text.is_empty() => return,
            Gap::Space => return self.text.push(' '),
            Gap::Line => 1,
            Gap::Paragraph => 2,
        };
        let level = self.quotes.min(NESTING_SHOWN_MAX);
        let between = "> ".repeat(level.min(self.quoted));
        self.quoted = level;
        if !self.text.is_empty() {
            let kept = self.text.trim_end_matches(' ').len();
            self.text.truncate(kept);
            for _ in 1..lines {
                self.text.push('\n');
                self.text.push_str(between.trim_end());
            }
            self.text.push('\n');
        }
        self.text.push_str(&"> ".repeat(level));
    }

    fn list(&mut self, number: Option<u32>) {
        self.wants(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
        // Deeper ones are not told apart, and cost nothing.
        if self.lists.len() <= NESTING_SHOWN_MAX {
            self.lists.push(number);
        } else if let Some(last) = self.lists.last_mut() {
            *last = number;
        }
    }

    fn item(&mut self) {
        self.wants(Gap::Line);
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        let sign = match self.lists.last_mut() {
            Some(Some(number)) => {
                let sign = format!("{number}. ");
                *number = number.saturating_add(1);
                sign
            }
            Some(None) | None => "- ".to_owned(),
        };
        self.mark(&format!("{indent}{sign}"));
    }

    fn open_link(&mut self, tag: &Tag) {
        self.close_link();
        let Some(href) = tag.get("href").map(str::trim) else { return };
        // A place on the same page is no other page, and a script is none at all.
        let leads = !href.starts_with('#') && !href.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"));
        let leads = leads && !href.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
        let whole = self.base.join(href).map_or_else(|_| href.to_owned(), |address| address.to_string());
        if leads && whole.chars().count() <= LINK_CHARS_MAX {
            self.mark("[");
            self.link = Some((whole, self.text.len()));
        }
    }

    fn close_link(&mut self) {
        let Some((to, begins)) = self.link.take() else { return };
        if self.text.len() > begins {
            self.text.push_str(&format!("]({to})"));
        } else {
            self.text.truncate(begins - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Rendered {
        render(html, &Address::parse("https://a.example/docs/one").unwrap())
    }

    fn text(html: &str) -> String {
        page(html).text
    }

    #[test]
    fn a_page_becomes_readable() {
        let html = "<!doctype html><html><head><title>A\n page</title><style>p{}</style></head><body>\n<h1>Head <em>line</em></h1>\n\
                    <p>First\n  words &amp; <a href='two?x'>a link</a>.</p><p>Second<br>line <code>x &lt; y</code></p>\
                    <ul><li>one</li><li>two<ol start=3><li>three<li>four</ol></ul>after\
                    <pre>  keep\n    this</pre><blockquote>said <p>twice</p></blockquote>\
                    <table><tr><th>a</th><th>b</th></tr><tr><td>1<td>2</tr></table><hr>end<script>no()</script>";
        let expected = "# Head line\n\nFirst words & [a link](https://a.example/docs/two?x).\n\nSecond\nline `x < y`\n\n- one\n- two\n  3. three\n\
                        \x20 4. four\n\nafter\n\n```\n  keep\n    this\n```\n\n> said\n>\n> twice\n\n| a | b |\n| 1 | 2 |\n\n---\n\nend";
        assert_eq!(page(html), Rendered { title: "A page".into(), text: expected.into(), is_cut: false });
    }

    #[test]
    fn links_that_lead_nowhere_else_are_only_their_text() {
        assert_eq!(text("<a href='#x'>here</a> <a href='JavaScript:x()'>run</a> <a>none</a> <a href='/y'></a>."), "here run none .");
        assert_eq!(text("<a href='mailto:a@b'>mail</a> <a href='//b.example'>b</a>"), "[mail](mailto:a@b) [b](https://b.example/)");
        assert_eq!(text("<a href='/x'>one<a href='/y'>two"), "[one](https://a.example/x)[two](https://a.example/y)");
        assert_eq!(text(&format!("<a href='data:{}'>x</a><a href='/{}'>y</a>", "a", "a".repeat(600))), "xy");
        assert_eq!(text("<a href='/x'><img src=y alt='A cat'></a>"), "[![A cat]](https://a.example/x)");
    }

    #[test]
    fn what_the_page_hides_is_not_shown() {
        assert_eq!(text("a<div hidden>b<div>c</div></div>d<span style='display : none'>e</span>f"), "adf");
        assert_eq!(text("a<p hidden>b"), "a\n\nb", "without an end tag nothing may be lost behind it");
        assert_eq!(text("a<template>b</template><svg><text>c</text></svg><!-- d -->e<noscript>f</noscript>"), "aef");
    }

    #[test]
    fn hostile_pages_have_an_end() {
        for html in ["<div>".repeat(200_000), "<ul><li>".repeat(200_000), "<blockquote>x".repeat(100_000), "<a href=x>".repeat(200_000)] {
            let rendered = page(&html);
            assert!(rendered.text.len() <= TEXT_BYTES_MAX + 100, "{}", rendered.text.len());
        }
        let cut = page(&"<p>word</p>".repeat(600_000));
        assert!(cut.is_cut && cut.text.len() <= TEXT_BYTES_MAX);
        for html in ["</ul></pre></a></blockquote></tr></td>x", "<pre></pre></pre>x", "<h9>x", "<li>x"] {
            assert!(text(html).ends_with('x'), "{html}");
        }
    }
}
