//! Exports of other assistants: recognized, imported once, from a json file or the zip it came in.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::common::Home;

fn said(id: &str, parent: Option<&str>, role: &str, at: Value, text: &str) -> Value {
    json!({
        "id": id, "parent": parent, "children": [],
        "message": {
            "id": format!("m-{id}"), "author": { "role": role }, "create_time": at, "metadata": {},
            "content": { "content_type": "text", "parts": [text] },
        },
    })
}

fn chatgpt_conversation(id: &str, topic: &str) -> Value {
    json!({
        "title": format!("About {topic}"), "create_time": 1_700_000_000.5, "update_time": 1_700_000_900.0,
        "mapping": {
            "root": { "id": "root", "parent": null, "children": ["a"], "message": null },
            "a": said("a", Some("root"), "user", json!(1_700_000_001.25), &format!("Tell me about {topic}.")),
            "b": said("b", Some("a"), "assistant", Value::Null, &format!("The {topic} sleeps all winter.")),
            "c": said("c", Some("a"), "assistant", json!(1_700_000_003.5), "This answer was replaced."),
            "t": said("t", Some("b"), "tool", json!(1_700_000_004.5), "traffic"),
        },
        "current_node": "t", "conversation_id": id,
    })
}

fn chatgpt() -> String {
    serde_json::to_string_pretty(&[
        chatgpt_conversation("c-1", "hedgehog"),
        chatgpt_conversation("c-2", "dormouse"),
    ])
    .unwrap()
}

fn claude() -> String {
    let conversation = |uuid: &str, text: &str| {
        json!({
            "uuid": uuid, "name": "Animals", "created_at": "2024-03-05T10:00:00Z", "updated_at": "2024-03-05T10:00:00Z",
            "chat_messages": [
                { "uuid": "q", "sender": "human", "text": text, "created_at": "2024-03-05T10:00:01.5Z",
                  "content": [{ "type": "text", "text": text }], "attachments": [], "files": [] },
                { "uuid": "r", "sender": "assistant", "text": "Noted.", "created_at": "2024-03-05T10:00:02Z" },
            ],
        })
    };
    let both =
        [conversation("u-1", "The badger digs at dusk."), conversation("u-2", "The otter swims at dawn.")];
    serde_json::to_string_pretty(&both).unwrap()
}

fn mem0() -> String {
    let memory = |id: &str, text: &str, at: &str| json!({ "id": id, "memory": text, "user_id": "ana", "created_at": at });
    serde_json::to_string_pretty(&json!({ "results": [
        memory("1", "Keeps three goats", "2024-07-25T20:33:58.742-07:00"),
        memory("2", "Sold the tractor", "2025-01-02T03:04:05Z"),
    ] }))
    .unwrap()
}

