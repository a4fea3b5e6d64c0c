//! Builds the models in the settings: for replies, for background work, and for routines.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::models::ModelsByName;
use throughline_models::around::{Fallback, Retry};
use throughline_models::auto::{self, Choice, Environment};
use throughline_models::claude_cli::{self, ClaudeCli, ToolServer};
use throughline_models::{
    Anthropic, ChatModel, Error, Limits, Offline, Ollama, OpenAi, Request, ServerSettings, Work, whole_answer,
};

use super::App;
use crate::config::settings::{OPENAI, Provider};
use crate::config::values::model::ModelChoice;
use crate::config::values::named::read_name;
use crate::config::values::secret::Secret;
use crate::output::Failure;

/// The models that `auto` chooses if there is a key of their provider.
pub const ANTHROPIC_MODEL: &str = "claude-sonnet-4-5";
pub const OPENAI_MODEL: &str = "gpt-5-mini";
/// The small models for background work, by provider.
const CLAUDE_SMALL: &str = "haiku";
const ANTHROPIC_SMALL: &str = "claude-haiku-4-5";
const OPENAI_SMALL: &str = "gpt-5-mini";
/// Words in the names of models that are small already.
const SMALL: [&str; 3] = ["haiku", "mini", "nano"];
/// The default model that shortens routine messages.
const ROUTINES: &str = "gemma3:4b";

/// The models of a run.
pub struct Models {
    /// The model that answers.
    pub model: Arc<dyn ChatModel>,
    /// The model for background work; `None` if rules do it.
    pub small: Option<Arc<dyn ChatModel>>,
    /// The model that shortens routine messages, with a limit of a few seconds.
    pub routines: Option<Arc<dyn ChatModel>>,
    /// A sentence about what `auto` found.
    pub found: Option<String>,
}

impl Models {
    /// Sends a test request to the small model, or else to the main model: only that shows whether the model is
    /// available, logged in and paid for. Returns the cost, if known.
    pub async fn probe(&self) -> Result<Option<f64>, Error> {
        let work = Work {
            instructions: "Answer with the one word: ok".to_owned(),
            input: "Are you there?".to_owned(),
            most_tokens: 16,
        };
        let model = self.small.as_ref().unwrap_or(&self.model);
        let answer = whole_answer(model.as_ref(), &Request::Work(work)).await;
        Ok(answer?.usage.cost_usd)
    }
}

impl App {
    /// Builds the models in the settings, without calling any of them.
    pub async fn models(&self) -> Result<Models, Failure> {
        let settings = &self.settings;
        let (choice, found) = self.resolve(&settings.model).await;
        let small = match &settings.small_model {
            // These name no model, so they mean the provider's small one.
            Some(small @ (ModelChoice::Auto | ModelChoice::ClaudeCli)) => {
                self.small_of(self.resolve(small).await.0)
            }
            Some(small) => small.clone(),
            None => self.small_of(choice.clone()),
        };
        let model = self.with_fallback(&choice).await?;
        let small = match small {
            ModelChoice::Offline => None,
            choice => Some(self.model(&choice)?),
        };
        Ok(Models { model, small, routines: self.routine_model()?, found })
    }

    /// A model with its fallbacks.
    async fn with_fallback(&self, choice: &ModelChoice) -> Result<Arc<dyn ChatModel>, Failure> {
        let settings = &self.settings;
        let mut chain = vec![self.model(choice)?];
        for choice in &settings.fallback {
            chain.push(self.model(&self.resolve(choice).await.0)?);
        }
        // A model that `auto` found may fail; the built-in model always works.
        if settings.model == ModelChoice::Auto
            && *choice != ModelChoice::Offline
            && settings.fallback.is_empty()
        {
            chain.push(Arc::new(Offline));
        }
        Ok(match chain.as_slice() {
            [only] => Arc::clone(only),
            _ => Arc::new(Fallback::new(chain)),
        })
    }

    /// The models that can be chosen for a chat; `None` if the command line names one.
    pub fn models_by_name(&self) -> Option<Arc<dyn ModelsByName>> {
        let named = || NamedModels { app: self.clone(), built: Mutex::default() };
        (!self.model_is_given).then(|| Arc::new(named()) as Arc<dyn ModelsByName>)
    }

    /// Only the built-in model, for measuring.
    pub fn offline_models() -> Models {
        Models { model: Arc::new(Offline), small: None, routines: None, found: None }
    }

