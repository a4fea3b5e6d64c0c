//! What goes in comes out: imports that can be repeated, exports that can be imported, and chats that never mix.

use crate::common::{Dice, Home, MAIN, messages_of};
use serde_json::{Value, json};

fn report(imported: u64, skipped: u64) -> Value {
    json!({ "imported": imported, "skipped": skipped, "failed": 0, "chats": 1, "errors": [] })
}

#[test]
fn an_import_can_be_repeated_by_external_id() {
    let home = Home::new();
    let line =
        |id: &str, text: &str| json!({ "chat": MAIN, "role": "user", "text": text, "external_id": id });
    assert_eq!(home.import(&[line("1", "one"), line("2", "two"), line("1", "one again")]), report(2, 1));
    assert_eq!(home.import(&[line("2", "another text, the same id"), line("3", "three")]), report(1, 1));
    assert_eq!(home.texts(), ["one", "two", "three"]);
    // The id is the chat's own: elsewhere it names another message.
    let elsewhere = json!({ "chat": "cli:chat:other", "role": "user", "text": "one", "external_id": "1" });
    assert_eq!(home.import(&[elsewhere])["imported"], 1);
    // A message recorded under an id is known to an import, and the other way round.
    home.ok(&["record", "--chat", MAIN, "--external-id", "9", "nine"]);
    assert_eq!(home.import(&[line("9", "nine")]), report(0, 1));
    assert_eq!(home.messages(), 5);
}

#[test]
fn an_import_can_be_repeated_by_what_a_line_says() {
    let home = Home::new();
    let at = "2026-02-18T07:02:00Z";
    let lines = [
        json!({ "chat": MAIN, "role": "user", "text": "ok", "at": at }),
        json!({ "chat": MAIN, "role": "user", "text": "ok", "at": at }),
        json!({ "chat": MAIN, "role": "user", "text": "ok", "at": "2026-02-18T07:03:00Z" }),
        json!({ "chat": MAIN, "role": "assistant", "text": "ok", "at": at }),
        json!({ "chat": MAIN, "role": "user", "text": "ok", "at": at, "lane": "topic:7" }),
        json!({ "chat": MAIN, "role": "user", "text": "ok" }),
        json!({ "chat": MAIN, "role": "user", "text": "ok" }),
    ];
    assert_eq!(home.import(&lines), report(7, 0), "two equal lines are two messages");
    assert_eq!(home.import(&lines), report(0, 7), "and both are known when they come again");
    let later: Vec<Value> = lines.iter().cloned().chain([lines[0].clone()]).collect();
    assert_eq!(home.import(&later), report(1, 7), "a third equal line is new");
}

#[test]
fn arrays_of_messages_are_recognized_imported_once_and_reported_by_line() {
    let home = Home::new();
    let path = home.file(
        "chat.json",
        "[\n{\"role\": \"user\", \"content\": \"The bees swarmed.\"},\n{\"role\": \"user\"},\n\
         {\"role\": \"assistant\", \"content\": \"Where to?\", \"metadata\": {\"model\": \"m\"}},\n\
         {\"role\": \"user\", \"content\": \"The bees swarmed.\"}\n]\n",
    );
    let first = home.run(&["import", &path, "--chat", "cli:chat:bees", "--json"]);
    assert_eq!(first.code, Some(1), "{first:?}");
    let errors = json!([{ "file": path, "line": 3, "why": "the entry has no text" }]);
    let whole = json!({ "imported": 3, "skipped": 0, "failed": 1, "chats": 1, "errors": errors });
    assert_eq!(serde_json::from_str::<Value>(&first.stdout).unwrap(), whole);
    let again = home.run(&["import", &path, "--chat", "cli:chat:bees", "--format", "messages"]);
    assert!(again.stdout.contains("0 imported, 3 already there"), "{again:?}");
    assert_eq!(home.texts(), ["The bees swarmed.", "Where to?", "The bees swarmed."]);
    let second = &home.exported()[1];
    assert_eq!(
        (&second["chat"], &second["role"], &second["metadata"]),
        (&json!("cli:chat:bees"), &json!("assistant"), &json!({ "model": "m" }))
    );
    let found = home.json(&["search", "bees", "--chat", "cli:chat:bees"]);
    assert_eq!(found["hits"][0]["text"], "The bees swarmed.");
    // Read as another format, each line is an error of its own.
    assert_eq!(home.run(&["import", &path, "--format", "jsonl"]).code, Some(1));
    assert_eq!(home.run(&["import", &path, "--format", "csv"]).code, Some(2));
}

