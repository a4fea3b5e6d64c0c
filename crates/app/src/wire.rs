//! Builds the parts of the program from the settings.

mod models;

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::compact::Rule;
use throughline_domain::context::{Caps, Plan, Preset, Window};
use throughline_domain::routine::with_dates;
use throughline_domain::time::read_moment;
use throughline_engine::attachments::{Files, Transcriber, Transcription};
use throughline_engine::identity::{ChatIdentity, Identities};
use throughline_engine::owner::Owner;
use throughline_engine::people::People;
use throughline_engine::ports::{Clock, FixedClock, SystemClock, TimeOrderedIds};
use throughline_engine::routines::{Routine, Task};
use throughline_engine::work::DailyCap;
use throughline_engine::{Capture, Engine, Settings as EngineSettings};
use throughline_models::TranscriptionServer;
use throughline_models::embed::{BuiltIn, Embedder, Lazy, MiniLm, Ollama, OpenAi};
use throughline_store::{Key, Options, Store};
use throughline_text::redact::{self, Numbers};
use tokio::sync::OnceCell;

use crate::background;
use crate::cli::Cli;
use crate::config::settings::PresetNumbers;
use crate::config::values::address::DatabaseUrl;
use crate::config::values::choice::CaptureMode;
use crate::config::values::embedder::EmbedderChoice;
use crate::config::values::model::ModelChoice;
use crate::config::values::secret::Secret;
use crate::config::{self, Environment, Flags, Settings};
use crate::key;
use crate::logs;
use crate::output::Failure;
pub use models::{ANTHROPIC_MODEL, Models, OPENAI_MODEL};

/// The name of the owner if the settings have none.
const OWNER: &str = "owner";
/// Maximum number of tokens that the models can read at once.
const MODEL_LIMIT: u32 = 200_000;
/// The default model of a transcription server.
const TRANSCRIPTION_MODEL: &str = "whisper-1";
/// Maximum time that a turn waits for its lane.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run of the program: its home, settings and clock.
#[derive(Clone)]
pub struct App {
    pub home: PathBuf,
    pub settings: Settings,
    pub now: Option<Timestamp>,
    pub environment: Environment,
    pub config: Option<PathBuf>,
    /// Whether the command line names the model of this run.
    pub model_is_given: bool,
    /// The key of the database, once it was read.
    pub key: Arc<OnceCell<Option<Key>>>,
}

impl App {
    /// Reads the settings, and creates the home if it is missing.
    pub fn open(cli: &Cli, environment: &Environment) -> Result<Self, Failure> {
        let app = Self::load(cli, environment)?;
        make_home(&app.home)?;
        logs::start(&app.home, app.settings.logs.level, cli.verbose > 0)?;
        Ok(app)
    }

    /// Reads the settings and creates nothing.
    pub fn load(cli: &Cli, environment: &Environment) -> Result<Self, Failure> {
        let home = config::home(cli.home.as_deref(), environment)?;
        let now = config::now(cli.now.as_deref(), environment)?.map(in_range).transpose()?;
        let level = match cli.verbose {
            0 => None,
            1 => Some("debug".to_owned()),
            _ => Some("trace".to_owned()),
        };
        let settings =
            Settings::load(&home, cli.config.as_deref(), environment, &Flags::default().with("-v", level))?;
        redact::choose(if settings.privacy.redact_numbers { Numbers::Redacted } else { Numbers::Kept });
        Ok(Self {
            home,
            settings,
            now,
            environment: environment.clone(),
            config: cli.config.clone(),
            model_is_given: false,
            key: Arc::default(),
        })
    }

    /// The current settings in the config file, without the environment.
    pub fn file_settings(&self) -> Result<Settings, Failure> {
        let nothing = Environment::default();
        Ok(Settings::load(&self.home, self.config.as_deref(), &nothing, &Flags::default())?)
    }

    /// The bot's current token, which may have been replaced since the settings were read.
    pub fn telegram_token(&self) -> Result<Option<Secret>, Failure> {
        let settings =
            Settings::load(&self.home, self.config.as_deref(), &self.environment, &Flags::default())?;
        Ok(settings.telegram.bot_token)
    }

