//! Ollama's models, which run locally.

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::Sender;

use crate::attachments::{Attachment, Carries, Content, encoded};
use crate::price::Tokens;
use crate::prompt::PromptTurn;
use crate::wire::{
    Api, Dialect, Endpoint, Event, Kind, Round, Server, ServerRequest, ServerSettings, ToolCall, ToolOffer,
    as_functions, count, function_call, has, invalid_json, out_of_tokens, overloaded, text, unusable,
};
use crate::{Answer, ChatModel, Error, Request};

/// Reserved tokens for a reply of usual length.
const REPLY_TOKENS: u32 = 2048;
/// Minimum context length, in tokens; a shorter one saves next to nothing.
const MIN_CONTEXT: u32 = 8192;

static KIND: Kind = Kind {
    path: &["api", "chat"],
    start: "Ollama is not running there, so start it with `ollama serve` or correct OLLAMA_API_URL",
    key: "OLLAMA_API_URL",
    missing: |model| format!("Ollama does not have {model}: run `ollama pull {model}`"),
};

/// The files that Ollama accepts if the model has vision.
const CARRIES: Carries = Carries {
    images: &["image/jpeg", "image/png", "image/webp"],
    image_bytes: 20_000_000,
    pdf_bytes: 0,
    all_bytes: 40_000_000,
};

/// A model of an Ollama server.
pub struct Ollama {
    server: Server,
    name: String,
    /// The endpoint that describes a model.
    show: Endpoint,
    /// True if the model has vision, once known.
    sees: OnceCell<bool>,
}

impl Ollama {
    /// The usual address of Ollama.
    pub const ADDRESS: &str = "http://localhost:11434";

    /// A model by its settings.
    pub fn new(settings: ServerSettings) -> Result<Self, Error> {
        let name = format!("ollama/{}", settings.model);
        let bearer = settings.key.as_deref().map(|key| format!("Bearer {}", key.trim()));
        let show = Endpoint::new(&settings.address, &["api", "show"]).map_err(unusable)?;
        let mut server = Server::new(settings, &KIND)?;
        if let Some(bearer) = bearer {
            server = server.with_header("authorization", bearer);
        }
        Ok(Self { server, name, show, sees: OnceCell::new() })
    }

    /// The files that can be sent. A model without vision would silently ignore a picture, so the server is asked
    /// once; if it does not say, vision is assumed.
    async fn carries(&self, request: &Request) -> Carries {
        let is_image = |file: &Attachment| matches!(file.content, Content::Image { .. });
        if !request.attachments().iter().any(is_image) {
            return CARRIES;
        }
        let ask = || async {
            let model = json!({ "model": self.server.model });
            self.server.ask_for(&self.show, &model).await.map(|shown| sees(&shown))
        };
        match self.sees.get_or_try_init(ask).await {
            Ok(false) => Carries::NOTHING,
            Ok(true) | Err(_) => CARRIES,
        }
    }
}

impl Api for Ollama {
    type Dialect = Chat;

    fn question(&self, asking: &ServerRequest<'_>) -> Value {
        let prompt = &asking.prompt;
        let reply = match asking.request {
            Request::Turn(_) => REPLY_TOKENS.min(prompt.most_tokens),
            Request::Work(_) => prompt.most_tokens,
        };
        let room = asking.tokens().saturating_add(reply);
        let turns = prompt.system_first(with_images);
        let messages: Vec<Value> = turns.into_iter().chain(asking.rounds.iter().flat_map(round)).collect();
        let mut question = json!({
            "model": self.server.model,
            "messages": messages,
            "stream": true,
            "options": { "num_ctx": context_length(room), "num_predict": prompt.most_tokens },
        });
        // Ollama cannot forbid calls, so used-up tools are omitted.
        if let (ToolOffer::Tools(toolbox), Some(fields)) = (asking.offer, question.as_object_mut()) {
            fields.insert("tools".to_owned(), json!(as_functions(toolbox.definitions)));
        }
        question
    }
}

