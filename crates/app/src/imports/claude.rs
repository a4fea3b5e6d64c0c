//! Claude.ai's data export: `conversations.json`, an array of conversations with their messages in order, or one
//! conversation alone.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::Map;
use serde_json::value::RawValue;
use throughline_domain::channel::ChannelKind;
use throughline_domain::message::Role;

use super::conversation::{Conversation, Said, Written, file_line};
use super::stream::{HeadKeys, Layout, Object, line_of, read_entries};
use super::{Defaults, Importer, LONGEST_CONVERSATION, Sink, explain};
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
        read_entries(source, &layout, sink, &mut |json, line, sink| pass_on(json, line, defaults, sink))
    }
}

#[derive(Deserialize)]
struct Exported<'a> {
    uuid: Option<String>,
    name: Option<String>,
    created_at: Option<Written>,
    // Read one by one: a message that is broken must not take the conversation with it.
    #[serde(borrow)]
    chat_messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message {
    uuid: Option<String>,
    sender: String,
    text: Option<String>,
    content: Option<Vec<Block>>,
    created_at: Option<Written>,
    attachments: Option<Vec<File>>,
    files: Option<Vec<File>>,
}

/// A block of a message. Blocks other than text are reasoning and the traffic of tools.
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
    for raw in exported.chat_messages {
        let found = said(raw.get()).and_then(|said| conversation.message(said));
        if let Some(found) = found.transpose() {
            sink(line_of(raw, json, line), found)?;
        }
    }
    Ok(())
}

fn said(json: &str) -> Result<Said, String> {
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
    // `text` repeats the blocks, with notes about those that are not shown.
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
