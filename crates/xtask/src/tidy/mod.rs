//! The house rules. Each is a pure function over files or metadata, with its reason; this file only collects.

mod catalogue;
mod circles;
mod docs;
mod edges;
mod evidence;
mod features;
mod names;
mod origins;
mod purity;
mod sizes;
mod words;

use crate::files::{TextFile, text_files};
use crate::metadata::Metadata;
use crate::offence::{Offence, report};
use crate::problem::{self, Problem};
use crate::ratchet::Ratchet;
use crate::source::Source;

pub fn run() -> Result<(), Problem> {
    let metadata = Metadata::load()?;
    let files = text_files(&metadata.workspace_root)?;
    let ratchet = Ratchet::load(&metadata.workspace_root)?;
    let tree = problem::output("cargo", &features::TREE)?;
    report("tidy", offences(&metadata, &files, &ratchet, &tree))
}

fn offences(metadata: &Metadata, files: &[TextFile], ratchet: &Ratchet, tree: &str) -> Vec<Offence> {
    let sources: Vec<Source> =
        files.iter().filter(|file| file.path.ends_with(".rs")).map(|file| Source::new(&file.path, &file.text)).collect();
    let mut offences = edges::check(metadata);
    offences.extend(purity::check_dependencies(metadata));
    offences.extend(features::check(tree));
    offences.extend(sizes::check(&sources, ratchet));
    offences.extend(circles::check(&sources));
    offences.extend(evidence::check(files, &sources));
    offences.extend(names::check_crates(metadata));
    offences.extend(files.iter().flat_map(origins::check));
    offences.extend(files.iter().flat_map(features::check_makefile));
    for source in &sources {
        offences.extend(docs::check(source));
        offences.extend(purity::check_source(source));
        offences.extend(names::check_source(source));
        offences.extend(words::check(source));
        offences.extend(catalogue::check(source));
    }
    offences
}
