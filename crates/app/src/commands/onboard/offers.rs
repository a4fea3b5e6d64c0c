//! The providers that can be connected on this machine.

use serde_json::{Value as Json, json};
use throughline_models::auto::{self, LOCAL_SERVERS};

use super::draft::SecretKey;
use crate::config;
use crate::config::problem::Source;
use crate::config::values::Value as _;
use crate::config::values::model::ModelChoice;
use crate::wire::{ANTHROPIC_MODEL, App, OPENAI_MODEL};

/// Maximum number of models that a row names.
const MAX_NAMED: usize = 3;

/// A provider in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub provider: OfferedProvider,
    /// The name for people.
    pub name: String,
    /// A description of what was found or is missing.
    pub state: String,
    /// Whether the provider can be used without further settings.
    pub is_ready: bool,
}

/// A provider of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferedProvider {
    ClaudeCli,
    Anthropic,
    OpenAi,
    /// Ollama, and its installed models.
    Ollama(Vec<String>),
    /// An OpenAI-compatible server at this address; `None` for the one in the settings.
    Server(Option<String>),
    /// An OpenAI-compatible server whose address the person will enter.
    AnotherServer,
    Offline,
}

impl OfferedProvider {
    /// The word that names the provider in an answer.
    pub fn word(&self) -> &'static str {
        match self {
            Self::ClaudeCli => "claude-cli",
            Self::Anthropic => "anthropic",
            Self::OpenAi | Self::Server(None) => "openai",
            Self::Ollama(_) => "ollama",
            Self::Server(Some(_)) | Self::AnotherServer => "server",
            Self::Offline => "offline",
        }
    }

    /// Returns true if a model in the settings belongs to this provider.
    pub fn is_of(&self, choice: &ModelChoice) -> bool {
        match choice {
            ModelChoice::ClaudeCli | ModelChoice::ClaudeModel(_) => *self == Self::ClaudeCli,
            ModelChoice::Anthropic(_) => *self == Self::Anthropic,
            ModelChoice::OpenAi(_) | ModelChoice::OpenAiServer => {
                matches!(self, Self::OpenAi | Self::Server(None))
            }
            ModelChoice::Ollama(_) => matches!(self, Self::Ollama(_)),
            ModelChoice::Offline => *self == Self::Offline,
            ModelChoice::Auto => false,
        }
    }

    /// The default model of the provider; `None` if its server must be asked.
    pub fn usual(&self) -> Option<ModelChoice> {
        match self {
            Self::ClaudeCli => Some(ModelChoice::ClaudeCli),
            Self::Anthropic => Some(ModelChoice::Anthropic(ANTHROPIC_MODEL.to_owned())),
            Self::OpenAi => Some(ModelChoice::OpenAi(OPENAI_MODEL.to_owned())),
            Self::Ollama(models) => models.first().cloned().map(ModelChoice::Ollama),
            Self::Server(None) => Some(ModelChoice::OpenAiServer),
            Self::Server(Some(_)) | Self::AnotherServer => None,
            Self::Offline => Some(ModelChoice::Offline),
        }
    }
}

/// Finds the providers on this machine and in the settings, without calling a hosted model.
pub async fn find(app: &App) -> Vec<Offer> {
    let ollama = auto::ollama_models(app.settings.ollama.api_url.expose()).await;
    let configured = app.settings.openai.base_url.expose();
    let usual: Vec<&str> = LOCAL_SERVERS.into_iter().filter(|address| *address != configured).collect();
    let servers = auto::servers(&usual).await;
    let mut offers =
        vec![claude(app), hosted(app, OfferedProvider::Anthropic, "Anthropic", SecretKey::Anthropic)];
    let is_fixed = matches!(source(app, "openai.base_url"), Source::Variable(_));
    if !app.is_openais_own() {
        let address = app.settings.openai.base_url.shown();
        let address = address.as_str().unwrap_or_default();
        let state = format!("at {address}, as set in {}", source(app, "openai.base_url"));
        offers.push(offer(OfferedProvider::Server(None), "your server", state, true));
    }
    if app.is_openais_own() || !is_fixed {
        offers.push(hosted(app, OfferedProvider::OpenAi, "OpenAI", SecretKey::OpenAi));
    }
    offers.push(local(app, ollama));
    for server in servers {
        let state = format!("at {}, with {}", server.address, listed(&server.models));
        offers.push(offer(OfferedProvider::Server(Some(server.address)), "a local server", state, true));
    }
    if !is_fixed {
        let state = "any with OpenAI's API; needs its address".to_owned();
        offers.push(offer(OfferedProvider::AnotherServer, "another server", state, false));
    }
    offers.push(offer(
        OfferedProvider::Offline,
        "built in",
        "needs nothing; it only quotes what you said".to_owned(),
        true,
    ));
    offers
}

/// A provider in the output of `--json`.
pub fn document(offer: &Offer) -> Json {
    json!({ "name": offer.provider.word(), "ready": offer.is_ready, "state": offer.state })
}

/// The source of a setting's value.
pub fn source(app: &App, key: &str) -> Source {
    let rows = config::show(&app.settings);
    rows.into_iter().find(|row| row.key == key).map_or(Source::Default, |row| row.source)
}

fn offer(provider: OfferedProvider, name: &str, state: String, is_ready: bool) -> Offer {
    Offer { provider, name: name.to_owned(), state, is_ready }
}

fn claude(app: &App) -> Offer {
    let (state, is_ready) = match app.claude_program() {
        Some(path) => (format!("found at {}", path.display()), true),
        None => ("not installed: npm i -g @anthropic-ai/claude-code".to_owned(), false),
    };
    offer(OfferedProvider::ClaudeCli, "the claude command", state, is_ready)
}

fn hosted(app: &App, provider: OfferedProvider, name: &str, key: SecretKey) -> Offer {
    match key.of(&app.settings) {
        Some(_) => offer(provider, name, format!("with the key of {}", source(app, key.path())), true),
        None => offer(provider, name, "needs a key".to_owned(), false),
    }
}

fn local(app: &App, models: Option<Vec<String>>) -> Offer {
    let address = app.settings.ollama.api_url.shown();
    let address = address.as_str().unwrap_or_default();
    let (state, is_ready) = match &models {
        None => (format!("does not answer at {address}"), false),
        Some(models) if models.is_empty() => {
            ("has no model yet; ollama pull gemma3:4b gets one".to_owned(), false)
        }
        Some(models) => (format!("with {}", listed(models)), true),
    };
    offer(OfferedProvider::Ollama(models.unwrap_or_default()), "Ollama", state, is_ready)
}

/// The first models of a list.
fn listed(models: &[String]) -> String {
    let first: Vec<&str> = models.iter().take(MAX_NAMED).map(String::as_str).collect();
    match models.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        Some(more) => format!("{} and {more} more", first.join(", ")),
        None => first.join(", "),
    }
}
