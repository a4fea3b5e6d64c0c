//! A memory: one durable statement about a person, with its proof, how long it holds, and what became of it.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use uuid::Uuid;

use crate::chat::ChatId;
use crate::message::MessageId;
use throughline_text::extract::change::Known;

pub use throughline_text::extract::{Kind, LONGEST_STATEMENT, UnknownKind};

/// The id of a memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(pub Uuid);

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for MemoryId {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Self)
    }
}

/// What became of a memory.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownStatus, parse_err_fn = UnknownStatus::new)]
pub enum Status {
    /// It holds.
    Active,
    /// The person has not yet said whether to keep it.
    Suggested,
    /// A goal that was reached, a date that was dealt with.
    Done,
    /// Another memory took its place.
    Superseded,
    /// It was taken out; only this mark is left until it is purged.
    Forgotten,
}

/// A text that is no status of a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a status of a memory: write active, suggested, done, superseded or forgotten")]
pub struct UnknownStatus(String);

impl UnknownStatus {
    fn new(text: &str) -> Self {
        Self(text.chars().take(40).collect())
    }
}

impl Status {
    /// The name in JSON and SQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Where a memory may be seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reach {
    /// In every private chat of a person, by the name or number the person is known by.
    Person(String),
    /// In one chat only: a group, or a chat whose person is not known.
    Chat,
}

/// A message that proves a memory, and the bytes of its text that do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The message.
    pub message: MessageId,
    /// Where in its text.
    pub span: Range<usize>,
}

/// One durable statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// What it states.
    pub kind: Kind,
    /// The statement.
    pub text: String,
    /// What it is about, such as `home`, `work`, `food`.
    pub category: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// Whether it was found in what was said, or told to be remembered.
    pub extracted: bool,
    /// What became of it.
    pub status: Status,
    /// The chat it was learned in.
    pub chat: ChatId,
    /// Where it may be seen.
    pub reach: Reach,
    /// Who said it, if several people speak.
    pub speaker: Option<String>,
    /// What proves it.
    pub proofs: Vec<Proof>,
    /// The day it is about, if it has one.
    pub day: Option<Date>,
    /// Since when it holds.
    pub valid_from: Timestamp,
    /// Until when it held.
    pub valid_to: Option<Timestamp>,
    /// What took its place.
    pub superseded_by: Option<MemoryId>,
    /// When it last went into a context.
    pub used_at: Option<Timestamp>,
}

impl Memory {
    /// The memory as the rules of change see it.
    #[must_use]
    pub fn as_known(&self) -> Known<'_> {
        Known { kind: self.kind, text: &self.text, day: self.day }
    }
}
