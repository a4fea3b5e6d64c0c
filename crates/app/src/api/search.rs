//! The result of a search.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use throughline_engine::search::{Results, SearchHit};
use throughline_store::search::Why;
use utoipa::ToSchema;

/// A search.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// The question; any text is valid.
    pub query: String,
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// Whether to search all chats of the caller's person instead.
    #[serde(default)]
    pub all: bool,
    /// Only this lane: root, topic:N or reply:ID.
    #[schema(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
    /// Only this kind: message, memory or summary.
    #[schema(pattern = "^(message|memory|summary)$")]
    pub kind: Option<String>,
    /// Only messages at this time or later.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Only messages before this time.
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// Maximum number of hits; 10 unless given.
    #[schema(minimum = 1, maximum = 1000)]
    pub limit: Option<u16>,
}

/// The result of a search.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct SearchDocument {
    /// The query.
    pub query: String,
    /// The quality of the best hit: strong, weak or none.
    pub verdict: String,
    /// The duration, in milliseconds.
    pub took_ms: f64,
    /// The hits, best first.
    pub hits: Vec<HitDocument>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Why vectors could not be searched, if so; the hits are then by words alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// One hit.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct HitDocument {
    /// Its score; it compares with hits of the same chat only.
    pub score: f32,
    /// message, memory or summary.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// The messages that it represents.
    pub messages: Vec<String>,
    /// The chat.
    pub chat: String,
    /// The lane; a memory has none.
    pub lane: Option<String>,
    /// The first message of its conversation.
    pub conversation: Option<String>,
    /// Who said it: user, assistant, tool_use or tool_result.
    pub role: Option<String>,
    /// The speaker's name, if it is known.
    pub speaker: Option<String>,
    /// When it was said, or since when it holds.
    pub at: String,
    /// The text.
    pub text: String,
    /// The evidence for it.
    pub why: WhyDocument,
}

/// The evidence for a hit.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct WhyDocument {
    /// The score of its words.
    pub words: f32,
    /// The share of the question's words that it has.
    pub coverage: f32,
    /// The number of the question's words that it has.
    pub terms: u32,
    /// Its similarity to the question.
    pub meaning: f32,
    /// The share of the question that it covers, in the same or other words.
    pub soft_overlap: f32,
    /// 1 if it is of the time that is asked about.
    pub time: f32,
    /// 1 if it is by a speaker who is asked about.
    pub speaker: f32,
}

impl SearchDocument {
    /// The document of a result.
    pub fn new(query: &str, found: &Results, elapsed: Duration) -> Self {
        Self {
            query: query.to_owned(),
            verdict: found.verdict.as_str().to_owned(),
            took_ms: elapsed.as_secs_f64() * 1e3,
            hits: found.hits.iter().map(HitDocument::from).collect(),
            next_cursor: None,
            degraded: found.degraded.clone(),
        }
    }
}

impl From<&SearchHit> for HitDocument {
    fn from(hit: &SearchHit) -> Self {
        Self {
            score: hit.score,
            kind: hit.kind.as_str(),
            id: hit.id.to_string(),
            messages: hit.messages.iter().map(ToString::to_string).collect(),
            chat: hit.chat.to_string(),
            lane: hit.lane.clone(),
            conversation: hit.conversation.map(|id| id.to_string()),
            role: hit.role.map(|role| role.as_str().to_owned()),
            speaker: hit.speaker.clone(),
            at: hit.at.to_string(),
            text: hit.text.clone(),
            why: WhyDocument::from(&hit.why),
        }
    }
}

impl From<&Why> for WhyDocument {
    fn from(why: &Why) -> Self {
        Self {
            words: why.words,
            coverage: why.coverage,
            terms: why.terms,
            meaning: why.dense,
            soft_overlap: why.soft_overlap,
            time: why.time,
            speaker: why.speaker,
        }
    }
}