    /// Builds the chosen model.
    async fn resolve(&self, choice: &ModelChoice) -> (ModelChoice, Option<String>) {
        if *choice != ModelChoice::Auto {
            return (choice.clone(), None);
        }
        let settings = &self.settings;
        let found = auto::find(&Environment {
            search_path: self.search_path(),
            claude_path: settings.claude_path.clone(),
            anthropic_key: settings.anthropic.api_key.is_some(),
            openai_key: settings.openai.api_key.is_some(),
            openai_address: Some(settings.openai.base_url.expose().to_owned()),
            ollama_address: Some(settings.ollama.api_url.expose().to_owned()),
            ollama_model: settings.fallback_model.clone(),
        })
        .await;
        let choice = match found.choice {
            Choice::ClaudeCli(_) => ModelChoice::ClaudeCli,
            Choice::Anthropic => ModelChoice::Anthropic(ANTHROPIC_MODEL.to_owned()),
            Choice::OpenAi if self.is_openais_own() => ModelChoice::OpenAi(OPENAI_MODEL.to_owned()),
            Choice::OpenAi => ModelChoice::OpenAiServer,
            Choice::Ollama(name) => ModelChoice::Ollama(name),
            Choice::Offline => ModelChoice::Offline,
        };
        (choice, Some(found.sentence))
    }

    /// The provider's small model, if it is known to have one.
    fn small_of(&self, choice: ModelChoice) -> ModelChoice {
        let is_small = |name: &str| SMALL.iter().any(|word| name.contains(word));
        match choice {
            ModelChoice::ClaudeCli => ModelChoice::ClaudeModel(CLAUDE_SMALL.to_owned()),
            ModelChoice::ClaudeModel(name) if !is_small(&name) => {
                ModelChoice::ClaudeModel(CLAUDE_SMALL.to_owned())
            }
            // Other servers with the same API have other models.
            ModelChoice::Anthropic(name) if name.starts_with("claude-") && !is_small(&name) => {
                ModelChoice::Anthropic(ANTHROPIC_SMALL.to_owned())
            }
            ModelChoice::OpenAi(name) if self.is_openais_own() && !is_small(&name) => {
                ModelChoice::OpenAi(OPENAI_SMALL.to_owned())
            }
            other => other,
        }
    }

    /// The models that the OpenAI-compatible server in the settings lists.
    pub async fn server_models(&self) -> Result<Vec<String>, Error> {
        OpenAi::new(self.server(&self.settings.openai, ""))?.models().await
    }

    /// The path of the `claude` command, if it is installed.
    pub fn claude_program(&self) -> Option<PathBuf> {
        claude_cli::find(self.settings.claude_path.as_deref(), &self.search_path())
    }

    /// Returns true if the OpenAI-compatible server in the settings is OpenAI's own.
    pub fn is_openais_own(&self) -> bool {
        self.settings.openai.base_url.expose().trim_end_matches('/') == OPENAI
    }

    fn model(&self, choice: &ModelChoice) -> Result<Arc<dyn ChatModel>, Failure> {
        let settings = &self.settings;
        Ok(match choice {
            ModelChoice::Auto | ModelChoice::Offline => Arc::new(Offline),
            ModelChoice::ClaudeCli => Arc::new(self.claude(None)),
            ModelChoice::ClaudeModel(name) => Arc::new(self.claude(Some(name))),
            ModelChoice::Anthropic(name) => {
                let model = Anthropic::new(self.server(&settings.anthropic, name)).map_err(unusable)?;
                Retry::shared(model, self.limits().first)
            }
            ModelChoice::OpenAi(name) => {
                if settings.openai.api_key.is_none() && self.is_openais_own() {
                    return Err(Failure::failed(
                        "model",
                        format!(
                            "openai/{name} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without one"
                        ),
                    ));
                }
                let model = OpenAi::new(self.server(&settings.openai, name)).map_err(unusable)?;
                Retry::shared(model, self.limits().first)
            }
            ModelChoice::OpenAiServer => {
                let model = OpenAi::new(self.server(&settings.openai, "")).map_err(unusable)?;
                Retry::shared(model, self.limits().first)
            }
            ModelChoice::Ollama(name) => {
                Retry::shared(self.ollama(name, self.limits())?, self.limits().first)
            }
        })
    }

    fn server(&self, provider: &Provider, name: &str) -> ServerSettings {
        ServerSettings {
            address: provider.base_url.expose().to_owned(),
            model: name.to_owned(),
            key: provider.api_key.as_ref().map(Secret::expose).map(str::to_owned),
            limits: self.limits(),
        }
    }

    fn ollama(&self, name: &str, limits: Limits) -> Result<Ollama, Failure> {
        let address = self.settings.ollama.api_url.expose().to_owned();
        Ollama::new(ServerSettings { address, model: name.to_owned(), key: None, limits }).map_err(unusable)
    }

