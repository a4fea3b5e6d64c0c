//! A home that moves: what an export carries beside messages, and what an import does with it.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Dice, Home, MAIN};

/// A home with memories of every kind of history, summaries, and something forgotten.
fn lived_in() -> Home {
    let home = Home::new();
    let at = |now: &str, words: &[&str]| home.ok(&[&["--now", now], words].concat());
    at("2026-02-16T09:00:00Z", &["chat", "-m", "I live in Singapore, and I am allergic to peanuts."]);
    at("2026-02-16T09:05:00Z", &["chat", "-m", "My dog is called Rex."]);
    at("2026-02-16T09:06:00Z", &["chat", "--chat", "work", "-m", "My boss is called Novak."]);
    at("2026-02-17T09:00:00Z", &["chat", "-m", "I moved to Berlin."]);
    at("2026-02-17T09:05:00Z", &["remember", "The spare key is with Ana"]);
    at("2026-02-18T09:00:00Z", &["forget", "peanuts", "--yes"]);
    at("2026-02-18T10:00:00Z", &["summary"]);
    at("2026-02-18T11:00:00Z", &["status"]);
    home
}

fn kinds(export: &str, kind: &str) -> usize {
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == kind).count()
}

fn moved(export: &str) -> Home {
    let fresh = Home::new();
    let path = fresh.file("export.jsonl", export);
    fresh.json(&["import", &path]);
    fresh
}

#[test]
fn export_and_import_carry_memories_summaries_and_suppressions_to_the_byte() {
    let home = lived_in();
    let export = home.ok(&["export"]);
    for kind in ["memory", "summary", "suppression"] {
        assert!(kinds(&export, kind) > 0, "no {kind} in {export}");
    }
    assert!(!export.contains("peanuts"), "{export}");
    let fresh = moved(&export);
    assert_eq!(fresh.ok(&["export"]), export);
    let now = "2026-02-19T09:00:00Z";
    for words in [&["memory", "list"][..], &["memory", "history"], &["summary"], &["profile"]] {
        let asked = [&["--now", now], words].concat();
        assert_eq!(fresh.json(&asked), home.json(&asked), "{words:?}");
    }
    fresh.ok(&["doctor"]);
    // Its own export holds nothing new, here and there.
    for home in [&home, &fresh] {
        let report = home.json(&["import", &home.file("again.jsonl", &export)]);
        let pieces =
            ["memory", "summary", "suppression"].iter().map(|kind| kinds(&export, kind)).sum::<usize>();
        assert_eq!(
            (&report["imported"], &report["carried"]["skipped"]),
            (&json!(0), &json!(pieces)),
            "{report}"
        );
        assert_eq!(home.ok(&["export"]), export);
    }
}

#[test]
fn the_export_of_one_chat_carries_only_what_was_learned_there() {
    let home = lived_in();
    let export = home.ok(&["export", "--chat", "work"]);
    assert!(kinds(&export, "memory") > 0 && export.contains("Novak"), "{export}");
    assert!(!export.contains("Berlin") && !export.contains("Ana"), "{export}");
    assert_eq!(moved(&export).ok(&["export"]), export);
}

#[test]
fn j2_what_was_forgotten_does_not_come_back_with_an_older_export() {
    let home = Home::new();
    home.ok(&["--now", "2026-02-16T09:00:00Z", "chat", "-m", "I am allergic to peanuts. I live in Berlin."]);
    home.ok(&["--now", "2026-02-16T11:00:00Z", "status"]);
    let old = home.file("old.jsonl", home.ok(&["export"]));
    home.ok(&["--now", "2026-02-18T09:00:00Z", "forget", "peanuts", "--yes", "--permanently"]);
    let after = home.ok(&["export"]);
    home.json(&["--now", "2026-02-18T10:00:00Z", "import", "--learn", &old]);
    assert_eq!(home.ok(&["export"]), after);
    // The same statements under other ids, as another program would have kept them.
    let other = std::fs::read_to_string(&old).unwrap().replace("\"id\":\"01", "\"id\":\"02");
    let other = home.file("other.jsonl", other);
    let report = home.json(&["--now", "2026-02-18T10:00:00Z", "import", &other]);
    assert!(report["carried"]["forgotten"].as_u64().unwrap() > 0, "{report}");
    let export = home.ok(&["export"]);
    assert!(!export.contains("peanuts") && export.contains("Berlin"), "{export}");
}

