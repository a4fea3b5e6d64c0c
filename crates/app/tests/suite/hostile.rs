//! Hostile text, wherever it may come in: nothing that a terminal would obey is stored or printed.

use serde_json::json;
use throughline_text::printable::is_unprintable;

use crate::common::pty::Terminal;
use crate::common::{Home, Ran};

/// Colors, a title, a link, a cleared screen, the second half of the control characters, a turned direction.
const HOSTILE: &str = "red \u{1b}[31mdoor\u{1b}]0;owned\u{7} \u{1b}]8;;http://evil.test\u{1b}\\here\u{1b}]8;;\u{1b}\\ \u{1b}c\u{9b}2J\u{9d}0;t\u{9c}\u{90}q\u{8}\u{7f}\u{202e}cod\u{2066}.exe\r";

/// Every view of what is stored, for people.
const VIEWS: &[&[&str]] = &[
    &["search", "door"],
    &["search", "--all", "door"],
    &["search", "door", "--kind", "memory"],
    &["search", "door", "--kind", "summary"],
    &["context", "-m", "door"],
    &["context", "-m", "door", "--explain", "--format", "text"],
    &["context", "-m", "door", "--format", "messages"],
    &["memory", "list", "--all"],
    &["memory", "history"],
    &["profile"],
    &["summary"],
    &["conversations", "list"],
    &["forget", "door"],
    &["status"],
    &["routine", "list"],
    &["routine", "runs"],
    &["pairing", "list"],
    &["config", "show"],
    &["config", "check"],
    &["doctor"],
    &["embedder", "list"],
    &["export", "--format", "markdown"],
    &["export"],
    &["chat", "-m", "Which door is it?"],
    &["chat", "-m", "/memory"],
    &["chat", "-m", "/summary"],
    &["chat", "-m", "/search door"],
    &["chat", "-m", "/context door"],
    &["chat", "-m", "/why"],
    &["chat", "-m", "/conversations"],
    &["chat", "-m", "/export"],
    &["chat", "-m", "/status"],
    &["chat", "-m", "/routines"],
    &["chat", "-m", "/nonsense \u{1b}[31m"],
];

fn is_clean(view: &[&str], ran: &Ran) {
    for printed in [&ran.stdout, &ran.stderr] {
        assert!(!printed.contains(is_unprintable), "{view:?}: {printed:?}");
        assert!(!printed.contains("owned") && !printed.contains("evil.test"), "{view:?}: {printed:?}");
    }
}

/// Gives the program hostile text by every door that takes one.
fn fill(home: &Home) {
    home.feed(
        &["record", "--speaker", HOSTILE, "--metadata", &json!({ "a": HOSTILE }).to_string(), "-"],
        HOSTILE.as_bytes(),
    );
    home.run(&["record", &format!("I live behind the {HOSTILE}")]);
    home.run(&["record", "--role", "assistant", &format!("The {HOSTILE} [REMEMBER: lives {HOSTILE}]")]);
    home.run(&["remember", &format!("I like the {HOSTILE}")]);
    home.run(&["chat", "-m", HOSTILE]);
    home.run(&["chat", "-m", &format!("/remember I have a {HOSTILE}")]);
    let lines = [
        json!({ "chat": "cli:chat:main", "role": "user", "text": HOSTILE, "speaker": HOSTILE, "external_id": HOSTILE }),
        json!({ "chat": format!("cli:chat:{HOSTILE}"), "role": "user", "text": "door" }),
        json!({ "chat": "cli:chat:main", "lane": format!("topic:{HOSTILE}"), "role": "user", "text": "door" }),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = home.file("his\u{1b}[31mtory\u{202e}.jsonl", text);
    let imported = home.run(&["import", &file]);
    is_clean_json(&["import"], &imported);
}

#[test]
fn what_a_terminal_would_obey_is_neither_stored_nor_printed() {
    let home = Home::new();
    fill(&home);
    for (file, bytes) in home.files() {
        let has = |bad: &[u8]| bytes.windows(bad.len()).any(|window| window == bad);
        assert!(!has(b"\x1b[31m") && !has(b"\x1b]8") && !has("\u{9b}2J".as_bytes()), "{}", file.display());
    }
    for view in VIEWS {
        is_clean(view, &home.run(view));
        let as_json: Vec<&str> = view.iter().copied().chain(["--json"]).collect();
        is_clean(&as_json, &home.run(&as_json));
    }
    let texts = home.texts();
    assert!(texts.iter().any(|text| text.starts_with("red door here")), "the words stay: {texts:?}");
}

#[test]
fn what_is_stored_already_is_not_printed_raw_either() {
    let home = Home::new();
    fill(&home);
    let sql = home.sql();
    // As a version stored it that took every text as it came.
    sql.execute("UPDATE messages SET text = text || ?1, speaker = ?1", [HOSTILE]).unwrap();
    sql.execute("UPDATE memories SET text = text || ?1", [HOSTILE]).unwrap();
    drop(sql);
    let id = home.json(&["memory", "list"])["memories"][0]["id"].as_str().unwrap().to_owned();
    let first = home.json(&["conversations", "list"])["conversations"][0]["id"].as_str().unwrap().to_owned();
    let by_id: [&[&str]; 3] =
        [&["memory", "show", &id], &["memory", "history", &id], &["conversations", "show", &first]];
    for view in VIEWS.iter().copied().chain(by_id) {
        is_clean_json(view, &home.run(view));
        let as_json: Vec<&str> = view.iter().copied().chain(["--json"]).collect();
        is_clean_json(&as_json, &home.run(&as_json));
    }
    let mut terminal = Terminal::start(&home, "chat");
    terminal.until("› ");
    for line in ["Which door is it?", "/memory", "/search door", "/export"] {
        terminal.press(&format!("{line}\r"));
        let shown = terminal.until("› ");
        assert!(!shown.contains("]8;;") && !shown.contains("[31m") && !shown.contains('\u{9b}'), "{shown:?}");
    }
}

/// JSON may hold the characters, escaped.
fn is_clean_json(view: &[&str], ran: &Ran) {
    for printed in [&ran.stdout, &ran.stderr] {
        assert!(!printed.contains(is_unprintable), "{view:?}: {printed:?}");
    }
}

#[test]
fn names_that_a_terminal_would_obey_are_refused() {
    let home = Home::new();
    for words in [
        ["record", "--chat", "cli:chat:a\u{202e}b", "x"],
        ["record", "--chat", "a\u{1b}[31mb", "x"],
        ["record", "--lane", "topic:\u{9b}7", "x"],
        ["send", "--routine", "a\u{1b}[31mb", "x"],
    ] {
        let ran = home.run(&words);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
        is_clean(&words, &ran);
    }
}
