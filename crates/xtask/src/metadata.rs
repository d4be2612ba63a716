//! The parts of `cargo metadata` that the rules read.

use crate::problem::{self, Problem};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: BTreeSet<String>,
    pub workspace_root: PathBuf,
    pub resolve: Resolve,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    /// Absent for crates of this repository.
    pub source: Option<String>,
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    pub kind: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Resolve {
    pub nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub struct Node {
    pub id: String,
    pub deps: Vec<NodeDependency>,
}

#[derive(Debug, Deserialize)]
pub struct NodeDependency {
    pub pkg: String,
    pub dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
pub struct DependencyKind {
    pub kind: Option<String>,
}

impl Metadata {
    pub fn load() -> Result<Metadata, Problem> {
        Metadata::parse(&problem::output("cargo", &["metadata", "--format-version", "1"])?)
    }

    pub fn parse(json: &str) -> Result<Metadata, Problem> {
        serde_json::from_str(json).map_err(|error| Problem::malformed("cargo metadata", error))
    }

    /// The crates of this repository.
    pub fn ours(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// Everything that is compiled into or for this crate: all targets, no dev-dependencies, without itself.
    pub fn closure(&self, name: &str) -> Vec<&Package> {
        let nodes: BTreeMap<&str, &Node> = self.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let mut open: Vec<&str> = self.ours().filter(|package| package.name == name).map(|package| package.id.as_str()).collect();
        let roots: BTreeSet<&str> = open.iter().copied().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let shipped = nodes.get(id).into_iter().flat_map(|node| &node.deps).filter(|dependency| dependency.is_shipped());
                open.extend(shipped.map(|dependency| dependency.pkg.as_str()));
            }
        }
        self.packages.iter().filter(|package| seen.contains(package.id.as_str()) && !roots.contains(package.id.as_str())).collect()
    }
}

impl NodeDependency {
    fn is_shipped(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

impl Dependency {
    pub fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::{Value, json};

    const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

    /// A fake workspace: our crates by name, third-party crates as `name@version`, and edges as (from, to, kind).
    pub fn fake(ours: &[&str], theirs: &[&str], edges: &[(&str, &str, Option<&str>)]) -> Metadata {
        let name = |id: &str| id.split('@').next().unwrap_or_default().to_owned();
        let version = |id: &str| id.split('@').nth(1).unwrap_or("0.1.0").to_owned();
        let package = |id: &str, source: Option<&str>| -> Value {
            let dependencies: Vec<Value> =
                edges.iter().filter(|(from, _, _)| *from == id).map(|(_, to, kind)| json!({ "name": name(to), "kind": kind })).collect();
            json!({ "id": id, "name": name(id), "version": version(id), "license": "MIT", "source": source, "dependencies": dependencies })
        };
        let node = |id: &str| -> Value {
            let deps: Vec<Value> = edges
                .iter()
                .filter(|(from, _, _)| *from == id)
                .map(|(_, to, kind)| json!({ "pkg": to, "dep_kinds": [{ "kind": kind }] }))
                .collect();
            json!({ "id": id, "deps": deps })
        };
        let packages: Vec<Value> =
            ours.iter().map(|id| package(id, None)).chain(theirs.iter().map(|id| package(id, Some(REGISTRY)))).collect();
        let nodes: Vec<Value> = ours.iter().chain(theirs).map(|id| node(id)).collect();
        let whole = json!({ "packages": packages, "workspace_members": ours, "workspace_root": "", "resolve": { "nodes": nodes } });
        Metadata::parse(&whole.to_string()).unwrap()
    }

    #[test]
    fn a_closure_has_what_is_compiled_and_not_what_is_only_tested_with() {
        let edges = [("thru", "a@1.0.0", None), ("a@1.0.0", "b@1.0.0", Some("build")), ("thru", "c@1.0.0", Some("dev"))];
        let metadata = fake(&["thru"], &["a@1.0.0", "b@1.0.0", "c@1.0.0"], &edges);
        let names: Vec<&str> = metadata.closure("thru").iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
