//! Models behind OpenAI's chat completions API, which many hosted and local servers offer.

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use crate::price::Tokens;
use crate::prompt::{Prompt, Said};
use crate::wire::{
    Dialect, Event, Kind, Server, ServerSettings, count, garbled, has, out_of_tokens, overloaded, sse_data,
    text,
};
use crate::{Answer, ChatModel, Error, Request};

/// Room for reasoning, which OpenAI counts as output, in tokens.
const THOUGHT: u32 = 4096;

static KIND: Kind = Kind {
    path: &["chat", "completions"],
    start: "check the network and OPENAI_BASE_URL, or try again later",
    key: "OPENAI_API_KEY",
    missing: |model| format!("there is no model {model} there: correct its name or OPENAI_BASE_URL"),
};

/// A model behind `/chat/completions`.
pub struct OpenAi {
    server: Server,
    name: String,
    /// Whether it is OpenAI's own server, which no longer takes a parameter that others expect.
    original: bool,
}

impl OpenAi {
    /// The address of OpenAI's own API.
    pub const ADDRESS: &str = "https://api.openai.com/v1";

    /// A model by its settings. A local server may need no key.
    pub fn new(settings: ServerSettings) -> Result<Self, Error> {
        let name = format!("openai/{}", settings.model);
        let original = settings.address.contains("api.openai.com");
        let key = settings.key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        let bearer = key.map(|key| format!("Bearer {key}"));
        let mut server = Server::new(settings, &KIND)?;
        if let Some(bearer) = bearer {
            server = server.with_header("authorization", bearer);
        }
        Ok(Self { server, name, original })
    }

    fn question<'a>(&'a self, request: &Request, prompt: &Prompt<'a>) -> Question<'a> {
        // Without a maximum of tokens, the server decides.
        let (most, most_in_all) = match request {
            Request::Turn(_) => (None, None),
            Request::Work(work) if self.original => (None, Some(work.most_tokens.saturating_add(THOUGHT))),
            Request::Work(work) => (Some(work.most_tokens), None),
        };
        Question {
            model: &self.server.model,
            messages: prompt.system_first(),
            stream: true,
            stream_options: Some(json!({ "include_usage": true })),
            max_tokens: most,
            max_completion_tokens: most_in_all,
        }
    }
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

#[async_trait]
impl ChatModel for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let prompt = Prompt::new(request)?;
        let mut question = self.question(request, &prompt);
        let mut reply = self.server.ask(&question).await?;
        // Only the count of tokens depends on it, so a server may do without.
        if reply.objects_to("stream_options") {
            question.stream_options = None;
            reply = self.server.ask(&question).await?;
        }
        self.server.hear(reply, &mut Completions::default(), &words, &prompt, &self.name).await
    }
}

#[derive(Default)]
struct Completions {
    finished: bool,
}

impl Dialect for Completions {
    fn read(&mut self, line: &str) -> Vec<Event> {
        let Some(data) = sse_data(line) else { return self.unstreamed(line) };
        if data == "[DONE]" {
            // A server that gives no reason for the end still marks it.
            let end = (!self.finished).then_some(Event::Complete);
            return end.into_iter().chain([Event::Over]).collect();
        }
        serde_json::from_str(data).map_or_else(|_| garbled(), |chunk| self.chunk(&chunk))
    }
}

impl Completions {
    /// Some servers do not stream and answer at once.
    fn unstreamed(&mut self, line: &str) -> Vec<Event> {
        let whole = serde_json::from_str::<Value>(line).ok().filter(|whole| has(whole, "/choices/0/message"));
        whole.map(|whole| self.chunk(&whole)).unwrap_or_default()
    }

    fn chunk(&mut self, chunk: &Value) -> Vec<Event> {
        if has(chunk, "/error") {
            let why = "the server broke off: try again later";
            return vec![Event::Failed(overloaded(why))];
        }
        let mut events = vec![Event::Alive];
        let words = text(chunk, "/choices/0/delta/content").or(text(chunk, "/choices/0/message/content"));
        if let Some(words) = words {
            events.push(Event::Words(words.to_owned()));
        }
        if text(chunk, "/choices/0/delta/refusal").is_some_and(|words| !words.is_empty()) {
            events.push(unwanted());
        }
        if let Some(reason) = text(chunk, "/choices/0/finish_reason") {
            self.finished = true;
            events.push(match reason {
                "content_filter" => unwanted(),
                "length" => out_of_tokens(),
                _ => Event::Complete,
            });
        }
        if has(chunk, "/usage") {
            events.push(Event::Took(tokens(chunk)));
        }
        events
    }
}

/// OpenAI counts cached tokens among those read.
fn tokens(chunk: &Value) -> Tokens {
    let cache_read = count(chunk, "/usage/prompt_tokens_details/cached_tokens");
    let input = count(chunk, "/usage/prompt_tokens").saturating_sub(cache_read);
    Tokens { input, cache_read, cache_write: 0, output: count(chunk, "/usage/completion_tokens") }
}

fn unwanted() -> Event {
    Event::Failed(Error::Refused("it does not want to answer this".to_owned()))
}
