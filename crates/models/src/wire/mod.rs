//! Shared parts of all models: an answer arrives in lines, and each model's dialect parses them.

mod calls;
mod endpoint;
mod lines;
mod listen;
mod rounds;
mod server;

pub(crate) use calls::{PartialCall, Round, ToolCall, function_call};
pub use endpoint::http_client;
pub(crate) use endpoint::{Endpoint, EndpointError, retry_after};
pub(crate) use listen::{ConnectionLost, Outlet, Source, StreamedAnswer, Times, listen};
pub(crate) use rounds::{Api, MAX_ROUNDS, PARAGRAPH, ServerRequest, ToolOffer, as_functions};
pub use server::Settings as ServerSettings;
pub(crate) use server::{Kind, Server, unusable};

use serde_json::Value;
use throughline_text::redact::redact;

use crate::Error;
use crate::price::Tokens;

/// The meaning of a line.
#[derive(Debug)]
pub(crate) enum Event {
    /// More words.
    Words(String),
    /// A complete tool call.
    Call(ToolCall),
    /// The tokens used so far.
    Took(Tokens),
    /// The cost of the call, if the server reports it.
    Cost(f64),
    /// The text is complete; losing the connection now cuts nothing off.
    Complete,
    /// The text was cut off, for this reason.
    Cut(String),
    /// There will be no answer.
    Failed(Error),
    /// The stream has ended.
    Over,
    /// A sign of life.
    Alive,
}

/// The format of a model's answers.
pub(crate) trait Dialect: Send {
    /// Parses a line; empty if it is not part of this format.
    fn read(&mut self, line: &str) -> Vec<Event>;
}

/// The data of a line of server-sent events.
pub(crate) fn sse_data(line: &str) -> Option<&str> {
    line.strip_prefix("data:").map(str::trim)
}

/// The error of a line that is not JSON.
pub(crate) fn invalid_json() -> Vec<Event> {
    vec![Event::Failed(Error::Unreadable("a piece of it is not JSON".to_owned()))]
}

/// The reason of an answer that used up its tokens.
pub(crate) const OUT_OF_TOKENS: &str =
    "the answer reached the most tokens it may have: raise replies.most_tokens for longer replies";

pub(crate) fn out_of_tokens() -> Event {
    Event::Cut(OUT_OF_TOKENS.to_owned())
}

/// A server's error message, after a comma: shortened, redacted, without control characters; empty if there is none.
pub(crate) fn server_message(said: &str) -> String {
    let plain: String =
        said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect();
    let plain = plain.trim().trim_end_matches('.');
    if plain.is_empty() { String::new() } else { format!(", “{}”", redact(plain)) }
}

/// Maximum length of a server's message in an error, in characters.
const MAX_MESSAGE_CHARS: usize = 160;

/// The error of a server that broke off; it may answer in a moment.
pub(crate) fn overloaded(why: &str) -> Error {
    Error::Overloaded { why: why.to_owned(), after: None }
}

/// A text inside JSON, by its path such as `/delta/text`.
pub(crate) fn text<'a>(json: &'a Value, path: &str) -> Option<&'a str> {
    json.pointer(path).and_then(Value::as_str)
}

/// A count inside JSON, by its path; 0 if it is missing.
pub(crate) fn count(json: &Value, path: &str) -> u32 {
    let count = json.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns true if JSON has a value at this path.
pub(crate) fn has(json: &Value, path: &str) -> bool {
    json.pointer(path).is_some_and(|value| !value.is_null())
}
