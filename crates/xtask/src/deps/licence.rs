//! Licence expressions in the SPDX form, and the old form with slashes.

const ALLOWED: &[&str] =
    &["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unicode-3.0", "CC0-1.0", "Unlicense", "0BSD", "BSL-1.0"];

/// An exception that only permits more.
const ALLOWED_EXCEPTIONS: &[&str] = &["LLVM-exception"];

/// Whether the expression leaves a choice that consists of allowed licences. What cannot be read is not allowed.
pub fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    matches!(any(&tokens), Some((allowed, [])) if allowed)
}

/// A value and the tokens after it.
type Read<'t, 'a> = Option<(bool, &'t [&'a str])>;

fn any<'t, 'a>(tokens: &'t [&'a str]) -> Read<'t, 'a> {
    let (mut allowed, mut rest) = all(tokens)?;
    while let [first, after @ ..] = rest
        && first.eq_ignore_ascii_case("OR")
    {
        let (next, after) = all(after)?;
        allowed |= next;
        rest = after;
    }
    Some((allowed, rest))
}

fn all<'t, 'a>(tokens: &'t [&'a str]) -> Read<'t, 'a> {
    let (mut allowed, mut rest) = one(tokens)?;
    while let [first, after @ ..] = rest
        && first.eq_ignore_ascii_case("AND")
    {
        let (next, after) = one(after)?;
        allowed &= next;
        rest = after;
    }
    Some((allowed, rest))
}

fn one<'t, 'a>(tokens: &'t [&'a str]) -> Read<'t, 'a> {
    match tokens {
        ["(", inner @ ..] => match any(inner)? {
            (allowed, [")", rest @ ..]) => Some((allowed, rest)),
            _ => None,
        },
        [name, "WITH", exception, rest @ ..] => Some((ALLOWED.contains(name) && ALLOWED_EXCEPTIONS.contains(exception), rest)),
        [name, rest @ ..] if !["OR", "AND", "WITH", ")"].contains(name) => Some((ALLOWED.contains(name), rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_needs_all() {
        for allowed in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "MIT OR GPL-3.0-only",
            "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "GPL-2.0 AND MIT OR ISC",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in [
            "",
            "MPL-2.0",
            "MIT AND MPL-2.0",
            "(MIT OR GPL-3.0) AND GPL-3.0",
            "GPL-2.0 WITH Classpath-exception-2.0",
            "MIT OR",
            "(MIT",
            "MIT Apache-2.0",
            "mine",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }
}
