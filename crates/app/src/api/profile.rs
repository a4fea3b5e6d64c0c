//! The profile of a chat's people.

use serde::Serialize;
use throughline_domain::memory::Kind;
use throughline_engine::overview::Overview;
use utoipa::ToSchema;

/// The profile of a chat's people, and figures about the chat.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProfileDocument {
    /// The profile as a context shows it.
    pub profile: String,
    /// Its prose, if a model writes one.
    pub narrative: Option<String>,
    /// Facts.
    pub facts: Vec<String>,
    /// Preferences.
    pub preferences: Vec<String>,
    /// Goals.
    pub goals: Vec<String>,
    /// Important dates.
    pub dates: Vec<String>,
    /// Attempts and their outcomes.
    pub outcomes: Vec<String>,
    /// Messages of the lane.
    pub messages: u64,
    /// Summaries of the lane.
    pub summaries: usize,
    /// Messages that the next context shows word for word.
    pub verbatim: usize,
}

impl From<&Overview> for ProfileDocument {
    fn from(overview: &Overview) -> Self {
        let texts = |kind: Kind| {
            let memories = overview.memories.iter().filter(|memory| memory.kind == kind);
            memories.map(|memory| memory.text.clone()).collect()
        };
        Self {
            profile: overview.profile.clone(),
            narrative: overview.narrative.clone(),
            facts: texts(Kind::Fact),
            preferences: texts(Kind::Preference),
            goals: texts(Kind::Goal),
            dates: texts(Kind::Date),
            outcomes: texts(Kind::Outcome),
            messages: overview.messages,
            summaries: overview.summaries,
            verbatim: overview.verbatim,
        }
    }
}
