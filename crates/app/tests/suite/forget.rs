//! A forget that holds: memories, messages, summaries, profile, indexes, files; what comes back and what does not.

use std::path::Path;

use crate::common::{Home, MAIN};
use serde_json::Value;

const NOW: &str = "2026-03-02T09:00:00Z";

/// Returns true if a text is in any file below a folder, however it is written there.
fn is_anywhere(folder: &Path, text: &str) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if holds(&std::fs::read(&path).unwrap(), text) {
                return true;
            }
        }
    }
    false
}

fn holds(bytes: &[u8], text: &str) -> bool {
    let lower = bytes.to_ascii_lowercase();
    lower.windows(text.len()).any(|window| window == text.to_lowercase().as_bytes())
}

fn at(home: &Home, now: &str, words: &[&str]) -> Value {
    home.json(&[&["--now", now], words].concat())
}

/// A home that knows of a condition, with a summary of the conversation it was spoken of in.
fn told() -> Home {
    let home = Home::new();
    at(
        &home,
        "2026-03-01T08:00:00Z",
        &["chat", "-m", "Good morning. I was diagnosed with narcolepsy. My dog is called Biscuit."],
    );
    at(
        &home,
        "2026-03-01T08:05:00Z",
        &["chat", "-m", "Does narcolepsy run in families? The vet costs 90 euros."],
    );
    at(&home, "2026-03-01T09:00:00Z", &["summary"]);
    assert!(at(&home, "2026-03-01T09:00:00Z", &["summary"]).to_string().contains("narcolepsy"));
    assert!(home.json(&["memory", "list"]).to_string().contains("narcolepsy"));
    home
}

#[test]
fn j2_l13_without_yes_in_a_pipe_there_is_only_a_preview() {
    let home = told();
    let preview = at(&home, NOW, &["forget", "narcolepsy"]);
    assert_eq!((&preview["forgotten"], &preview["receipt"]), (&Value::from(0), &Value::Null));
    assert!(preview["matches"].as_array().unwrap().len() >= 3, "{preview}");
    assert!(home.ok(&["--now", NOW, "forget", "narcolepsy"]).contains("To be forgotten"));
    assert!(home.json(&["memory", "list"]).to_string().contains("narcolepsy"), "nothing has changed");
    for words in [&["forget"][..], &["forget", "x", "--all"], &["forget", "--id", "x", "--all"]] {
        assert_eq!(home.run(words).code, Some(2), "{words:?}");
    }
}

#[test]
fn j2_l13_what_is_forgotten_is_gone_from_every_answer_and_the_rest_stays() {
    let home = told();
    let done = at(&home, NOW, &["forget", "narcolepsy", "--yes"]);
    assert!(done["forgotten"].as_u64().unwrap() >= 3 && done["receipt"].is_string(), "{done}");
    for words in [
        &["memory", "list", "--all"][..],
        &["memory", "history"],
        &["profile"],
        &["summary"],
        &["search", "narcolepsy", "--chat", MAIN],
        &["search", "narcolepsy", "--chat", MAIN, "--kind", "summary"],
        &["context", "--chat", MAIN, "-m", "what is my diagnosis?"],
        &["chat", "-m", "What was I diagnosed with?"],
    ] {
        let shown = at(&home, "2026-03-02T09:01:00Z", words);
        let told = shown.to_string().replace("\"query\":\"narcolepsy\"", "");
        assert!(!told.contains("narcolepsy"), "{words:?}: {told}");
    }
    let export = home.ok(&["export"]);
    assert!(!export.contains("narcolepsy") && export.contains("[forgotten]"), "{export}");
    for kept in ["Good morning. [forgotten]", "My dog is called Biscuit.", "The vet costs 90 euros."] {
        assert!(export.contains(kept), "{kept}: {export}");
    }
    assert!(at(&home, NOW, &["summary"]).to_string().contains("90 euros"), "the summary is made without it");
}

#[test]
fn j2_it_can_be_undone_for_a_day_and_then_the_bytes_are_nowhere() {
    let home = told();
    let receipt = at(&home, NOW, &["forget", "narcolepsy", "--yes"])["receipt"].as_str().unwrap().to_owned();
    let undone = at(&home, "2026-03-03T08:59:00Z", &["forget", "--undo", &receipt]);
    assert!(undone["undone"].as_u64().unwrap() >= 3, "{undone}");
    assert!(home.json(&["memory", "list"]).to_string().contains("narcolepsy"));
    let found = home.json(&["search", "narcolepsy", "--chat", MAIN]);
    assert!(found["hits"].to_string().contains("diagnosed with narcolepsy"), "{found}");

    let receipt = at(&home, NOW, &["forget", "narcolepsy", "--yes"])["receipt"].as_str().unwrap().to_owned();
    assert!(is_anywhere(&home.path(), "narcolepsy"), "until then it can come back from somewhere");
    at(&home, "2026-03-03T09:00:01Z", &["search", "dog", "--chat", MAIN]);
    assert!(!is_anywhere(&home.path(), "narcolepsy"), "any process purges it after a day");
    let late = home.run(&["--now", "2026-03-03T09:01:00Z", "forget", "--undo", &receipt]);
    assert!(late.code == Some(1) && late.stderr.contains("older than a day"), "{late:?}");
}

