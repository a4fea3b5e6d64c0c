//! ChatGPT's data export: `conversations.json`, an array of conversations, each a tree of messages. The branch that was
//! shown last is imported, with what the person wrote and what the assistant answered.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use throughline_domain::channel::ChannelKind;
use throughline_domain::message::Role;

use super::conversation::{Conversation, Said, Written, file_line};
use super::stream::{HeadKeys, Layout, Object, line_of, read_entries};
use super::{Defaults, Importer, LONGEST_CONVERSATION, Sink, explain};
use crate::output::Failure;

/// Kinds of content that are no part of what was said: reasoning, custom instructions and the traffic of tools.
const LEFT_OUT: [&str; 10] = [
    "thoughts",
    "reasoning_recap",
    "user_editable_context",
    "model_editable_context",
    "execution_output",
    "computer_output",
    "tether_quote",
    "tether_browsing_code",
    "tether_browsing_display",
    "system_error",
];

/// Conversations of ChatGPT.
pub struct ChatGpt;

impl Importer for ChatGpt {
    fn name(&self) -> &'static str {
        "chatgpt"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        let keys = HeadKeys::of(head);
        keys.has("mapping") && !keys.has("role")
    }

    fn read(
        &self,
        source: &mut dyn BufRead,
        defaults: &Defaults,
        sink: &mut Sink<'_>,
    ) -> Result<(), Failure> {
        let layout = Layout {
            expects: "an array of conversations",
            object: Object::Entry,
            longest: LONGEST_CONVERSATION,
        };
        read_entries(source, &layout, sink, &mut |json, line, sink| match Tree::read(json) {
            Ok(tree) => tree.pass_on(json, line, defaults, sink),
            Err(why) => sink(line, Err(why)),
        })
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a conversation")]
struct Tree<'a> {
    title: Option<String>,
    create_time: Option<Written>,
    conversation_id: Option<String>,
    id: Option<String>,
    current_node: Option<String>,
    // Read one by one: a node that is broken must not take the conversation with it.
    #[serde(borrow)]
    mapping: HashMap<Cow<'a, str>, &'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a node")]
struct Node<'a> {
    parent: Option<String>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct Message {
    id: Option<String>,
    author: Author,
    create_time: Option<Written>,
    content: Option<Content>,
    recipient: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Author {
    role: String,
}

#[derive(Deserialize, Default)]
struct Content {
    content_type: Option<String>,
    parts: Option<Vec<Value>>,
    text: Option<String>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    is_visually_hidden_from_conversation: Option<bool>,
    is_user_system_message: Option<bool>,
    model_slug: Option<String>,
    attachments: Option<Vec<Attachment>>,
}

#[derive(Deserialize)]
struct Attachment {
    name: Option<String>,
    mime_type: Option<String>,
}

impl<'a> Tree<'a> {
    fn read(json: &'a str) -> Result<Self, String> {
        serde_json::from_str(json)
            .map_err(|error| explain(&error, "a conversation needs an id and a mapping"))
    }

    fn pass_on(self, json: &str, line: u64, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let id = self.conversation_id.as_deref().or(self.id.as_deref());
        let mut conversation = match Conversation::begin(
            ChannelKind::ChatGpt,
            id,
            self.title.as_deref(),
            self.create_time.as_ref(),
            &defaults.zone,
        ) {
            Ok(conversation) => conversation,
            Err(why) => return sink(line, Err(why)),
        };
        for (id, raw) in self.active_branch() {
            let message = raw.message(id);
            let found = message.and_then(|message| match message {
                Some(message) => said(message, id).map_or(Ok(None), |said| conversation.message(said)),
                None => Ok(None),
            });
            if let Some(found) = found.transpose() {
                sink(line_of(raw.0, json, line), found)?;
            }
        }
        Ok(())
    }

    /// The nodes from the root to the one that was shown last.
    fn active_branch(&self) -> Vec<(&str, RawNode<'a>)> {
        let mut branch = Vec::new();
        let mut seen = HashSet::new();
        let mut next = self.current_node.clone().filter(|id| self.mapping.contains_key(id.as_str()));
        if next.is_none() {
            next = self.newest_leaf();
        }
        while let Some((id, raw)) = next.as_deref().and_then(|id| self.mapping.get_key_value(id)) {
            // A node that is its own ancestor ends the branch.
            if !seen.insert(id.as_ref()) {
                break;
            }
            let raw = RawNode(*raw);
            next = raw.node().ok().and_then(|node| node.parent);
            branch.push((id.as_ref(), raw));
        }
        branch.reverse();
        branch
    }

    /// The node without children whose message, or its parent's, is the newest; equally new ones are told apart by id.
    fn newest_leaf(&self) -> Option<String> {
        let nodes: HashMap<&str, (Option<String>, Option<Timestamp>)> = self
            .mapping
            .iter()
            .filter_map(|(id, raw)| {
                let raw = RawNode(raw);
                let at = raw.message(id).ok().flatten().and_then(|message| message.create_time);
                let at = at.and_then(|at| at.moment(&jiff::tz::TimeZone::UTC).ok());
                Some((id.as_ref(), (raw.node().ok()?.parent, at)))
            })
            .collect();
        let parents: HashSet<&str> = nodes.values().filter_map(|(parent, _)| parent.as_deref()).collect();
        let time = |id: &str| {
            let (parent, at) = nodes.get(id)?;
            at.or_else(|| nodes.get(parent.as_deref()?)?.1)
        };
        let leaves = nodes.keys().filter(|id| !parents.contains(*id));
        leaves.max_by_key(|id| (time(id), **id)).map(|id| (*id).to_owned())
    }
}

/// A node as written.
#[derive(Clone, Copy)]
struct RawNode<'a>(&'a RawValue);

impl<'a> RawNode<'a> {
    fn node(self) -> Result<Node<'a>, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// The node's message, if it has one.
    fn message(self, id: &str) -> Result<Option<Message>, String> {
        let read =
            self.node().and_then(|node| node.message.map(|raw| serde_json::from_str(raw.get())).transpose());
        read.map_err(|error| {
            format!("node {id}: {}", explain(&error, "a message needs its author and content"))
        })
    }
}

/// The words of a message; none if it is hidden, empty, or no part of what was said.
fn said(message: Message, node: &str) -> Option<Said> {
    let (metadata, content) = (message.metadata.unwrap_or_default(), message.content.unwrap_or_default());
    let role = match message.author.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let is_hidden = metadata.is_visually_hidden_from_conversation == Some(true)
        || metadata.is_user_system_message == Some(true);
    let is_to_tool = message.recipient.is_some_and(|recipient| recipient != "all");
    if is_hidden || is_to_tool || LEFT_OUT.contains(&content.content_type.as_deref().unwrap_or_default()) {
        return None;
    }
    let mut lines: Vec<String> = content.text.into_iter().collect();
    lines.extend(content.parts.iter().flatten().filter_map(part));
    let has_image = lines.iter().any(|line| line == IMAGE);
    for file in metadata.attachments.unwrap_or_default() {
        // The text already has a mark for each picture.
        if !has_image || !file.mime_type.is_some_and(|kind| kind.starts_with("image/")) {
            lines.push(file_line(file.name.as_deref()));
        }
    }
    lines.iter_mut().for_each(|line| *line = without_citations(line));
    lines.retain(|line| !line.trim().is_empty());
    let extra = metadata.model_slug.map(|model| ("model".to_owned(), Value::from(model)));
    Some(Said {
        role,
        text: lines.join("\n\n"),
        id: Some(message.id.unwrap_or_else(|| node.to_owned())),
        at: message.create_time,
        metadata: extra.into_iter().collect::<Map<String, Value>>(),
    })
}

const IMAGE: &str = "[image]";

/// The text of a part, or a short description of what is no text.
fn part(part: &Value) -> Option<String> {
    let field = |name| part.get(name).and_then(Value::as_str);
    match part {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => {
            let kind = field("content_type").unwrap_or_default();
            let text = field("text").filter(|text| !text.trim().is_empty());
            Some(match text {
                Some(text) => text.to_owned(),
                None if kind.starts_with("image") => IMAGE.to_owned(),
                None if kind.contains("audio") => "[audio]".to_owned(),
                None if kind.contains("video") => "[video]".to_owned(),
                None => file_line(field("name")),
            })
        }
        _ => None,
    }
}

/// The text without the marks that ChatGPT shows as links to its sources.
fn without_citations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, mark)) = rest.split_once('\u{e200}') {
        out.push_str(before);
        let Some((_, after)) = mark.split_once('\u{e201}') else {
            rest = mark;
            break;
        };
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
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
        let (at, last) =
            ("2023-11-14T22:13:21.25Z".parse().unwrap(), "2023-11-14T22:13:22.5Z".parse().unwrap());
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
            assert_eq!(
                texts_of(&ChatGpt, &two_branches(current)),
                ["question", "second answer"],
                "{current:?}"
            );
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
        let nodes = messages.into_iter().enumerate().map(|(at, message)| {
            node(&ids[at], at.checked_sub(1).map(|before| ids[before].as_str()), message)
        });
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
        let [(2, Err(number)), (3, Err(nameless)), (5, Err(author)), (6, Err(time)), (7, Ok(kept))] =
            &told[..]
        else {
            panic!("{told:?}")
        };
        assert!(number.starts_with("invalid type: integer `7`, expected a conversation"), "{number}");
        assert_eq!(nameless, "the conversation has no id");
        assert!(author.starts_with("node x: invalid type: string \"ana\""), "{author}");
        assert!(time.contains("100000"), "{time}");
        assert_eq!(kept, "kept");
    }
}
