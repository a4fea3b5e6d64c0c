//! Chat transcripts in the format of OpenAI's API: an array of `{"role", "content"}`, alone or as `messages` of an
//! object. A file may contain several of them. An entry may also have `chat`, `lane`, `at`, `external_id`, `name` and
//! `metadata`.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::time::read_moment;
use throughline_engine::Inbound;

use super::stream::{HeadKeys, Layout, Object, read_entries};
use super::{Defaults, Importer, LONGEST_ENTRY, Sink, explain};
use crate::output::Failure;

/// Arrays of messages.
pub struct Messages;

impl Importer for Messages {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        head.starts_with(b"[") || HeadKeys::of(head).document.iter().any(|key| key == "messages")
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        read_limited(input, defaults, sink, LONGEST_ENTRY)
    }
}

/// Reads documents until one is malformed, or has an entry of more than `longest` bytes.
fn read_limited(
    source: &mut dyn BufRead,
    defaults: &Defaults,
    sink: &mut Sink<'_>,
    longest: u64,
) -> Result<(), Failure> {
    let layout = Layout {
        expects: "an array of messages, or an object with one in `messages`",
        object: Object::Lists(&["messages"]),
        longest,
    };
    read_entries(source, &layout, sink, &mut |json, line, sink| match read_entry(json, defaults) {
        Ok(messages) => messages.into_iter().try_for_each(|message| sink(line, Ok(message))),
        Err(why) => sink(line, Err(why)),
    })
}

#[derive(Deserialize)]
struct Written {
    role: String,
    content: Option<Content>,
    name: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    tool_call_id: Option<String>,
    chat: Option<ChatId>,
    lane: Option<String>,
    at: Option<String>,
    external_id: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of the content. Images and sounds have no text.
#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

#[derive(Deserialize)]
struct ToolCall {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: String,
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n\n")
            }
        }
    }
}

