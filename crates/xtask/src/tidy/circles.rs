//! Files of a crate refer to each other in one direction, as crates do. What a folder's `mod.rs` and its files share is
//! theirs; beyond that a circle means that a noun lies in the wrong file.

use crate::offence::Offence;
use crate::source::{Source, is_name_byte, words};
use std::collections::{BTreeMap, BTreeSet};

const WHY: &str = "none of them can be read without the others; give what they share a file of its own";

/// Where a module stands below its crate.
type Module = Vec<String>;

pub fn check(sources: &[Source]) -> Vec<Offence> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, &Source>> = BTreeMap::new();
    for source in sources {
        if let (Some(name), Some(module)) = (source.crate_name(), module(source)) {
            crates.entry(name).or_default().insert(module, source);
        }
    }
    crates.iter().flat_map(|(name, modules)| of_crate(name, modules)).collect()
}

fn module(source: &Source) -> Option<Module> {
    let inner = source.path.split_once("/src/")?.1.strip_suffix(".rs")?;
    let mut parts: Module = inner.split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    (parts.first().map(String::as_str) != Some("bin")).then_some(parts)
}

fn of_crate(name: &str, modules: &BTreeMap<Module, &Source>) -> Vec<Offence> {
    let beside = |one: &Module, other: &Module| !one.starts_with(other) && !other.starts_with(one);
    let edges: BTreeMap<&Module, BTreeSet<&Module>> = modules
        .iter()
        .map(|(from, source)| {
            let named = paths(&source.product()).into_iter().filter_map(|path| resolve(from, path, modules));
            (from, named.filter(|to| beside(from, to)).collect())
        })
        .collect();
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = edges.keys().map(|from| (*from, reach(from, &edges))).collect();
    let in_circle = |one: &Module, other: &Module| reached[one].contains(other) && reached[other].contains(one);
    let circles: BTreeSet<Vec<&Module>> = modules
        .keys()
        .map(|one| modules.keys().filter(|other| in_circle(one, other)).collect::<Vec<_>>())
        .filter(|circle| circle.len() > 1)
        .collect();
    let named = |circle: Vec<&Module>| circle.iter().map(|module| module.join("/")).collect::<Vec<_>>().join(", ");
    circles.into_iter().map(|circle| Offence::new(name, format!("files refer to each other in a circle: {}", named(circle)), WHY)).collect()
}

/// The file that a path leads to.
fn resolve<'a>(from: &Module, path: Vec<String>, modules: &'a BTreeMap<Module, &Source>) -> Option<&'a Module> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    // From `super` on the path begins beside this file, from `crate` on at the root.
    let mut path: Module = match ups {
        0 => path.into_iter().skip(1).collect(),
        ups => from.iter().take(from.len().saturating_sub(ups)).cloned().chain(path.into_iter().skip(ups)).collect(),
    };
    loop {
        if let Some((known, _)) = modules.get_key_value(&path) {
            return Some(known);
        }
        path.pop()?;
    }
}

fn reach<'a>(from: &'a Module, edges: &BTreeMap<&'a Module, BTreeSet<&'a Module>>) -> BTreeSet<&'a Module> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        open.extend(edges[next].iter().copied().filter(|to| seen.insert(*to)));
    }
    seen
}

/// Everything that is named from the root or from the folder above, groups in braces taken apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in ["crate", "super"] {
        for at in words(code, root) {
            let continues = code[..at].trim_end().ends_with("::");
            if !continues && code[at + root.len()..].starts_with("::") {
                tree(&code[at..], &[], &mut found);
            }
        }
    }
    found
}

/// Reads one path, or the group that ends it, and gives what follows.
fn tree<'a>(code: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut path = before.to_vec();
    let mut rest = code.trim_start();
    loop {
        let name: String = rest.bytes().take_while(|byte| is_name_byte(*byte)).map(char::from).collect();
        rest = &rest[name.len()..];
        if !name.is_empty() {
            path.push(name);
        }
        let Some(more) = rest.strip_prefix("::") else {
            found.push(path);
            return rest;
        };
        rest = more;
        if let Some(mut group) = rest.strip_prefix('{') {
            loop {
                group = tree(group, &path, found);
                // What a name is called here does not matter.
                let end = group.find([',', '}']).unwrap_or(group.len());
                let is_next = group[end..].starts_with(',');
                group = group.get(end + 1..).unwrap_or_default();
                if !is_next {
                    return group;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files.iter().map(|(path, raw)| Source::new(&format!("crates/a/src/{path}"), raw)).collect();
        check(&sources).into_iter().map(|offence| offence.what.split_once(": ").unwrap().1.to_owned()).collect()
    }

    #[test]
    fn a_circle_is_found_however_it_is_closed() {
        let found = circles(&[("a.rs", "use crate::b::B;"), ("b.rs", "fn b() { crate::a::go() }")]);
        assert_eq!(found, ["a, b"]);
        let through = [("x/a.rs", "use super::b::B;"), ("x/b.rs", "use crate::{ c::C as D, y };"), ("c.rs", "use crate::x::{d, a::A};")];
        assert_eq!(circles(&through), ["c, x/a, x/b"]);
    }

    #[test]
    fn one_direction_a_folder_with_its_files_and_tests_pass() {
        for files in [
            &[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c;"), ("c.rs", "")][..],
            &[("x/mod.rs", "mod a; use a::A; use crate::x::b;"), ("x/a.rs", "use super::Shared;"), ("x/b.rs", "use super::{Shared, a};")],
            &[("a.rs", "use crate::b::B;"), ("b.rs", "#[cfg(test)]\nmod tests { use crate::a::A; }")],
            &[("lib.rs", "mod a;"), ("a.rs", "use crate::{B, Root};"), ("b.rs", "use crate::a::A;")],
        ] {
            assert_eq!(circles(files), Vec::<String>::new(), "{files:?}");
        }
    }
}
