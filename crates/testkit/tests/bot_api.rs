//! The double of the Bot API behaves like the real one on the points that the gateway's tests rely on.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must say so at once"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_testkit::bot_api::{BotApi, Button, Fault, Form, Moment};

const ANA: i64 = 4711;
const GROUP: i64 = -500;
const SUPERGROUP: i64 = -1_001_000_000_001;
const FORUM: i64 = -1_001_000_000_002;
const SOON: Duration = Duration::from_secs(5);

/// A server where Ana has a private chat and is in a group of each kind.
fn served() -> BotApi {
    let api = BotApi::start();
    api.hold(Duration::ZERO);
    api.person(ANA, "Ana");
    api.group(GROUP, "Small");
    api.supergroup(SUPERGROUP, "Large");
    api.forum(FORUM, "Forum");
    api
}

/// Sends a request and leaves the answer unread.
fn ask(api: &BotApi, token: &str, method: &str, params: &Value) -> TcpStream {
    let address = api.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).unwrap();
    let body = params.to_string();
    write!(
        stream,
        "POST /bot{token}/{method} HTTP/1.1\r\nHost: double\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

/// The status and body of an answer; nothing when the connection was closed without one.
fn hear(stream: TcpStream) -> Option<(u16, String)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((status, String::from_utf8(body).ok()?))
}

fn call(api: &BotApi, method: &str, params: Value) -> Value {
    let (status, body) = hear(ask(api, &api.token(), method, &params)).expect("an answer");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["error_code"].as_u64().unwrap_or(200), u64::from(status));
    body
}

fn send(api: &BotApi, chat: i64, text: &str) -> Value {
    call(api, "sendMessage", json!({ "chat_id": chat, "text": text }))
}

/// Why a call was refused.
fn refused(api: &BotApi, method: &str, params: Value) -> String {
    let answer = call(api, method, params);
    answer["description"].as_str().unwrap_or_else(|| panic!("not refused: {answer}")).to_owned()
}

fn updates(api: &BotApi, params: Value) -> Vec<Value> {
    call(api, "getUpdates", params)["result"].as_array().expect("updates").clone()
}

/// A poll that waits for something to happen.
fn open_poll(api: &BotApi) -> TcpStream {
    let poll = ask(api, &api.token(), "getUpdates", &json!({ "timeout": 50 }));
    api.wait(SOON, |api| api.is_polled().then_some(()));
    poll
}

/// The newest update's message.
fn newest(api: &BotApi) -> Value {
    updates(api, json!({ "offset": -1 }))[0]["message"].clone()
}

