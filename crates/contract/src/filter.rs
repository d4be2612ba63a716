//! Which events a subscriber wants: a pattern over `<kind>.<id>.<type>`, such as `session.*.run.>`.
//!
//! Owns the only matcher; every implementation of the log uses it. Must not know where events are stored.

use crate::id::StreamId;
use std::fmt;
use std::str::FromStr;

/// Tokens of an event's subject: the kind and the id of its stream, and the two of its type.
const SUBJECT_TOKENS: usize = 4;

/// A pattern of tokens between dots: `*` is any one token, `>` at the end is the rest, at least one token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    tokens: Vec<Token>,
    /// Whether `>` follows the tokens.
    takes_rest: bool,
    /// The only stream whose events can match, if there is just one.
    stream: Option<StreamId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Named(String),
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFilter {
    #[error("the filter is empty; `>` matches every event")]
    Empty,
    #[error("token {number} of `{filter}` is empty")]
    EmptyToken { filter: String, number: usize },
    #[error("`>` stands for the rest, so it must be the last token of `{filter}`")]
    RestNotLast { filter: String },
    #[error("`{token}` in `{filter}` joins a wildcard with other characters; `*` and `>` stand for whole tokens")]
    PartWildcard { filter: String, token: String },
    #[error("`{token}` in `{filter}` is no name; names have letters, digits, `_` and `-`")]
    NotAName { filter: String, token: String },
    #[error("`{filter}` matches no event: {found} tokens, but an event has {SUBJECT_TOKENS}, as in `session.<id>.message.received`")]
    Length { filter: String, found: usize },
}

impl Filter {
    /// Every event of every stream.
    #[must_use]
    pub fn everything() -> Filter {
        Filter { tokens: Vec::new(), takes_rest: true, stream: None }
    }

    /// Every event of one stream.
    #[must_use]
    pub fn stream(stream: &StreamId) -> Filter {
        let tokens = vec![Token::Named(stream.kind().to_owned()), Token::Named(stream.id().to_owned())];
        Filter { tokens, takes_rest: true, stream: Some(stream.clone()) }
    }

    pub fn parse(text: &str) -> Result<Filter, BadFilter> {
        if text.is_empty() {
            return Err(BadFilter::Empty);
        }
        let filter = || text.to_owned();
        let parts: Vec<&str> = text.split('.').collect();
        let takes_rest = parts.last() == Some(&">");
        let mut tokens = Vec::with_capacity(parts.len());
        for (number, part) in (1..).zip(&parts[..parts.len() - usize::from(takes_rest)]) {
            tokens.push(match *part {
                "" => return Err(BadFilter::EmptyToken { filter: filter(), number }),
                ">" => return Err(BadFilter::RestNotLast { filter: filter() }),
                "*" => Token::Any,
                part if part.contains(['*', '>']) => return Err(BadFilter::PartWildcard { filter: filter(), token: part.to_owned() }),
                part if !part.bytes().all(is_name_byte) => return Err(BadFilter::NotAName { filter: filter(), token: part.to_owned() }),
                part => Token::Named(part.to_owned()),
            });
        }
        // What could never match is a mistake of whoever wrote it, and would look like a quiet log.
        let can_match = if takes_rest { tokens.len() < SUBJECT_TOKENS } else { tokens.len() == SUBJECT_TOKENS };
        if !can_match {
            return Err(BadFilter::Length { filter: filter(), found: parts.len() });
        }
        let stream = match tokens.as_slice() {
            [Token::Named(kind), Token::Named(id), ..] => StreamId::parse(&format!("{kind}/{id}")).ok(),
            _ => None,
        };
        Ok(Filter { tokens, takes_rest, stream })
    }

    /// Whether an event of this type in this stream is wanted.
    #[must_use]
    pub fn matches(&self, stream: &StreamId, event_type: &str) -> bool {
        let mut subject = [stream.kind(), stream.id()].into_iter().chain(event_type.split('.'));
        let all_match = self.tokens.iter().all(|token| subject.next().is_some_and(|part| token.matches(part)));
        all_match && subject.next().is_some() == self.takes_rest
    }

    /// Whether any event of this stream can be wanted.
    #[must_use]
    pub fn may_match(&self, stream: &StreamId) -> bool {
        self.tokens.iter().zip([stream.kind(), stream.id()]).all(|(token, part)| token.matches(part))
    }

    /// The only stream whose events can be wanted, if there is just one.
    #[must_use]
    pub fn only_stream(&self) -> Option<&StreamId> {
        self.stream.as_ref()
    }
}

