//! The suite calls every public method of the store.

use std::collections::BTreeSet;
use std::path::Path;

/// The files of a folder, without those of the folders in it: the arms of the store are private.
fn sources(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| (path.file_stem().unwrap().display().to_string(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// The public methods of `Store` and `InChat` in a source, which is formatted: a block ends with the line `}`.
fn methods(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in source.lines() {
        match line {
            "impl Store {" | "impl InChat {" => in_block = true,
            "}" => in_block = false,
            _ if in_block => {
                let line = line.trim_start();
                let signature = line.strip_prefix("pub async fn ").or_else(|| line.strip_prefix("pub fn "));
                found.extend(signature.and_then(|signature| signature.split(['(', '<']).next()));
            }
            _ => {}
        }
    }
    found
}

/// The names of the functions and methods that a source calls; comments do not count.
fn calls(source: &str) -> BTreeSet<&str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let ends = code.flat_map(|line| line.match_indices('(').filter_map(|(at, _)| line.get(..at)));
    ends.filter_map(|before| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (qualified, name) = before.split_at(before.trim_end_matches(is_part).len());
        (qualified.ends_with('.') || qualified.ends_with("::")).then_some(name)
    })
    .collect()
}

#[test]
fn every_public_method_of_the_store_is_called_in_the_suite() {
    let promised = sources("src");
    let promised: BTreeSet<&str> = promised.iter().flat_map(|(_, source)| methods(source)).collect();
    assert!(promised.is_superset(&BTreeSet::from(["open", "append", "watching"])), "{promised:?}");
    let suite = sources("tests/contract");
    let called: BTreeSet<&str> =
        suite.iter().filter(|(name, _)| name != "coverage").flat_map(|(_, source)| calls(source)).collect();
    let missing: Vec<_> = promised.difference(&called).collect();
    assert!(missing.is_empty(), "no story calls {missing:?}");
}

#[test]
fn methods_and_calls_are_told_from_what_looks_like_them() {
    let source = "impl Other {\n    pub fn no(&self) {}\n}\nimpl Store {\n    /// pub fn not_this()\n    fn hidden() {}\n    \
                  pub async fn find<T>(\n    }\n    pub fn chat(&self) {}\n}\nimpl InChat {\n    pub fn id(&self) {}\n}\n";
    assert_eq!(methods(source), ["find", "chat", "id"]);
    let source =
        "// store.commented()\nlet x = store.chat(&a).find(b); plain(); Store::open(y)\n    .lane(z)";
    assert_eq!(calls(source), BTreeSet::from(["chat", "find", "lane", "open"]));
}