#[test]
fn a_call_is_known_by_token_and_method_in_any_case() {
    let api = served();
    let old = api.token();
    assert_eq!(call(&api, "GetMe", json!({}))["result"]["id"], api.bot_id());
    assert_eq!(
        call(&api, "getNothing", json!({})),
        json!({ "ok": false, "error_code": 404, "description": "Not Found" })
    );
    api.rotate_token("7000001:TEST-new");
    assert_eq!(call(&api, "getMe", json!({}))["ok"], true);
    let (status, body) = hear(ask(&api, &old, "getMe", &json!({}))).unwrap();
    assert_eq!(
        (status, body.as_str()),
        (401, r#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#)
    );
    let methods: Vec<_> = api.calls().into_iter().map(|call| call.method).collect();
    assert_eq!(methods, ["getMe", "getNothing", "getMe", "getMe"]);
}

#[test]
fn parameters_may_come_in_the_query_and_in_chunks() {
    let api = served();
    let token = api.token();
    for request in [
        format!("GET /bot{token}/sendMessage?chat_id={ANA}&text=hello+there HTTP/1.1\r\n\r\n"),
        format!(
            "POST /bot{token}/sendMessage?chat_id={ANA} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n5\r\ntext=\r\nd\r\nhello%20there\r\n0\r\n\r\n"
        ),
    ] {
        let mut stream = TcpStream::connect(api.url().replace("http://", "")).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(hear(stream).unwrap().0, 200);
    }
    let texts: Vec<_> = api.shown(ANA).into_iter().map(|message| message.text).collect();
    assert_eq!(texts, ["hello there", "hello there"]);
}

#[test]
fn an_update_comes_again_until_the_next_offset_acknowledges_it() {
    let api = served();
    api.says(ANA, ANA, "one");
    api.says(ANA, ANA, "two");
    let first = updates(&api, json!({ "limit": 1 }));
    assert_eq!(first, updates(&api, json!({ "limit": 1 })));
    assert_eq!((first.len(), first[0]["message"]["text"].as_str()), (1, Some("one")));
    let second = updates(&api, json!({ "offset": first[0]["update_id"].as_i64().unwrap() + 1 }));
    assert_eq!(second[0]["message"]["text"], "two");
    assert_eq!(updates(&api, json!({ "offset": 0 })), second, "what was acknowledged is gone for good");
    for text in ["three", "four"] {
        api.says(ANA, ANA, text);
    }
    assert_eq!(updates(&api, json!({ "offset": -1 }))[0]["message"]["text"], "four");
    assert_eq!(api.pending(), 1, "a negative offset forgets what lies before");
}

#[test]
fn a_long_poll_ends_when_something_happens_or_its_time_is_over() {
    let api = served();
    assert_eq!(updates(&api, json!({ "timeout": 0 })), Vec::<Value>::new());
    let poll = open_poll(&api);
    api.says(ANA, ANA, "hello");
    let (_, body) = hear(poll).unwrap();
    assert!(body.contains("hello"), "{body}");
}

#[test]
fn a_second_poll_ends_the_first_with_409() {
    let api = served();
    let first = open_poll(&api);
    let second = ask(&api, &api.token(), "getUpdates", &json!({ "timeout": 50 }));
    let (status, body) = hear(first).unwrap();
    assert_eq!(status, 409);
    assert!(body.contains("Conflict: terminated by other getUpdates request"), "{body}");
    api.says(ANA, ANA, "hello");
    assert_eq!(hear(second).unwrap().0, 200);
}

#[test]
fn a_poll_with_a_token_that_was_taken_back_ends_with_401() {
    let api = served();
    let poll = open_poll(&api);
    api.rotate_token("7000001:TEST-new");
    assert_eq!(hear(poll).unwrap().0, 401);
}

#[test]
fn a_dropped_poll_stands_in_the_way_for_as_long_as_it_is_held() {
    let api = served();
    api.hold(Duration::from_secs(50));
    let poll = open_poll(&api);
    drop(poll);
    api.wait(SOON, |api| (!api.is_polled()).then_some(()));
    assert_eq!(call(&api, "getUpdates", json!({}))["error_code"], 409);
    api.hold(Duration::ZERO);
    assert_eq!(call(&api, "getUpdates", json!({}))["ok"], true);
}

#[test]
fn a_webhook_and_polling_exclude_each_other() {
    let api = served();
    api.says(ANA, ANA, "old");
    call(&api, "setWebhook", json!({ "url": "https://example.org/hook" }));
    let why = refused(&api, "getUpdates", json!({}));
    assert!(why.starts_with("Conflict: can't use getUpdates method while webhook is active"), "{why}");
    call(&api, "deleteWebhook", json!({ "drop_pending_updates": true }));
    assert_eq!(updates(&api, json!({})), Vec::<Value>::new());
}

#[test]
fn a_file_is_downloaded_by_the_path_that_it_has() {
    let api = served();
    let (small, large) = (api.file(b"bytes"), api.file(&vec![0; 21 * 1024 * 1024]));
    let file = call(&api, "getFile", json!({ "file_id": small }))["result"].clone();
    assert_eq!(file["file_size"], 5);
    let download = |token: &str| {
        let mut stream = TcpStream::connect(api.url().replace("http://", "")).unwrap();
        let path = file["file_path"].as_str().unwrap();
        write!(stream, "GET /file/bot{token}/{path} HTTP/1.1\r\nHost: double\r\n\r\n").unwrap();
        hear(stream)
    };
    assert_eq!(download(&api.token()), Some((200, "bytes".to_owned())));
    assert_eq!(download("1:other").unwrap().0, 401);
    api.fault(throughline_testkit::bot_api::FILE_ENDPOINT, Fault::CutInside);
    assert_eq!(download(&api.token()), None);
    assert!(refused(&api, "getFile", json!({ "file_id": large })).contains("file is too big"));
    assert!(refused(&api, "getFile", json!({ "file_id": "unknown" })).contains("wrong file_id"));
}

#[test]
fn reactions_come_only_when_asked_for_and_the_wish_is_remembered() {
    let api = served();
    let id = api.says(ANA, ANA, "hello");
    api.reacts(ANA, ANA, id, "👍");
    assert_eq!(updates(&api, json!({})).len(), 1);
    updates(&api, json!({ "allowed_updates": ["message", "message_reaction"] }));
    updates(&api, json!({}));
    api.reacts(ANA, ANA, id, "👍");
    let kinds = updates(&api, json!({}));
    assert_eq!(kinds[1]["message_reaction"]["new_reaction"], json!([{ "type": "emoji", "emoji": "👍" }]));
}

#[test]
fn a_message_has_the_fields_of_the_real_one() {
    let api = served();
    let first = api.says(ANA, ANA, "hello");
    let group = api.says(ANA, GROUP, "hello");
    assert_eq!(group, first + 1, "private chats and small groups share one row of numbers");
    assert_eq!(api.says(ANA, SUPERGROUP, "hello"), 2, "a supergroup counts for itself");
    api.message(ANA, ANA).text("/why@throughline_test_bot").reply_to(first).quote("llo").send();
    let mut message = newest(&api);
    let date = message["date"].take().as_i64().unwrap();
    assert!((1_700_000_000..10_000_000_000).contains(&date), "seconds, not milliseconds: {date}");
    message["reply_to_message"]["date"].take();
    let (ana, chat) = (
        json!({ "id": ANA, "is_bot": false, "first_name": "Ana", "language_code": "en" }),
        json!({ "id": ANA, "first_name": "Ana", "type": "private" }),
    );
    let expected = json!({
        "message_id": group + 1, "from": ana, "chat": chat, "date": null, "text": "/why@throughline_test_bot",
        "entities": [{ "type": "bot_command", "offset": 0, "length": 25 }],
        "reply_to_message": { "message_id": first, "from": ana, "chat": chat, "date": null, "text": "hello" },
        "quote": { "text": "llo", "position": 2, "is_manual": true },
    });
    assert_eq!(message, expected);
}

#[test]
fn what_people_send_besides_text_is_in_its_own_field() {
    let api = served();
    let message = || api.message(ANA, ANA);
    for (sent, field, inside) in [
        (message().photo(), "photo", "/1/width"),
        (message().voice(3), "voice", "/duration"),
        (message().document("a.pdf"), "document", "/file_name"),
        (message().sticker("🌱"), "sticker", "/emoji"),
        (message().location(1.3, 103.8), "location", "/latitude"),
        (message().contact("Ben", "+65 1234"), "contact", "/phone_number"),
        (message().forwarded_from("Ben").text("x"), "forward_origin", "/sender_user_name"),
    ] {
        sent.caption("see @ana").send();
        let message = newest(&api);
        assert!(message[field].pointer(inside).is_some(), "{message}");
        assert_eq!(message["caption_entities"], json!([{ "type": "mention", "offset": 4, "length": 4 }]));
    }
}

#[test]
fn a_raw_update_gets_a_number_unless_it_has_one() {
    let api = served();
    api.push(json!({ "update_id": 900_000_000, "message": { "text": "numbered" } }));
    api.push(json!({ "poll": { "id": "1" } }));
    let expected = [
        json!({ "update_id": 900_000_000, "message": { "text": "numbered" } }),
        json!({ "update_id": 900_000_001, "poll": { "id": "1" } }),
    ];
    assert_eq!(updates(&api, json!({})), expected);
}

#[test]
fn only_topics_are_marked_as_topics() {
    let api = served();
    let thread = api.topic(FORUM, "Garden");
    api.message(ANA, FORUM).text("in the topic").topic(thread).send();
    let inside = newest(&api);
    assert_eq!((&inside["message_thread_id"], &inside["is_topic_message"]), (&json!(thread), &json!(true)));
    assert_eq!(inside["reply_to_message"]["message_id"], thread);
    assert_eq!(inside["reply_to_message"]["forum_topic_created"]["name"], "Garden");

    let general = api.says(ANA, FORUM, "in General");
    assert_eq!(newest(&api).get("message_thread_id"), None);
    for chat in [FORUM, SUPERGROUP] {
        let first = if chat == FORUM { general } else { api.says(ANA, chat, "first") };
        let reply = api.message(ANA, chat).text("reply").reply_to(first).send();
        api.message(ANA, chat).text("reply to the reply").reply_to(reply).send();
        let message = newest(&api);
        assert_eq!(message["message_thread_id"], first, "the chain's first message names the thread");
        assert_eq!(message.get("is_topic_message"), None);
        assert_eq!(message["reply_to_message"].get("reply_to_message"), None, "one level arrives");
    }
}

#[test]
fn the_bot_can_write_only_into_topics_that_exist() {
    let api = served();
    let thread = api.topic(FORUM, "Garden");
    let to = |chat: i64, thread: i64| json!({ "chat_id": chat, "text": "x", "message_thread_id": thread });
    let sent = call(&api, "sendMessage", to(FORUM, thread));
    assert_eq!(sent["result"]["is_topic_message"], true);
    assert_eq!(api.shown(FORUM)[0].topic, Some(thread));
    assert_eq!(api.shown(FORUM)[0].reply_to, None, "the topic's beginning is no reply");
    for (chat, thread) in [(FORUM, 1), (FORUM, 999), (SUPERGROUP, 1), (ANA, 5)] {
        assert_eq!(refused(&api, "sendMessage", to(chat, thread)), "Bad Request: message thread not found");
    }
    let typing = json!({ "chat_id": FORUM, "action": "typing", "message_thread_id": 1 });
    assert_eq!(call(&api, "sendChatAction", typing)["ok"], true);
    assert_eq!(api.typing(FORUM)[0].topic, Some(1));
    let nowhere = json!({ "chat_id": FORUM, "action": "typing", "message_thread_id": 999 });
    assert_eq!(refused(&api, "sendChatAction", nowhere), "Bad Request: message thread not found");
    api.delete_topic(FORUM, thread);
    assert_eq!(refused(&api, "sendMessage", to(FORUM, thread)), "Bad Request: message thread not found");
    assert_eq!(api.shown(FORUM), []);
}

#[test]
fn private_topics_exist_when_the_bot_has_them() {
    let api = served();
    api.set_me(|me| me["has_topics_enabled"] = true.into());
    assert_eq!(call(&api, "getMe", json!({}))["result"]["has_topics_enabled"], true);
    let thread = api.topic(ANA, "Garden");
    let sent = call(&api, "sendMessage", json!({ "chat_id": ANA, "text": "x", "message_thread_id": thread }));
    assert_eq!(sent["result"]["message_thread_id"], thread);
}

#[test]
fn a_message_that_cannot_be_sent_says_why() {
    let api = served();
    let cases = [
        (json!({ "text": "x" }), "Bad Request: chat_id is empty"),
        (json!({ "chat_id": 99, "text": "x" }), "Bad Request: chat not found"),
        (json!({ "chat_id": ANA, "text": " \n" }), "Bad Request: message text is empty"),
        (json!({ "chat_id": ANA, "text": "🌱".repeat(2049) }), "Bad Request: message is too long"),
        (
            json!({ "chat_id": ANA, "text": "ab <x>", "parse_mode": "HTML" }),
            "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3",
        ),
        (
            json!({ "chat_id": ANA, "text": "x", "reply_parameters": { "message_id": 77 } }),
            "Bad Request: message to be replied not found",
        ),
        (
            json!({ "chat_id": ANA, "text": "x", "reply_markup":
                { "inline_keyboard": [[{ "text": "b", "callback_data": "ü".repeat(33) }]] } }),
            "Bad Request: BUTTON_DATA_INVALID",
        ),
    ];
    for (params, why) in cases {
        assert_eq!(refused(&api, "sendMessage", params), why);
    }
    api.block(ANA);
    let answer = send(&api, ANA, "x");
    assert_eq!(
        (&answer["error_code"], &answer["description"]),
        (&json!(403), &json!("Forbidden: bot was blocked by the user"))
    );
    assert_eq!(api.shown(ANA), []);
}

#[test]
fn the_length_is_measured_after_the_markup_is_read() {
    let api = served();
    let text = format!("<b>{}</b>", "🌱".repeat(2048));
    let sent = call(&api, "sendMessage", json!({ "chat_id": ANA, "text": text, "parse_mode": "html" }));
    assert_eq!(sent["result"]["entities"], json!([{ "type": "bold", "offset": 0, "length": 4096 }]));
    assert_eq!(api.shown(ANA)[0].text, "🌱".repeat(2048));
    let lenient = json!({ "chat_id": ANA, "text": "x",
        "reply_parameters": { "message_id": 77, "allow_sending_without_reply": true } });
    assert_eq!(call(&api, "sendMessage", lenient)["ok"], true);
}

#[test]
fn an_edit_changes_what_is_shown_and_must_change_something() {
    let api = served();
    let keyboard = json!({ "inline_keyboard": [[{ "text": "Undo", "callback_data": "u:1" }]] });
    let first = call(&api, "sendMessage", json!({ "chat_id": ANA, "text": "one", "reply_markup": keyboard }));
    let id = first["result"]["message_id"].as_i64().unwrap();
    let edit = json!({ "chat_id": ANA, "message_id": id, "text": "two" });
    let edited = call(&api, "editMessageText", edit.clone());
    assert!(edited["result"]["edit_date"].is_i64());
    assert_eq!(api.versions(ANA, id), ["one", "two"]);
    assert_eq!(
        api.shown(ANA)[0].keyboard,
        Vec::<Vec<Button>>::new(),
        "a keyboard that is not sent again is gone"
    );
    assert!(refused(&api, "editMessageText", edit).starts_with("Bad Request: message is not modified: "));
    let again = json!({ "chat_id": ANA, "message_id": id, "reply_markup": keyboard });
    call(&api, "editMessageReplyMarkup", again);
    let undo = Button { text: "Undo".to_owned(), data: Some("u:1".to_owned()) };
    assert_eq!(api.shown(ANA)[0].keyboard, [[undo]]);
    assert_eq!(api.versions(ANA, id), ["one", "two"], "a keyboard is no text");
    let other = api.says(ANA, ANA, "mine");
    let cases =
        [(999, "Bad Request: message to edit not found"), (other, "Bad Request: message can't be edited")];
    for (id, why) in cases {
        assert_eq!(
            refused(&api, "editMessageText", json!({ "chat_id": ANA, "message_id": id, "text": "x" })),
            why
        );
    }
    call(&api, "deleteMessage", json!({ "chat_id": ANA, "message_id": id }));
    assert_eq!(api.shown(ANA), []);
    let gone = refused(&api, "deleteMessage", json!({ "chat_id": ANA, "message_id": id }));
    assert_eq!(gone, "Bad Request: message to delete not found");
}

#[test]
fn a_person_edits_and_touches_with_new_update_ids() {
    let api = served();
    let id = api.says(ANA, ANA, "/forget it");
    api.edits(ANA, ANA, id, "keep it");
    api.touches(ANA, ANA, id);
    let updates = updates(&api, json!({}));
    let edited: Vec<_> = updates[1..].iter().map(|update| &update["edited_message"]).collect();
    assert_eq!((&edited[0]["text"], edited[0].get("entities")), (&json!("keep it"), None));
    assert_eq!(edited[1]["text"], edited[0]["text"]);
    assert!(edited[1]["edit_date"].is_i64());
    assert!(updates.is_sorted_by_key(|update| update["update_id"].as_i64()));
}

#[test]
fn a_press_carries_the_button_and_is_answered_once() {
    let api = served();
    let button = |text: &str, data: &str| json!({ "text": text, "callback_data": data });
    let keyboard = json!({ "inline_keyboard": [[button("Yes", "y"), button("No", "n")]] });
    let sent =
        call(&api, "sendMessage", json!({ "chat_id": GROUP, "text": "Sure?", "reply_markup": keyboard }));
    let press = api.presses(ANA, GROUP, sent["result"]["message_id"].as_i64().unwrap(), "No");
    let query = updates(&api, json!({}))[0]["callback_query"].clone();
    assert_eq!(
        (&query["id"], &query["data"], &query["from"]["id"]),
        (&json!(press), &json!("n"), &json!(ANA))
    );
    assert_eq!(query["message"], sent["result"]);
    let answer = json!({ "callback_query_id": press });
    assert_eq!(call(&api, "answerCallbackQuery", answer.clone())["result"], true);
    let late = refused(&api, "answerCallbackQuery", answer);
    assert_eq!(late, "Bad Request: query is too old and response timeout expired or query ID is invalid");
}

#[test]
fn a_draft_is_private_replaced_by_the_next_and_ended_by_a_message() {
    let api = served();
    let draft = |chat: i64, id: i64, text: &str| json!({ "chat_id": chat, "draft_id": id, "text": text });
    for text in ["", "Once", "Once upon"] {
        assert_eq!(call(&api, "sendMessageDraft", draft(ANA, 7, text))["result"], true);
    }
    assert_eq!(api.draft(ANA).map(|draft| draft.text).as_deref(), Some("Once upon"));
    send(&api, ANA, "Once upon a time");
    assert_eq!((api.draft(ANA), api.drafts(ANA).len()), (None, 3));
    assert_eq!(call(&api, "sendMessageDraft", draft(GROUP, 7, "x"))["error_code"], 400);
    assert_eq!(call(&api, "sendMessageDraft", draft(ANA, 0, "x"))["error_code"], 400);
}

#[test]
fn commands_are_checked_and_shown() {
    let api = served();
    let set = |name: &str, words: &str| json!({ "commands": [{ "command": name, "description": words }] });
    for (params, why) in [
        (set("Why", "x"), "Bad Request: BOT_COMMAND_INVALID"),
        (set(&"a".repeat(33), "x"), "Bad Request: BOT_COMMAND_INVALID"),
        (set("why", ""), "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID"),
    ] {
        assert_eq!(refused(&api, "setMyCommands", params), why);
    }
    call(&api, "setMyCommands", set("why", "Where this came from"));
    assert_eq!(api.commands(), [("why".to_owned(), "Where this came from".to_owned())]);
    assert_eq!(call(&api, "getMyCommands", json!({}))["result"][0]["command"], "why");
}

#[test]
fn a_document_arrives_as_it_was_sent() {
    let api = served();
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n{ANA}\r\n\
         --b\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nYours\r\n\
         --b\r\nContent-Disposition: form-data; name=\"document\"; filename=\"all.json\"\r\n\r\n{{}}\r\n--b--\r\n"
    );
    let mut stream = TcpStream::connect(api.url().replace("http://", "")).unwrap();
    write!(
        stream,
        "POST /bot{}/sendDocument HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n\
         Content-Length: {}\r\n\r\n{body}",
        api.token(),
        body.len()
    )
    .unwrap();
    assert_eq!(hear(stream).unwrap().0, 200);
    let sent = api.documents(ANA).pop().unwrap();
    assert_eq!(
        (sent.file_name.as_str(), sent.bytes.as_slice(), sent.caption.as_str()),
        ("all.json", &b"{}"[..], "Yours")
    );
    assert_eq!(api.shown(ANA)[0].text, "Yours");
}

