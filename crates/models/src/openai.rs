//! Models behind OpenAI's chat completions API, which many hosted and local servers offer.

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::Sender;

use crate::attachments::{Attachment, Carries, Content, data_url};
use crate::price::Tokens;
use crate::prompt::PromptTurn;
use crate::wire::{
    Api, Dialect, Endpoint, Event, Kind, PartialCall, Round, Server, ServerRequest, ServerSettings, ToolCall,
    ToolOffer, as_functions, count, function_call, has, invalid_json, out_of_tokens, overloaded,
    server_message, sse_data, text, unusable,
};
use crate::{Answer, ChatModel, Error, Request};

/// Extra output tokens for reasoning, which OpenAI counts as output.
const REASONING_TOKENS: u32 = 4096;

/// The host of OpenAI's own API.
const OWN_HOST: &str = "api.openai.com";

static KIND: Kind = Kind {
    path: &["chat", "completions"],
    start: "check the network and OPENAI_BASE_URL, or try again later",
    key: "OPENAI_API_KEY",
    missing: |model| format!("there is no model {model} there: correct its name or OPENAI_BASE_URL"),
};

/// The files that such servers accept. OpenAI's own accepts PDFs up to 32 MB in base64.
const CARRIES: Carries = Carries {
    images: &["image/jpeg", "image/png", "image/gif", "image/webp"],
    image_bytes: 20_000_000,
    pdf_bytes: 0,
    all_bytes: 24_000_000,
};

/// Advice on how to name a model.
const NAME_ADVICE: &str = "set `model = \"openai/NAME\"` in config.toml, THROUGHLINE_MODEL or --model";

/// A model behind `/chat/completions`.
pub struct OpenAi {
    server: Server,
    name: String,
    /// True for OpenAI's own server, which has list prices and rejects a parameter that others expect.
    original: bool,
    /// The endpoint that lists models.
    list: Endpoint,
    /// The server's only model, if none was configured.
    unnamed: Option<OnceCell<String>>,
}

impl OpenAi {
    /// The address of OpenAI's own API.
    pub const ADDRESS: &str = "https://api.openai.com/v1";

    /// Creates a model from its settings. A local server may need no key. Without a model name, the first question
    /// asks the server for its models.
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

    /// The model's name at the server: the configured one, or the server's only one.
    async fn model(&self) -> Result<&str, Error> {
        match &self.unnamed {
            None => Ok(&self.server.model),
            Some(known) => known.get_or_try_init(|| self.only_model()).await.map(String::as_str),
        }
    }

    /// The server's chat models, judged by their names.
    ///
    /// # Errors
    /// If the server does not answer, rejects the key, or its list cannot be parsed.
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        Ok(names(&self.server.read(&self.list).await?))
    }

    async fn only_model(&self) -> Result<String, Error> {
        let host = self.server.host();
        let mut names = self.models().await.map_err(|error| match error {
            Error::Refused(_) | Error::Unreadable(_) => {
                Error::Refused(format!("{host} does not say which models it has: {NAME_ADVICE}"))
            }
            other => other,
        })?;
        match (names.pop(), names.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(Error::Refused(format!("{host} has no model that can chat: load one there"))),
            (Some(last), false) => {
                names.push(last);
                Err(Error::Refused(format!(
                    "{host} has several models: {}. Choose one: {NAME_ADVICE}",
                    names.join(", ")
                )))
            }
        }
    }
}

/// A request to the model of this name.
struct Named<'a> {
    openai: &'a OpenAi,
    model: &'a str,
}

impl Api for Named<'_> {
    type Dialect = Completions;

    fn question(&self, asking: &ServerRequest<'_>) -> Value {
        let most_tokens = asking.prompt.most_tokens;
        let (most, most_in_all) = match asking.request {
            _ if self.openai.original => (None, Some(most_tokens.saturating_add(REASONING_TOKENS))),
            // Some servers refuse a limit above their context length, so a reply's tokens are counted here instead.
            Request::Turn(_) => (None, None),
            Request::Work(_) => (Some(most_tokens), None),
        };
        let turns = asking.prompt.system_first(with_files);
        json!(Question {
            model: self.model,
            messages: turns.into_iter().chain(asking.rounds.iter().flat_map(round)).collect(),
            stream: true,
            stream_options: asking.asks_for_count.then(|| json!({ "include_usage": true })),
            max_tokens: most,
            max_completion_tokens: most_in_all,
            tools: asking.offer.toolbox().map(|toolbox| as_functions(toolbox.definitions)),
            tool_choice: matches!(asking.offer, ToolOffer::UsedUp(_)).then_some("none"),
        })
    }
}

