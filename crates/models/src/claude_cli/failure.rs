//! Classifies failures of the program by what can be done about them. Its own messages are not repeated, because they
//! may contain a key or a person's words; its server's error messages are.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::Error;
use crate::wire::{server_message, text};

/// The error of a refused answer, from the server's status (0 without one) and the program's message.
pub(super) fn from_result(status: u32, words: &str) -> Error {
    let said = api_message(words);
    let words = words.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    match status {
        _ if says(&["prompt is too long", "too long", "context window"]) => {
            Error::TooLong("the `claude` program's model takes shorter ones".to_owned())
        }
        _ if says(&["/login", "invalid api key", "not logged in", "oauth token"]) => login(),
        _ if says(&["credit balance", "billing"]) => Error::Refused(
            "the account of the `claude` program has no credit left: check its billing".to_owned(),
        ),
        _ if says(&["usage limit", "hit your limit", "limit reached"]) => Error::Unavailable(
            "the plan of the `claude` program is used up for now: try again later".to_owned(),
        ),
        401 | 403 => login(),
        404 => Error::Refused("the `claude` program does not know the model: correct its name".to_owned()),
        429 | 500.. => busy(status, &said, "later"),
        400 | 413 | 422 => {
            Error::Refused(format!("the server of the `claude` program does not accept the request{said}"))
        }
        _ if says(&["unable to connect", "connection", "timed out", "fetch failed"]) => Error::Unavailable(
            "the `claude` program cannot reach its server: check the network, or try again later".to_owned(),
        ),
        _ => Error::Unavailable("the `claude` program failed: run `claude` once to see why".to_owned()),
    }
}

/// The error of a run without an answer, from the program's exit code and error output.
pub(super) fn from_exit(code: Option<i32>, words: &str) -> Error {
    if words.contains("unknown option") {
        return too_old();
    }
    match from_result(0, words) {
        Error::Unavailable(_) if words.trim().is_empty() => {
            let how = code.map_or_else(|| "was ended".to_owned(), |code| format!("ended with code {code}"));
            Error::Unavailable(format!(
                "the `claude` program {how} and said nothing: run `claude` once to see why"
            ))
        }
        error => error,
    }
}

/// The error of a program that did not start.
pub(super) fn from_start(path: &Path, error: &std::io::Error) -> Error {
    let path = path.display();
    match error.kind() {
        std::io::ErrorKind::NotFound => Error::Unavailable(format!(
            "there is no program {path}: run `npm install -g @anthropic-ai/claude-code`, or set CLAUDE_PATH"
        )),
        std::io::ErrorKind::PermissionDenied => Error::Unavailable(format!(
            "{path} may not be run: give this user permission, or set CLAUDE_PATH"
        )),
        _ => Error::Unavailable(format!("{path} cannot be run ({error}): set CLAUDE_PATH")),
    }
}

pub(super) fn too_old() -> Error {
    Error::Unavailable(
        "the `claude` program is too old: run `npm install -g @anthropic-ai/claude-code` to update it"
            .to_owned(),
    )
}

pub(super) fn refusal() -> Error {
    Error::Refused("it does not want to answer this".to_owned())
}

fn login() -> Error {
    Error::Refused(
        "the `claude` program is not logged in: run `claude` and then `/login`, or set ANTHROPIC_API_KEY"
            .to_owned(),
    )
}

/// The server is overloaded until `when`.
pub(super) fn busy(status: u32, said: &str, when: &str) -> Error {
    Error::Unavailable(format!(
        "the server of the `claude` program cannot answer now (HTTP {status}{said}): try again {when}"
    ))
}

/// The program was not ready in time.
pub(super) fn late(wait: Duration) -> Error {
    Error::Unavailable(format!("the `claude` program said nothing for {wait:?}: try again later"))
}

/// The server's message, after a comma: the program repeats it as `API Error: 500` with a document or a sentence.
fn api_message(words: &str) -> String {
    let Some(said) = words.strip_prefix("API Error: ") else { return String::new() };
    let said = said.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let document: Value = serde_json::from_str(said).unwrap_or_default();
    let sentence = said.split(". ").next().filter(|said| !said.starts_with('{'));
    server_message(text(&document, "/error/message").or(sentence).unwrap_or_default())
}