#[test]
fn a_group_that_moved_says_where_to() {
    let api = served();
    let new = -1_001_000_000_099;
    api.migrate(GROUP, new);
    let answer = send(&api, GROUP, "x");
    assert_eq!(answer["error_code"], 400);
    assert_eq!(answer["parameters"], json!({ "migrate_to_chat_id": new }));
    assert_eq!(send(&api, new, "x")["ok"], true);
    let told = updates(&api, json!({}));
    assert_eq!(told[0]["message"]["migrate_to_chat_id"], new);
    assert_eq!(told[1]["message"]["migrate_from_chat_id"], GROUP);
}

#[test]
fn planned_refusals_come_once_and_in_order() {
    let api = served();
    api.fault("sendMessage", Fault::TooMany { retry_after: 3 });
    api.fault("*", Fault::Refuse { code: 500, description: "Internal Server Error".to_owned() });
    api.fault("getUpdates", Fault::Conflict);
    assert_eq!(send(&api, ANA, "x")["parameters"]["retry_after"], 3);
    assert_eq!(call(&api, "getUpdates", json!({}))["error_code"], 409);
    assert_eq!(call(&api, "getUpdates", json!({}))["ok"], true);
    assert_eq!(send(&api, ANA, "x")["error_code"], 500);
    assert_eq!(send(&api, ANA, "x")["ok"], true);
    assert_eq!(api.shown(ANA).len(), 1);
}

