//! ChatGPT's data export: `conversations.json`, an array of conversations, each a tree of messages. The branch that
//! was shown last is imported, with the messages of the person and the assistant.

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
use super::stream::{CONVERSATIONS, HeadKeys, Lines, read_entries};
use super::{Defaults, Importer, Sink, explain};
use crate::output::Failure;

/// Kinds of content that are not part of the conversation: reasoning, custom instructions and tool calls.
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

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        read_entries(input, &CONVERSATIONS, sink, &mut |json, line, sink| match Tree::read(json) {
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
    // Nodes are parsed one by one, so that an invalid node does not invalidate the conversation.
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

    fn pass_on(
        self,
        json: &'a str,
        line: u64,
        defaults: &Defaults,
        sink: &mut Sink<'_>,
    ) -> Result<(), Failure> {
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
        let lines = Lines::of(json, line);
        for (id, raw, node) in self.active_branch() {
            let message = node.message(id);
            let found = message.and_then(|message| match message {
                Some(message) => spoken(message, id).map_or(Ok(None), |said| conversation.message(said)),
                None => Ok(None),
            });
            if let Some(found) = found.transpose() {
                sink(lines.line(raw), found)?;
            }
        }
        Ok(())
    }

    /// The nodes from the root to the last shown node.
    fn active_branch(&self) -> Vec<(&str, &'a RawValue, ReadNode<'a>)> {
        let mut branch = Vec::new();
        let mut seen = HashSet::new();
        let mut next = self.current_node.clone().filter(|id| self.mapping.contains_key(id.as_str()));
        if next.is_none() {
            next = self.newest_leaf();
        }
        while let Some((id, raw)) = next.as_deref().and_then(|id| self.mapping.get_key_value(id)) {
            // A cycle ends the branch.
            if !seen.insert(id.as_ref()) {
                break;
            }
            let mut node = ReadNode::of(raw);
            next = node.0.as_mut().ok().and_then(|node| node.parent.take());
            branch.push((id.as_ref(), *raw, node));
        }
        branch.reverse();
        branch
    }

    /// The leaf whose message, or whose parent's message, is the newest. Ties are broken by id.
    fn newest_leaf(&self) -> Option<String> {
        let nodes: HashMap<&str, (Option<String>, Option<Timestamp>)> = self
            .mapping
            .iter()
            .filter_map(|(id, raw)| {
                let node = ReadNode::of(raw).0.ok()?;
                let parent = node.parent.clone();
                let at =
                    ReadNode(Ok(node)).message(id).ok().flatten().and_then(|message| message.create_time);
                let at = at.and_then(|at| at.moment(&jiff::tz::TimeZone::UTC).ok());
                Some((id.as_ref(), (parent, at)))
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

/// A parsed node, or the error.
struct ReadNode<'a>(serde_json::Result<Node<'a>>);

impl<'a> ReadNode<'a> {
    fn of(raw: &'a RawValue) -> Self {
        Self(serde_json::from_str(raw.get()))
    }

    /// The node's message, if it has one.
    fn message(self, id: &str) -> Result<Option<Message>, String> {
        let read =
            self.0.and_then(|node| node.message.map(|raw| serde_json::from_str(raw.get())).transpose());
        read.map_err(|error| {
            format!("node {id}: {}", explain(&error, "a message needs its author and content"))
        })
    }
}

/// The text of a message; `None` if it is hidden, empty, or not part of the conversation.
fn spoken(message: Message, node: &str) -> Option<Said> {
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
        // The text already mentions each picture.
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

/// The text of a part, or a short description of other content.
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

/// The text without citation marks, which ChatGPT renders as links.
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
mod tests;
