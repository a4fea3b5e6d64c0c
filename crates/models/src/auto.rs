//! Finds a model if none was chosen, by looking at what this machine has. Nothing is run and nothing is sent to a hosted
//! model.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::wire::{Endpoint, text};
use crate::{Limits, Ollama, OpenAi, ServerSettings, claude_cli};

/// Time-out for a server on this machine.
const PATIENCE: Duration = Duration::from_millis(300);

/// The usual addresses of local servers with OpenAI's API: LM Studio, llama.cpp, vLLM and Jan.
pub const LOCAL_SERVERS: [&str; 4] = [
    "http://127.0.0.1:1234/v1",
    "http://127.0.0.1:8080/v1",
    "http://127.0.0.1:8000/v1",
    "http://127.0.0.1:1337/v1",
];

/// A server with OpenAI's API, and the models that it lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Its address, such as `http://127.0.0.1:1234/v1`.
    pub address: String,
    /// The models that can chat, as far as their names tell.
    pub models: Vec<String>,
}

/// The places to look for a model.
#[derive(Clone, Default)]
pub struct Environment {
    /// The folders that programs are in, as `PATH` lists them.
    pub search_path: OsString,
    /// The `claude` program, if the settings name it.
    pub claude_path: Option<PathBuf>,
    /// Whether there is a key for Anthropic.
    pub anthropic_key: bool,
    /// Whether there is a key for OpenAI.
    pub openai_key: bool,
    /// The address of a server with OpenAI's API, if the settings name it.
    pub openai_address: Option<String>,
    /// The address of Ollama, if the settings name it.
    pub ollama_address: Option<String>,
    /// The model of Ollama, if the settings name it.
    pub ollama_model: Option<String>,
}

/// The model to answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The `claude` program at this path.
    ClaudeCli(PathBuf),
    /// Anthropic's API.
    Anthropic,
    /// OpenAI's API or one like it.
    OpenAi,
    /// This model of Ollama.
    Ollama(String),
    /// The built-in one.
    Offline,
}

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The model to answer with.
    pub choice: Choice,
    /// A sentence that says what was found and what was not.
    pub sentence: String,
}

/// Looks for a model, the most capable first.
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

/// The servers among these addresses that answer, with their models.
pub async fn servers(addresses: &[&str]) -> Vec<LocalServer> {
    let mut found = Vec::new();
    for address in addresses {
        let limits = Limits { first: PATIENCE, ..Limits::default() };
        let settings =
            ServerSettings { address: (*address).to_owned(), model: String::new(), key: None, limits };
        let Ok(server) = OpenAi::new(settings) else { continue };
        // Another program may listen at a usual port; what it says is no list of models.
        if let Ok(models) = server.models().await
            && !models.is_empty()
        {
            found.push(LocalServer { address: (*address).to_owned(), models });
        }
    }
    found
}

/// The models of the Ollama at an address that can chat; nothing if no Ollama answers there.
pub async fn ollama_models(address: &str) -> Option<Vec<String>> {
    timeout(PATIENCE, listed(address)).await.ok().flatten()
}

fn found(choice: Choice, what: &str, missing: &[&str]) -> Found {
    let sentence = if missing.is_empty() {
        format!("Answering with {what}.")
    } else {
        format!("Answering with {what}: there is {}.", missing.join(", "))
    };
    Found { choice, sentence }
}

/// The models of an Ollama server that can chat, as far as their names tell.
async fn listed(address: &str) -> Option<Vec<String>> {
    let endpoint = Endpoint::new(address, &["api", "tags"]).ok()?;
    let list: Value = endpoint.get().ok()?.send().await.ok()?.json().await.ok()?;
    let names = list.pointer("/models")?.as_array()?.iter().filter_map(|model| text(model, "/name"));
    Some(names.filter(|name| !name.contains("embed")).map(str::to_owned).collect())
}
