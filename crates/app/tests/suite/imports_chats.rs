//! Chats of people, brought in from Telegram Desktop and WhatsApp.

use serde_json::{Value, json};

use crate::common::{Home, MAIN};

const WITH_BO: &str = "telegram-export:chat:4711";
/// Somebody else's chat with the bot.
const OTHERS: &str = "telegram:chat:815";

fn said(id: u64, from: &str, text: &str) -> Value {
    json!({ "id": id, "type": "message", "date": "2024-03-01T12:34:56", "date_unixtime": (1_709_293_496 + id * 60).to_string(),
            "from": from, "from_id": format!("user{}", from.len()), "text": text })
}

fn telegram(kind: &str, messages: &[Value]) -> String {
    let chat = json!({ "name": "Bo", "type": kind, "id": 4711, "messages": messages });
    format!("{chat:#}\n")
}

fn with_bo() -> String {
    let mut reply = said(2, "Ana", "I live in Lima.");
    reply["reply_to_message_id"] = json!(1);
    let service = json!({ "id": 3, "type": "service", "date": "2024-03-01T12:00:00", "action": "phone_call", "text": "" });
    telegram(
        "personal_chat",
        &[
            said(1, "Bo", "I live in Oslo, near the harbor."),
            reply,
            service,
            said(4, "Bo", "The ferry leaves at nine."),
        ],
    )
}

const GROUP: &str = "12/03/2024, 18:04 - Messages and calls are end-to-end encrypted.\n\
    12/03/2024, 18:05 - Bo: I live in Oslo.\n\
    12/03/2024, 18:06 - Ana: I live in Lima.\nSince May.\n\
    13/03/2024, 18:07 - Cy: The zeppelin lands on Friday.\n\
    13/03/2024, 18:07 - Cy: ok\n\
    13/03/2024, 18:07 - Bo: ok\n";

