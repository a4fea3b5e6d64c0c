//! What happens in a turn, in what order. Names no channel: a door hands over an [`Inbound`] and delivers a reply.
//!
//! Read [`turn`] first.

pub mod arrivals;
mod error;
pub mod forget;
pub mod identity;
pub mod import;
mod jobs;
pub mod overview;
pub mod owner;
pub mod people;
pub mod ports;
pub mod recall;
pub mod remember;
pub mod routines;
mod statement;
pub mod turn;
pub mod work;

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::context::{Format, Plan};
use throughline_models::ChatModel;
use throughline_models::embed::{BuiltIn, Embedder};
use throughline_store::Store;

pub use error::{Error, Result};
use identity::Identities;
use owner::Owner;
use people::People;
use ports::{Clock, Ids};
use throughline_domain::compact::Rule;
pub use turn::intake::{Exported, Inbound};
use work::DailyCap;

/// What a turn is run with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The person's zone.
    pub zone: TimeZone,
    /// The person's name, where it is known.
    pub person: Option<String>,
    /// How contexts are filled.
    pub plan: Plan,
    /// How they are written.
    pub format: Format,
    /// The silence that ends a conversation.
    pub gap: SignedDuration,
    /// Who the assistant is.
    pub identities: Identities,
    /// What the model can read at once, in tokens.
    pub model_limit: u32,
    /// How long a turn waits for its lane.
    pub patience: std::time::Duration,
    /// Who the chats belong to.
    pub people: People,
    /// What is learned, and who decides.
    pub capture: Capture,
    /// When a lane is condensed; never, where the preset does not.
    pub compaction: Option<Rule>,
    /// What background work may take in a day.
    pub daily_cap: DailyCap,
    /// Statements at least this alike, as a cosine, are the same.
    pub same_similarity: f32,
    /// How long what was forgotten can be brought back.
    pub undo: SignedDuration,
}

/// What is learned from what people say, and who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Capture {
    /// Whatever is worth keeping.
    #[default]
    Auto,
    /// The same, but each waits for the person to say yes.
    Suggest,
    /// Only what the person asks to be remembered.
    Explicit,
    /// Nothing.
    Off,
}

/// The parts a turn is made of.
#[derive(Clone)]
pub struct Engine {
    /// What was said.
    pub store: Store,
    /// What answers.
    pub model: Arc<dyn ChatModel>,
    /// What does background work; without it, rules do.
    pub small: Option<Arc<dyn ChatModel>>,
    /// What condenses the messages of routines; without it, their beginning stands for them.
    pub routines: Option<Arc<dyn ChatModel>>,
    /// What makes vectors; without it, recall goes by words.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Tells how near single words are, whatever makes the vectors.
    pub builtin: BuiltIn,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
    /// The settings.
    pub settings: Arc<Settings>,
    /// This process.
    pub owner: Owner,
}

impl Engine {
    /// The id of what makes vectors; `none` where nothing does.
    #[must_use]
    pub fn embedder_id(&self) -> &str {
        self.embedder.as_ref().map_or("none", |embedder| embedder.id())
    }

    /// The moment of the calendar.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        throughline_domain::time::to_microseconds(self.clock.now())
    }
}
