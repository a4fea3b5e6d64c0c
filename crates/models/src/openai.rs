//! Models behind OpenAI's chat completions API, which many hosted and local servers offer.

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::Sender;

use crate::attachments::{Attachment, Carries, Content, data_url};
use crate::price::Tokens;
use crate::prompt::{Prompt, Said};
use crate::wire::{
    Dialect, Endpoint, Event, Kind, Server, ServerSettings, count, garbled, has, in_its_words, out_of_tokens,
    overloaded, sse_data, text, unusable,
};
use crate::{Answer, ChatModel, Error, Request};

/// Room for reasoning, which OpenAI counts as output, in tokens.
const THOUGHT: u32 = 4096;

/// The host of OpenAI's own API.
const OWN_HOST: &str = "api.openai.com";

static KIND: Kind = Kind {
    path: &["chat", "completions"],
    start: "check the network and OPENAI_BASE_URL, or try again later",
    key: "OPENAI_API_KEY",
    missing: |model| format!("there is no model {model} there: correct its name or OPENAI_BASE_URL"),
};

/// What servers behind this API take. PDFs are taken by OpenAI's own, up to 32 MB once they are written as text.
const CARRIES: Carries = Carries {
    images: &["image/jpeg", "image/png", "image/gif", "image/webp"],
    image_bytes: 20_000_000,
    pdf_bytes: 0,
    all_bytes: 24_000_000,
};

/// How to name a model.
const NAME_IT: &str = "set `model = \"openai/NAME\"` in config.toml, THROUGHLINE_MODEL or --model";

/// A model behind `/chat/completions`.
pub struct OpenAi {
    server: Server,
    name: String,
    /// Whether it is OpenAI's own server, which has its list prices and no longer takes a parameter that others expect.
    original: bool,
    /// Where the server lists its models.
    list: Endpoint,
    /// The one model that the server has, if none was named.
    unnamed: Option<OnceCell<String>>,
}

impl OpenAi {
    /// The address of OpenAI's own API.
    pub const ADDRESS: &str = "https://api.openai.com/v1";

    /// A model by its settings. A local server may need no key. Without a model's name the server is asked for its models
    /// when the first question comes.
    pub fn new(settings: ServerSettings) -> Result<Self, Error> {
        let is_named = !settings.model.is_empty();
        let name = if is_named { format!("openai/{}", settings.model) } else { "openai".to_owned() };
        let list = Endpoint::new(&settings.address, &["models"]).map_err(unusable)?;
        let unnamed = (!is_named).then(OnceCell::new);
        let key = settings.key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        let bearer = key.map(|key| format!("Bearer {key}"));
        let mut server = Server::new(settings, &KIND)?;
        if let Some(bearer) = bearer {
            server = server.with_header("authorization", bearer);
        }
        let original = server.host() == OWN_HOST;
        if !original {
            server = server.without_prices();
        }
        Ok(Self { server, name, original, list, unnamed })
    }

    /// The model's name at the server: the one that was set, or the only one that the server has.
    async fn model(&self) -> Result<&str, Error> {
        match &self.unnamed {
            None => Ok(&self.server.model),
            Some(known) => known.get_or_try_init(|| self.only_model()).await.map(String::as_str),
        }
    }

    /// The models that the server lists and that can chat, as far as their names tell.
    ///
    /// # Errors
    /// When the server does not answer, does not accept the key, or lists nothing that can be read.
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        Ok(names(&self.server.read(&self.list).await?))
    }

    async fn only_model(&self) -> Result<String, Error> {
        let host = self.server.host();
        let mut names = self.models().await.map_err(|error| match error {
            Error::Refused(_) | Error::Unreadable(_) => {
                Error::Refused(format!("{host} does not say which models it has: {NAME_IT}"))
            }
            other => other,
        })?;
        match (names.pop(), names.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(Error::Refused(format!("{host} has no model that can chat: load one there"))),
            (Some(last), false) => {
                names.push(last);
                Err(Error::Refused(format!(
                    "{host} has several models: {}. Choose one: {NAME_IT}",
                    names.join(", ")
                )))
            }
        }
    }

    fn question<'a>(&'a self, model: &'a str, request: &Request, prompt: &Prompt<'a>) -> Question<'a> {
        let (most, most_in_all) = match request {
            _ if self.original => (None, Some(prompt.most_tokens.saturating_add(THOUGHT))),
            // Some servers refuse more tokens than their context has room for, so a reply's are counted here.
            Request::Turn(_) => (None, None),
            Request::Work(_) => (Some(prompt.most_tokens), None),
        };
        Question {
            model,
            messages: prompt.system_first(with_files),
            stream: true,
            stream_options: Some(json!({ "include_usage": true })),
            max_tokens: most,
            max_completion_tokens: most_in_all,
        }
    }
}

/// The last turn with the files that go with it.
fn with_files(said: &Said<'_>, files: &[&Attachment]) -> Value {
    let part = |file: &&Attachment| match &file.content {
        Content::Image { media_type, bytes } => {
            Some(json!({ "type": "image_url", "image_url": { "url": data_url(media_type, bytes) } }))
        }
        Content::Pdf(bytes) => {
            let name = file.name.as_deref().unwrap_or("file.pdf");
            let data = data_url("application/pdf", bytes);
            Some(json!({ "type": "file", "file": { "filename": name, "file_data": data } }))
        }
        Content::Text(_) | Content::Absent(_) => None,
    };
    let words = json!({ "type": "text", "text": said.content });
    let parts: Vec<Value> = [words].into_iter().chain(files.iter().filter_map(part)).collect();
    json!({ "role": said.role, "content": parts })
}

/// The models that a server lists and that can chat, as far as their names tell.
fn names(list: &Value) -> Vec<String> {
    let listed = list.pointer("/data").or(list.pointer("/models")).and_then(Value::as_array);
    let names = listed.into_iter().flatten().filter_map(|model| text(model, "/id").or(text(model, "/name")));
    let mut names: Vec<String> = names.filter(|name| !name.contains("embed")).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    messages: Vec<Value>,
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

    fn expected_cost(&self, read: u64, written: u64) -> Option<f64> {
        self.server.expected_cost(read, written)
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let carries = Carries { pdf_bytes: if self.original { 24_000_000 } else { 0 }, ..CARRIES };
        let mut prompt = Prompt::new(request, &self.server.limits, &carries)?;
        let model = self.model().await?;
        let name = format!("openai/{model}");
        let mut question = self.question(model, request, &prompt);
        let mut reply = self.server.ask(&question).await?;
        if !prompt.attachments.is_empty() && !reply.objects_to("stream_options") && reply.objects_to_files() {
            prompt = Prompt::new(request, &self.server.limits, &Carries::NOTHING)?;
            question = self.question(model, request, &prompt);
            reply = self.server.ask(&question).await?;
        }
        // Only the count of tokens depends on it, so a server may do without.
        if reply.objects_to("stream_options") {
            question.stream_options = None;
            reply = self.server.ask(&question).await?;
        }
        self.server.hear(reply, &mut Completions::default(), &words, &prompt, &name).await
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
            let said = in_its_words(text(chunk, "/error/message").unwrap_or_default());
            return vec![Event::Failed(overloaded(&format!("the server broke off{said}: try again later")))];
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