#[test]
fn j2_suppressions_that_moved_work_with_the_key_of_their_home() {
    let home = Home::new();
    home.ok(&["--now", "2026-02-16T09:00:00Z", "chat", "-m", "I am allergic to peanuts."]);
    home.ok(&["--now", "2026-02-18T09:00:00Z", "forget", "peanuts", "--yes", "--permanently"]);
    let export = home.ok(&["export"]);
    let key = std::fs::read_to_string(home.path().join("suppression.key")).unwrap();
    assert!(!export.contains(key.trim()), "the key stays at home");
    let told = json!({ "chat": MAIN, "role": "user", "text": "I am allergic to peanuts", "at": "2026-02-17T09:00:00Z" });
    let without = Home::new();
    let report = without.json(&["import", &without.file("export.jsonl", &export)]);
    assert_eq!(report["carried"]["without_key"], report["carried"]["suppressions"], "{report}");
    without.import(std::slice::from_ref(&told));
    assert!(without.ok(&["export"]).contains("peanuts"), "hashes without their key recognize nothing");
    let with = Home::new();
    std::fs::create_dir_all(with.path()).unwrap();
    std::fs::write(with.path().join("suppression.key"), &key).unwrap();
    let report = with.json(&["import", &with.file("export.jsonl", &export)]);
    assert_eq!(report["carried"]["without_key"], 0, "{report}");
    assert_eq!(with.ok(&["export"]), export);
    with.import(&[told]);
    assert!(!with.ok(&["export"]).contains("peanuts"));
}

#[test]
fn a_summary_without_its_messages_is_refused_and_the_rest_goes_in() {
    let export = lived_in().ok(&["export"]);
    let without: String = export
        .lines()
        .filter(|line| line.contains("\"kind\":") || !line.contains("Novak"))
        .map(|line| format!("{line}\n"))
        .collect();
    let fresh = Home::new();
    let ran = fresh.run(&["--json", "import", &fresh.file("part.jsonl", &without)]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let baseless = report["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|error| error["why"] == "the messages that the summary stands for are not there");
    assert_eq!((ran.code, baseless.count() as u64 > 0), (Some(1), true), "{report}");
    assert_eq!(report["carried"]["memories"], kinds(&export, "memory"));
}

/// Texts that are easily changed on the way.
const ODD: [&str; 8] = [
    "plain",
    "日本語 🔑",
    "tabs\tand\nlines\n\n  indented",
    "quotes \"'`\\ and \u{2028}",
    "\u{202e}reversed",
    "[forgotten] rest",
    "<tag> &amp;",
    "e\u{301}",
];

fn any<'a>(dice: &mut Dice, among: &[&'a str]) -> &'a str {
    among[dice.below(among.len() as u64) as usize]
}