fn memories(home: &Home, chat: &str) -> Vec<String> {
    let shown = home.json(&["memory", "list", "--chat", chat]);
    let texts = shown["memories"].as_array().unwrap().iter();
    texts.map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_telegram_chat_is_recognized_found_with_date_and_speaker_and_imported_once() {
    let home = Home::new();
    let file = home.file("result.json", with_bo());
    let report = home.json(&["import", &file]);
    assert_eq!(report, json!({ "imported": 3, "skipped": 0, "failed": 0, "chats": 1, "errors": [] }));
    assert_eq!(home.json(&["import", &file, "--format", "telegram"])["skipped"], 3);
    let found = home.json(&["search", "ferry", "--chat", WITH_BO]);
    let hit = &found["hits"][0];
    assert_eq!(
        (&hit["text"], &hit["speaker"], &hit["at"]),
        (&json!("The ferry leaves at nine."), &json!("Bo"), &json!("2024-03-01T11:48:56Z"))
    );
    let all = home.exported();
    assert_eq!(all[1]["reply_to"], all[0]["id"], "a reply keeps the message it answers");
    assert_eq!(memories(&home, MAIN), [""; 0], "nothing is learned unless asked for");
    // It grew, and a message before its end was deleted.
    let grown = telegram(
        "personal_chat",
        &[said(1, "Bo", "I live in Oslo, near the harbor."), said(5, "Bo", "Bye.")],
    );
    let report = home.json(&["import", &home.file("grown.json", grown)]);
    assert_eq!((&report["imported"], &report["skipped"]), (&json!(1), &json!(1)));
}

#[test]
fn a_whatsapp_chat_is_recognized_found_with_date_and_speaker_and_imported_once() {
    let home = Home::new().with("USER_TIMEZONE", "Asia/Tokyo");
    let file = home.file("WhatsApp Chat with Family.txt", GROUP);
    assert_eq!(home.json(&["import", &file])["imported"], 5);
    assert_eq!(home.json(&["import", &file, "--format", "whatsapp"])["skipped"], 5);
    let found = home.json(&["search", "zeppelin", "--chat", "whatsapp:chat:-Family"]);
    let hit = &found["hits"][0];
    assert_eq!(
        (&hit["text"], &hit["speaker"], &hit["at"]),
        (&json!("The zeppelin lands on Friday."), &json!("Cy"), &json!("2024-03-13T09:07:00Z"))
    );
    let grown = home.file("WhatsApp Chat with Family.txt", format!("{GROUP}13/03/2024, 18:08 - Cy: ok\n"));
    let report = home.json(&["import", &grown]);
    assert_eq!((&report["imported"], &report["skipped"]), (&json!(1), &json!(5)));
    // By hand, into a chat that is named.
    let named = home.json(&["import", &file, "--chat", "whatsapp:chat:-us"]);
    assert_eq!(named["imported"], 6);
}

#[test]
fn only_the_owners_own_messages_teach_and_a_private_chat_teaches_about_the_owner() {
    for (name, content, chat) in [
        ("result.json", with_bo(), WITH_BO),
        ("WhatsApp Chat with Bo.txt", GROUP.replace("Cy:", "Bo:"), "whatsapp:chat:Bo"),
    ] {
        let by_option = Home::new();
        let file = by_option.file(name, &content);
        let report = by_option.json(&["import", "--learn", "--me", "ana", &file]);
        assert_eq!(report.get("note"), None, "{report}");
        let by_setting = Home::new().with("USER_NAME", "Ana");
        by_setting.json(&["import", "--learn", &by_setting.file(name, &content)]);
        for home in [by_option, by_setting] {
            let learned = memories(&home, MAIN);
            assert!(learned.iter().any(|text| text.contains("Lima")), "{chat}: {learned:?}");
            assert!(!learned.iter().any(|text| text.contains("Oslo")), "{chat}: {learned:?}");
            assert_eq!(memories(&home, chat), learned);
            assert_eq!(memories(&home, OTHERS), [""; 0]);
        }
        for (me, why) in
            [(None, "it is not known which name is yours"), (Some("Zoe"), "none of them is by Zoe")]
        {
            let home = Home::new();
            let file = home.file(name, &content);
            let words: Vec<&str> = ["import", "--learn", &file]
                .into_iter()
                .chain(me.iter().flat_map(|me| ["--me", me]))
                .collect();
            let said = home.ok(&words);
            assert!(said.contains(why) && said.contains("--me NAME"), "{said}");
            assert_eq!(memories(&home, MAIN), [""; 0]);
            assert_eq!(memories(&home, chat), [""; 0]);
        }
        // An export of ours keeps the rule.
        let home = Home::new();
        home.json(&["import", "--me", "Ana", &home.file(name, &content)]);
        let exported = home.ok(&["export"]);
        let fresh = Home::new();
        fresh.json(&["import", "--learn", &fresh.file("all.jsonl", exported)]);
        let learned = memories(&fresh, MAIN);
        assert!(learned.len() == 1 && learned[0].contains("Lima"), "{learned:?}");
    }
}

#[test]
fn nothing_of_a_group_reaches_another_chat() {
    let group = telegram(
        "private_supergroup",
        &[
            said(1, "Bo", "The zeppelin lands on Friday."),
            said(2, "Ana", "I live in Lima."),
            said(3, "Cy", "I live in Oslo."),
        ],
    );
    for (name, content, chat) in [
        ("result.json", group.as_str(), "telegram-export:chat:-4711"),
        ("WhatsApp Chat with Family.txt", GROUP, "whatsapp:chat:-Family"),
    ] {
        let home = Home::new();
        home.json(&["import", "--learn", "--me", "Ana", &home.file(name, content)]);
        let learned = memories(&home, chat);
        assert!(learned.len() == 1 && learned[0].contains("Lima"), "{learned:?}");
        for elsewhere in
            [OTHERS, MAIN, "telegram-export:chat:4711", "whatsapp:chat:Family", "telegram:chat:-4711"]
        {
            assert_eq!(memories(&home, elsewhere), [""; 0], "{elsewhere}");
            let found = home.json(&["search", "zeppelin Lima", "--chat", elsewhere]);
            assert_eq!(found["hits"], json!([]), "{elsewhere}");
            let question = "Where do I live, and when does the zeppelin land?";
            let context = home.ok(&["context", "--chat", elsewhere, "-m", question, "--format", "text"]);
            assert!(
                !context.contains("Lima") && !context.contains("zeppelin lands"),
                "{elsewhere}: {context}"
            );
        }
    }
}

#[test]
fn broken_entries_are_reported_with_their_line_and_the_others_go_in() {
    let home = Home::new();
    let lines =
        "12/03/2024, 18:05 - Ana: one\n45/03/2024, 18:06 - Ana: no such day\n13/03/2024, 18:07 - Ana: two\n";
    let messages =
        [said(1, "Bo", "three"), json!({ "id": 2, "type": "message", "text": "x" }), said(3, "Bo", "four")];
    for (name, content, line) in
        [("_chat.txt", lines.to_owned(), 2), ("result.json", telegram("bot_chat", &messages), 15)]
    {
        let ran = home.run(&["import", "--json", &home.file(name, &content)]);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (ran.code, &report["imported"], &report["failed"]),
            (Some(1), &json!(2), &json!(1)),
            "{report}"
        );
        assert_eq!(report["errors"][0]["line"], line, "{report}\n{content}");
    }
    assert_eq!(home.texts().len(), 4);
}

/// A file that is cut anywhere goes in as far as it goes, and the whole file adds the rest. Where the end of a WhatsApp
/// message is cut, nothing tells that it is not whole.
#[test]
fn a_cut_file_goes_in_without_duplicates_when_the_whole_one_follows() {
    for (format, whole, most_cut) in [("telegram", with_bo(), 0), ("whatsapp", GROUP.repeat(2), 1)] {
        // The chat is named: how many people speak in it is not known from a part.
        let import = |home: &Home, bytes: &[u8]| {
            let file = home.file("whole", bytes);
            home.run(&["import", "--format", format, "--chat", "whatsapp:chat:-us", &file])
        };
        let complete = Home::new();
        import(&complete, whole.as_bytes()).ok();
        let expected = complete.texts();
        for cut in (0..whole.len()).step_by(97) {
            let home = Home::new();
            let ran = import(&home, &whole.as_bytes()[..cut]);
            assert!(matches!(ran.code, Some(0 | 1)) && !ran.stderr.contains("panicked"), "{cut}: {ran:?}");
            import(&home, whole.as_bytes()).ok();
            let mut extra = home.texts();
            for text in &expected {
                let at = extra.iter().position(|it| it == text);
                extra.remove(at.unwrap_or_else(|| panic!("{format} {cut}: {text} is missing")));
            }
            assert!(extra.len() <= most_cut, "{format} {cut}: {extra:?}");
        }
    }
}
