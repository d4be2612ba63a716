//! Every file opens with what it owns.

use crate::offence::Offence;
use crate::source::Source;

const WHY: &str = "a reader learns in one line what a file owns and what it must not do";

pub fn check(source: &Source) -> Option<Offence> {
    let documented = source.raw.starts_with("//! ");
    (!documented).then(|| Offence::new(&source.path, "does not begin with `//!`", WHY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_its_line_is_found() {
        assert!(check(&Source::new("a.rs", "use x;\n//! Late.")).is_some());
        assert!(check(&Source::new("a.rs", "//!\n")).is_some(), "an empty line says nothing");
        assert_eq!(check(&Source::new("a.rs", "//! Owns x.\nuse x;")), None);
    }
}
