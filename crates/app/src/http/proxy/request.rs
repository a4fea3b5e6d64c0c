//! Reads the messages of a request in each API's format, and inserts memory: parts that stay the same during a
//! conversation after the system text, and parts about one message before that message. This order keeps the
//! provider's prompt cache valid.

use serde_json::{Value, json};

use super::upstream::Provider;

/// The tags with which Claude Code's additions to a person's message begin.
const CLIENT_TAGS: [&str; 4] =
    ["<system-reminder>", "<command-name>", "<command-message>", "<local-command-"];

/// An API for conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's Chat Completions.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
}

impl Api {
    pub fn provider(self) -> Provider {
        match self {
            Self::ChatCompletions | Self::Responses => Provider::OpenAi,
            Self::Messages => Provider::Anthropic,
        }
    }

    fn messages_field(self) -> &'static str {
        match self {
            Self::Responses => "input",
            Self::ChatCompletions | Self::Messages => "messages",
        }
    }

    fn text_block(self) -> &'static str {
        match self {
            Self::Responses => "input_text",
            Self::ChatCompletions | Self::Messages => "text",
        }
    }
}

/// The conversation in a client's request.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientRequest {
    /// The person's messages that contain text, oldest first: the index in the list of messages, and the text.
    pub person: Vec<(usize, String)>,
    /// The assistant's messages.
    pub assistant: Vec<String>,
    /// Whether the model already works on the person's newest message, so this request is a later step of that work.
    pub is_continued: bool,
    /// Whether the conversation begins with this request, as far as the request shows.
    pub is_first: bool,
}

impl ClientRequest {
    /// Reads a request; `None` if it contains no person's message. A request for output by a JSON schema, or for a
    /// single token, comes from a program.
    pub fn read(api: Api, body: &Value) -> Option<Self> {
        let forms = [
            "/response_format/type",
            "/text/format/type",
            "/output_config/format/type",
            "/output_format/type",
        ];
        let is_form = |path: &&str| body.pointer(path).is_some_and(|form| form != "text");
        let limit = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        let is_probe = |name: &&str| body.get(name).and_then(Value::as_u64) == Some(1);
        if forms.iter().any(is_form) || limit.iter().any(is_probe) {
            return None;
        }
        let whole = ["previous_response_id", "conversation"]
            .iter()
            .all(|name| body.get(name).is_none_or(Value::is_null));
        let mut client =
            Self { person: Vec::new(), assistant: Vec::new(), is_continued: false, is_first: whole };
        match body.get(api.messages_field())? {
            Value::String(text) => client.person.push((0, text.clone())),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(at, item)| client.read_message(at, item))
            }
            _ => return None,
        }
        (!client.person.is_empty()).then_some(client)
    }

    fn read_message(&mut self, at: usize, item: &Value) {
        match item.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => {}
            Some("user") => match message_text(item.get("content")) {
                text if text.is_empty() => self.is_continued = !self.person.is_empty(),
                text => {
                    self.person.push((at, text));
                    self.is_continued = false;
                }
            },
            Some("assistant") => {
                self.is_continued = !self.person.is_empty();
                self.is_first = false;
                self.assistant.push(message_text(item.get("content")));
            }
            // Tool calls and their results.
            _ => self.is_continued = !self.person.is_empty(),
        }
    }

    /// The person's newest message.
    pub fn newest(&self) -> &str {
        self.person.last().map_or("", |(_, text)| text)
    }
}

/// The text of a message.
fn message_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks.iter().filter_map(block_text).collect(),
        _ => String::new(),
    }
}

/// The text of a block, unless Claude Code inserted it.
fn block_text(block: &Value) -> Option<&str> {
    let kind = block.get("type")?.as_str()?;
    let text = block.get("text")?.as_str()?;
    let is_persons = !CLIENT_TAGS.iter().any(|begin| text.trim_start().starts_with(begin));
    (matches!(kind, "text" | "input_text" | "output_text") && is_persons).then_some(text)
}

/// The text that memory adds to a request.
#[derive(Debug, Default)]
pub struct Additions {
    /// The text to append to the system text.
    pub system: String,
    /// The texts to insert before messages, each with the message's index.
    pub heads: Vec<(usize, String)>,
}

impl Additions {
    pub fn is_empty(&self) -> bool {
        self.system.is_empty() && self.heads.iter().all(|(_, head)| head.is_empty())
    }
}

/// Adds memory to a request.
pub fn add(api: Api, body: &mut Value, added: &Additions) {
    for (at, head) in added.heads.iter().filter(|(_, head)| !head.is_empty()) {
        match body.get_mut(api.messages_field()) {
            Some(Value::String(text)) => *text = format!("{head}\n\n{text}"),
            Some(Value::Array(items)) => {
                if let Some(content) = items.get_mut(*at).and_then(|item| item.get_mut("content")) {
                    add_head(api, content, head);
                }
            }
            _ => {}
        }
    }
    if !added.system.is_empty() {
        add_system(api, body, &added.system);
    }
}

fn add_head(api: Api, content: &mut Value, head: &str) {
    match content {
        Value::String(text) => *text = format!("{head}\n\n{text}"),
        Value::Array(blocks) => {
            let first = blocks.iter().position(|block| block_text(block).is_some()).unwrap_or(0);
            blocks.insert(first, json!({ "type": api.text_block(), "text": head }));
        }
        _ => {}
    }
}