/// A round as the model's turn and a turn for each tool result.
fn round(round: &Round) -> Vec<Value> {
    let call = |call: &ToolCall| json!({ "function": { "name": call.name, "arguments": call.echoed() } });
    let calls: Vec<Value> = round.calls.iter().map(|(made, _)| call(made)).collect();
    let said = json!({ "role": "assistant", "content": round.text, "tool_calls": calls });
    let answers = round
        .calls
        .iter()
        .map(|(call, answer)| json!({ "role": "tool", "tool_name": call.name, "content": answer.text }));
    std::iter::once(said).chain(answers).collect()
}

/// Returns true if a model has vision, by the server's description.
fn sees(shown: &Value) -> bool {
    let listed = |path: &str| shown.pointer(path).and_then(Value::as_array);
    let holds = |list: &[Value], words: &[&str]| {
        list.iter().filter_map(Value::as_str).any(|ability| words.contains(&ability))
    };
    match (listed("/capabilities"), listed("/details/families")) {
        (Some(abilities), _) => holds(abilities, &["vision"]),
        // Earlier versions list no abilities.
        (None, Some(families)) => holds(families, &["clip", "mllama"]) || has(shown, "/projector_info"),
        (None, None) => true,
    }
}

/// The last turn with its pictures.
fn with_images(said: &PromptTurn<'_>, files: &[&Attachment]) -> Value {
    let images = files.iter().filter_map(|file| match &file.content {
        Content::Image { bytes, .. } => Some(encoded(bytes)),
        _ => None,
    });
    json!({ "role": said.role, "content": said.content, "images": images.collect::<Vec<_>>() })
}

/// The context length to request. Ollama silently drops the beginning of a longer prompt, and reloads the model for
/// every new length, so only powers of two are requested. The estimate may be a fifth too low.
fn context_length(tokens: u32) -> u32 {
    let ample = tokens.saturating_add(tokens / 4);
    ample.max(MIN_CONTEXT).checked_next_power_of_two().unwrap_or(u32::MAX)
}

#[async_trait]
impl ChatModel for Ollama {
    fn name(&self) -> &str {
        &self.name
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let carries = self.carries(request).await;
        self.server.converse(self, request, carries, &self.name, &words).await
    }
}

/// The lines of a streamed message.
#[derive(Default)]
pub(crate) struct Chat {
    calls: usize,
}

impl Dialect for Chat {
    fn read(&mut self, line: &str) -> Vec<Event> {
        let Ok(piece) = serde_json::from_str::<Value>(line) else { return invalid_json() };
        if has(&piece, "/error") {
            let why = "Ollama broke off: see what `ollama serve` says";
            return vec![Event::Failed(overloaded(why))];
        }
        let mut events = vec![Event::Alive];
        if let Some(words) = text(&piece, "/message/content") {
            events.push(Event::Words(words.to_owned()));
        }
        for call in piece.pointer("/message/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            events.push(Event::Call(function_call(call).whole(self.calls)));
            self.calls += 1;
        }
        if piece.pointer("/done").and_then(Value::as_bool) == Some(true) {
            let (input, output) = (count(&piece, "/prompt_eval_count"), count(&piece, "/eval_count"));
            events.push(Event::Took(Tokens { input, output, ..Tokens::default() }));
            // A local model costs nothing.
            events.push(Event::Cost(0.0));
            let full = text(&piece, "/done_reason") == Some("length");
            events.push(if full { out_of_tokens() } else { Event::Complete });
            events.push(Event::Over);
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_holds_the_prompt_and_grows_by_doublings() {
        for (tokens, room) in [(0, 8192), (6000, 8192), (7000, 16384), (40_000, 65_536), (u32::MAX, u32::MAX)]
        {
            assert_eq!(context_length(tokens), room, "{tokens}");
        }
    }
}
