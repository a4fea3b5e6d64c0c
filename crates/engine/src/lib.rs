//! What happens in a turn, in what order. Names no channel: a door hands over an [`Inbound`] and delivers a reply.
//!
//! Read [`turn`] first.

pub mod background;
mod error;
pub mod identity;
pub mod import;
pub mod owner;
pub mod ports;
pub mod recall;
pub mod turn;

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
use ports::{Clock, Ids};
pub use turn::intake::{Exported, Inbound};

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
}

/// The parts a turn is made of.
#[derive(Clone)]
pub struct Engine {
    /// What was said.
    pub store: Store,
    /// What answers.
    pub model: Arc<dyn ChatModel>,
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
