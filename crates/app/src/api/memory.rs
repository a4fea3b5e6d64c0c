//! Memories.

use schemars::JsonSchema;
use serde::Serialize;
use throughline_domain::memory::{Kind, Memory, Reach};
use throughline_engine::remember::Remembered;
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
    /// How sure it is, from 0 to 1.
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
    /// The same of a goal.
    pub deadline: Option<String>,
    /// Since when it holds.
    pub valid_from: String,
    /// Until when it held.
    pub valid_to: Option<String>,
    /// The memory that took its place.
    pub superseded_by: Option<String>,
    /// When it last went into a context.
    pub used_at: Option<String>,
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