#[test]
fn a_lost_answer_leaves_the_message_sent_or_not_as_planned() {
    for (fault, is_sent) in [
        (Fault::CutBefore, false),
        (Fault::CutAfter, true),
        (Fault::GatewayBefore, false),
        (Fault::GatewayAfter, true),
        (Fault::HangBefore, false),
        (Fault::HangAfter, true),
    ] {
        let api = served();
        api.fault("sendMessage", fault.clone());
        let stream = ask(&api, &api.token(), "sendMessage", &json!({ "chat_id": ANA, "text": "x" }));
        stream.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
        match (&fault, hear(stream)) {
            (Fault::GatewayBefore | Fault::GatewayAfter, Some((502, body))) => {
                assert!(body.starts_with("<html>"))
            }
            (Fault::GatewayBefore | Fault::GatewayAfter, other) => panic!("{fault:?}: {other:?}"),
            (_, answer) => assert_eq!(answer, None, "{fault:?}"),
        }
        assert_eq!(api.shown(ANA).len(), usize::from(is_sent), "{fault:?}");
    }
}

#[test]
fn a_server_between_may_answer_with_an_error_after_the_message_was_delivered() {
    for (code, form) in [500, 502, 504].into_iter().flat_map(|code| [(code, Form::Json), (code, Form::Html)])
    {
        let api = served();
        api.fault("sendMessage", Fault::ErrorAfter { code, form });
        let stream = ask(&api, &api.token(), "sendMessage", &json!({ "chat_id": ANA, "text": "x" }));
        let (status, body) = hear(stream).unwrap();
        assert_eq!((status, api.shown(ANA).len()), (code, 1), "{form:?}");
        match form {
            Form::Json => {
                let body: Value = serde_json::from_str(&body).unwrap();
                assert_eq!((&body["ok"], &body["error_code"]), (&json!(false), &json!(code)));
            }
            Form::Html => assert!(body.starts_with("<html>"), "{body}"),
        }
    }
}