    fn claude(&self, model: Option<&str>) -> ClaudeCli {
        let named = self.settings.claude_path.as_deref();
        let path = claude_cli::find(named, &self.search_path())
            .or_else(|| named.map(std::path::Path::to_owned))
            .unwrap_or_else(|| PathBuf::from("claude"));
        ClaudeCli::new(claude_cli::Settings {
            path,
            model: model.map(str::to_owned),
            environment: self.environment.everything().to_vec(),
            // The last folder reveals the path of the home, and is used only if the others are not private to this
            // user.
            folders: claude_cli::neutral().into_iter().chain([self.home.join("claude")]).collect(),
            abilities: self.home.join("claude-abilities.json"),
            limits: self.limits(),
            tool_server: self.tool_server(),
        })
    }

    /// This program as the server of a turn's tools, with the same home and settings. Secrets in the environment are
    /// not passed on.
    fn tool_server(&self) -> Option<ToolServer> {
        let mut arguments = vec!["--home".to_owned(), self.home.to_str()?.to_owned()];
        if let Some(config) = &self.config {
            arguments.extend(["--config".to_owned(), config.to_str()?.to_owned()]);
        }
        if let Some(now) = self.now {
            arguments.extend(["--now".to_owned(), now.to_string()]);
        }
        arguments.extend(["mcp".to_owned(), "--read-only".to_owned()]);
        let program = std::env::current_exe().ok()?;
        Some(ToolServer { program, arguments, environment: self.environment.without_secrets() })
    }

    /// The local model that shortens routine messages, with its own short limit.
    fn routine_model(&self) -> Result<Option<Arc<dyn ChatModel>>, Failure> {
        let settings = &self.settings;
        let name = settings.context_relevance_model.as_ref().or(settings.fallback_model.as_ref());
        let whole = Duration::from_secs(u64::from(settings.background.routine_seconds.get()));
        let limits = Limits { first: whole, between: whole, whole, ..Limits::default() };
        Ok(Some(Arc::new(self.ollama(name.map_or(ROUTINES, String::as_str), limits)?)))
    }

    fn limits(&self) -> Limits {
        let seconds = |number: std::num::NonZeroU32| Duration::from_secs(u64::from(number.get()));
        let limits = &self.settings.limits;
        Limits {
            first: seconds(limits.first_seconds),
            between: seconds(limits.between_seconds),
            whole: seconds(limits.whole_seconds),
            reply_tokens: self.settings.replies.most_tokens.get(),
            ..Limits::default()
        }
    }

    pub fn search_path(&self) -> OsString {
        let path = self.environment.everything().iter().find(|(name, _)| name == "PATH");
        path.map(|(_, value)| value.into()).unwrap_or_default()
    }
}

/// The models of the providers in the settings, each built on first use.
struct NamedModels {
    app: App,
    built: Mutex<HashMap<String, Arc<dyn ChatModel>>>,
}

impl NamedModels {
    fn built(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn ChatModel>>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ModelsByName for NamedModels {
    async fn named(&self, name: &str) -> Result<Arc<dyn ChatModel>, String> {
        if let Some(model) = self.built().get(name) {
            return Ok(Arc::clone(model));
        }
        let choice = read_name::<ModelChoice>(name)?;
        if matches!(choice, ModelChoice::ClaudeCli | ModelChoice::ClaudeModel(_))
            && self.app.claude_program().is_none()
        {
            return Err("needs the claude command; install it, or set CLAUDE_PATH".to_owned());
        }
        if matches!(choice, ModelChoice::Anthropic(_)) && self.app.settings.anthropic.api_key.is_none() {
            return Err(format!("{name} needs a key: set ANTHROPIC_API_KEY"));
        }
        let model = self.app.with_fallback(&choice).await.map_err(Failure::into_sentence)?;
        self.built().insert(name.to_owned(), Arc::clone(&model));
        Ok(model)
    }

    fn choices(&self) -> Vec<String> {
        let settings = &self.app.settings;
        let mut all: Vec<String> =
            std::iter::once(&settings.model).chain(&settings.fallback).map(ToString::to_string).collect();
        if self.app.claude_program().is_some() {
            all.extend(["claude-cli", "claude-cli/haiku"].map(str::to_owned));
        }
        if settings.anthropic.api_key.is_some() {
            all.extend([ANTHROPIC_MODEL, ANTHROPIC_SMALL].map(|name| format!("anthropic/{name}")));
        }
        if settings.openai.api_key.is_some() && self.app.is_openais_own() {
            all.push(format!("openai/{OPENAI_MODEL}"));
        }
        all.extend(settings.fallback_model.iter().map(|name| format!("ollama/{name}")));
        all.push("offline".to_owned());
        let mut known = HashSet::new();
        all.retain(|name| known.insert(name.clone()));
        all
    }
}

fn unusable(error: Error) -> Failure {
    Failure::failed("model", error.to_string())
}
