//! The settings of a run, complete and checked. Each field is the key of the same name, which `keys` describes.

use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{Format, PerLayer, Preset};
use throughline_domain::routine::QuietHours;

use super::routines::{Routine, RoutineSettings};
use super::show::SettingRow;
use super::values::address::{DatabaseUrl, Url};
use super::values::choice::{CaptureMode, Groups, LogLevel, Pairing};
use super::values::embedder::EmbedderChoice;
use super::values::model::ModelChoice;
use super::values::plain::{AgentName, PauseMs, Prose, TelegramUser};
use super::values::routine::CommandLine;
use super::values::secret::{KeyFile, Secret};
use super::values::unsupported::Unsupported;

/// The address of OpenAI's own API, which needs a key.
pub const OPENAI: &str = "https://api.openai.com/v1";

/// The settings of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub zone: TimeZone,
    pub user_name: Option<String>,
    pub person: Option<String>,
    pub model: ModelChoice,
    pub small_model: Option<ModelChoice>,
    pub fallback: Vec<ModelChoice>,
    pub embedder: EmbedderChoice,
    pub fallback_model: Option<String>,
    pub context_relevance_model: Option<String>,
    pub database_url: DatabaseUrl,
    pub encryption: Encryption,
    pub redis_url: Option<Unsupported>,
    pub listen: SocketAddr,
    pub api_token: Option<Secret>,
    pub http: Http,
    pub claude_path: Option<PathBuf>,
    pub telegram: Telegram,
    pub transcription: Transcription,
    pub anthropic: Provider,
    pub openai: Provider,
    pub ollama: Ollama,
    pub context: Context,
    pub presets: HashMap<Preset, PresetNumbers>,
    pub capture: CaptureMode,
    pub memory: Memory,
    pub privacy: Privacy,
    pub background: Background,
    pub replies: Replies,
    pub limits: Limits,
    pub logs: Logs,
    pub jobs: Jobs,
    pub claude_code: ClaudeCode,
    pub chats: BTreeMap<ChatId, ChatSettings>,
    pub quiet_hours: Option<QuietHours>,
    /// How many daily backups `serve` keeps.
    pub daily_backups: u32,
    /// The routines by name, built-in ones included.
    pub routines: BTreeMap<String, Routine>,
    /// The settings that `routines` is made from.
    pub(super) routine_settings: BTreeMap<String, RoutineSettings>,
    /// The rows of `config show`.
    pub(super) shown: Vec<SettingRow>,
}

/// `[encryption]`: where the key of the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encryption {
    pub key: Option<Secret>,
    pub key_file: Option<KeyFile>,
    pub key_command: Option<CommandLine>,
}

/// `[http]`: the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Http {
    pub hosts: Vec<String>,
    pub requests_per_minute: NonZeroU32,
    pub request_seconds: NonZeroU32,
}

/// `[telegram]`: the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telegram {
    pub bot_token: Option<Secret>,
    pub user_id: Option<TelegramUser>,
    pub allowed_users: Vec<TelegramUser>,
    pub api_url: Url,
    pub pairing: Pairing,
    pub groups: Groups,
    pub pause_ms: PauseMs,
}

/// `[transcription]`: the program or server that transcribes voice messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcription {
    pub command: Option<CommandLine>,
    pub url: Option<Url>,
    pub api_key: Option<Secret>,
    pub model: Option<String>,
    pub seconds: NonZeroU32,
}

/// `[anthropic]` and `[openai]`: a model's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    pub api_key: Option<Secret>,
    pub base_url: Url,
}

/// `[ollama]`: local models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ollama {
    pub api_url: Url,
}

/// `[context]`: how the context of a turn is assembled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    pub preset: Preset,
    pub format: Format,
    pub budget: Option<NonZeroU32>,
    pub conversation_gap_minutes: NonZeroU32,
    pub carry_over_hours: u32,
    pub tools: bool,
}

/// `[presets.<preset>]`: changes to the preset's own numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PresetNumbers {
    pub budget: Option<NonZeroU32>,
    pub keep_messages: Option<NonZeroU32>,
    pub block: Option<NonZeroU32>,
    pub compact_messages: Option<NonZeroU32>,
    pub compact_tokens: Option<NonZeroU32>,
    pub compact_hours: Option<NonZeroU32>,
    /// `[presets.<preset>.layers]`: maximum tokens of each layer; 0 leaves it out.
    pub layers: PerLayer<Option<u32>>,
}

