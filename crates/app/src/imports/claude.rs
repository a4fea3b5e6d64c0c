//! Claude.ai's data export: `conversations.json`, an array of conversations with their messages in order, or one
//! conversation alone.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::Map;
use serde_json::value::RawValue;
use throughline_domain::channel::ChannelKind;
use throughline_domain::message::Role;

use super::conversation::{Conversation, Said, Written, file_line};
use super::stream::{CONVERSATIONS, HeadKeys, Lines, read_entries};
use super::{Defaults, Importer, Sink, explain};
use crate::output::Failure;

/// Conversations of claude.ai.
pub struct Claude;

impl Importer for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        HeadKeys::of(head).has("chat_messages")
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        read_entries(input, &CONVERSATIONS, sink, &mut |json, line, sink| pass_on(json, line, defaults, sink))
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a conversation")]
struct Exported<'a> {
    uuid: Option<String>,
    name: Option<String>,
    created_at: Option<Written>,
    // Messages are parsed one by one, so that an invalid message does not invalidate the conversation.
    #[serde(borrow)]
    chat_messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct Message {
    uuid: Option<String>,
    sender: String,
    text: Option<String>,
    content: Option<Vec<Block>>,
    created_at: Option<Written>,
    attachments: Option<Vec<File>>,
    files: Option<Vec<File>>,
}

/// A block of a message. Blocks other than text are reasoning and tool calls.
#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
struct File {
    file_name: Option<String>,
}

fn pass_on(json: &str, line: u64, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
    let exported: Exported<'_> = match serde_json::from_str(json) {
        Ok(exported) => exported,
        Err(error) => {
            return sink(line, Err(explain(&error, "a conversation needs uuid and chat_messages")));
        }
    };
    let mut conversation = match Conversation::begin(
        ChannelKind::Claude,
        exported.uuid.as_deref(),
        exported.name.as_deref(),
        exported.created_at.as_ref(),
        &defaults.zone,
    ) {
        Ok(conversation) => conversation,
        Err(why) => return sink(line, Err(why)),
    };
    let lines = Lines::of(json, line);
    for raw in exported.chat_messages {
        let found = parse_message(raw.get()).and_then(|said| conversation.message(said));
        if let Some(found) = found.transpose() {
            sink(lines.line(raw), found)?;
        }
    }
    Ok(())
}

fn parse_message(json: &str) -> Result<Said, String> {
    let message: Message =
        serde_json::from_str(json).map_err(|error| explain(&error, "a message needs sender and text"))?;
    let role = match message.sender.as_str() {
        "human" => Role::User,
        "assistant" => Role::Assistant,
        other => return Err(format!("{other:?} is not a sender: it is human or assistant")),
    };
    let is_text = |block: &Block| block.kind.as_deref().is_none_or(|kind| kind == "text");
    let blocks = message.content.unwrap_or_default().into_iter().filter(is_text);
    let mut lines: Vec<String> = blocks.filter_map(|block| block.text).collect();
    lines.retain(|text| !text.trim().is_empty());
    // `text` duplicates the blocks, with notes about hidden ones.
    if lines.is_empty() {
        lines.extend(message.text.filter(|text| !text.trim().is_empty()));
    }
    for file in message.attachments.into_iter().chain(message.files).flatten() {
        let line = file_line(file.file_name.as_deref());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Ok(Said {
        role,
        text: lines.join("\n\n"),
        id: message.uuid,
        at: message.created_at,
        metadata: Map::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use throughline_engine::Inbound;

    use super::super::tests::read_all;
    use super::*;

    fn conversation() -> Value {
        json!({
            "uuid": "u1", "name": "Garden", "created_at": "2024-03-05T10:00:00.000001Z",
            "updated_at": "2024-03-06T10:00:00Z", "account": { "uuid": "a" },
            "chat_messages": [
                {
                    "uuid": "m1", "sender": "human", "text": "When do I prune roses?", "created_at": null,
                    "content": [{ "type": "text", "text": "When do I prune roses?" }],
                    "attachments": [{ "file_name": "roses.txt", "extracted_content": "long" }],
                    "files": [{ "file_name": "roses.txt" }, { "file_name": "bed.jpg" }],
                },
                {
                    "uuid": "m2", "sender": "assistant", "created_at": "2024-03-05T11:00:07.25+01:00",
                    "text": "In March.\n```\nThis block is not supported on your current device yet.\n```",
                    "content": [
                        { "type": "thinking", "thinking": "hm", "text": "hm" },
                        { "type": "text", "text": "In March." },
                        { "type": "tool_use", "name": "search", "input": {} },
                    ],
                },
                { "uuid": "m3", "sender": "human", "text": "", "content": [], "created_at": "2024-03-05T10:01:00Z" },
                { "uuid": "m4", "sender": "human", "text": "Thanks", "created_at": "2024-03-05T10:02:00Z" },
            ],
        })
    }

    #[test]
    fn an_array_and_a_conversation_alone_hold_the_same_messages() {
        let read = |text: String| -> Vec<Inbound> {
            read_all(&Claude, &text).into_iter().map(|(_, entry)| entry.unwrap()).collect()
        };
        let (array, alone) = (read(json!([conversation()]).to_string()), read(conversation().to_string()));
        assert_eq!(format!("{array:?}"), format!("{alone:?}"));
        let told: Vec<_> = array
            .iter()
            .map(|it| (it.role, it.text.as_str(), it.at.unwrap().to_string(), it.external_ids.concat()))
            .collect();
        let said = |role, text, at: &str, id: &str| (role, text, at.to_owned(), id.to_owned());
        let question = "When do I prune roses?\n\n[file: roses.txt]\n\n[file: bed.jpg]";
        assert_eq!(
            told,
            [
                said(Role::User, question, "2024-03-05T10:00:00.000001Z", "m1"),
                said(Role::Assistant, "In March.", "2024-03-05T10:00:07.25Z", "m2"),
                said(Role::User, "Thanks", "2024-03-05T10:02:00Z", "m4"),
            ]
        );
        assert!(array.iter().all(|it| it.chat.as_str() == "claude:chat:u1"));
        assert_eq!(json!(array[0].metadata), json!({ "source": "claude", "title": "Garden" }));
        assert_eq!(json!(array[2].metadata), json!({ "source": "claude" }));
    }

    #[test]
    fn a_broken_message_or_conversation_is_reported_with_its_line_and_the_rest_is_read() {
        let text = "[\n{\"uuid\":\"u\"},\n{\"chat_messages\":[]},\n{\"uuid\":\"u\",\"chat_messages\":[\n\
                    {\"sender\":\"robot\",\"text\":\"x\"},\n{\"text\":\"x\"},\n\
                    {\"sender\":\"human\",\"text\":\"x\",\"created_at\":\"soon\"},\n\
                    {\"sender\":\"human\",\"text\":\"kept\"}]}]";
        let found: Vec<(u64, Result<String, String>)> = read_all(&Claude, text)
            .into_iter()
            .map(|(line, entry)| (line, entry.map(|it| it.text)))
            .collect();
        let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 5, 6, 7, 8]);
        let says = ["`chat_messages`", "no id", "\"robot\" is not a sender", "`sender`", "soon"];
        for ((_, entry), says) in found.iter().zip(says) {
            assert!(entry.as_ref().unwrap_err().contains(says), "{entry:?} does not say {says}");
        }
        assert_eq!(found[5].1, Ok("kept".to_owned()));
    }
}
