//! The assistant's last question while it waits for an answer.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use throughline_text::answers::{Expected, expected};

use crate::message::MessageId;

/// How long a question waits for its answer.
pub const LIFE: SignedDuration = SignedDuration::from_hours(24);

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingSlot {
    /// The assistant's message with the question.
    pub question: MessageId,
    /// The expected answer.
    pub expected: Expected,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

impl PendingSlot {
    /// The pending question of a reply, if it asks something.
    #[must_use]
    pub fn of(question: MessageId, reply: &str, asked_at: Timestamp) -> Option<Self> {
        let expires_at = asked_at.checked_add(LIFE).unwrap_or(Timestamp::MAX);
        Some(Self { question, expected: expected(reply)?, asked_at, expires_at })
    }

    /// Returns true if a message at `now` answers it.
    #[must_use]
    pub fn answers(&self, message: &str, now: Timestamp) -> bool {
        (self.asked_at..self.expires_at).contains(&now) && self.expected.fits(message)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn e3_a_slot_expires_and_survives_being_stored() {
        let asked: Timestamp = "2026-02-18T09:00:00Z".parse().unwrap();
        let slot = PendingSlot::of(MessageId(Uuid::nil()), "Tea or coffee?", asked).unwrap();
        let stored = serde_json::to_string(&slot).unwrap();
        assert_eq!(serde_json::from_str::<PendingSlot>(&stored).unwrap(), slot);
        assert!(slot.answers("tea", asked));
        assert!(!slot.answers("rain", asked));
        assert!(slot.answers("tea", slot.expires_at - SignedDuration::from_secs(1)));
        assert!(!slot.answers("tea", slot.expires_at));
        assert!(!slot.answers("tea", asked - SignedDuration::from_secs(1)));
        assert_eq!(slot.expires_at, asked + LIFE);
    }
}