fn add_system(api: Api, body: &mut Value, system: &str) {
    let own = match api {
        Api::Responses => body.get_mut("instructions"),
        Api::Messages => body.get_mut("system"),
        Api::ChatCompletions => {
            let messages = body.get_mut("messages").and_then(Value::as_array_mut);
            messages.and_then(|messages| {
                let is_system = |message: &&mut Value| {
                    message.get("role").is_some_and(|role| role == "system" || role == "developer")
                };
                messages.iter_mut().find(is_system)?.get_mut("content")
            })
        }
    };
    match own {
        Some(Value::String(text)) => text.push_str(&format!("\n\n{system}")),
        Some(Value::Array(blocks)) => blocks.push(json!({ "type": "text", "text": system })),
        _ => match (api, body.as_object_mut()) {
            (Api::Responses, Some(body)) => _ = body.insert("instructions".to_owned(), system.into()),
            (Api::Messages, Some(body)) => _ = body.insert("system".to_owned(), system.into()),
            (Api::ChatCompletions, Some(body)) => {
                if let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) {
                    messages.insert(0, json!({ "role": "system", "content": system }));
                }
            }
            (_, None) => {}
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added() -> Additions {
        Additions { system: "S".to_owned(), heads: vec![(1, "H".to_owned())] }
    }

    #[test]
    fn the_newest_words_of_a_person_are_read_in_each_format() {
        let chat = json!({ "messages": [
            { "role": "system", "content": "Be kind." }, { "role": "user", "content": "a" },
            { "role": "assistant", "content": "b" }, { "role": "user", "content": [{ "type": "text", "text": "c" }] },
        ] });
        let client = ClientRequest::read(Api::ChatCompletions, &chat).unwrap();
        assert_eq!(client.person, [(1, "a".to_owned()), (3, "c".to_owned())]);
        assert_eq!(
            (client.assistant, client.is_continued, client.is_first),
            (vec!["b".to_owned()], false, false)
        );

        let responses = json!({ "input": [
            { "role": "user", "content": [{ "type": "input_text", "text": "a" }] },
            { "type": "function_call", "name": "f", "arguments": "{}" }, { "type": "function_call_output", "output": "1" },
        ] });
        let client = ClientRequest::read(Api::Responses, &responses).unwrap();
        assert_eq!((client.newest(), client.is_continued), ("a", true), "the model works on it");
        let follows = json!({ "input": "a", "previous_response_id": "r" });
        assert!(!ClientRequest::read(Api::Responses, &follows).unwrap().is_first);

        let claude = json!({ "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "<system-reminder>\nToday is Monday.\n</system-reminder>" },
                { "type": "text", "text": "Where is the key?" },
            ] },
            { "role": "system", "content": "Available agents: …" },
        ] });
        let client = ClientRequest::read(Api::Messages, &claude).unwrap();
        assert_eq!(
            (client.newest(), client.is_continued, client.is_first),
            ("Where is the key?", false, true)
        );
    }

    #[test]
    fn a_request_that_no_person_speaks_in_is_a_programs() {
        let message_text = json!([{ "role": "user", "content": "Make a title." }]);
        for body in [
            json!({ "messages": message_text, "output_config": { "format": { "type": "json_schema" } } }),
            json!({ "messages": message_text, "max_tokens": 1 }),
            json!({ "messages": [{ "role": "user", "content": [{ "type": "image" }] }] }),
            json!({ "messages": [] }),
            json!({ "messages": "?", "model": 3 }).get("model").cloned().unwrap(),
        ] {
            assert_eq!(ClientRequest::read(Api::Messages, &body), None, "{body}");
        }
        let plain = json!({ "messages": message_text, "response_format": { "type": "text" } });
        assert!(ClientRequest::read(Api::ChatCompletions, &plain).is_some());
    }

    #[test]
    fn d7_memory_stands_behind_the_system_text_and_at_the_head_of_its_message() {
        let mut chat = json!({ "messages": [{ "role": "developer", "content": "Be kind." }, { "role": "user", "content": "a" }] });
        add(Api::ChatCompletions, &mut chat, &added());
        assert_eq!(
            chat,
            json!({ "messages": [{ "role": "developer", "content": "Be kind.\n\nS" }, { "role": "user", "content": "H\n\na" }] })
        );
        let mut bare = json!({ "messages": [{ "role": "user", "content": "a" }] });
        add(Api::ChatCompletions, &mut bare, &Additions { heads: Vec::new(), ..added() });
        assert_eq!(bare["messages"][0], json!({ "role": "system", "content": "S" }));

        let mut responses = json!({ "input": "a" });
        add(Api::Responses, &mut responses, &Additions { heads: vec![(0, "H".to_owned())], ..added() });
        assert_eq!(responses, json!({ "input": "H\n\na", "instructions": "S" }));

        let kept = json!({ "type": "ephemeral" });
        let reminder = json!({ "type": "text", "text": "<system-reminder>x</system-reminder>" });
        let mut claude = json!({
            "system": [{ "type": "text", "text": "You are…", "cache_control": kept }],
            "messages": [{ "role": "user", "content": [reminder, { "type": "text", "text": "a", "cache_control": kept }] }],
        });
        add(Api::Messages, &mut claude, &Additions { heads: vec![(0, "H".to_owned())], ..added() });
        assert_eq!(claude["system"][1], json!({ "type": "text", "text": "S" }));
        assert_eq!(claude["messages"][0]["content"][1], json!({ "type": "text", "text": "H" }));
    }
}
