//! What the assistant's last question waits for, and whether a message is the answer: strict, so that an unrelated
//! message is never taken for one.

mod fits;
mod question;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::message::MessageId;

pub use question::expected;

/// How long a question waits for its answer.
pub const LIFE: SignedDuration = SignedDuration::from_hours(24);

/// The kind of answer that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// A day or a time.
    Date,
    /// A number, with or without a unit.
    Number,
    /// Yes or no.
    YesNo,
    /// An email address.
    Email,
    /// A web address.
    Url,
    /// One of these.
    Choice(Vec<String>),
    /// A few words.
    Text,
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingSlot {
    /// The assistant's message that asks.
    pub question: MessageId,
    /// What it asks for.
    pub expected: Expected,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// From when on nothing answers it.
    pub expires_at: Timestamp,
}

impl PendingSlot {
    /// The slot that a reply opens, where it asks for something.
    #[must_use]
    pub fn of(question: MessageId, reply: &str, asked_at: Timestamp) -> Option<Self> {
        let expires_at = asked_at.checked_add(LIFE).unwrap_or(Timestamp::MAX);
        Some(Self { question, expected: expected(reply)?, asked_at, expires_at })
    }

    /// Whether a message at `now` is the answer.
    #[must_use]
    pub fn answers(&self, message: &str, now: Timestamp) -> bool {
        (self.asked_at..self.expires_at).contains(&now) && self.expected.fits(message)
    }
}