fn random_home(dice: &mut Dice) -> String {
    let id = |dice: &mut Dice| {
        format!(
            "01a1e54c-7ced-7{:03x}-a{:03x}-{:012x}",
            dice.below(4096),
            dice.below(4096),
            dice.below(1 << 48)
        )
    };
    let at = |dice: &mut Dice| {
        format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00.{:06}Z",
            1 + dice.below(12),
            1 + dice.below(28),
            dice.below(24),
            dice.below(60),
            dice.below(1_000_000)
        )
    };
    let odd = |dice: &mut Dice| any(dice, &ODD);
    let chats = ["cli:chat:main", "cli:chat:a:b", "telegram:chat:-100", "whatsapp:chat:Bo"];
    let (mut lines, mut said) = (Vec::new(), vec![Vec::new(); chats.len()]);
    for n in 0..40 {
        let chat = dice.below(chats.len() as u64) as usize;
        let (id, lane) = (id(dice), any(dice, &["root", "topic:7", "reply:9"]));
        said[chat].push((id.clone(), lane));
        lines.push(json!({
            "id": id, "chat": chats[chat], "lane": lane, "role": any(dice, &["user", "assistant", "tool_use"]),
            "text": format!("{} {n}", odd(dice)), "at": at(dice), "speaker": "Bo", "external_id": n.to_string(),
            "recorded_at": at(dice), "metadata": { "odd": odd(dice), "n": [n, null, 0.1] },
        }));
    }
    for n in 0..10 {
        let chat = dice.below(chats.len() as u64) as usize;
        let proof =
            said[chat].first().map(|(id, _)| json!({ "message": id, "span": { "start": 0, "end": 3 } }));
        lines.push(json!({
            "kind": "memory", "id": id(dice), "chat": chats[chat], "person": if n % 2 == 0 { json!("owner") } else { Value::Null },
            "type": any(dice, &["fact", "preference", "goal", "date", "outcome"]), "text": format!("{} {n}", odd(dice)),
            "category": "home", "confidence": 0.1 * n as f32, "extracted": n % 3 == 0,
            "status": any(dice, &["active", "suggested", "done", "superseded", "forgotten"]),
            "day": "2026-03-04", "proofs": proof.into_iter().collect::<Vec<_>>(), "valid_from": at(dice), "valid_to": at(dice),
            "superseded_by": id(dice), "used_at": at(dice), "learned_at": at(dice), "changed_at": at(dice),
            "after": said[chat].last().map(|(id, _)| id), "offered": n % 4 == 0,
        }));
    }
    for (chat, said) in chats.iter().zip(&said) {
        let Some((end, lane)) = said.first() else { continue };
        let scope = any(dice, &["conversation", "chunk", "lane", "chat"]);
        lines.push(json!({
            "kind": "summary", "id": id(dice), "chat": chat, "lane": lane, "scope": scope, "text": odd(dice), "messages": 1,
            "sections": { "goals": [odd(dice)], "decisions": [], "facts": [], "outcomes": [], "pending": [] },
            "from": end, "to": end, "from_at": at(dice), "to_at": at(dice), "version": dice.below(9),
            "updated_at": at(dice), "stale": dice.below(2) == 0, "after": end,
        }));
        lines.push(json!({
            "kind": "suppression", "chat": chat, "person": "owner", "at": at(dice), "forgetting": id(dice),
            "key": "0011223344556677", "statement": format!("{:032x}", dice.below(u64::MAX)),
            "words": [format!("{:032x}", dice.below(u64::MAX))],
        }));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn random_chats_that_are_exported_imported_and_exported_again_are_equal() {
    let mut dice = Dice::new(2026);
    for case in 0..6 {
        let lines = random_home(&mut dice);
        let first = moved(&lines).ok(&["export"]);
        assert_eq!(
            first.lines().count(),
            lines.lines().count(),
            "case {case} lost something:\n{lines}\n{first}"
        );
        assert_eq!(moved(&first).ok(&["export"]), first, "case {case}");
    }
}

#[test]
fn c1_an_import_that_was_killed_is_completed_by_the_next_one() {
    let line = |n: u32| {
        format!(
            "{}\n",
            json!({ "chat": format!("cli:chat:{}", n % 7), "role": "user", "text": format!("letter {n}") })
        )
    };
    let (whole, batch) = (30_000, 25_000);
    let home = Home::new();
    let mut child = home.command(&["import", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let begun: String = (0..batch + 500).map(line).collect();
    pipe.write_all(begun.as_bytes()).unwrap();
    pipe.flush().unwrap();
    // The first batch is on disk, and the import waits for more.
    while !home.database().exists()
        || home.run(&["status", "--json"]).code != Some(0)
        || home.messages() < u64::from(batch)
    {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let path = home.file("whole.jsonl", (0..whole).map(line).collect::<String>());
    let report = home.json(&["import", &path]);
    assert_eq!((&report["imported"], &report["skipped"]), (&json!(whole - batch), &json!(batch)), "{report}");
    assert_eq!(home.messages(), u64::from(whole));
    home.ok(&["doctor"]);
}

#[test]
fn markdown_goes_into_a_folder_by_chat_and_month_with_an_index() {
    let home = lived_in();
    home.ok(&["record", "--chat", MAIN, "--at", "2025-12-31T23:30:00Z", "an older letter"]);
    let folder = home.beside("pages");
    let report = home.json(&["export", "--format", "markdown", "--to", folder.to_str().unwrap()]);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let index = read("index.md");
    for part in [
        "## cli:chat:main",
        "(cli-chat-main/2026-02.md)",
        "(cli-chat-main/2025-12.md), 1 message",
        "(cli-chat-work/memories.md)",
    ] {
        assert!(index.contains(part), "{part} in {index}");
    }
    let links = index.matches("](").count() as u64;
    assert_eq!(report["files"], links + 1, "the index names every file: {index}");
    assert!(read("cli-chat-main/2025-12.md").contains("> an older letter"));
    let memories = read("cli-chat-main/memories.md");
    assert!(memories.contains("I moved to Berlin") && memories.contains("superseded"), "{memories}");
    assert!(!memories.contains("peanuts") && !memories.contains("[forgotten]"), "{memories}");
    assert!(read("cli-chat-main/summaries.md").contains("message"));
    // It replaces nothing, and other formats go to stdout.
    let again = home.run(&["export", "--format", "markdown", "--to", folder.to_str().unwrap()]);
    assert!(again.code == Some(1) && again.stderr.contains("not empty"), "{again:?}");
    assert_eq!(home.run(&["export", "--to", "elsewhere"]).code, Some(2));
}

#[test]
fn i2_a_named_speaker_of_a_private_chat_teaches_only_if_it_is_the_owner() {
    let lines = [
        json!({ "chat": MAIN, "role": "user", "speaker": "Bo", "text": "I live in Lisbon.", "at": "2026-02-16T09:00:00Z" }),
        json!({ "chat": MAIN, "role": "user", "speaker": "Ana", "text": "I live in Berlin.", "at": "2026-02-16T09:01:00Z" }),
    ];
    let jsonl: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let array = json!([
        { "role": "user", "name": "Bo", "content": "I live in Lisbon." },
        { "role": "user", "name": "Ana", "content": "I live in Berlin." },
    ]);
    for (name, content) in [("a.jsonl", jsonl), ("b.json", array.to_string())] {
        let home = Home::new();
        home.json(&["import", "--learn", "--me", "ana", &home.file(name, content)]);
        let memories = home.json(&["memory", "list"]).to_string();
        assert!(memories.contains("Berlin") && !memories.contains("Lisbon"), "{name}: {memories}");
    }
}

#[test]
fn a_later_export_of_whatsapp_with_a_third_speaker_stays_in_its_chat() {
    let home = Home::new();
    let two = "12/03/2024, 18:05 - Ana: Hello\n12/03/2024, 18:06 - Bo: Hi\n";
    let three = format!("{two}13/03/2024, 08:00 - Cy: Morning\n");
    let file = |text: &str| home.file("WhatsApp Chat with Trip.txt", text);
    assert_eq!(home.json(&["import", &file(two)])["imported"], 2);
    let later = home.json(&["import", &file(&three)]);
    assert_eq!((&later["imported"], &later["skipped"]), (&json!(1), &json!(2)), "{later}");
}
