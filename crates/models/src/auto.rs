//! Finds a model on this machine if none was chosen. It runs no program and sends nothing to a hosted model.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::wire::{Endpoint, text};
use crate::{Limits, Ollama, OpenAi, ServerSettings, claude_cli};

/// Time-out for a server on this machine.
const TIMEOUT: Duration = Duration::from_millis(300);

/// The usual addresses of local servers with OpenAI's API: LM Studio, llama.cpp, vLLM and Jan.
pub const LOCAL_SERVERS: [&str; 4] = [
    "http://127.0.0.1:1234/v1",
    "http://127.0.0.1:8080/v1",
    "http://127.0.0.1:8000/v1",
    "http://127.0.0.1:1337/v1",
];

/// A server with OpenAI's API, and its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Its address, such as `http://127.0.0.1:1234/v1`.
    pub address: String,
    /// The chat models, judged by their names.
    pub models: Vec<String>,
}

/// Where to look for a model.
#[derive(Clone, Default)]
pub struct Environment {
    /// The value of `PATH`.
    pub search_path: OsString,
    /// The `claude` program in the settings, if any.
    pub claude_path: Option<PathBuf>,
    /// True if there is a key for Anthropic.
    pub anthropic_key: bool,
    /// True if there is a key for OpenAI.
    pub openai_key: bool,
    /// The address of a server with OpenAI's API in the settings, if any.
    pub openai_address: Option<String>,
    /// The address of Ollama in the settings, if any.
    pub ollama_address: Option<String>,
    /// The model of Ollama in the settings, if any.
    pub ollama_model: Option<String>,
}

/// The chosen model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The `claude` program at this path.
    ClaudeCli(PathBuf),
    /// Anthropic's API.
    Anthropic,
    /// OpenAI's API or a compatible one.
    OpenAi,
    /// This model of Ollama.
    Ollama(String),
    /// The built-in model.
    Offline,
}

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The chosen model.
    pub choice: Choice,
    /// A sentence about what was found and what was not.
    pub sentence: String,
}

/// Looks for a model, most capable first.
pub async fn find(environment: &Environment) -> Found {
    let mut missing = Vec::new();
    if let Some(path) = claude_cli::find(environment.claude_path.as_deref(), &environment.search_path) {
        let what = format!("the `claude` program at {}", path.display());
        return found(Choice::ClaudeCli(path), &what, &missing);
    }
    missing.push("no `claude` program");
    if environment.anthropic_key {
        return found(Choice::Anthropic, "a key for Anthropic", &missing);
    }
    missing.push("no key for Anthropic");
    let elsewhere = environment.openai_address.as_deref();
    if elsewhere.is_some_and(|address| address.trim_end_matches('/') != OpenAi::ADDRESS) {
        return found(Choice::OpenAi, "a server that speaks like OpenAI's", &missing);
    }
    if environment.openai_key {
        return found(Choice::OpenAi, "a key for OpenAI", &missing);
    }
    missing.push("no key for OpenAI");
    let address = environment.ollama_address.as_deref().unwrap_or(Ollama::ADDRESS);
    match ollama_models(address).await {
        Some(models) => match environment.ollama_model.clone().or_else(|| models.into_iter().next()) {
            Some(model) => {
                let what = format!("Ollama with {model}");
                return found(Choice::Ollama(model), &what, &missing);
            }
            None => missing.push("no model in Ollama"),
        },
        None => missing.push("no Ollama"),
    }
    found(Choice::Offline, "the built-in model, which only quotes", &missing)
}

/// The servers at these addresses that answer, with their models.
pub async fn servers(addresses: &[&str]) -> Vec<LocalServer> {
    let mut found = Vec::new();
    for address in addresses {
        let limits = Limits { first: TIMEOUT, ..Limits::default() };
        let settings =
            ServerSettings { address: (*address).to_owned(), model: String::new(), key: None, limits };
        let Ok(server) = OpenAi::new(settings) else { continue };
        // Another program may listen on a usual port; its answer is not a list of models.
        if let Ok(models) = server.models().await
            && !models.is_empty()
        {
            found.push(LocalServer { address: (*address).to_owned(), models });
        }
    }
    found
}

/// The chat models of the Ollama server at an address; `None` if no Ollama answers there.
pub async fn ollama_models(address: &str) -> Option<Vec<String>> {
    timeout(TIMEOUT, listed(address)).await.ok().flatten()
}

fn found(choice: Choice, what: &str, missing: &[&str]) -> Found {
    let sentence = if missing.is_empty() {
        format!("Answering with {what}.")
    } else {
        format!("Answering with {what}: there is {}.", missing.join(", "))
    };
    Found { choice, sentence }
}

/// The chat models of an Ollama server, judged by their names.
async fn listed(address: &str) -> Option<Vec<String>> {
    let endpoint = Endpoint::new(address, &["api", "tags"]).ok()?;
    let list: Value = endpoint.get().ok()?.send().await.ok()?.json().await.ok()?;
    let names = list.pointer("/models")?.as_array()?.iter().filter_map(|model| text(model, "/name"));
    Some(names.filter(|name| !name.contains("embed")).map(str::to_owned).collect())
}