#[test]
fn j2_permanently_leaves_the_words_in_no_file_at_once() {
    let home = told();
    let done = at(&home, NOW, &["forget", "narcolepsy", "--yes", "--permanently"]);
    assert_eq!(done["undo_until"], Value::Null);
    assert!(!is_anywhere(&home.path(), "narcolepsy"));
    assert!(is_anywhere(&home.path(), "Biscuit"), "the check can tell");
}

#[test]
fn j2_all_and_id_take_what_they_name() {
    let home = told();
    let memories = home.json(&["memory", "list"]);
    let dog = memories["memories"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["text"].to_string().contains("Biscuit"))
        .unwrap();
    at(&home, NOW, &["forget", "--id", dog["id"].as_str().unwrap(), "--yes", "--permanently"]);
    assert!(!is_anywhere(&home.path(), "Biscuit") && is_anywhere(&home.path(), "narcolepsy"));
    home.json(&["record", "--chat", "cli:chat:other", "The ferry leaves at nine."]);
    at(&home, NOW, &["forget", "--all", "--yes", "--permanently"]);
    for gone in ["narcolepsy", "90 euros", "Good morning"] {
        assert!(!is_anywhere(&home.path(), gone), "{gone}");
    }
    assert!(is_anywhere(&home.path(), "The ferry leaves"), "other chats are left alone");
}

#[test]
fn j2_it_is_not_learned_again_from_before_but_may_be_said_again() {
    let home = Home::new();
    at(
        &home,
        "2026-03-01T08:00:00Z",
        &["record", "--chat", MAIN, "--external-id", "m1", "I was diagnosed with narcolepsy."],
    );
    let export = home.ok(&["export"]);
    at(&home, NOW, &["forget", "narcolepsy", "--yes", "--permanently"]);
    let again = home.file("old.jsonl", export);
    at(&home, NOW, &["import", "--learn", &again]);
    let other = serde_json::json!({ "chat": MAIN, "role": "user", "text": "Hello. They diagnosed narcolepsy in me. Bye.", "at": "2026-02-01T08:00:00Z" });
    let other = home.file("other.jsonl", format!("{other}\n{{\"chat\":\"{MAIN}\",\"role\":\"user\",\"text\":\"undated: diagnosed with narcolepsy\"}}\n"));
    at(&home, NOW, &["import", "--learn", &other]);
    assert!(!is_anywhere(&home.path(), "narcolepsy"), "an import of it enters as [forgotten]");
    assert!(home.ok(&["export"]).contains("Hello. [forgotten] Bye."));
    assert!(!home.json(&["memory", "list"]).to_string().contains("narcolepsy"));
    at(&home, "2026-03-05T08:00:00Z", &["chat", "-m", "I was diagnosed with narcolepsy."]);
    assert!(home.json(&["memory", "list"]).to_string().contains("narcolepsy"), "the person may say it again");
}

#[test]
fn j2_backups_that_hold_it_are_named() {
    let home = told();
    let file = home.beside("copy.db").to_str().unwrap().to_owned();
    home.json(&["backup", &file]);
    let done = at(&home, NOW, &["forget", "narcolepsy", "--yes", "--permanently"]);
    assert!(done["backups"].to_string().contains("copy.db"), "{done}");
    let other = at(&home, NOW, &["forget", "euros", "--yes"]);
    assert!(other["backups"].to_string().contains("copy.db"), "{other}");
}

#[test]
fn j2_a_restored_backup_does_not_bring_back_what_was_forgotten_since() {
    let home = told();
    let file = home.beside("copy.db").to_str().unwrap().to_owned();
    home.json(&["backup", &file]);
    at(&home, NOW, &["forget", "narcolepsy", "--yes", "--permanently"]);
    let restored = at(&home, NOW, &["restore", &file]);
    assert!(restored["forgotten_again"].as_u64().unwrap() >= 3, "{restored}");
    let (export, memories) = (home.ok(&["export"]), home.json(&["memory", "list"]).to_string());
    assert!(!export.contains("narcolepsy") && export.contains("Biscuit"), "{export}");
    assert!(!memories.contains("narcolepsy") && memories.contains("Biscuit"), "{memories}");
}

