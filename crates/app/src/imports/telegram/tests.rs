//! Exports of Telegram Desktop, in small.

use serde_json::{Value, json};
use throughline_domain::lane::Lane;

use super::super::Defaults;
use super::super::tests::read_all;
use super::*;

fn chat(kind: &str, messages: &Value) -> String {
    json!({ "name": "Bo", "type": kind, "id": 4711, "messages": messages }).to_string()
}

fn read(text: &str) -> Vec<Inbound> {
    read_all(&Telegram, text).into_iter().map(|(_, entry)| entry.unwrap()).collect()
}

fn message(id: i64, text: Value) -> Value {
    json!({ "id": id, "type": "message", "date": "2024-03-01T12:34:56", "date_unixtime": "1709293496",
            "from": "Bo", "from_id": "user7", "text": text })
}

fn with(mut message: Value, more: Value) -> Value {
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

#[test]
fn pieces_of_a_text_are_joined_and_links_keep_their_address() {
    let cases = [
        (json!("plain"), "plain"),
        (json!(["see ", { "type": "bold", "text": "this" }, "!"]), "see this!"),
        (
            json!(["the ", { "type": "text_link", "text": "menu", "href": "https://a.example/m" }]),
            "the menu (https://a.example/m)",
        ),
        (json!([{ "type": "link", "text": "https://a.example" }]), "https://a.example"),
        (
            json!([{ "type": "text_link", "text": "https://a.example", "href": "https://a.example" }]),
            "https://a.example",
        ),
    ];
    for (text, expected) in cases {
        let found = read(&chat("personal_chat", &json!([message(1, text.clone())])));
        assert_eq!(found[0].text, expected, "{text}");
    }
}

#[test]
fn files_places_and_polls_are_described_as_the_bot_describes_them() {
    let cases = [
        (json!({ "photo": "photos/p.jpg", "text": "my cat" }), "[photo] my cat"),
        (
            json!({ "media_type": "voice_message", "file": "voice/a.ogg", "duration_seconds": 12 }),
            "[voice message, 12 s]",
        ),
        (json!({ "file": "files/report.pdf", "text": "read it" }), "[file: report.pdf] read it"),
        (
            json!({ "file": "(File not included. Change data exporting settings to download.)", "file_name": "r.pdf" }),
            "[file: r.pdf]",
        ),
        (json!({ "media_type": "sticker", "file": "s.webp", "sticker_emoji": "😀" }), "[sticker: 😀]"),
        (json!({ "media_type": "animation", "file": "a.mp4" }), "[animation]"),
        (
            json!({ "media_type": "audio_file", "file": "x.mp3", "performer": "Bach", "title": "Air" }),
            "[audio: Bach, Air]",
        ),
        (
            json!({ "location_information": { "latitude": 1.28, "longitude": 103.85 } }),
            "[location: 1.28000, 103.85000]",
        ),
        (
            json!({ "place_name": "Maxwell", "address": "Street", "location_information": { "latitude": 1.0, "longitude": 2.0 } }),
            "[place: Maxwell, Street]",
        ),
        (
            json!({ "contact_information": { "first_name": "Ana", "last_name": "", "phone_number": "+65 1" } }),
            "[contact: Ana, +65 1]",
        ),
        (
            json!({ "poll": { "question": "Where?", "answers": [{ "text": "Here" }, { "text": "There" }] } }),
            "[poll: Where? (Here / There)]",
        ),
        (json!({ "giveaway_information": {} }), "[media]"),
    ];
    for (content, expected) in cases {
        let found = read(&chat("personal_chat", &json!([with(message(1, json!("")), content.clone())])));
        assert_eq!(found[0].text, expected, "{content}");
    }
}

#[test]
fn a_message_keeps_its_id_moment_speaker_reply_and_origin() {
    let messages = json!([
        message(1, json!("one")),
        with(message(2, json!("two")), json!({ "reply_to_message_id": 1, "from": "Ana", "forwarded_from": "Cy" })),
        { "id": 3, "type": "message", "date": "2024-03-01T12:34:56", "from": null, "from_id": "user9", "text": "three" },
    ]);
    let mut found = Vec::new();
    let defaults = Defaults {
        me: Some(" ana".to_owned()),
        ..Defaults::new(ChatId::terminal(), jiff::tz::TimeZone::get("Asia/Tokyo").unwrap())
    };
    let text = chat("personal_chat", &messages);
    let mut sink = |_, entry: Result<Inbound, String>| {
        found.push(entry.unwrap());
        Ok(())
    };
    Telegram.read(&mut text.as_bytes(), &defaults, &mut sink).unwrap();
    let shown: Vec<_> = found
        .iter()
        .map(|it| {
            (
                it.speaker.as_deref().unwrap(),
                it.at.unwrap().to_string(),
                it.reply_to.as_deref(),
                json!(it.metadata),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("Bo", "2024-03-01T11:44:56Z".to_owned(), None, json!({ "own": false })),
            ("Ana", "2024-03-01T11:44:56Z".to_owned(), Some("1"), json!({ "own": true, "forwarded": "Cy" })),
            // Without seconds since 1970, in the zone of the settings.
            ("user9", "2024-03-01T03:34:56Z".to_owned(), None, json!({ "own": false })),
        ]
    );
    assert_eq!(found[0].external_ids, ["1"]);
    assert_eq!(found[0].chat.as_str(), "telegram-export:chat:4711");
}

#[test]
fn topics_are_lanes_and_other_service_messages_are_left_out() {
    let service = |id: i64, action: &str| json!({ "id": id, "type": "service", "date": "2024-03-01T12:00:00", "action": action, "title": "Garden", "text": "" });
    let reply =
        |id: i64, to: i64| with(message(id, json!(format!("m{id}"))), json!({ "reply_to_message_id": to }));
    let messages = json!([
        service(1, "create_group"),
        service(5, "topic_created"),
        message(6, json!("m6")),
        reply(7, 5),
        reply(8, 7),
        reply(9, 6),
        with(message(10, json!("m10")), json!({ "message_thread_id": 5 })),
        reply(11, 10),
        reply(12, 999),
    ]);
    let found = read(&chat("private_supergroup", &messages));
    let shown: Vec<_> =
        found.iter().map(|it| (it.text.as_str(), it.lane.clone().unwrap(), it.reply_to.as_deref())).collect();
    let garden = || Lane::Topic("5".to_owned());
    assert_eq!(
        shown,
        [
            ("m6", Lane::Root, None),
            ("m7", garden(), None),
            ("m8", garden(), Some("7")),
            ("m9", Lane::Root, Some("6")),
            ("m10", garden(), None),
            ("m11", garden(), Some("10")),
            ("m12", Lane::Root, Some("999")),
        ]
    );
    assert_eq!(found[0].chat.as_str(), "telegram-export:chat:-4711");
}

#[test]
fn all_chats_of_an_account_are_read_each_with_its_own_topics() {
    let one = |id: i64, kind: &str, text: &str| json!({ "name": null, "type": kind, "id": id, "messages": [message(1, json!(text))] });
    let account = json!({
        "about": "Here is the data you requested.",
        "personal_information": { "user_id": 1 },
        "contacts": { "list": [{ "first_name": "Bo" }] },
        "chats": { "about": "x", "list": [one(7, "personal_chat", "a"), one(8, "private_group", "b")] },
        "left_chats": { "about": "x", "list": [one(9, "public_supergroup", "c")] },
    });
    let found: Vec<_> =
        read(&account.to_string()).into_iter().map(|it| (it.chat.to_string(), it.text)).collect();
    let expected =
        [("telegram-export:chat:7", "a"), ("telegram-export:chat:-8", "b"), ("telegram-export:chat:-9", "c")];
    assert_eq!(found, expected.map(|(chat, text)| (chat.to_owned(), text.to_owned())));
}

#[test]
fn wrong_entries_are_reported_with_their_line_and_the_rest_is_read() {
    let text = "{\"name\":\"Bo\",\n\"type\":\"personal_chat\",\"id\":7,\"messages\":[\n\
                {\"id\":1,\"type\":\"message\",\"date\":\"2024-03-01\",\"text\":\"one\"},\n\
                {\"type\":\"message\",\"date\":\"2024-03-01\",\"text\":\"no id\"},\n\
                {\"id\":3,\"type\":\"message\",\"text\":\"no date\"},\n\
                {\"id\":4,\"type\":\"message\",\"date\":\"soon\",\"text\":\"x\"},\n7,\n\
                {\"id\":5,\"type\":\"message\",\"date\":\"2024-03-01\",\"text\":\"two\"}]}";
    let found = read_all(&Telegram, text);
    let lines: Vec<_> = found.iter().map(|(line, entry)| (*line, entry.is_ok())).collect();
    assert_eq!(lines, [(3, true), (4, false), (5, false), (6, false), (7, false), (8, true)]);
    assert_eq!(found[2].1.as_ref().unwrap_err(), "the message has no date");

    let late = r#"{"messages":[{"id":1,"text":"x"}],"id":7,"type":"personal_chat"}"#;
    let found = read_all(&Telegram, late);
    assert!(matches!(found.as_slice(), [(1, Err(why))] if why.contains("before its messages")), "{found:?}");
}
