//! Anthropic's models, over the Messages API.

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use crate::attachments::{Attachment, Carries, Content, encoded};
use crate::price::Tokens;
use crate::prompt::{Prompt, PromptTurn};
use crate::wire::{
    Api, Dialect, Event, Kind, PartialCall, Round, Server, ServerRequest, ServerSettings, ToolOffer, count,
    invalid_json, out_of_tokens, overloaded, server_message, sse_data, text,
};
use crate::{Answer, ChatModel, Definition, Error, Request};

static KIND: Kind = Kind {
    path: &["v1", "messages"],
    start: "check the network and ANTHROPIC_BASE_URL, or try again later",
    key: "ANTHROPIC_API_KEY",
    missing: |model| format!("there is no model {model} there: correct its name or ANTHROPIC_BASE_URL"),
};

/// Anthropic's limits: a picture may have 5 MB and a request 32 MB in base64, which turns three bytes into four.
pub(crate) const CARRIES: Carries = Carries {
    images: &["image/jpeg", "image/png", "image/gif", "image/webp"],
    image_bytes: 5 * 1024 * 1024 / 4 * 3,
    pdf_bytes: 22_000_000,
    all_bytes: 22_000_000,
};

/// A model of Anthropic, such as `claude-sonnet-4-5`.
pub struct Anthropic {
    server: Server,
    name: String,
}

impl Anthropic {
    /// The address of Anthropic's own API.
    pub const ADDRESS: &str = "https://api.anthropic.com";

    /// Creates a model from its settings.
    pub fn new(settings: ServerSettings) -> Result<Self, Error> {
        let name = format!("anthropic/{}", settings.model);
        let key = settings.key.clone().unwrap_or_default();
        let server = Server::new(settings, &KIND)?
            .with_header("anthropic-version", "2023-06-01".to_owned())
            .with_header("x-api-key", key.trim().to_owned());
        Ok(Self { server, name })
    }
}

impl Api for Anthropic {
    type Dialect = Messages;

    fn question(&self, asking: &ServerRequest<'_>) -> Value {
        let prompt = &asking.prompt;
        // The API refuses an empty text.
        let system: Vec<Value> =
            Some(&*prompt.system).filter(|text| !text.is_empty()).map(cached).into_iter().collect();
        let messages: Vec<Value> =
            turns(prompt).into_iter().chain(asking.rounds.iter().flat_map(round)).collect();
        let mut question = json!({
            "model": self.server.model,
            "max_tokens": prompt.most_tokens,
            "system": system,
            "messages": messages,
            "stream": true,
        });
        if let (Some(toolbox), Some(fields)) = (asking.offer.toolbox(), question.as_object_mut()) {
            let tools: Vec<Value> = toolbox.definitions.iter().map(tool).collect();
            fields.insert("tools".to_owned(), json!(tools));
            if let ToolOffer::UsedUp(_) = asking.offer {
                // Tools that were called must stay defined.
                fields.insert("tool_choice".to_owned(), json!({ "type": "none" }));
            }
        }
        question
    }
}

fn tool(tool: &Definition) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

/// A round as a turn of the model and a turn with the tool results. Its text must not be empty.
fn round(round: &Round) -> [Value; 2] {
    let words = (!round.text.is_empty()).then(|| json!({ "type": "text", "text": round.text }));
    let calls = round.calls.iter().map(
        |(call, _)| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.echoed() }),
    );
    let answers = round.calls.iter().map(|(call, answer)| {
        json!({ "type": "tool_result", "tool_use_id": call.id, "content": answer.text, "is_error": answer.is_error })
    });
    let said: Vec<Value> = words.into_iter().chain(calls).collect();
    let heard: Vec<Value> = answers.collect();
    [json!({ "role": "assistant", "content": said }), json!({ "role": "user", "content": heard })]
}

/// The turns. All but the last repeat in the next request, so the cache ends there. Files come before the words of
/// the last turn.
fn turns(prompt: &Prompt<'_>) -> Vec<Value> {
    let stable = prompt.turns.len().checked_sub(2);
    let turn = |(index, said): (usize, &PromptTurn<'_>)| match stable {
        Some(last) if last == index => json!({ "role": said.role, "content": [cached(&said.content)] }),
        _ if index + 1 == prompt.turns.len() && !prompt.attachments.is_empty() => {
            let words = json!({ "type": "text", "text": said.content });
            let blocks: Vec<Value> = blocks(&prompt.attachments).chain([words]).collect();
            json!({ "role": said.role, "content": blocks })
        }
        _ => json!(said),
    };
    prompt.turns.iter().enumerate().map(turn).collect()
}