/// The messages of one entry: its text, then one for each tool call.
fn read_entry(json: &str, defaults: &Defaults) -> Result<Vec<Inbound>, String> {
    let written: Written =
        serde_json::from_str(json).map_err(|error| explain(&error, "an entry needs role and content"))?;
    let role = match written.role.as_str() {
        "developer" => Role::System,
        "tool" | "function" => Role::ToolResult,
        other => {
            other.parse().map_err(|error: throughline_domain::message::UnknownRole| error.to_string())?
        }
    };
    let chat = written.chat.unwrap_or_else(|| defaults.chat.clone());
    let lane = written.lane.map(|lane| Lane::parse(&lane, &chat)).transpose();
    let at = written.at.map(|at| read_moment(&at, &defaults.zone)).transpose();
    let spoken = Inbound {
        lane: lane.map_err(|error| error.to_string())?,
        at: at.map_err(|error| error.to_string())?,
        speaker: written.name,
        ..Inbound::in_chat(chat)
    };
    let with_call = |metadata: Map<String, Value>, id: Option<String>| {
        metadata.into_iter().chain(id.map(|id| ("tool_call_id".to_owned(), Value::from(id)))).collect()
    };
    let mut messages: Vec<Inbound> = Vec::new();
    let text = written.content.map(Content::text).filter(|text| !text.trim().is_empty());
    if let Some(text) = text {
        messages.push(Inbound {
            role,
            text,
            external_ids: written.external_id.into_iter().collect(),
            metadata: with_call(written.metadata, written.tool_call_id),
            ..spoken.clone()
        });
    }
    messages.extend(written.tool_calls.into_iter().map(|call| Inbound {
        role: Role::ToolUse,
        text: format!("{} {}", call.function.name, call.function.arguments).trim_end().to_owned(),
        metadata: with_call(Map::new(), call.id),
        ..spoken.clone()
    }));
    messages.iter_mut().for_each(|message| defaults.mark_own(message));
    if messages.is_empty() { Err("the entry has no text".to_owned()) } else { Ok(messages) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::read_all;
    use super::*;

    /// A line, and the role and text of its message, or the error.
    type Found = (u64, Result<(Role, String), String>);

    fn read(text: &str) -> Vec<Found> {
        let said = |entry: Result<Inbound, String>| entry.map(|inbound| (inbound.role, inbound.text));
        read_all(&Messages, text).into_iter().map(|(line, entry)| (line, said(entry))).collect()
    }

    fn said(line: u64, role: Role, text: &str) -> Found {
        (line, Ok((role, text.to_owned())))
    }

    #[test]
    fn an_array_an_object_and_several_documents_hold_the_same_messages() {
        let entries =
            "{\"role\":\"user\",\"content\":\"one\"},\n{\"role\":\"assistant\",\"content\":\"two\"}";
        let expected = vec![said(1, Role::User, "one"), said(2, Role::Assistant, "two")];
        assert_eq!(read(&format!("[{entries}]")), expected);
        assert_eq!(read(&format!("\u{feff}{{\"model\":\"m\",\"messages\":[{entries}],\"n\":1}}")), expected);
        let lines = "{\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]}\n\
                     {\"messages\":[{\"role\":\"assistant\",\"content\":\"two\"}]}\n";
        assert_eq!(read(lines), expected);
        for nothing in ["", " \n", "[]", "{}", "{\"messages\":[]}"] {
            assert_eq!(read(nothing), [], "{nothing:?}");
        }
    }

    #[test]
    fn roles_parts_and_tool_calls_become_messages_of_ours() {
        let text = json!([
            { "role": "developer", "content": "be brief" },
            { "role": "user", "content": [
                { "type": "text", "text": "what is" },
                { "type": "image_url", "image_url": { "url": "data:" } },
                { "type": "text", "text": "this?" },
            ] },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "look", "arguments": "{\"at\":1}" } },
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "a bee" },
        ]);
        let found = read_all(&Messages, &text.to_string());
        let found: Vec<_> = found
            .into_iter()
            .map(|(_, entry)| entry.map(|inbound| (inbound.role, inbound.text, json!(inbound.metadata))))
            .collect();
        let message = |role, text: &str, metadata| Ok((role, text.to_owned(), metadata));
        assert_eq!(
            found,
            [
                message(Role::System, "be brief", json!({})),
                message(Role::User, "what is\n\nthis?", json!({})),
                message(Role::ToolUse, "look {\"at\":1}", json!({ "tool_call_id": "c1" })),
                message(Role::ToolResult, "a bee", json!({ "tool_call_id": "c1" })),
            ]
        );
    }

    #[test]
    fn an_entry_may_name_its_chat_lane_time_speaker_and_metadata() {
        let text = json!([{
            "role": "user", "content": "x", "chat": "api:chat:7", "lane": "topic:3", "at": "2026-02-18T07:00",
            "name": "Ana", "external_id": "e1", "metadata": { "model": "m" },
        }]);
        let (_, found) = read_all(&Messages, &text.to_string()).remove(0);
        let found = found.unwrap();
        assert_eq!(found.chat.as_str(), "api:chat:7");
        assert_eq!(found.lane, Some(Lane::Topic("3".to_owned())));
        assert_eq!(found.at, Some("2026-02-18T07:00:00Z".parse().unwrap()));
        assert_eq!(
            (found.speaker.as_deref(), found.external_ids.as_slice()),
            (Some("Ana"), &["e1".to_owned()][..])
        );
        assert_eq!(
            json!(found.metadata),
            json!({ "model": "m", "own": false }),
            "Ana is not known to be the owner"
        );
        assert_eq!(
            read_all(&Messages, r#"[{"role":"user","content":"x"}]"#)[0].1.as_ref().unwrap().chat,
            ChatId::terminal()
        );
    }

    #[test]
    fn a_wrong_entry_is_reported_with_its_line_and_the_next_one_is_read() {
        let text = "[\n{\"role\":\"user\",\"content\":\"one\"},\n\n{\"role\":\"robot\",\"content\":\"x\"},\n\
                    {\"content\":\"x\"},\n{\"role\":\"user\",\"content\":\"\"},\n\
                    {\"role\":\"user\",\"content\":\"\\ud800\"},\n{\n\"role\":\"user\",\"content\":\"two\"}]";
        let wrong = |line, why: &str| (line, Err(why.to_owned()));
        assert_eq!(
            read(text),
            [
                said(2, Role::User, "one"),
                wrong(4, "\"robot\" is not a role: write user, assistant, tool_use, tool_result or system"),
                wrong(5, "missing field `role` (column 15); an entry needs role and content"),
                wrong(6, "the entry has no text"),
                wrong(7, "a lone surrogate, half of a \\u pair, is no character (column 33)"),
                said(8, Role::User, "two"),
            ]
        );
    }

    #[test]
    fn broken_json_keeps_what_came_before_and_says_that_the_rest_was_not_read() {
        let found = read(
            "[{\"role\":\"user\",\"content\":\"one\"},\n{\"role\": oops}, {\"role\":\"user\",\"content\":\"two\"}]",
        );
        let [first, (2, Err(why))] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(first, &said(1, Role::User, "one"));
        assert!(
            why.starts_with("expected value") && why.ends_with("The rest of the file was not read"),
            "{why}"
        );
        let (line, found) = read("\n7").remove(0);
        assert!(line == 2 && found.unwrap_err().contains("expected an array of messages"));
    }

    #[test]
    fn an_entry_longer_than_the_limit_ends_the_file_instead_of_filling_the_memory() {
        let long = format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(100));
        let text = format!(r#"[{{"role":"user","content":"one"}},{long},{long}]"#);
        let defaults = Defaults::new(ChatId::terminal(), jiff::tz::TimeZone::UTC);
        let mut found = Vec::new();
        let mut sink = |_, entry: Result<Inbound, String>| {
            found.push(entry.map(|inbound| inbound.text));
            Ok(())
        };
        read_limited(&mut text.as_bytes(), &defaults, &mut sink, 100).unwrap();
        let why = "the entry is longer than 100 bytes. The rest of the file was not read".to_owned();
        assert_eq!(found, [Ok("one".to_owned()), Err(why)]);
    }
}