    /// The default chat of a message: the owner's on Telegram, or else the terminal's.
    pub fn own_chat(&self) -> ChatId {
        let owner = self.settings.telegram.user_id.as_ref();
        let chat = owner.and_then(|user| ChannelKind::Telegram.chat(&user.0.to_string()));
        chat.unwrap_or_else(ChatId::terminal)
    }

    /// The chat that a routine writes to.
    pub fn chat_of(&self, routine: &config::routines::Routine) -> ChatId {
        routine.chat.clone().unwrap_or_else(|| self.own_chat())
    }

    /// The same run with another model, if one is named.
    pub fn with_model(mut self, model: Option<&ModelChoice>) -> Self {
        if let Some(model) = model {
            self.settings.model = model.clone();
            self.model_is_given = true;
        }
        self
    }

    /// The same run with a bot.
    pub fn with_telegram(mut self, token: Secret) -> Self {
        self.settings.telegram.bot_token = Some(token);
        self
    }

    /// A routine of the settings with what it needs to run.
    pub fn routine(&self, name: &str, now: Timestamp) -> Option<Routine> {
        let routine = self.settings.routines.get(name)?;
        let task = match &routine.task {
            config::routines::Task::Prompt(prompt) => Task::Prompt(prompt.clone()),
            config::routines::Task::Message(text) => Task::Message(text.clone()),
            config::routines::Task::Command { words, limit, prompt } => Task::Command {
                words: words.iter().map(|word| with_dates(word, now, &self.settings.zone)).collect(),
                environment: self.environment.everything().to_vec(),
                limit: *limit,
                prompt: prompt.clone(),
            },
        };
        Some(Routine {
            name: name.to_owned(),
            chat: self.chat_of(routine),
            lane: routine.lane.clone(),
            agent: routine.agent.as_ref().map(|agent| agent.0.clone()),
            decide: routine.decide.clone(),
            task,
        })
    }

    /// The database file.
    pub fn database(&self) -> &Path {
        match &self.settings.database_url {
            DatabaseUrl::Sqlite(path) => path,
        }
    }

    /// Opens the store.
    pub async fn store(&self) -> Result<Store, Failure> {
        Ok(Store::open(self.store_options().await?).await?)
    }

    /// The location of the database, and its key.
    pub async fn store_options(&self) -> Result<Options, Failure> {
        let read = || async {
            let settings = self.settings.encryption.clone();
            let read = tokio::task::spawn_blocking(move || key::read(&settings)).await;
            read.map_err(|error| Failure::failed("locked", error.to_string()))?
        };
        let key = self.key.get_or_try_init(read).await?.clone();
        let (path, backups) = (self.database().to_owned(), self.home.join("backups"));
        Ok(Options { path, gap: self.gap(), backups, key })
    }

    /// The key of the database, if it is encrypted and was opened.
    pub fn known_key(&self) -> Option<&Key> {
        self.key.get().and_then(Option::as_ref)
    }

    /// The complete engine. Unfinished work of crashed processes is cleaned up first.
    pub async fn engine(&self) -> Result<Engine, Failure> {
        let (store, models) = tokio::try_join!(self.store(), self.models())?;
        let engine = self.engine_on(store, models)?;
        engine.load_claims().await?;
        if engine.store.is_read_only() {
            return Ok(engine);
        }
        if let Err(error) = engine.close_abandoned().await {
            // Reading must work even if nothing can be written.
            tracing::warn!(%error, "closing turns of crashed processes failed");
        }
        if let Err(error) = engine.store.choose_embedder(engine.embedder_id()).await {
            tracing::warn!(%error, "requesting vectors of the new embedder failed");
        }
        Ok(engine)
    }

    /// The engine over an open store.
    pub fn engine_on(&self, store: Store, models: Models) -> Result<Engine, Failure> {
        let clock: Arc<dyn Clock> = match self.now {
            Some(moment) => Arc::new(FixedClock(moment)),
            None => Arc::new(SystemClock),
        };
        let builtin = BuiltIn::new()?;
        Ok(Engine {
            store,
            model: models.model,
            models: self.models_by_name(),
            small: models.small,
            routines: models.routines,
            embedder: self.embedder(builtin),
            builtin,
            clock,
            ids: Arc::new(TimeOrderedIds),
            settings: Arc::new(self.engine_settings()?),
            owner: Owner::this_process(),
        })
    }