/// A round as the model's turn and a turn for each tool result.
fn round(round: &Round) -> Vec<Value> {
    let call = |call: &ToolCall| {
        let function = json!({ "name": call.name, "arguments": call.echoed().to_string() });
        json!({ "id": call.id, "type": "function", "function": function })
    };
    let calls: Vec<Value> = round.calls.iter().map(|(made, _)| call(made)).collect();
    let said = json!({ "role": "assistant", "content": round.text, "tool_calls": calls });
    let answers = round
        .calls
        .iter()
        .map(|(call, answer)| json!({ "role": "tool", "tool_call_id": call.id, "content": answer.text }));
    std::iter::once(said).chain(answers).collect()
}

/// The last turn with its files.
fn with_files(said: &PromptTurn<'_>, files: &[&Attachment]) -> Value {
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

/// The chat models in a server's list, judged by their names.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
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
        let model = self.model().await?;
        let named = Named { openai: self, model };
        self.server.converse(&named, request, carries, &format!("openai/{model}"), &words).await
    }
}

/// The chunks of a streamed completion.
#[derive(Default)]
pub(crate) struct Completions {
    finished: bool,
    /// The calls so far, by the server's index.
    calls: Vec<(Option<u64>, PartialCall)>,
}

impl Dialect for Completions {
    fn read(&mut self, line: &str) -> Vec<Event> {
        let Some(data) = sse_data(line) else { return self.unstreamed(line) };
        if data == "[DONE]" {
            // A server that gives no finish reason still marks the end.
            let end = (!self.finished).then_some(Event::Complete);
            return self.whole_calls().chain(end).chain([Event::Over]).collect();
        }
        serde_json::from_str(data).map_or_else(|_| invalid_json(), |chunk| self.chunk(&chunk))
    }
}

impl Completions {
    /// Parses an answer that was not streamed.
    fn unstreamed(&mut self, line: &str) -> Vec<Event> {
        let whole = serde_json::from_str::<Value>(line).ok().filter(|whole| has(whole, "/choices/0/message"));
        whole.map(|whole| self.chunk(&whole)).unwrap_or_default()
    }

    fn chunk(&mut self, chunk: &Value) -> Vec<Event> {
        if has(chunk, "/error") {
            let said = server_message(text(chunk, "/error/message").unwrap_or_default());
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
        let calls = ["/choices/0/delta/tool_calls", "/choices/0/message/tool_calls"];
        let calls = calls.iter().find_map(|path| chunk.pointer(path)).and_then(Value::as_array);
        calls.into_iter().flatten().for_each(|piece| self.push_call(piece));
        if let Some(reason) = text(chunk, "/choices/0/finish_reason") {
            self.finished = true;
            events.extend(self.whole_calls());
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

impl Completions {
    /// Adds a piece of a call. The first one has the name and an id; servers that do not number calls send each one
    /// whole.
    fn push_call(&mut self, piece: &Value) {
        let index = piece.pointer("/index").and_then(Value::as_u64);
        let id = text(piece, "/id").unwrap_or_default();
        let begun =
            self.calls.iter_mut().rev().find(|(number, call)| {
                number.is_some() && *number == index && (id.is_empty() || call.id == id)
            });
        match begun {
            Some((_, call)) => call.push(text(piece, "/function/arguments").unwrap_or_default()),
            None => self.calls.push((index, function_call(piece))),
        }
    }

    fn whole_calls(&mut self) -> impl Iterator<Item = Event> + use<> {
        let calls = std::mem::take(&mut self.calls).into_iter().enumerate();
        calls.map(|(number, (_, call))| Event::Call(call.whole(number)))
    }
}

/// OpenAI includes cached tokens in the tokens read.
fn tokens(chunk: &Value) -> Tokens {
    let cache_read = count(chunk, "/usage/prompt_tokens_details/cached_tokens");
    let input = count(chunk, "/usage/prompt_tokens").saturating_sub(cache_read);
    Tokens { input, cache_read, cache_write: 0, output: count(chunk, "/usage/completion_tokens") }
}

fn unwanted() -> Event {
    Event::Failed(Error::Refused("it does not want to answer this".to_owned()))
}