#[test]
fn the_answer_of_an_edit_can_be_cut() {
    let api = served();
    let sent = send(&api, ANA, "x");
    api.fault("editMessageText", Fault::CutAfter);
    let edit = json!({ "chat_id": ANA, "message_id": sent["result"]["message_id"], "text": "y" });
    assert_eq!(hear(ask(&api, &api.token(), "editMessageText", &edit)), None);
    assert_eq!(api.shown(ANA)[0].text, "y");
}

#[test]
fn refused_connections_find_nobody_at_the_port() {
    let api = served();
    let poll = open_poll(&api);
    api.refuse(true);
    assert_eq!(hear(poll), None);
    let refused = TcpStream::connect(api.url().replace("http://", "")).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    api.refuse(false);
    assert_eq!(send(&api, ANA, "x")["ok"], true);
}

#[test]
fn a_slow_answer_comes_late_whatever_the_method() {
    let api = served();
    for method in ["sendMessage", "answerCallbackQuery"] {
        api.fault(method, Fault::Slow(Duration::from_millis(120)));
        let begun = Instant::now();
        call(&api, method, json!({ "chat_id": ANA, "text": "x" }));
        assert!(begun.elapsed() >= Duration::from_millis(120), "{method}");
    }
}

#[test]
fn offline_closes_open_connections_and_new_ones() {
    let api = served();
    let poll = open_poll(&api);
    api.offline(true);
    assert_eq!(hear(poll), None);
    let mut stream = TcpStream::connect(api.url().replace("http://", "")).unwrap();
    assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
    api.offline(false);
    assert_eq!(send(&api, ANA, "x")["ok"], true);
}