#[test]
fn nothing_that_matches_is_said_so_and_changes_nothing() {
    let home = told();
    let done = at(&home, NOW, &["forget", "submarines", "--yes"]);
    assert_eq!((&done["forgotten"], &done["receipt"]), (&Value::from(0), &Value::Null));
    let ran = home.run(&["forget", "--undo", "01a1e33e-606e-76db-a3f6-c299b41fdc13"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("nothing can be brought back"), "{ran:?}");
}

#[test]
fn j2_forgettings_of_one_message_come_back_each_by_itself() {
    let home = Home::new();
    at(
        &home,
        NOW,
        &["record", "--chat", MAIN, "My sister is called Annabel. I keep bees in Lisbon. The end."],
    );
    let forget =
        |topic: &str| at(&home, NOW, &["forget", topic, "--yes"])["receipt"].as_str().unwrap().to_owned();
    let (annabel, bees) = (forget("annabel"), forget("bees"));
    assert!(home.ok(&["export"]).contains("[forgotten] The end."));
    at(&home, NOW, &["forget", "--undo", &annabel]);
    assert!(home.ok(&["export"]).contains("My sister is called Annabel. [forgotten] The end."));
    at(&home, NOW, &["forget", "--undo", &bees]);
    assert!(home.ok(&["export"]).contains("My sister is called Annabel. I keep bees in Lisbon. The end."));
    forget("annabel");
    at(&home, NOW, &["forget", "bees", "--yes", "--permanently"]);
    assert!(!is_anywhere(&home.path(), "keep bees"), "nor in what another forgetting keeps");
    assert!(is_anywhere(&home.path(), "Annabel"));
}

#[test]
fn j2_for_good_means_also_what_was_forgotten_before() {
    let home = told();
    at(&home, NOW, &["forget", "narcolepsy", "--yes"]);
    let kept = at(&home, NOW, &["memory", "list"]).to_string();
    assert!(kept.contains("Biscuit") && is_anywhere(&home.path(), "narcolepsy"));
    let done = at(&home, NOW, &["forget", "narcolepsy", "--yes", "--permanently"]);
    assert_eq!(done["finished"], 1, "it is said that the first one can no longer be undone");
    assert!(!is_anywhere(&home.path(), "narcolepsy"), "nothing is kept to undo it any more");
    let euros = at(&home, NOW, &["forget", "euros", "--yes"])["receipt"].as_str().unwrap().to_owned();
    at(&home, NOW, &["forget", "--all", "--yes", "--permanently"]);
    assert!(!is_anywhere(&home.path(), "90 euros") && !is_anywhere(&home.path(), "Biscuit"));
    assert_eq!(home.run(&["--now", NOW, "forget", "--undo", &euros]).code, Some(1));
}

#[test]
fn j2_a_message_goes_with_what_was_learned_from_it_alone() {
    let home = Home::new();
    let record =
        |text: &str| at(&home, NOW, &["record", "--chat", MAIN, text])["id"].as_str().unwrap().to_owned();
    record("I live in Lisbon.");
    let named = record("Hello. I live in Lisbon. I keep bees in a meadow.");
    record("Hello. I like the meadow.");
    at(&home, NOW, &["chat", "-m", "Good morning"]);
    at(&home, NOW, &["forget", "--id", &named, "--yes"]);
    let export = home.ok(&["export"]);
    for kept in ["I live in Lisbon.", "Hello. I like the meadow.", "Good morning"] {
        assert!(export.contains(kept), "{kept}: {export}");
    }
    assert!(!export.contains("bees"), "{export}");
    let memories = at(&home, NOW, &["memory", "list"]).to_string();
    assert!(memories.contains("Lisbon") && !memories.contains("bees"), "{memories}");
}

#[test]
fn j2_only_what_holds_the_whole_topic_goes_and_the_rest_is_offered() {
    let home = Home::new();
    for text in [
        "Bea Novak is my lawyer.",
        "Tom Novak is my dentist.",
        "Novak, Bea: 3 pm",
        "The dog is called Max.",
        "Max speed was 90.",
    ] {
        at(&home, NOW, &["record", "--chat", MAIN, text]);
    }
    let preview = at(&home, NOW, &["forget", "Bea Novak"]);
    let of = |certain: bool| -> Vec<&str> {
        let all = preview["matches"].as_array().unwrap().iter();
        all.filter(|it| it["match"] == "message" && it["certain"] == certain)
            .map(|it| it["text"].as_str().unwrap())
            .collect()
    };
    assert_eq!(of(true), ["Bea Novak is my lawyer."]);
    assert_eq!(of(false), ["Tom Novak is my dentist.", "Novak, Bea: 3 pm"]);
    at(&home, NOW, &["forget", "Bea Novak", "--yes"]);
    at(&home, NOW, &["forget", "dog", "--yes"]);
    let export = home.ok(&["export"]);
    for kept in ["Tom Novak is my dentist.", "Novak, Bea: 3 pm", "Max speed was 90."] {
        assert!(export.contains(kept), "{kept}: {export}");
    }
    assert!(!export.contains("my lawyer") && !export.contains("called Max"), "{export}");
    for topic in ["it", "who am I", "?"] {
        let refused = home.run(&["forget", topic, "--yes"]);
        assert!(
            refused.code != Some(0) && refused.stderr.contains("does not say what to forget"),
            "{refused:?}"
        );
    }
    assert_eq!(home.ok(&["export"]), export, "nothing has changed");
}

#[test]
fn j2_the_keys_and_numbers_of_metadata_go_too_and_come_back() {
    let home = Home::new();
    let beside = r#"{"narcolepsy_since":2019,"phone":491707654321,"place":"clinic"}"#;
    at(&home, NOW, &["record", "--chat", MAIN, "--metadata", beside, "hello there"]);
    let receipt = at(&home, NOW, &["forget", "narcolepsy", "--yes"])["receipt"].as_str().unwrap().to_owned();
    at(&home, NOW, &["forget", "0170 7654321", "--yes"]);
    let export = home.ok(&["export"]);
    assert!(
        !export.contains("narcolepsy") && !export.contains("7654321") && export.contains("clinic"),
        "{export}"
    );
    at(&home, NOW, &["forget", "--undo", &receipt]);
    let export = home.ok(&["export"]);
    assert!(export.contains("narcolepsy_since") && !export.contains("7654321"), "{export}");
}

#[test]
fn j2_it_goes_from_all_chats_of_the_person_and_from_what_stands_beside_a_message() {
    let home = Home::new().configured("person = \"ana\"\n");
    for chat in ["cli:chat:a", "cli:chat:b"] {
        at(&home, "2026-03-01T08:00:00Z", &["record", "--chat", chat, "I live in Trondheim."]);
    }
    at(
        &home,
        "2026-03-01T08:01:00Z",
        &["record", "--chat", "cli:chat:d", "--role", "assistant", "In Trondheim it snows."],
    );
    let note = r#"{"note":"met at the Trondheim pier"}"#;
    at(&home, "2026-03-01T08:00:00Z", &["record", "--chat", "cli:chat:a", "--metadata", note, "hello there"]);
    at(&home, NOW, &["forget", "trondheim", "--yes", "--permanently", "--chat", "cli:chat:a"]);
    assert!(!is_anywhere(&home.path(), "Trondheim"));
    let line = serde_json::json!({ "chat": "cli:chat:c", "role": "user", "text": "I live in Trondheim.", "at": "2020-01-01T00:00:00Z" });
    let file = home.file("old.jsonl", format!("{line}\n"));
    at(&home, NOW, &["import", &file]);
    assert!(!is_anywhere(&home.path(), "Trondheim"), "in whichever chat of the person it comes in again");
}

#[test]
fn j2_two_forgettings_at_once_both_hold() {
    let home = Home::new();
    for n in 0..6 {
        home.json(&["record", "--chat", MAIN, &format!("The walrus {n} sang. The kettle {n} burned.")]);
    }
    std::thread::scope(|scope| {
        for topic in ["walrus", "kettle"] {
            let home = &home;
            scope.spawn(move || home.json(&["forget", topic, "--yes"]));
        }
    });
    let export = home.ok(&["export"]);
    assert!(!export.contains("walrus") && !export.contains("kettle"), "{export}");
}

#[test]
fn many_messages_are_forgotten_in_reasonable_time() {
    let home = Home::new();
    let line = |n: u32| serde_json::json!({ "chat": MAIN, "role": "user", "text": format!("Lesson {n}: the violin needs tuning. Page {n}."), "at": "2026-01-01T00:00:00Z" });
    let lines: String = (0..4_000).map(|n| format!("{}\n", line(n))).collect();
    let file = home.file("talk.jsonl", lines);
    home.json(&["import", &file]);
    let began = std::time::Instant::now();
    let done = home.json(&["forget", "violin", "--yes"]);
    assert_eq!(done["messages"], 4_000);
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}