    /// The embedder; `None` if search is by words only. Missing files or keys are reported when it is used.
    pub fn embedder(&self, builtin: BuiltIn) -> Option<Arc<dyn Embedder>> {
        let settings = &self.settings;
        let id = settings.embedder.to_string();
        Some(match &settings.embedder {
            EmbedderChoice::BuiltIn => Arc::new(builtin),
            EmbedderChoice::MiniLm => {
                let weights = self.minilm();
                Arc::new(Lazy::new(id, move || MiniLm::load(&weights)))
            }
            EmbedderChoice::OpenAi(name) => {
                let (provider, name) = (settings.openai.clone(), name.clone());
                Arc::new(Lazy::new(id, move || {
                    let key = provider.api_key.as_ref().map(Secret::expose);
                    OpenAi::new(provider.base_url.expose(), &name, key)
                }))
            }
            EmbedderChoice::Ollama(name) => {
                let (url, name) = (settings.ollama.api_url.clone(), name.clone());
                Arc::new(Lazy::new(id, move || Ollama::new(url.expose(), &name)))
            }
            EmbedderChoice::None => return None,
        })
    }

    /// The folder of all-MiniLM-L6-v2's weights.
    pub fn minilm(&self) -> PathBuf {
        self.home.join("models").join("all-MiniLM-L6-v2")
    }

    /// Runs background jobs for a while after the result was printed. Failures are logged, and the remaining jobs wait
    /// for the next process. If jobs need a model, a person at a terminal does not wait: a background process runs the
    /// jobs.
    pub async fn run_jobs(&self, engine: &Engine) {
        if engine.store.is_read_only() {
            return;
        }
        let is_watched = std::io::stdout().is_terminal();
        if is_watched && engine.small.is_some() && background::start_work(self, &[]).is_ok() {
            return;
        }
        let seconds = u64::from(self.settings.jobs.seconds_after_command);
        if let Err(error) = engine.run_jobs(Instant::now() + Duration::from_secs(seconds)).await {
            tracing::warn!(%error, "running background jobs failed; they wait for the next process");
        }
    }

    /// The plan of a preset, with the numbers in the settings.
    pub fn plan(&self, preset: Preset) -> Plan {
        let mut plan = preset.plan();
        if let Window::Tiers { carry_over, .. } = &mut plan.window {
            *carry_over = SignedDuration::from_hours(i64::from(self.settings.context.carry_over_hours));
        }
        if let Some(numbers) = self.settings.presets.get(&preset) {
            plan = with_numbers(plan, numbers);
        }
        match self.settings.context.budget {
            Some(budget) if preset == self.settings.context.preset => plan.with_budget(budget.get()),
            _ => plan,
        }
    }

    /// The compaction rule of a preset, with the numbers in the settings.
    fn compaction(&self, preset: Preset) -> Option<Rule> {
        let mut rule = Rule::of(preset)?;
        if let Some(numbers) = self.settings.presets.get(&preset) {
            rule.messages = numbers.compact_messages.map_or(rule.messages, |most| most.get() as usize);
            rule.tokens = numbers.compact_tokens.map_or(rule.tokens, std::num::NonZero::get);
            rule.keep = numbers.keep_messages.map_or(rule.keep, |keep| keep.get() as usize);
            rule.age = numbers
                .compact_hours
                .map_or(rule.age, |hours| SignedDuration::from_hours(i64::from(hours.get())));
        }
        Some(rule)
    }

    fn people(&self) -> People {
        let named = self.settings.chats.iter();
        let chats = named.filter_map(|(chat, said)| Some((chat.clone(), said.person.clone()?))).collect();
        let telegram = &self.settings.telegram;
        let only = match telegram.allowed_users.as_slice() {
            [only] => Some(only),
            _ => None,
        };
        let owner = telegram.user_id.as_ref().or(only);
        let owners = owner.and_then(|user| ChannelKind::Telegram.chat(&user.0.to_string()));
        let here = self.settings.person.clone().unwrap_or_else(|| OWNER.to_owned());
        People { here: Some(here), chats, owners: owners.into_iter().collect(), ..People::default() }
    }