/// `[memory]`: how memories are captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub same_percent: NonZeroU32,
    pub undo_hours: u32,
}

/// `[privacy]`: redaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    pub redact_numbers: bool,
}

/// `[background]`: limits of background jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Background {
    pub daily_cents: u32,
    pub daily_tokens: u32,
    pub routine_seconds: NonZeroU32,
}

/// `[replies]`: limits of replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replies {
    pub most_tokens: NonZeroU32,
    pub daily_cents: u32,
    pub daily_tokens: u32,
}

/// `[limits]`: time limits of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub first_seconds: NonZeroU32,
    pub between_seconds: NonZeroU32,
    pub whole_seconds: NonZeroU32,
}

/// `[logs]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logs {
    pub level: LogLevel,
}

/// `[jobs]`: background jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jobs {
    pub seconds_after_command: u32,
    pub longest_seconds: NonZeroU32,
}

/// `[claude_code]`: the answers of the hooks of Claude Code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeCode {
    pub hook_ms: u32,
    pub start_tokens: u32,
    pub recall_tokens: u32,
}

/// `[chats."<chat>"]`: settings of one chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatSettings {
    pub agent: Option<AgentName>,
    pub person: Option<String>,
    pub identity: Option<Prose>,
}

impl Settings {
    /// The defaults.
    pub(super) fn defaults(home: &Path, zone: TimeZone) -> Self {
        Self {
            zone,
            user_name: None,
            person: None,
            model: ModelChoice::Auto,
            small_model: None,
            fallback: Vec::new(),
            embedder: EmbedderChoice::BuiltIn,
            fallback_model: None,
            context_relevance_model: None,
            database_url: DatabaseUrl::Sqlite(home.join("throughline.db")),
            encryption: Encryption { key: None, key_file: None, key_command: None },
            redis_url: None,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7717)),
            api_token: None,
            http: Http {
                hosts: Vec::new(),
                requests_per_minute: const { NonZeroU32::new(60_000).unwrap() },
                request_seconds: const { NonZeroU32::new(30).unwrap() },
            },
            claude_path: None,
            telegram: Telegram {
                bot_token: None,
                user_id: None,
                allowed_users: Vec::new(),
                api_url: Url::known("https://api.telegram.org"),
                pairing: Pairing::Off,
                groups: Groups::Auto,
                pause_ms: PauseMs(1_000),
            },
            transcription: Transcription {
                command: None,
                url: None,
                api_key: None,
                model: None,
                seconds: const { NonZeroU32::new(60).unwrap() },
            },
            anthropic: Provider { api_key: None, base_url: Url::known("https://api.anthropic.com") },
            openai: Provider { api_key: None, base_url: Url::known(OPENAI) },
            ollama: Ollama { api_url: Url::known("http://127.0.0.1:11434") },
            context: Context {
                preset: Preset::Standard,
                format: Format::Xml,
                budget: None,
                conversation_gap_minutes: const { NonZeroU32::new(30).unwrap() },
                carry_over_hours: 6,
                tools: true,
            },
            presets: HashMap::new(),
            capture: CaptureMode::Auto,
            memory: Memory { same_percent: const { NonZeroU32::new(90).unwrap() }, undo_hours: 24 },
            privacy: Privacy { redact_numbers: true },
            background: Background {
                daily_cents: 50,
                daily_tokens: 500_000,
                routine_seconds: const { NonZeroU32::new(8).unwrap() },
            },
            replies: Replies {
                most_tokens: const { NonZeroU32::new(8192).unwrap() },
                daily_cents: 1000,
                daily_tokens: 10_000_000,
            },
            limits: Limits {
                first_seconds: const { NonZeroU32::new(60).unwrap() },
                between_seconds: const { NonZeroU32::new(30).unwrap() },
                whole_seconds: const { NonZeroU32::new(300).unwrap() },
            },
            logs: Logs { level: LogLevel::Info },
            jobs: Jobs {
                seconds_after_command: 10,
                longest_seconds: const { NonZeroU32::new(600).unwrap() },
            },
            claude_code: ClaudeCode { hook_ms: 250, start_tokens: 2_000, recall_tokens: 1_000 },
            chats: BTreeMap::new(),
            quiet_hours: None,
            daily_backups: 7,
            routines: BTreeMap::new(),
            routine_settings: BTreeMap::new(),
            shown: Vec::new(),
        }
    }
}
