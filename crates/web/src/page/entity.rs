//! Signs that HTML writes with a name or a number.

use std::borrow::Cow;

/// Characters of a name or number between `&` and `;`.
const ENTITY_CHARS_MAX: usize = 32;

/// The names that pages use; the others of the standard stay as they are written.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ensp", " "),
    ("emsp", " "),
    ("thinsp", " "),
    ("shy", ""),
    ("zwj", ""),
    ("zwnj", ""),
    ("lrm", ""),
    ("rlm", ""),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("minus", "−"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("sbquo", "‚"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("lsaquo", "‹"),
    ("rsaquo", "›"),
    ("bull", "•"),
    ("middot", "·"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("times", "×"),
    ("divide", "÷"),
    ("micro", "µ"),
    ("para", "¶"),
    ("sect", "§"),
    ("dagger", "†"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("curren", "¤"),
    ("sup1", "¹"),
    ("sup2", "²"),
    ("sup3", "³"),
    ("frac12", "½"),
    ("frac14", "¼"),
    ("frac34", "¾"),
    ("larr", "←"),
    ("rarr", "→"),
    ("uarr", "↑"),
    ("darr", "↓"),
    ("harr", "↔"),
    ("rArr", "⇒"),
    ("lArr", "⇐"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("asymp", "≈"),
    ("infin", "∞"),
    ("check", "✓"),
    ("iexcl", "¡"),
    ("iquest", "¿"),
    ("ordf", "ª"),
    ("ordm", "º"),
    ("szlig", "ß"),
    ("aelig", "æ"),
    ("AElig", "Æ"),
    ("oelig", "œ"),
    ("OElig", "Œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("eth", "ð"),
    ("thorn", "þ"),
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("Delta", "Δ"),
    ("epsilon", "ε"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("pi", "π"),
    ("sigma", "σ"),
    ("Sigma", "Σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("omega", "ω"),
    ("Omega", "Ω"),
];
/// Those that are read without their semicolon too.
const WITHOUT_END: &[&str] = &["amp", "lt", "gt", "quot", "nbsp", "copy", "reg"];
/// Letters with a mark: the letter is followed by the name of the mark.
const MARKED: &[(&str, &str, &str)] = &[
    ("grave", "AEIOUaeiou", "ÀÈÌÒÙàèìòù"),
    ("acute", "AEIOUYaeiouy", "ÁÉÍÓÚÝáéíóúý"),
    ("circ", "AEIOUaeiou", "ÂÊÎÔÛâêîôû"),
    ("tilde", "ANOano", "ÃÑÕãñõ"),
    ("uml", "AEIOUaeiouy", "ÄËÏÖÜäëïöüÿ"),
    ("cedil", "Cc", "Çç"),
    ("ring", "Aa", "Åå"),
    ("caron", "SZsz", "ŠŽšž"),
];
/// What the numbers from 128 to 159 mean in pages, which is not what Unicode has there.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match one(rest) {
            Some((sign, bytes)) => {
                decoded.push_str(&sign);
                rest = &rest[bytes..];
            }
            None => decoded.push('&'),
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The sign that begins here, and how many bytes write it.
fn one(rest: &str) -> Option<(Cow<'static, str>, usize)> {
    let length = rest.bytes().take(ENTITY_CHARS_MAX).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count();
    let (name, ended) = (&rest[..length], rest[length..].starts_with(';'));
    if let Some(digits) = name.strip_prefix('#') {
        let hex = digits.strip_prefix(['x', 'X']);
        let number = hex.map_or_else(|| digits.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
        return Some((Cow::Owned(numbered(number).to_string()), length + usize::from(ended)));
    }
    if ended {
        return named(name).map(|sign| (sign, length + 1));
    }
    let begun = WITHOUT_END.iter().find(|known| name == **known)?;
    named(begun).map(|sign| (sign, length))
}

fn named(name: &str) -> Option<Cow<'static, str>> {
    if let Some((_, sign)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(Cow::Borrowed(sign));
    }
    let mut letters = name.chars();
    let (letter, mark) = (letters.next()?, letters.as_str());
    let (_, plain, marked) = MARKED.iter().find(|(known, plain, _)| *known == mark && plain.contains(letter))?;
    let at = plain.chars().position(|other| other == letter)?;
    marked.chars().nth(at).map(|sign| Cow::Owned(sign.to_string()))
}

fn numbered(number: u32) -> char {
    match number {
        0 => char::REPLACEMENT_CHARACTER,
        128..160 => WINDOWS.chars().nth(number as usize - 128).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_become_signs() {
        for (written, meant) in [
            ("a &amp;&lt;b&gt; &quot;", "a &<b> \""),
            ("&eacute;&Uuml;&ntilde;&ccedil;&Aring;&scaron;&yuml;", "éÜñçÅšÿ"),
            ("&#233;&#xE9;&#Xe9;", "ééé"),
            ("&#150;&#x80;&#159;", "–€Ÿ"),
            ("&#0;&#xD800;&#x110000;", "\u{fffd}\u{fffd}\u{fffd}"),
            ("AT&T &unknown; &amp &ampx & &; &#; &#x;", "AT&T &unknown; & &ampx & &; &#; &#x;"),
            ("a?x=1&lt=2&copy=3", "a?x=1<=2©=3"),
            ("&amp;lt;", "&lt;"),
            ("&#99999999999999999999;", "&#99999999999999999999;"),
        ] {
            assert_eq!(decode(written), meant, "{written}");
        }
        assert_eq!(WINDOWS.chars().count(), 32);
        assert!(MARKED.iter().all(|(_, plain, marked)| plain.chars().count() == marked.chars().count()));
    }
}
