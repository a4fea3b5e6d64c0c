//! A memory: one durable statement about a person, with its proof, validity and status.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::chat::ChatId;
use crate::message::MessageId;
use throughline_text::relate::Known;

pub use throughline_text::extract::{Kind, LONGEST_STATEMENT, UnknownKind};

uuid_id! {
    /// The id of a memory.
    MemoryId
}

/// The status of a memory.
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
    /// It is valid.
    Active,
    /// The person has not confirmed it yet.
    Suggested,
    /// A goal that was reached, or a date that has passed.
    Done,
    /// Another memory replaced it.
    Superseded,
    /// It was forgotten; only this row is left until it is purged.
    Forgotten,
}

as_str!(Status);

/// A text that is no status of a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a status of a memory: write active, suggested, done, superseded or forgotten")]
pub struct UnknownStatus(String);

impl UnknownStatus {
    fn new(text: &str) -> Self {
        Self(text.chars().take(40).collect())
    }
}

/// The chats in which a memory is visible.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Every private chat of a person.
    Person(String),
    /// One chat only: a group, or a chat whose person is unknown.
    Chat,
}

/// A message that proves a memory, and the proving span of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The message.
    pub message: MessageId,
    /// The byte range in its text.
    pub span: Range<usize>,
}

/// One durable statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// Its kind.
    pub kind: Kind,
    /// The statement.
    pub text: String,
    /// Its category, such as `home`, `work`, `food`.
    pub category: String,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// True if it was extracted from a message; false if the person asked to remember it.
    pub extracted: bool,
    /// Its status.
    pub status: Status,
    /// The chat it was learned in.
    pub chat: ChatId,
    /// The chats in which it is visible.
    pub reach: Reach,
    /// The speaker, if several people speak.
    pub speaker: Option<String>,
    /// Its proofs.
    pub proofs: Vec<Proof>,
    /// The day it is about, if it has one.
    pub day: Option<Date>,
    /// Since when it is valid.
    pub valid_from: Timestamp,
    /// Until when it was valid.
    pub valid_to: Option<Timestamp>,
    /// The memory that replaced it.
    pub superseded_by: Option<MemoryId>,
    /// When a context last contained it.
    pub used_at: Option<Timestamp>,
}

impl Memory {
    /// The memory as the rules of change see it.
    #[must_use]
    pub fn as_known(&self) -> Known<'_> {
        Known { kind: self.kind, text: &self.text, day: self.day }
    }
}
