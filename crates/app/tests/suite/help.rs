//! What the program says about itself: its help pages, its completions, and `doctor`.

use std::collections::BTreeSet;

use crate::common::{Home, Ran};

/// The commands of a help page.
fn commands(page: &str) -> Vec<String> {
    let listed = page.lines().skip_while(|line| *line != "Commands:").skip(1);
    let rows = listed.take_while(|line| line.starts_with("  "));
    let names = rows.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_help_page_has_an_example() {
    let home = Home::new();
    let mut pages: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = pages.pop() {
        let words: Vec<String> = path.iter().cloned().chain(["--help".to_owned()]).collect();
        let page = home.ok(&words);
        let after = page.split("Example").nth(1).unwrap_or_else(|| panic!("{path:?} has no example: {page}"));
        let named = path.first().map_or("throughline ".to_owned(), |first| format!("throughline {first}"));
        assert!(after.contains(&named), "{path:?} shows another command: {after}");
        pages.extend(commands(&page).into_iter().map(|name| [path.clone(), vec![name]].concat()));
        seen += 1;
    }
    assert!(seen > 40, "only {seen} pages were found");
}

/// What a shell offers behind these words.
fn offered(home: &Home, words: &[&str]) -> BTreeSet<String> {
    let mut command = home.command(&[&["--", "throughline"], words].concat());
    let ran = Ran::of(command.env("COMPLETE", "fish"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout.lines().filter_map(|line| line.split('\t').next()).map(str::to_owned).collect()
}

#[test]
fn completions_offer_the_values_that_an_argument_takes() {
    let home = Home::new();
    assert!(
        offered(&home, &["chat", "--chat", ""]).is_empty() && !home.path().exists(),
        "nothing is created"
    );
    home.ok(&["record", "--chat", "work", "The budget is due on Friday"]);
    home.ok(&["record", "--chat", "telegram:chat:4711", "Hello"]);
    for (words, expected) in [
        (["chat", "--chat", ""], &["work", "cli:chat:work", "telegram:chat:4711"] as &[&str]),
        (["search", "--kind", ""], &["message", "memory", "summary"]),
        (["context", "--preset", "t"], &["tiered"]),
        (["context", "--format", ""], &["xml", "text", "roles", "messages"]),
        (["record", "--role", "tool"], &["tool_use", "tool_result"]),
        (["embedder", "use", "mini"], &["minilm"]),
        (["import", "--format", "json"], &["jsonl"]),
        (["routine", "run", ""], &["morning-summary"]),
    ] {
        let found = offered(&home, &words);
        assert!(expected.iter().all(|one| found.contains(*one)), "{words:?}: {found:?}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(home.ok(&["completions", shell]).contains("COMPLETE"), "{shell}");
    }
}

#[test]
fn bash_completes_after_the_documented_line() {
    let home = Home::new();
    home.ok(&["record", "--chat", "work", "The budget is due on Friday"]);
    let folder = std::path::Path::new(crate::common::BINARY).parent().unwrap();
    let script = format!(
        "PATH={}:$PATH\nsource <(throughline completions bash)\nCOMP_WORDS=(throughline chat --chat wo)\nCOMP_CWORD=3\n\
         _clap_complete_throughline throughline wo --chat\necho \"${{COMPREPLY[@]}}\"",
        folder.display()
    );
    let ran = Ran::of(home.bare("bash").args(["-c", &script]));
    assert_eq!(ran.stdout.trim(), "work", "{ran:?}");
}

#[test]
fn doctor_creates_no_home_and_agrees_with_itself() {
    let home = Home::new();
    let first = home.ok(&["doctor"]);
    assert!(first.contains("does not exist yet") && first.contains("throughline onboard"), "{first}");
    assert!(!home.path().exists(), "looking creates nothing");
    assert_eq!(home.ok(&["doctor", "--fix"]), first);
    assert!(!home.path().exists(), "and so does mending");

    home.ok(&["status"]);
    std::fs::remove_file(home.database()).unwrap();
    assert!(home.ok(&["doctor"]).contains("none yet"));
    assert!(!home.database().exists());

    home.record("I live in Oslo.");
    let (once, twice) = (home.ok(&["doctor"]), home.ok(&["doctor"]));
    let without_space =
        |text: &str| text.lines().filter(|line| !line.contains("disk")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_space(&once), without_space(&twice));
    for broken in [false, true] {
        crate::common::set_mode(&home.path(), if broken { 0o755 } else { 0o700 });
        let ran = home.run(&["doctor", "--json"]);
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let states = document["checks"].as_array().unwrap();
        assert_eq!(document["ok"], !broken, "{document}");
        assert_eq!(ran.code, Some(i32::from(broken)));
        assert_eq!(states.iter().any(|check| check["state"] == "broken"), broken, "{document}");
        assert_eq!(home.run(&["doctor"]).stdout.contains('✗'), broken);
    }
}
