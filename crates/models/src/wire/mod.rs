//! Parts that all models share: an answer comes in lines, and each model's dialect gives a line its meaning.

mod calls;
mod endpoint;
mod lines;
mod listen;
mod rounds;
mod server;

pub(crate) use calls::{PartialCall, Round, ToolCall, function_call};
pub use endpoint::http_client;
pub(crate) use endpoint::{Endpoint, Wrong, retry_after};
pub(crate) use listen::{Heard, Lost, Outlet, Source, Times, listen};
pub(crate) use rounds::{Api, Asking, MOST_ROUNDS, Offer, PARAGRAPH, as_functions};
pub use server::Settings as ServerSettings;
pub(crate) use server::{Kind, Server, unusable};

use serde_json::Value;
use throughline_text::redact::redact;

use crate::Error;
use crate::price::Tokens;

/// The meaning of a line of an answer.
#[derive(Debug)]
pub(crate) enum Event {
    /// More words.
    Words(String),
    /// A call of a tool, whole.
    Call(ToolCall),
    /// Tokens of the call so far.
    Took(Tokens),
    /// The cost of the call, if the server knows it.
    Cost(f64),
    /// The text is complete: a broken connection cuts nothing off any more.
    Complete,
    /// The text is cut off, and why.
    Cut(String),
    /// There will be no answer.
    Failed(Error),
    /// Nothing follows.
    Over,
    /// A sign of life.
    Alive,
}

/// How a model writes its answers.
pub(crate) trait Dialect: Send {
    /// The meaning of a line; none if it is not of this dialect.
    fn read(&mut self, line: &str) -> Vec<Event>;
}

/// The data of a line of server-sent events.
pub(crate) fn sse_data(line: &str) -> Option<&str> {
    line.strip_prefix("data:").map(str::trim)
}

/// What is said about a piece that is not JSON.
pub(crate) fn garbled() -> Vec<Event> {
    vec![Event::Failed(Error::Unreadable("a piece of it is not JSON".to_owned()))]
}

/// What is said about an answer that used up its tokens.
pub(crate) const OUT_OF_TOKENS: &str =
    "the answer reached the most tokens it may have: raise replies.most_tokens for longer replies";

pub(crate) fn out_of_tokens() -> Event {
    Event::Cut(OUT_OF_TOKENS.to_owned())
}

/// A server's own words about a failure, behind a comma: short, without secrets and control characters; nothing if it
/// said nothing.
pub(crate) fn in_its_words(said: &str) -> String {
    let plain: String =
        said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_WORDS).collect();
    let plain = plain.trim().trim_end_matches('.');
    if plain.is_empty() { String::new() } else { format!(", “{}”", redact(plain)) }
}

/// Maximum length of a server's words in an error, in characters.
const LONGEST_WORDS: usize = 160;

/// A server that broke off by itself may answer in a moment.
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

/// Whether JSON has something by this path.
pub(crate) fn has(json: &Value, path: &str) -> bool {
    json.pointer(path).is_some_and(|value| !value.is_null())
}
