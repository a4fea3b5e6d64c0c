//! Memories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use throughline_domain::memory::{Kind, Memory, Reach};
use throughline_engine::remember::{Quote, Remembered};
use utoipa::ToSchema;

/// A memory.
#[derive(Debug, Clone, Serialize, ToSchema, JsonSchema)]
pub struct MemoryDocument {
    /// Its id.
    pub id: String,
    /// fact, preference, goal, date or outcome.
    pub kind: String,
    /// The statement.
    pub text: String,
    /// What it is about, such as home, work or food.
    pub category: String,
    /// active, suggested, done, superseded or forgotten.
    pub status: String,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// Whether it was found in what was said, or told to be remembered.
    pub extracted: bool,
    /// person or chat: where it may be seen.
    pub scope: &'static str,
    /// The chat it was learned in.
    pub chat: String,
    /// The person it is about, if the scope is one.
    pub person: Option<String>,
    /// Who said it, if several people speak.
    pub speaker: Option<String>,
    /// The messages that prove it.
    pub sources: Vec<String>,
    /// The bytes of those messages that do.
    pub spans: Vec<[usize; 2]>,
    /// The day it is about, if it has one.
    pub day: Option<String>,
    /// The deadline of a goal.
    pub deadline: Option<String>,
    /// The time from which the statement holds.
    pub valid_from: String,
    /// The time until which the statement held.
    pub valid_to: Option<String>,
    /// The memory that took its place.
    pub superseded_by: Option<String>,
    /// When it last went into a context.
    pub used_at: Option<String>,
    /// The words that prove it, where one memory is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes: Option<Vec<QuoteDocument>>,
}

/// Words that prove a memory.
#[derive(Debug, Clone, Serialize, ToSchema, JsonSchema)]
pub struct QuoteDocument {
    /// The message.
    pub message: String,
    /// Its chat.
    pub chat: String,
    /// When it was said.
    pub at: String,
    /// The speaker's name, if it is known.
    pub speaker: Option<String>,
    /// Who said it: user or assistant.
    pub role: String,
    /// The text.
    pub text: String,
}

/// Memories.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoriesDocument {
    /// The memories.
    pub memories: Vec<MemoryDocument>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A statement to remember.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberQuery {
    /// The statement, such as "I am allergic to peanuts".
    pub text: String,
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// fact, preference, goal, date or outcome; derived from the text unless given.
    #[schema(pattern = "^(fact|preference|goal|date|outcome)$")]
    pub kind: Option<String>,
}

/// A change to a memory.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryEdit {
    /// The new statement.
    pub text: Option<String>,
    /// The new kind: fact, preference, goal, date or outcome.
    #[schema(pattern = "^(fact|preference|goal|date|outcome)$")]
    pub kind: Option<String>,
    /// active (also to accept a suggestion) or done.
    #[schema(pattern = "^(active|done)$")]
    pub status: Option<String>,
}

impl MemoriesDocument {
    /// The document of memories.
    pub fn new<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> Self {
        Self { memories: memories.into_iter().map(MemoryDocument::from).collect(), next_cursor: None }
    }
}

impl MemoryDocument {
    /// The same with the words that prove it.
    pub fn with_quotes(self, quotes: &[Quote]) -> Self {
        Self { quotes: Some(quotes.iter().map(QuoteDocument::from).collect()), ..self }
    }
}

impl From<&Quote> for QuoteDocument {
    fn from(quote: &Quote) -> Self {
        let message = &quote.message;
        Self {
            message: message.id.to_string(),
            chat: message.chat.to_string(),
            at: message.occurred_at.to_string(),
            speaker: message.speaker.clone(),
            role: message.role.as_str().to_owned(),
            text: quote.text.clone(),
        }
    }
}

/// What was remembered.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct RememberedDocument {
    /// The memory.
    pub memories: Vec<MemoryDocument>,
    /// Whether it was known before.
    pub known: bool,
    /// The memories that it took the place of.
    pub replaced: Vec<String>,
}

impl From<&Memory> for MemoryDocument {
    fn from(memory: &Memory) -> Self {
        let (scope, person) = match &memory.reach {
            Reach::Person(person) => ("person", Some(person.clone())),
            Reach::Chat => ("chat", None),
        };
        let day = memory.day.map(|day| day.to_string());
        Self {
            id: memory.id.to_string(),
            kind: memory.kind.as_str().to_owned(),
            text: memory.text.clone(),
            category: memory.category.clone(),
            status: memory.status.as_str().to_owned(),
            confidence: (f64::from(memory.confidence) * 100.0).round() / 100.0,
            extracted: memory.extracted,
            scope,
            chat: memory.chat.to_string(),
            person,
            speaker: memory.speaker.clone(),
            sources: memory.proofs.iter().map(|proof| proof.message.to_string()).collect(),
            spans: memory.proofs.iter().map(|proof| [proof.span.start, proof.span.end]).collect(),
            deadline: day.clone().filter(|_| memory.kind == Kind::Goal),
            day,
            valid_from: memory.valid_from.to_string(),
            valid_to: memory.valid_to.map(|at| at.to_string()),
            superseded_by: memory.superseded_by.map(|id| id.to_string()),
            used_at: memory.used_at.map(|at| at.to_string()),
            quotes: None,
        }
    }
}

impl From<&Remembered> for RememberedDocument {
    fn from(remembered: &Remembered) -> Self {
        match remembered {
            Remembered::New(memory, replaced) => Self {
                memories: vec![memory.into()],
                known: false,
                replaced: replaced.iter().map(|memory| memory.id.to_string()).collect(),
            },
            Remembered::Known(memory) => {
                Self { memories: vec![memory.into()], known: true, replaced: Vec::new() }
            }
        }
    }
}