#[test]
fn a_client_that_ends_at_a_moment_has_sent_or_not_accordingly() {
    for (moment, is_sent) in [(Moment::Before, false), (Moment::After, true)] {
        let api = served();
        let (hand_over, client) = mpsc::channel::<TcpStream>();
        let (tell, told) = mpsc::channel();
        let client = Mutex::new(client);
        api.on("sendMessage", moment, move |call| {
            drop(client.lock().unwrap().recv().unwrap());
            tell.send(call.params.clone()).unwrap();
        });
        let params = json!({ "chat_id": ANA, "text": "x" });
        hand_over.send(ask(&api, &api.token(), "sendMessage", &params)).unwrap();
        assert_eq!(told.recv_timeout(SOON).unwrap(), params);
        // What comes after the hook on the same thread of the server is over once another call is answered.
        call(&api, "getMe", json!({}));
        call(&api, "getMe", json!({}));
        assert_eq!(api.shown(ANA).len(), usize::from(is_sent), "{moment:?}");
    }
}

#[test]
fn limits_hold_only_where_they_are_on() {
    let api = served();
    assert!((0..5).all(|_| send(&api, ANA, "x")["ok"] == true));
    api.limits(true);
    let answers: Vec<_> = (0..4).map(|_| send(&api, ANA, "x")["error_code"].as_u64()).collect();
    assert_eq!(answers, [None, None, None, Some(429)]);
}

