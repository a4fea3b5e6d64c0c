//! The map is true: crates point only where ARCHITECTURE.md says, and what it names is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate of ours by its folder, and the crates of ours that it may depend on.
const ARROWS: [(&str, &[&str]); 7] = [
    ("text", &[]),
    ("domain", &["text"]),
    ("store", &["text", "domain"]),
    ("models", &["text", "domain"]),
    ("engine", &["text", "domain", "store", "models"]),
    ("app", &["text", "domain", "store", "models", "engine"]),
    // For tests only, so it may know everything that is not the program itself.
    ("testkit", &["text", "domain", "store", "models", "engine"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The crates of ours that each crate has in `[dependencies]`, both by folder.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let crates = folders.filter(|folder| folder.join("Cargo.toml").exists());
    crates.map(|folder| (folder.file_name().unwrap().to_str().unwrap().to_owned(), needs(&folder))).collect()
}

fn needs(folder: &Path) -> BTreeSet<String> {
    let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    let names = dependencies.into_iter().flat_map(toml::Table::keys);
    names.filter_map(|name| name.strip_prefix("throughline-")).map(str::to_owned).collect()
}

#[test]
fn crates_depend_only_on_those_below_them() {
    let found = dependencies();
    let known: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    let there: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(there, known, "every crate has its place in the table of arrows");
    for (name, allowed) in ARROWS {
        for dependency in &found[name] {
            assert!(allowed.contains(&dependency.as_str()), "{name} must not depend on {dependency}");
        }
    }
}

#[test]
fn the_map_names_only_what_is_there() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let ends_path = |c: char| !(c.is_ascii_alphanumeric() || "/_-.".contains(c));
    let named: BTreeSet<&str> = map
        .match_indices("crates/")
        .map(|(at, _)| map.split_at(at).1)
        .map(|rest| rest.split(ends_path).next().unwrap().trim_end_matches('.'))
        .collect();
    assert!(named.len() > ARROWS.len(), "the map names the files of each crate: {named:?}");
    for path in named {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}, which is not there");
    }
}

#[test]
fn each_claim_about_security_names_tests_that_are_there() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let named: BTreeSet<&str> = page
        .split('`')
        .filter(|word| word.matches('_').count() > 3 && !word.contains([' ', '/', '.']))
        .collect();
    assert!(named.len() > 20, "{named:?}");
    let (mut folders, mut tests) = (vec![root().join("crates")], String::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(end) if end == "rs" => tests.push_str(&fs::read_to_string(path).unwrap()),
                _ => {}
            }
        }
    }
    for name in named {
        assert!(tests.contains(&format!("fn {name}")), "no test begins with {name}");
    }
}
