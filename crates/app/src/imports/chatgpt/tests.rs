//! Exports of ChatGPT, built as its format is described.

use serde_json::json;
use throughline_engine::Inbound;

use super::super::tests::{read_all, said as texts_of};
use super::*;

fn message(id: &str, role: &str, at: Value, text: &str) -> Value {
    json!({
        "id": id, "author": { "role": role }, "create_time": at, "recipient": "all",
        "content": { "content_type": "text", "parts": [text] }, "metadata": {},
    })
}

fn node(id: &str, parent: Option<&str>, message: Value) -> (String, Value) {
    (id.to_owned(), json!({ "id": id, "parent": parent, "children": [], "message": message }))
}

fn conversation(current: Option<&str>, nodes: Vec<(String, Value)>) -> String {
    let mapping: Map<String, Value> = nodes.into_iter().collect();
    json!([{
        "title": "Bees", "create_time": 1_700_000_000.0, "update_time": 1_700_000_900.0, "mapping": mapping,
        "current_node": current, "conversation_id": "c1", "id": "c1",
    }])
    .to_string()
}

fn two_branches(current: Option<&str>) -> String {
    conversation(
        current,
        vec![
            node("root", None, Value::Null),
            node("n1", Some("root"), message("m1", "user", json!(1_700_000_001.25), "question")),
            node("n2", Some("n1"), message("m2", "assistant", json!(1_700_000_002.5), "first answer")),
            node("n3", Some("n1"), message("m3", "assistant", json!(1_700_000_003.5), "second answer")),
            node("n4", Some("n2"), message("m4", "user", Value::Null, "thanks")),
        ],
    )
}

#[test]
fn the_branch_that_was_shown_last_is_imported_with_its_dates_ids_and_title() {
    let found = read_all(&ChatGpt, &two_branches(Some("n4")));
    let found: Vec<Inbound> = found.into_iter().map(|(_, entry)| entry.unwrap()).collect();
    let (at, last) = ("2023-11-14T22:13:21.25Z".parse().unwrap(), "2023-11-14T22:13:22.5Z".parse().unwrap());
    let told: Vec<_> =
        found.iter().map(|it| (it.role, it.text.as_str(), it.at, it.external_ids.concat())).collect();
    assert_eq!(
        told,
        [
            (Role::User, "question", Some(at), "m1".to_owned()),
            (Role::Assistant, "first answer", Some(last), "m2".to_owned()),
            // It has no time: that of the message before it.
            (Role::User, "thanks", Some(last), "m4".to_owned()),
        ]
    );
    assert!(found.iter().all(|it| it.chat.as_str() == "chatgpt:chat:c1"));
    assert_eq!(json!(found[0].metadata), json!({ "source": "chatgpt", "title": "Bees" }));
    assert_eq!(json!(found[1].metadata), json!({ "source": "chatgpt" }));
}

#[test]
fn without_a_current_node_the_newest_leaf_ends_the_branch() {
    for current in [None, Some("gone")] {
        assert_eq!(texts_of(&ChatGpt, &two_branches(current)), ["question", "second answer"], "{current:?}");
    }
    // Nodes that are ancestors of each other end instead of going around.
    let around = vec![
        node("a", Some("b"), message("1", "user", Value::Null, "one")),
        node("b", Some("a"), message("2", "user", Value::Null, "two")),
    ];
    assert_eq!(texts_of(&ChatGpt, &conversation(Some("a"), around)), ["two", "one"]);
}

#[test]
fn hidden_messages_instructions_tools_and_thoughts_are_left_out_and_files_are_described() {
    let with = |id: &str, role: &str, change: Value| {
        let mut whole = message(id, role, json!(1_700_000_001), "LEFT OUT");
        let Value::Object(change) = change else { panic!("{change}") };
        change.into_iter().for_each(|(name, value)| whole[name] = value);
        whole
    };
    let messages = vec![
        with("1", "system", json!({})),
        with("2", "tool", json!({})),
        with("3", "user", json!({ "metadata": { "is_user_system_message": true } })),
        with("4", "assistant", json!({ "metadata": { "is_visually_hidden_from_conversation": true } })),
        with(
            "5",
            "assistant",
            json!({ "recipient": "python", "content": { "content_type": "code", "text": "LEFT OUT" } }),
        ),
        with("6", "assistant", json!({ "content": { "content_type": "thoughts", "thoughts": [] } })),
        with(
            "7",
            "user",
            json!({ "content": { "content_type": "user_editable_context", "parts": ["LEFT OUT"] } }),
        ),
        with("8", "assistant", json!({ "content": null })),
        with("9", "assistant", json!({ "content": { "content_type": "text", "parts": ["  "] } })),
        with(
            "10",
            "user",
            json!({
                "content": { "content_type": "multimodal_text", "parts": [
                    { "content_type": "image_asset_pointer", "asset_pointer": "file-service://x" },
                    { "content_type": "audio_transcription", "text": "spoken words" },
                    { "content_type": "audio_asset_pointer" },
                    "and written ones",
                ] },
                "metadata": { "attachments": [
                    { "name": "bee.png", "mime_type": "image/png" },
                    { "name": "hives.pdf", "mime_type": "application/pdf" },
                ] },
            }),
        ),
        with(
            "11",
            "assistant",
            json!({ "content": { "content_type": "text", "parts": [
            "A hive\u{e200}cite\u{e202}turn0search1\u{e201}, I think.",
        ] }, "metadata": { "model_slug": "gpt-5" } }),
        ),
    ];
    let ids: Vec<String> = (0..messages.len()).map(|at| format!("n{at}")).collect();
    let nodes = messages
        .into_iter()
        .enumerate()
        .map(|(at, message)| node(&ids[at], at.checked_sub(1).map(|before| ids[before].as_str()), message));
    let found = read_all(&ChatGpt, &conversation(ids.last().map(String::as_str), nodes.collect()));
    let found: Vec<Inbound> = found.into_iter().map(|(_, entry)| entry.unwrap()).collect();
    let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
    let described = "[image]\n\nspoken words\n\n[audio]\n\nand written ones\n\n[file: hives.pdf]";
    assert_eq!(texts, [described, "A hive, I think."]);
    assert_eq!(json!(found[1].metadata), json!({ "model": "gpt-5", "source": "chatgpt" }));
}

#[test]
fn a_broken_message_or_conversation_is_reported_with_its_line_and_the_rest_is_read() {
    let good = message("m", "user", json!(1_700_000_001), "kept");
    let text = format!(
        "[\n7,\n{{\"mapping\":{{}}}},\n{{\"id\":\"c\",\"current_node\":\"b\",\"mapping\":{{\n\
         \"x\":{{\"parent\":null,\"message\":{{\"author\":\"ana\"}}}},\n\
         \"t\":{{\"parent\":\"x\",\"message\":{}}},\n\"b\":{{\"parent\":\"t\",\"message\":{good}}}}}}}]",
        message("t", "user", json!(1e300), "no time"),
    );
    let found = read_all(&ChatGpt, &text);
    let told: Vec<(u64, Result<String, String>)> =
        found.into_iter().map(|(line, entry)| (line, entry.map(|it| it.text))).collect();
    let [(2, Err(number)), (3, Err(nameless)), (5, Err(author)), (6, Err(time)), (7, Ok(kept))] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert!(number.starts_with("invalid type: integer `7`, expected a conversation"), "{number}");
    assert_eq!(nameless, "the conversation has no id");
    assert!(author.starts_with("node x: invalid type: string \"ana\""), "{author}");
    assert!(time.contains("100000"), "{time}");
    assert_eq!(kept, "kept");
}
