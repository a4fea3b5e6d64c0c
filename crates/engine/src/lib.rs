//! The order of steps: a turn, recall, background jobs, slash commands, routines, forgetting. The engine names no
//! channel: a channel passes in an [`Inbound`] and delivers a reply.
//!
//! Read [`turn`] first.

pub mod access;
pub mod arrivals;
pub mod attachments;
pub mod commands;
mod error;
pub mod forget;
pub mod identity;
mod ids;
pub mod import;
mod jobs;
pub mod learning;
pub mod models;
pub mod overview;
pub mod owner;
pub mod people;
pub mod ports;
pub mod recall;
pub mod remember;
pub mod routines;
pub mod search;
mod statement;
pub mod tools;
pub mod turn;
pub mod work;

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::context::{Format, Plan};
use throughline_models::ChatModel;
use throughline_models::embed::{BuiltIn, Embedder};
use throughline_store::Store;

use attachments::{Files, Transcription};
pub use error::{Error, Result};
use identity::Identities;
pub use ids::ShortIds;
use models::ModelsByName;
use owner::Owner;
use people::People;
use ports::{Clock, Ids};
use throughline_domain::compact::Rule;
pub use turn::intake::{Exported, Inbound};
use work::DailyCap;

/// The settings of the engine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The person's time zone.
    pub zone: TimeZone,
    /// The person's name, if it is known.
    pub person: Option<String>,
    /// How contexts are filled: layers, caps, budget.
    pub plan: Plan,
    /// How contexts are written.
    pub format: Format,
    /// The silence that ends a conversation.
    pub gap: SignedDuration,
    /// The identities of the assistant.
    pub identities: Identities,
    /// The context window of the model, in tokens.
    pub model_limit: u32,
    /// Maximum time that a turn waits for its lane.
    pub patience: std::time::Duration,
    /// The owners of the chats.
    pub people: People,
    /// Which memories are kept, and who decides.
    pub capture: Capture,
    /// When to summarize a whole lane; `None` if the preset does not.
    pub compaction: Option<Rule>,
    /// True if the answering model may search the memory with tools.
    pub tools: bool,
    /// Maximum cost of background work in a day.
    pub daily_cap: DailyCap,
    /// Maximum time for one run of a background job.
    pub job_limit: std::time::Duration,
    /// Maximum cost of replies in a day.
    pub reply_cap: DailyCap,
    /// Cosine similarity from which two statements count as the same.
    pub same_similarity: f32,
    /// How long forgetting can be undone.
    pub undo: SignedDuration,
    /// The folder for attached files.
    pub files: Files,
    /// Transcribes voice messages; without it, they stay as they are.
    pub transcription: Option<Transcription>,
}

/// Which memories are kept, and who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Capture {
    /// Every statement worth keeping.
    #[default]
    Auto,
    /// The same, but each is a suggestion until the person agrees.
    Suggest,
    /// Only what the person asks to remember.
    Explicit,
    /// Nothing.
    Off,
}

/// The parts that the engine works with.
#[derive(Clone)]
pub struct Engine {
    /// The store.
    pub store: Store,
    /// The model that answers.
    pub model: Arc<dyn ChatModel>,
    /// Models that a chat can choose by name; `None` if the command line fixed one.
    pub models: Option<Arc<dyn ModelsByName>>,
    /// The model for background work; without it, rules do the work.
    pub small: Option<Arc<dyn ChatModel>>,
    /// The model that summarizes routines' messages; without it, windows show their beginning.
    pub routines: Option<Arc<dyn ChatModel>>,
    /// The embedder; without it, recall searches by words alone.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Compares single words, whichever embedder makes the vectors.
    pub builtin: BuiltIn,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub ids: Arc<dyn Ids>,
    /// The settings.
    pub settings: Arc<Settings>,
    /// This process.
    pub owner: Owner,
}

impl Engine {
    /// The id of the embedder, or `none`.
    #[must_use]
    pub fn embedder_id(&self) -> &str {
        self.embedder.as_ref().map_or("none", |embedder| embedder.id())
    }

    /// The current time, which tests and `--now` can fix.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        throughline_domain::time::to_microseconds(self.clock.now())
    }
}