#[test]
fn an_undated_line_is_dated_now_and_order_in_a_lane_is_by_time() {
    let home = Home::new();
    home.ok(&["--now", "2026-02-18T09:00:00Z", "record", "--chat", MAIN, "now"]);
    home.ok(&[
        "--now",
        "2026-02-18T09:00:00Z",
        "record",
        "--chat",
        MAIN,
        "--at",
        "2026-02-18T08:55:00Z",
        "before",
    ]);
    let line = home.file("one.jsonl", json!({ "chat": MAIN, "role": "user", "text": "undated" }).to_string());
    home.ok(&["--now", "2026-02-18T09:01:00Z", "import", &line]);
    let listed = home.json(&["--now", "2026-02-18T09:02:00Z", "conversations", "list"]);
    let id = listed["conversations"][0]["id"].as_str().unwrap();
    let shown = home.json(&["conversations", "show", id]);
    let said: Vec<(&str, &str)> = shown["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["text"].as_str().unwrap(), one["at"].as_str().unwrap()))
        .collect();
    assert_eq!(
        said,
        [
            ("before", "2026-02-18T08:55:00Z"),
            ("now", "2026-02-18T09:00:00Z"),
            ("undated", "2026-02-18T09:01:00Z")
        ]
    );
    assert_eq!(shown["id"], shown["messages"][0]["id"], "a conversation's id is its first message's");
}

/// A home with a bit of everything that a message can carry.
fn varied() -> Home {
    let home = Home::new();
    let first = home.record("The spare key is with Ana");
    home.ok(&["record", "--chat", MAIN, "--reply-to", &first, "--speaker", "Bo", "which Ana?"]);
    home.ok(&[
        "record",
        "--chat",
        MAIN,
        "--role",
        "tool_use",
        "--metadata",
        r#"{"tool":"search","n":[1,2.5,null,true]}"#,
        "looking",
    ]);
    home.ok(&["record", "--chat", MAIN, "--role", "system", "be brief"]);
    home.ok(&[
        "record",
        "--chat",
        "telegram:chat:-100",
        "--lane",
        "topic:7",
        "--external-id",
        "55",
        "日本語 and 🔑 \u{202e}reversed",
    ]);
    home.ok(&[
        "record",
        "--chat",
        "telegram:chat:-100",
        "--reply-to",
        "4711",
        "in reply to something unknown",
    ]);
    home.feed(&["record", "--chat", "cli:chat:a:b", "-"], b"tabs\tquotes \"'` and\nlines\r\n\n  indented\\")
        .ok();
    home.ok(&["record", "--chat", MAIN, "--at", "2001-09-09T01:46:40.123456Z", "long ago"]);
    let floats = r#"{"chat":"cli:chat:floats","role":"user","text":"floats","metadata":{"a":0.1,"b":1.0000000000000002,"c":5e-324,"d":123456789.12345679,"e":-0.0,"f":18446744073709551615,"g":2.2250738585072011e-308}}"#;
    home.feed(&["import", "-"], floats.as_bytes()).ok();
    home.ok(&["chat", "-m", "where is the spare key?"]);
    home
}

#[test]
fn export_then_import_then_export_is_the_same_to_the_byte() {
    let home = varied();
    let first = home.ok(&["export"]);
    assert_eq!(messages_of(&first).len(), 11);
    let fresh = Home::new();
    let path = fresh.file("export.jsonl", &first);
    assert_eq!(fresh.json(&["import", &path])["imported"], 11);
    assert_eq!(fresh.ok(&["export"]), first);
    assert_eq!(fresh.json(&["import", &path])["skipped"], 11, "its own export holds nothing new");
    assert_eq!(home.json(&["import", &path])["skipped"], 11);
    // With or without --json, an export is its format.
    assert_eq!(home.ok(&["export", "--json"]), first);
    fresh.ok(&["doctor"]);
}

#[test]
fn a_chat_can_be_copied_under_another_name_and_the_copy_is_known_again() {
    let home = Home::new();
    home.record("The spare key is with Ana");
    home.ok(&["record", "--chat", MAIN, "--external-id", "5", "and the other one with Bo"]);
    let copy = home.ok(&["export"]).replace(MAIN, "cli:chat:copy").replace("root:main", "root:copy");
    let path = home.file("copy.jsonl", copy);
    assert_eq!(home.json(&["import", &path])["imported"], 2);
    assert_eq!(home.json(&["import", &path])["skipped"], 2);
    assert_eq!(messages_of(&home.ok(&["export", "--chat", "cli:chat:copy"])).len(), 2);
    assert_eq!(messages_of(&home.ok(&["export", "--chat", MAIN])).len(), 2);
    home.ok(&["doctor"]);
}

#[test]
fn one_id_given_twice_is_one_id() {
    let home = Home::new();
    let line = json!({ "chat": MAIN, "role": "user", "text": "split", "external_ids": ["8", "8", " ", "9"] });
    assert_eq!(home.import(std::slice::from_ref(&line)), report(1, 0));
    assert_eq!(home.exported()[0]["external_ids"], json!(["8", "9"]));
    assert_eq!(home.import(&[line]), report(0, 1));
}

#[test]
fn a1_the_export_of_one_chat_holds_no_other_chat_s_text() {
    let home = varied();
    let exported = home.ok(&["export", "--chat", "telegram:chat:-100"]);
    assert_eq!(messages_of(&exported).len(), 2);
    assert!(!exported.contains("Ana") && !exported.contains("indented"), "{exported}");
    let markdown = home.ok(&["export", "--chat", MAIN, "--format", "markdown"]);
    assert!(markdown.contains("> The spare key is with Ana") && !markdown.contains("日本語"), "{markdown}");
    assert_eq!(home.ok(&["export", "--chat", "cli:chat:a"]), "", "cli:chat:a is not cli:chat:a:b");
}

/// Chats that are easily taken for one another.
const CHATS: [&str; 8] = [
    "cli:chat:a",
    "cli:chat:a:b",
    "api:chat:a",
    "cli:chat:A",
    "cli:chat:%",
    "cli:chat:a:chat:b",
    "cli:chat:'--",
    "cli:chat:_",
];
const LANES: [&str; 4] = ["root", "topic:7", "topic:a", "reply:7"];

#[test]
fn a1_a6_chats_and_lanes_that_share_a_store_never_see_each_other() {
    let home = Home::new();
    let mut dice = Dice::new(42);
    let mark = |chat: usize, lane: usize| format!("mark{chat}lane{lane}end");
    let mut sent = [[0u64; LANES.len()]; CHATS.len()];
    let mut lines = Vec::new();
    for n in 0..400 {
        let (chat, lane) = (dice.below(CHATS.len() as u64) as usize, dice.below(LANES.len() as u64) as usize);
        sent[chat][lane] += 1;
        let role = if dice.below(3) == 0 { "assistant" } else { "user" };
        let minute = n * 2;
        lines.push(json!({
            "chat": CHATS[chat], "lane": LANES[lane], "role": role,
            "text": format!("the harvest was good, said {} in letter {n}", mark(chat, lane)),
            "at": format!("2026-02-18T{:02}:{:02}:00Z", minute / 60, minute % 60),
        }));
    }
    home.import(&lines);
    let now = "2026-02-18T13:30:00Z";
    let others = |text: &str, allowed: &[String]| -> Option<String> {
        let marks = text
            .match_indices("mark")
            .map(|(at, _)| text.get(at..).unwrap().split_inclusive("end").next().unwrap().to_owned());
        marks.into_iter().find(|mark| !allowed.contains(mark))
    };
    for (chat, name) in CHATS.iter().enumerate() {
        let own: Vec<String> = (0..LANES.len()).map(|lane| mark(chat, lane)).collect();
        let all: u64 = sent[chat].iter().sum();
        let found = home.json(&["search", "harvest", "--chat", name, "--limit", "1000"]);
        assert_eq!(found["hits"].as_array().unwrap().len() as u64, all, "{name} found too few or too many");
        assert_eq!(others(&found.to_string(), &own), None, "search in {name}");
        let exported = home.ok(&["export", "--chat", name]);
        assert_eq!(
            (exported.lines().count() as u64, others(&exported, &own)),
            (all, None),
            "export of {name}"
        );
        let another = mark((chat + 1) % CHATS.len(), 0);
        assert_eq!(
            home.json(&["search", &another, "--chat", name])["verdict"],
            "none",
            "{name} knows {another}"
        );
        for (lane, written) in LANES.iter().enumerate() {
            let only = [mark(chat, lane)];
            let in_lane =
                home.json(&["search", "harvest", "--chat", name, "--lane", written, "--limit", "1000"]);
            assert_eq!(
                in_lane["hits"].as_array().unwrap().len() as u64,
                sent[chat][lane],
                "{name} {written}"
            );
            assert_eq!(others(&in_lane.to_string(), &only), None, "search in {name} {written}");
            let format = ["xml", "text", "roles", "messages"][lane];
            let words = [
                "--now",
                now,
                "context",
                "--chat",
                name,
                "--lane",
                written,
                "--format",
                format,
                "-m",
                "how was the harvest?",
            ];
            let context = home.json(&words).to_string();
            assert_eq!(others(&context, &only), None, "context of {name} {written}");
            assert!(context.contains(&only[0]), "the context of {name} {written} is empty");
        }
    }
}

#[test]
fn a3_l18_the_window_of_a_topic_holds_only_that_topic() {
    let home = Home::new();
    home.ok(&["record", "--chat", MAIN, "the plumber comes on Friday"]);
    let recorded =
        home.json(&["record", "--chat", MAIN, "--lane", "topic:7", "the violin needs new strings"]);
    assert_eq!(recorded["lane"], "topic:main:7");
    // What was learned is the person's, wherever it was said; the words themselves stay in their lane.
    let said = |words: &[&str]| {
        let layers = home.json(words)["layers"].clone();
        let of = |name: &str| layers.as_array().unwrap().iter().find(|layer| layer["name"] == name).cloned();
        ["memories", "recent"].map(|name| of(name).unwrap()["text"].to_string()).concat()
    };
    let topic = said(&["context", "--chat", MAIN, "--lane", "topic:7", "-m", "what about Friday?"]);
    assert!(topic.contains("violin") && !topic.contains("plumber"), "{topic}");
    let root = said(&["context", "--chat", MAIN, "-m", "what about the strings?"]);
    assert!(root.contains("plumber") && !root.contains("violin"), "{root}");
    let whole = home.json(&["search", "the", "--chat", MAIN]);
    assert_eq!(
        home.json(&["search", "violin", "--chat", MAIN])["hits"][0]["lane"],
        "topic:main:7",
        "{whole}"
    );
    assert_eq!(home.json(&["search", "violin", "--chat", MAIN, "--lane", "root"])["verdict"], "none");
}

#[test]
fn a4_a_reply_reopens_the_lane_of_a_known_message_and_an_unknown_one_opens_its_own() {
    let home = Home::new();
    let lane = |words: &[&str]| {
        let all: Vec<&str> = ["record", "--chat", MAIN].iter().chain(words).copied().collect();
        home.json(&all)["lane"].as_str().unwrap().to_owned()
    };
    let id = home.json(&[
        "record",
        "--chat",
        MAIN,
        "--lane",
        "topic:7",
        "--external-id",
        "55",
        "in the topic",
    ])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(lane(&["--reply-to", &id, "by our id"]), "topic:main:7");
    assert_eq!(lane(&["--reply-to", "55", "by the channel's id"]), "topic:main:7");
    assert_eq!(lane(&["--reply-to", "56", "to something never seen"]), "reply:main:56");
    assert_eq!(lane(&["--reply-to", "55", "--lane", "root", "the lane that was said wins"]), "root:main");
    // Channels have ids that no lane can be named by as they are.
    for target in ["$event:example.org", "a b", "<id@host>", "root:other", &"9".repeat(500)] {
        assert!(lane(&["--reply-to", target, "to something odd"]).starts_with("reply:main:"), "{target}");
    }
    assert_eq!(lane(&["--reply-to", "", "to nothing"]), "root:main");
    let exported = home.ok(&["export"]);
    let fresh = Home::new();
    fresh.feed(&["import", "-"], exported.as_bytes()).ok();
    assert_eq!(fresh.ok(&["export"]), exported);
    // An id of another chat is unknown here.
    let elsewhere = home.json(&["record", "--chat", "cli:chat:other", "--reply-to", "55", "not this 55"]);
    assert_eq!(elsewhere["lane"], "reply:other:55");
    let context = home.json(&["context", "--chat", MAIN, "--reply-to", "55", "-m", "and this?"]);
    assert_eq!(context["lane"], "topic:main:7");
    let quote = context["layers"].as_array().unwrap().iter().find(|layer| layer["name"] == "quote").unwrap();
    assert!(quote["text"].as_str().unwrap().contains("in the topic"), "e4: {quote}");
}
