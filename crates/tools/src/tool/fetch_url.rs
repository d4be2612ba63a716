//! `fetch_url`: the text of a page that anyone may read.
//!
//! What may be reached is decided by the visitor, not here. Redirects to another host end the call: rules are about the
//! host that was prepared.

use super::{Run, Tool, finished, refuse};
use crate::portion::{End, portion};
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk, Touches};
use contract::port::{BoxFuture, Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use web::page::{self, Form, Rendered};
use web::{Address, Page, Visitor};

pub(super) const TOOL: Tool = Tool {
    name: "fetch_url",
    description: texts::FETCH_URL,
    class: Class::Pure,
    risk: Risk::Medium,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Web { check, start },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Address of the page, with http:// or https://.
    url: String,
    /// Whether to give HTML as it was sent instead of as text; false by default.
    raw: Option<bool>,
    /// First line of the text to give, counted from 1.
    from_line: Option<u64>,
    /// How many lines to give; as many as fit by default.
    lines: Option<u64>,
}

impl Args {
    fn address(&self) -> Result<Address, String> {
        Address::parse(&self.url).map_err(|error| texts::bad_url(&self.url, &error))
    }

    fn form(&self) -> Form {
        if self.raw.unwrap_or(false) { Form::AsSent } else { Form::Readable }
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    let address = args.address().map_err(refuse)?;
    let prepared = Prepared { hosts: vec![address.host_name()], touches: Touches::NETWORK, ..Prepared::default() };
    Ok(Preparation { class: Class::Pure, risk: Risk::Medium, prepared, preview: Some(address.to_string()) })
}

/// What would be refused anyway is refused before anybody is asked about it.
fn check(call: &Prepare, visitor: &Visitor) -> Result<(), PrepareRefused> {
    let address = args::parse::<Args>(TOOL.name, &call.args)?.address().map_err(refuse)?;
    visitor.check(&address).map_err(|error| refuse(texts::not_fetched(&address, &error)))
}

fn start(job: ToolJob, visitor: Arc<Visitor>) -> BoxFuture<'static, RawOutcome> {
    Box::pin(async move { finished(fetch(&job, &visitor).await) })
}

async fn fetch(job: &ToolJob, visitor: &Visitor) -> Result<String, String> {
    let args: Args = args::parse(TOOL.name, &job.args).map_err(|refused| refused.message)?;
    let address = args.address()?;
    let page = visitor.get(&address, page::is_readable).await.map_err(|error| texts::not_fetched(&address, &error))?;
    // A page of some megabytes takes longer to read than others may be kept waiting.
    let (ok, text) = (page.status < 400, tokio::task::spawn_blocking(move || shown(page, &args)));
    let text = text.await.map_err(|error| texts::not_prepared(&error))??;
    if ok { Ok(text) } else { Err(text) }
}

/// The page as the model gets it: where and what it is, then its text or a part of it.
fn shown(page: Page, args: &Args) -> Result<String, String> {
    let Page { address, status, content_type, length, body, is_cut } = page;
    let kind = content_type.as_deref();
    let rendered = body.as_deref().and_then(|body| page::read(body, kind, &address, args.form()));
    let Some(Rendered { title, text, is_cut: is_cut_again }) = rendered else {
        let bytes = length.or(body.map(|body| body.len() as u64));
        return Ok(texts::page_without_text(&address, status, kind, bytes));
    };
    let from_line = args.from_line.unwrap_or(1).max(1);
    let part = portion(&mut text.as_bytes(), from_line, args.lines.unwrap_or(u64::MAX));
    let part = part.map_err(|error| texts::not_prepared(&error))?;
    let part = part.map_err(|lines| texts::page_beyond_end(&address, lines, from_line))?;
    let mut shown = texts::page_head(&address, status, kind, &title);
    shown.push_str(if part.text.is_empty() { texts::EMPTY_PAGE } else { &part.text });
    match part.end {
        End::Here if is_cut || is_cut_again => shown.push_str(texts::PAGE_CUT),
        End::Here => {}
        End::Before { line } | End::Inside { line } => shown.push_str(&texts::read_cut(line)),
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use contract::rule::{Rule, RuleEffect};
    use serde_json::json;

    fn page(content_type: Option<&str>, body: Option<&[u8]>) -> Page {
        Page {
            address: Address::parse("https://a.example/x").unwrap(),
            status: 200,
            content_type: content_type.map(str::to_owned),
            length: None,
            body: body.map(<[u8]>::to_vec),
            is_cut: false,
        }
    }

    fn args(args: &serde_json::Value) -> Args {
        serde_json::from_value(args.clone()).unwrap()
    }

    #[test]
    fn preparing_names_the_host_and_asks_nobody() {
        let prepared = desk("fetch_url").prepare(&json!({"url": "HTTPS://Docs.RS./serde#x"})).unwrap();
        let expected = Preparation {
            class: Class::Pure,
            risk: Risk::Medium,
            prepared: Prepared { hosts: vec!["docs.rs".into()], touches: Touches::NETWORK, ..Prepared::default() },
            preview: Some("https://docs.rs/serde".into()),
        };
        assert_eq!(prepared, expected);
        let rule = |text: &str| Rule::parse(RuleEffect::Allow, text).unwrap().matches("fetch_url", &prepared.prepared);
        assert!(rule("fetch_url(docs.rs)") && rule("fetch_url(*.rs)") && !rule("fetch_url(rs)") && !rule("fetch_url(*.docs.rs)"));
    }

    #[test]
    fn an_address_that_cannot_be_meant_is_refused_with_the_reason() {
        let desk = desk("fetch_url");
        for (url, reason) in [
            ("file:///etc/passwd", "begins neither with http://"),
            ("docs.rs/serde", "begins neither with http://"),
            ("http://me:secret@docs.rs/", "contains a user"),
            ("http://127.1/", "number in an unusual form"),
            ("http://köln.example/", "xn--"),
        ] {
            let refused = desk.prepare(&json!({"url": url})).unwrap_err();
            assert!(refused.contains(reason) && refused.contains(url), "{refused}");
        }
    }

    #[test]
    fn what_is_not_public_is_refused_before_anybody_is_asked() {
        let visitor = Visitor::new(web::Reach::default(), web::VisitLimits::default());
        let call = |url: &str| Prepare { args: json!({"url": url}).to_string(), ..desk("fetch_url").call("{}") };
        for url in ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/meta-data", "http://docs.rs:22/"] {
            assert!(check(&call(url), &visitor).is_err(), "{url}");
        }
        assert_eq!(check(&call("http://docs.rs/"), &visitor), Ok(()));
    }

    #[test]
    fn a_page_is_shown_with_its_head_and_in_parts() {
        let whole = |page: Page| shown(page, &args(&json!({"url": "x"}))).unwrap();
        let html = whole(page(Some("text/html"), Some(b"<title>T</title><h1>A</h1>b")));
        assert_eq!(html, "https://a.example/x (200, text/html)\nTitle: T\n\n# A\n\nb");
        assert_eq!(whole(page(None, Some(b"plain"))), "https://a.example/x (200)\n\nplain");
        assert!(whole(page(Some("text/html"), Some(b""))).ends_with(texts::EMPTY_PAGE));
        let png = whole(Page { length: Some(7), ..page(Some("image/png"), None) });
        assert_eq!(png, "https://a.example/x (200, image/png): 7 bytes, which are no text and are not shown.");
        assert!(whole(page(None, Some(b"a\0b"))).contains("3 bytes, which are no text"));
        assert!(whole(Page { is_cut: true, ..page(None, Some(b"x")) }).ends_with(texts::PAGE_CUT));

        let long = page(Some("text/plain"), Some("line\n".repeat(10_000).as_bytes()));
        let first = whole(long.clone());
        let next = first.rsplit_once("from_line ").unwrap().1.split(' ').next().unwrap().parse::<u64>().unwrap();
        let rest = shown(long.clone(), &args(&json!({"url": "x", "from_line": next, "lines": 2}))).unwrap();
        assert!(rest.ends_with("\n\nline\nline\n"), "{rest}");
        let beyond = shown(long, &args(&json!({"url": "x", "from_line": 10_001}))).unwrap_err();
        assert!(beyond.contains("has only 10000 lines"), "{beyond}");
    }
}