fn zipped(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Every message without what is different in each home.
fn stored(home: &Home) -> Vec<Value> {
    let mut messages = home.exported();
    for message in &mut messages {
        let message = message.as_object_mut().unwrap();
        message.remove("id");
        message.remove("recorded_at");
    }
    messages
}

fn counts(report: &Value) -> (u64, u64, u64, u64) {
    let count = |name: &str| report[name].as_u64().unwrap();
    (count("imported"), count("skipped"), count("failed"), count("chats"))
}

#[test]
fn exports_are_recognized_found_with_their_own_date_and_imported_once() {
    let cases = [
        ("chatgpt", chatgpt(), 4, 2, "hedgehog sleeps winter", "2023-11-14T22:13:21.25Z", "chatgpt:chat:c-1"),
        ("claude", claude(), 4, 2, "badger digs dusk", "2024-03-05T10:00:01.5Z", "claude:chat:u-1"),
        ("mem0", mem0(), 2, 1, "goats", "2024-07-26T03:33:58.742Z", "mem0:chat:ana"),
    ];
    let all = Home::new();
    for (format, text, messages, chats, words, at, chat) in cases {
        let path = all.file(&format!("{format}.json"), &text);
        assert_eq!(counts(&all.json(&["import", &path])), (messages, 0, 0, chats), "{format}");
        assert_eq!(counts(&all.json(&["import", &path])), (0, messages, 0, chats), "{format}");
        let named = all.json(&["import", &path, "--format", format]);
        assert_eq!(counts(&named), (0, messages, 0, chats), "{format}");
        let hits = all.json(&["search", words, "--all"]);
        let hit = &hits["hits"][0];
        assert_eq!((&hit["at"], &hit["chat"]), (&json!(at), &json!(chat)), "{format}: {hits}");
    }
    assert!(!all.texts().iter().any(|text| text == "This answer was replaced." || text == "traffic"));
    let fresh = Home::new();
    let exported = fresh.file("all.jsonl", all.ok(&["export"]));
    assert_eq!(counts(&fresh.json(&["import", &exported])), (10, 0, 0, 5));
    assert_eq!(stored(&fresh), stored(&all), "an export of ours brings them along");
}

#[test]
fn a_grown_export_adds_only_what_is_new() {
    let home = Home::new();
    let mut conversation = chatgpt_conversation("c-1", "hedgehog");
    home.json(&["import", &home.file("old.json", json!([conversation]).to_string())]);
    conversation["mapping"]["d"] = said("d", Some("t"), "user", json!(1_700_000_800), "And in spring?");
    conversation["current_node"] = json!("d");
    let grown = json!([conversation, chatgpt_conversation("c-2", "dormouse")]).to_string();
    let report = home.json(&["import", &home.file("new.json", grown)]);
    assert_eq!(counts(&report), (3, 2, 0, 2));
}

#[test]
fn a_zip_holds_the_same_as_its_json_and_other_files_are_passed_over() {
    for (name, whole) in [("chatgpt", chatgpt()), ("claude", claude())] {
        let (plain, packed) = (Home::new(), Home::new());
        plain.json(&["import", &plain.file("conversations.json", &whole)]);
        // The parts of a large export, in a folder, beside files that are no conversations.
        let parts: Vec<Value> = serde_json::from_str(&whole).unwrap();
        let parts: Vec<String> = parts.iter().map(|part| json!([part]).to_string()).collect();
        let archive = zipped(&[
            ("export/conversations-001.json", &parts[1]),
            ("export/users.json", "[{\"uuid\":\"u\"}]"),
            ("export/conversations-000.json", &parts[0]),
            ("export/picture.png", "not JSON"),
        ]);
        let path = packed.file("export.zip", archive);
        let report = packed.ok(&["import", &path]);
        assert!(report.contains("4 imported, 0 already there, in 2 chats"), "{name}: {report}");
        assert!(report.contains("2 other files in the zip passed over"), "{name}: {report}");
        assert_eq!(stored(&packed), stored(&plain), "{name}");
        let alone = packed.file("alone.zip", zipped(&[("conversations.json", &whole)]));
        assert_eq!(counts(&packed.json(&["import", &alone])), (0, 4, 0, 2), "{name}");
    }
}

#[test]
fn a_zip_that_cannot_be_read_is_refused_with_a_sentence() {
    let home = Home::new();
    let whole = zipped(&[("conversations.json", &chatgpt())]);
    let mut damaged = whole.clone();
    damaged[60..90].fill(0xff);
    let cases = [
        (whole[..whole.len() / 2].to_vec(), "no whole zip file"),
        (damaged, "zip file is broken"),
        (zipped(&[]), "holds no conversations.json"),
        (zipped(&[("users.json", "[]")]), "holds no conversations.json"),
    ];
    for (archive, says) in cases {
        let path = home.file("export.zip", archive);
        let ran = home.run(&["import", &path]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        assert!(ran.stderr.contains(says) && ran.stderr.lines().count() == 1, "{ran:?}");
    }
    let piped = home.feed(&["import", "-"], &whole);
    assert!(piped.code == Some(1) && piped.stderr.contains("cannot be read from stdin"), "{piped:?}");
    assert_eq!(home.texts(), [""; 0]);
}

#[test]
fn a_broken_conversation_is_reported_with_its_line_and_the_others_are_imported() {
    let home = Home::new();
    let (one, two) = (chatgpt_conversation("c-1", "hedgehog"), chatgpt_conversation("c-2", "dormouse"));
    let text = format!("[\n{one},\n{{\"title\": \"no tree\"}},\n{two}\n]");
    let path = home.file("export.zip", zipped(&[("conversations.json", &text)]));
    let ran = home.run(&["import", &path, "--format", "chatgpt", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(counts(&report), (4, 0, 1, 2));
    let error = &report["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!(format!("{path}/conversations.json")), &json!(3)));
    assert!(error["why"].as_str().unwrap().contains("missing field `mapping`"), "{error}");
}

#[test]
fn a_file_cut_off_anywhere_leaves_no_duplicates_when_the_whole_follows() {
    for (format, whole, messages) in [("chatgpt", chatgpt(), 4), ("claude", claude(), 4), ("mem0", mem0(), 2)]
    {
        let home = Home::new();
        let cuts = (0..whole.len()).step_by(97).map(|at| &whole.as_bytes()[..at]);
        let mut words = vec!["import".to_owned(), "--format".to_owned(), format.to_owned()];
        words.extend(cuts.enumerate().map(|(at, cut)| home.file(&format!("{at}.json"), cut)));
        let ran = home.run(&words);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains("The rest of the file was not read"), "{ran:?}");
        // Cut off, the file may not be recognized; whole, it is.
        home.json(&["import", &home.file("whole.json", &whole)]);
        let (texts, fresh) = (home.texts(), Home::new());
        fresh.json(&["import", &fresh.file("whole.json", &whole)]);
        assert_eq!((texts.len(), stored(&home)), (messages, stored(&fresh)), "{format}");
    }
}

#[test]
fn learning_from_an_export_makes_memories_of_it() {
    let home = Home::new();
    let text = json!([{
        "id": "1", "memory": "I live in Ghent.", "user_id": "ana", "created_at": "2024-07-25T20:33:58Z",
    }]);
    let path = home.file("mem0.json", text.to_string());
    home.json(&["import", "--learn", &path]);
    let memories = home.ok(&["memory", "list", "--chat", "mem0:chat:ana"]);
    assert!(memories.contains("Ghent"), "{memories}");
}
