//! What a client says, in the format of its API, and where memory is put into it: what stays the same during a
//! conversation behind the system text, what bears on a message at the head of that message. So the provider's prompt
//! cache keeps hitting.

use serde_json::{Value, json};

use super::upstream::Provider;

/// How Claude Code's additions to a person's message begin.
const NOT_SAID: [&str; 4] = ["<system-reminder>", "<command-name>", "<command-message>", "<local-command-"];

/// An API that conversations are held over.
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

    fn list(self) -> &'static str {
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

/// What a request says.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// The messages of the person with words in them, oldest first: their place in the list, and the words.
    pub person: Vec<(usize, String)>,
    /// What the assistant said.
    pub assistant: Vec<String>,
    /// Whether the model has begun to work on the newest of the person's messages, so that this is a later step of it.
    pub is_continued: bool,
    /// Whether the conversation begins with this request, as far as the client tells.
    pub is_first: bool,
}

impl Asked {
    /// What a request says; nothing if no person speaks in it. A request that prescribes the JSON of its answer, or wants
    /// one token, is a program's.
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
        let mut asked =
            Self { person: Vec::new(), assistant: Vec::new(), is_continued: false, is_first: whole };
        match body.get(api.list())? {
            Value::String(text) => asked.person.push((0, text.clone())),
            Value::Array(items) => items.iter().enumerate().for_each(|(at, item)| asked.take(at, item)),
            _ => return None,
        }
        (!asked.person.is_empty()).then_some(asked)
    }

    fn take(&mut self, at: usize, item: &Value) {
        match item.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => {}
            Some("user") => match said(item.get("content")) {
                text if text.is_empty() => self.is_continued = !self.person.is_empty(),
                text => {
                    self.person.push((at, text));
                    self.is_continued = false;
                }
            },
            Some("assistant") => {
                self.is_continued = !self.person.is_empty();
                self.is_first = false;
                self.assistant.push(said(item.get("content")));
            }
            // Calls of tools and their results.
            _ => self.is_continued = !self.person.is_empty(),
        }
    }

    /// The newest of the person's messages.
    pub fn newest(&self) -> &str {
        self.person.last().map_or("", |(_, text)| text)
    }
}

/// The words of a message.
fn said(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks.iter().filter_map(words).collect(),
        _ => String::new(),
    }
}

/// The words of a block, unless the client has put them there.
fn words(block: &Value) -> Option<&str> {
    let kind = block.get("type")?.as_str()?;
    let text = block.get("text")?.as_str()?;
    let is_said = !NOT_SAID.iter().any(|begin| text.trim_start().starts_with(begin));
    (matches!(kind, "text" | "input_text" | "output_text") && is_said).then_some(text)
}

/// What memory adds to a request.
#[derive(Debug, Default)]
pub struct Added {
    /// What stands behind the system text.
    pub system: String,
    /// What stands at the head of messages, by their place in the list.
    pub heads: Vec<(usize, String)>,
}

impl Added {
    pub fn is_nothing(&self) -> bool {
        self.system.is_empty() && self.heads.iter().all(|(_, head)| head.is_empty())
    }
}

/// Puts memory into a request.
pub fn add(api: Api, body: &mut Value, added: &Added) {
    for (at, head) in added.heads.iter().filter(|(_, head)| !head.is_empty()) {
        match body.get_mut(api.list()) {
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
            let first = blocks.iter().position(|block| words(block).is_some()).unwrap_or(0);
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

    fn added() -> Added {
        Added { system: "S".to_owned(), heads: vec![(1, "H".to_owned())] }
    }

    #[test]
    fn the_newest_words_of_a_person_are_read_in_each_format() {
        let chat = json!({ "messages": [
            { "role": "system", "content": "Be kind." }, { "role": "user", "content": "a" },
            { "role": "assistant", "content": "b" }, { "role": "user", "content": [{ "type": "text", "text": "c" }] },
        ] });
        let asked = Asked::read(Api::ChatCompletions, &chat).unwrap();
        assert_eq!(asked.person, [(1, "a".to_owned()), (3, "c".to_owned())]);
        assert_eq!(
            (asked.assistant, asked.is_continued, asked.is_first),
            (vec!["b".to_owned()], false, false)
        );

        let responses = json!({ "input": [
            { "role": "user", "content": [{ "type": "input_text", "text": "a" }] },
            { "type": "function_call", "name": "f", "arguments": "{}" }, { "type": "function_call_output", "output": "1" },
        ] });
        let asked = Asked::read(Api::Responses, &responses).unwrap();
        assert_eq!((asked.newest(), asked.is_continued), ("a", true), "the model works on it");
        let follows = json!({ "input": "a", "previous_response_id": "r" });
        assert!(!Asked::read(Api::Responses, &follows).unwrap().is_first);

        let claude = json!({ "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "<system-reminder>\nToday is Monday.\n</system-reminder>" },
                { "type": "text", "text": "Where is the key?" },
            ] },
            { "role": "system", "content": "Available agents: …" },
        ] });
        let asked = Asked::read(Api::Messages, &claude).unwrap();
        assert_eq!((asked.newest(), asked.is_continued, asked.is_first), ("Where is the key?", false, true));
    }

    #[test]
    fn a_request_that_no_person_speaks_in_is_a_programs() {
        let said = json!([{ "role": "user", "content": "Make a title." }]);
        for body in [
            json!({ "messages": said, "output_config": { "format": { "type": "json_schema" } } }),
            json!({ "messages": said, "max_tokens": 1 }),
            json!({ "messages": [{ "role": "user", "content": [{ "type": "image" }] }] }),
            json!({ "messages": [] }),
            json!({ "messages": "?", "model": 3 }).get("model").cloned().unwrap(),
        ] {
            assert_eq!(Asked::read(Api::Messages, &body), None, "{body}");
        }
        let plain = json!({ "messages": said, "response_format": { "type": "text" } });
        assert!(Asked::read(Api::ChatCompletions, &plain).is_some());
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
        add(Api::ChatCompletions, &mut bare, &Added { heads: Vec::new(), ..added() });
        assert_eq!(bare["messages"][0], json!({ "role": "system", "content": "S" }));

        let mut responses = json!({ "input": "a" });
        add(Api::Responses, &mut responses, &Added { heads: vec![(0, "H".to_owned())], ..added() });
        assert_eq!(responses, json!({ "input": "H\n\na", "instructions": "S" }));

        let kept = json!({ "type": "ephemeral" });
        let reminder = json!({ "type": "text", "text": "<system-reminder>x</system-reminder>" });
        let mut claude = json!({
            "system": [{ "type": "text", "text": "You are…", "cache_control": kept }],
            "messages": [{ "role": "user", "content": [reminder, { "type": "text", "text": "a", "cache_control": kept }] }],
        });
        add(Api::Messages, &mut claude, &Added { heads: vec![(0, "H".to_owned())], ..added() });
        assert_eq!(claude["system"][1], json!({ "type": "text", "text": "S" }));
        assert_eq!(claude["messages"][0]["content"][1], json!({ "type": "text", "text": "H" }));
    }
}