impl Token {
    fn matches(&self, part: &str) -> bool {
        match self {
            Token::Named(name) => name == part,
            Token::Any => true,
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl FromStr for Filter {
    type Err = BadFilter;
    fn from_str(text: &str) -> Result<Filter, BadFilter> {
        Filter::parse(text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.tokens.iter().map(|token| match token {
            Token::Named(name) => name.as_str(),
            Token::Any => "*",
        });
        let parts: Vec<&str> = tokens.chain(self.takes_rest.then_some(">")).collect();
        f.write_str(&parts.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use proptest::prelude::*;

    /// The rules said once more, in the plainest way.
    fn reference(filter: &[&str], subject: &[&str]) -> bool {
        match (filter, subject) {
            ([], []) | ([">"], [_, ..]) => true,
            (["*", filter @ ..], [_, subject @ ..]) => reference(filter, subject),
            ([name, filter @ ..], [part, subject @ ..]) => name == part && reference(filter, subject),
            ([], [_, ..]) | ([_, ..], []) => false,
        }
    }

    /// Few names, so that filters and subjects often meet.
    fn token() -> impl Strategy<Value = &'static str> {
        prop_oneof![3 => Just("a"), 3 => Just("b"), 1 => Just("a_b"), 3 => Just("*")]
    }

    fn filter() -> impl Strategy<Value = String> {
        let tokens = prop::collection::vec(token(), 0..6);
        (tokens, any::<bool>()).prop_map(|(mut tokens, rest)| {
            tokens.extend(rest.then_some(">"));
            tokens.join(".")
        })
    }

    proptest! {
        #[test]
        fn the_matcher_agrees_with_the_reference(filter in filter(), subject in prop::collection::vec(prop_oneof![Just("a"), Just("b"), Just("a_b")], 4)) {
            let stream = StreamId::parse(&format!("{}/{}", subject[0], subject[1])).unwrap();
            let event_type = format!("{}.{}", subject[2], subject[3]);
            let expected = reference(&filter.split('.').collect::<Vec<_>>(), &subject);
            match Filter::parse(&filter) {
                Ok(parsed) => {
                    prop_assert_eq!(parsed.matches(&stream, &event_type), expected);
                    prop_assert!(!expected || parsed.may_match(&stream));
                    prop_assert!(!expected || parsed.only_stream().is_none_or(|only| *only == stream));
                    prop_assert_eq!(parsed.to_string(), filter);
                }
                Err(_) => prop_assert!(!expected, "what is refused could not have matched"),
            }
        }

        #[test]
        fn any_text_is_a_filter_or_a_clear_error(text in ".{0,24}") {
            match Filter::parse(&text) {
                Ok(filter) => prop_assert_eq!(Filter::parse(&filter.to_string()), Ok(filter)),
                Err(error) => prop_assert!(text.is_empty() || error.to_string().contains(&text), "{error}"),
            }
        }
    }

    #[test]
    fn every_event_type_has_the_tokens_that_filters_expect() {
        for (name, _) in Body::CATALOGUE {
            assert_eq!(name.split('.').count() + 2, SUBJECT_TOKENS, "{name}");
            assert!(name.split('.').all(|token| token.bytes().all(is_name_byte)), "{name}");
        }
    }

    #[test]
    fn a_refusal_says_what_is_wrong() {
        let said = |text: &str| Filter::parse(text).unwrap_err().to_string();
        assert_eq!(said(""), "the filter is empty; `>` matches every event");
        assert_eq!(said("session..>"), "token 2 of `session..>` is empty");
        assert_eq!(said("session.>.run"), "`>` stands for the rest, so it must be the last token of `session.>.run`");
        assert_eq!(
            said("session.ab*.>"),
            "`ab*` in `session.ab*.>` joins a wildcard with other characters; `*` and `>` stand for whole tokens"
        );
        assert_eq!(said("session/a.>"), "`session/a` in `session/a.>` is no name; names have letters, digits, `_` and `-`");
        let short = "matches no event: 3 tokens, but an event has 4, as in `session.<id>.message.received`";
        assert_eq!(said("session.a.message"), format!("`session.a.message` {short}"));
        assert!(matches!(Filter::parse("a.b.c.d.>"), Err(BadFilter::Length { found: 5, .. })));
    }

    #[test]
    fn one_stream_is_known_as_one() {
        let stream = StreamId::parse("session/a").unwrap();
        assert_eq!(Filter::stream(&stream), Filter::parse("session.a.>").unwrap());
        assert_eq!(Filter::everything(), Filter::parse(">").unwrap());
        assert_eq!(Filter::parse("session.a.*.sent").unwrap().only_stream(), Some(&stream));
        assert_eq!(Filter::parse("session.*.message.sent").unwrap().only_stream(), None);
    }
}