/// Files as content blocks. The `claude` program accepts the same blocks.
pub(crate) fn blocks(attachments: &[&Attachment]) -> impl Iterator<Item = Value> {
    attachments.iter().filter_map(|attachment| {
        let source = |media_type: &str, bytes: &[u8]| {
            json!({ "type": "base64", "media_type": media_type, "data": encoded(bytes) })
        };
        match &attachment.content {
            Content::Image { media_type, bytes } => {
                Some(json!({ "type": "image", "source": source(media_type, bytes) }))
            }
            Content::Pdf(bytes) => {
                let mut block = json!({ "type": "document", "source": source("application/pdf", bytes) });
                if let (Some(name), Some(fields)) = (&attachment.name, block.as_object_mut()) {
                    fields.insert("title".to_owned(), json!(name));
                }
                Some(block)
            }
            Content::Text(_) | Content::Absent(_) => None,
        }
    })
}

fn cached(text: &str) -> Value {
    json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } })
}

#[async_trait]
impl ChatModel for Anthropic {
    fn name(&self) -> &str {
        &self.name
    }

    fn expected_cost(&self, read: u64, written: u64) -> Option<f64> {
        self.server.expected_cost(read, written)
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        self.server.converse(self, request, CARRIES, &self.name, &words).await
    }
}

/// Parses the events of a streamed message. The `claude` program wraps the same events.
#[derive(Default)]
pub(crate) struct Messages {
    took: Tokens,
    /// The tool call in progress, and the number of calls before it.
    call: Option<PartialCall>,
    calls: usize,
}

impl Dialect for Messages {
    fn read(&mut self, line: &str) -> Vec<Event> {
        let Some(data) = sse_data(line) else { return Vec::new() };
        serde_json::from_str(data).map_or_else(|_| invalid_json(), |event| self.event(&event))
    }
}

impl Messages {
    /// Parses an event.
    pub(crate) fn event(&mut self, event: &Value) -> Vec<Event> {
        match text(event, "/type") {
            Some("message_start") => {
                self.count(event, "/message/usage");
                vec![Event::Took(self.took)]
            }
            Some("content_block_start") if text(event, "/content_block/type") == Some("tool_use") => {
                let said = |path: &str| text(event, path);
                self.call = Some(PartialCall::new(said("/content_block/id"), said("/content_block/name")));
                vec![Event::Alive]
            }
            Some("content_block_delta") => match text(event, "/delta/text") {
                Some(words) => vec![Event::Words(words.to_owned())],
                None => {
                    if let (Some(call), Some(piece)) = (&mut self.call, text(event, "/delta/partial_json")) {
                        call.push(piece);
                    }
                    vec![Event::Alive]
                }
            },
            Some("content_block_stop") => {
                let call = self.call.take().map(|call| Event::Call(call.whole(self.calls)));
                self.calls += usize::from(call.is_some());
                call.into_iter().chain([Event::Alive]).collect()
            }
            Some("message_delta") => {
                self.count(event, "/usage");
                let mut events = vec![Event::Took(self.took)];
                events.extend(text(event, "/delta/stop_reason").map(stopped));
                events
            }
            Some("message_stop") => vec![Event::Over],
            Some("error") => {
                let said = |path: &str| text(event, path).unwrap_or_default();
                vec![Event::Failed(failure(said("/error/type"), said("/error/message")))]
            }
            Some(_) => vec![Event::Alive],
            None => Vec::new(),
        }
    }

    /// Later reports repeat earlier figures or omit them.
    fn count(&mut self, event: &Value, usage: &str) {
        let reported = tokens(event, usage);
        self.took = Tokens {
            input: self.took.input.max(reported.input),
            cache_write: self.took.cache_write.max(reported.cache_write),
            cache_read: self.took.cache_read.max(reported.cache_read),
            output: self.took.output.max(reported.output),
        };
    }
}

/// The token counts at a JSON path.
pub(crate) fn tokens(json: &Value, usage: &str) -> Tokens {
    let figure = |name: &str| count(json, &format!("{usage}/{name}"));
    Tokens {
        input: figure("input_tokens"),
        cache_write: figure("cache_creation_input_tokens"),
        cache_read: figure("cache_read_input_tokens"),
        output: figure("output_tokens"),
    }
}

fn stopped(reason: &str) -> Event {
    match reason {
        "refusal" => Event::Failed(Error::Refused("it does not want to answer this".to_owned())),
        "max_tokens" => out_of_tokens(),
        "model_context_window_exceeded" => {
            Event::Failed(Error::TooLong("the answer does not fit beside it".to_owned()))
        }
        _ => Event::Complete,
    }
}

fn failure(kind: &str, said: &str) -> Error {
    let said = server_message(said);
    match kind {
        "invalid_request_error" => Error::Refused(format!("Anthropic does not accept the request{said}")),
        "rate_limit_error" => overloaded(&format!("too many requests{said}: try again later")),
        _ => overloaded(&format!("Anthropic is overloaded or broken{said}: try again later")),
    }
}