#[test]
#[should_panic(expected = "nothing to see")]
fn waiting_in_vain_panics() {
    served().wait(Duration::from_millis(20), |_| None::<()>);
}

#[test]
fn the_app_splits_long_texts_and_sends_albums_as_separate_updates() {
    let api = served();
    let text = "🌱 long ".repeat(1_000);
    let ids = api.pastes(ANA, ANA, &text);
    assert_eq!((ids.len(), api.pending()), (2, 2));
    let updates = call(&api, "getUpdates", json!({ "timeout": 0 }));
    let texts: Vec<String> =
        (0..2).map(|n| updates["result"][n]["message"]["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts.concat(), text);
    assert_eq!(texts[0].encode_utf16().count(), 4096);
    api.album(ANA, ANA, 3, "the cats");
    let next = updates["result"][1]["update_id"].as_i64().unwrap() + 1;
    let updates = call(&api, "getUpdates", json!({ "timeout": 0, "offset": next }));
    let album =
        updates["result"].as_array().unwrap().iter().map(|update| &update["message"]).collect::<Vec<_>>();
    assert_eq!((album.len(), &album[0]["caption"], album[1].get("caption")), (3, &json!("the cats"), None));
    assert!(
        album
            .iter()
            .all(|it| it["media_group_id"] == album[0]["media_group_id"] && it["media_group_id"].is_string())
    );
}