    fn gap(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.settings.context.conversation_gap_minutes.get()))
    }

    /// The transcription program or server in the settings.
    fn transcription(&self) -> Result<Option<Transcription>, Failure> {
        let written = &self.settings.transcription;
        let by = match (&written.command, &written.url) {
            (Some(command), _) => Transcriber::Program {
                words: command.0.clone(),
                environment: self.environment.everything().to_vec(),
            },
            (None, Some(url)) => {
                let key = written.api_key.as_ref().map(Secret::expose);
                let model = written.model.as_deref().unwrap_or(TRANSCRIPTION_MODEL);
                let server = TranscriptionServer::new(url.expose(), key, model);
                Transcriber::Server(Arc::new(
                    server.map_err(|error| Failure::failed("transcription", error.to_string()))?,
                ))
            }
            (None, None) => return Ok(None),
        };
        let limit = Duration::from_secs(u64::from(written.seconds.get()));
        Ok(Some(Transcription { by, limit }))
    }

    /// The folder of attached files.
    pub fn files(&self) -> Files {
        Files(self.home.join("files"))
    }

    fn engine_settings(&self) -> Result<EngineSettings, Failure> {
        let settings = &self.settings;
        let chats: HashMap<_, _> = settings
            .chats
            .iter()
            .map(|(chat, said)| {
                let agent = said.agent.as_ref().map(|agent| agent.0.clone());
                let identity = said.identity.as_ref().map(|identity| identity.0.clone());
                (chat.clone(), ChatIdentity { agent, identity })
            })
            .collect();
        Ok(EngineSettings {
            zone: settings.zone.clone(),
            person: settings.user_name.clone(),
            plan: self.plan(settings.context.preset),
            format: settings.context.format,
            gap: self.gap(),
            identities: Identities { agents: self.home.join("agents"), chats },
            model_limit: MODEL_LIMIT,
            patience: PATIENCE,
            people: self.people(),
            capture: match settings.capture {
                CaptureMode::Auto => Capture::Auto,
                CaptureMode::Suggest => Capture::Suggest,
                CaptureMode::Explicit => Capture::Explicit,
                CaptureMode::Off => Capture::Off,
            },
            compaction: self.compaction(settings.context.preset),
            tools: settings.context.tools,
            daily_cap: DailyCap {
                usd: f64::from(settings.background.daily_cents) / 100.0,
                tokens: u64::from(settings.background.daily_tokens),
            },
            job_limit: Duration::from_secs(settings.jobs.longest_seconds.get().into()),
            reply_cap: DailyCap {
                usd: f64::from(settings.replies.daily_cents) / 100.0,
                tokens: u64::from(settings.replies.daily_tokens),
            },
            same_similarity: settings.memory.same_percent.get() as f32 / 100.0,
            undo: SignedDuration::from_hours(i64::from(settings.memory.undo_hours)),
            files: self.files(),
            transcription: self.transcription()?,
        })
    }
}

fn with_numbers(plan: Plan, numbers: &PresetNumbers) -> Plan {
    let caps =
        Caps::from_rules(|layer| numbers.layers.of(layer.name).unwrap_or_else(|| plan.caps.of(layer.name)));
    let window = match (plan.window, numbers.keep_messages) {
        (Window::Last { .. }, Some(messages)) => Window::Last { messages: messages.get() as usize },
        (Window::Everything { percent, ceiling, .. }, Some(messages)) => {
            Window::Everything { at_least: messages.get() as usize, percent, ceiling }
        }
        (Window::Exchanges { characters, .. }, Some(messages)) => {
            Window::Exchanges { exchanges: messages.get().div_ceil(2) as usize, characters }
        }
        (window, _) => window,
    };
    Plan {
        budget: numbers.budget.map_or(plan.budget, std::num::NonZero::get),
        block: numbers.block.map_or(plan.block, |block| u64::from(block.get())),
        caps,
        window,
        ..plan
    }
}

/// Checks that the fixed clock is in the range of message times.
fn in_range(now: Timestamp) -> Result<Timestamp, Failure> {
    read_moment(&now.to_string(), &TimeZone::UTC).map_err(|error| Failure::Usage(format!("--now: {error}")))
}

/// Creates the home, which is the person's alone.
pub fn make_home(home: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(home);
    made.map_err(|error| {
        Failure::failed(
            "home",
            format!("the home {} cannot be made: {error}. Choose another with --home", home.display()),
        )
    })
}
