//! Conversations: the messages of a lane without a long silence. Computed from the times, never declared.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use strum::IntoStaticStr;

use crate::message::MessageId;

/// The silence that ends a conversation, unless the settings say otherwise.
pub const GAP: SignedDuration = SignedDuration::from_mins(30);

/// One conversation of a lane. Its id is its first message's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The first message.
    pub id: MessageId,
    /// The key of its lane.
    pub lane: String,
    /// When its first message was said.
    pub from: Timestamp,
    /// When its last message was said.
    pub to: Timestamp,
    /// How many messages it has.
    pub messages: u64,
}

/// Whether the next message continues the lane's last conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Thread {
    /// The last message is less than the gap ago: do not greet again.
    Continuation,
    /// The silence was long enough for a new conversation, or nothing was said before.
    New,
}

impl Thread {
    /// What a message at `now` is to a lane whose last message came at `last`.
    #[must_use]
    pub fn at(now: Timestamp, last: Option<Timestamp>, gap: SignedDuration) -> Self {
        match last {
            Some(last) if !opens(last, now, gap) => Self::Continuation,
            _ => Self::New,
        }
    }

    /// The name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Whether a message at `at` opens a conversation, the one before it in the lane being at `before`.
#[must_use]
pub fn opens(before: Timestamp, at: Timestamp, gap: SignedDuration) -> bool {
    at.duration_since(before) >= gap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e1_less_than_thirty_minutes_is_a_continuation() {
        let last: Timestamp = "2026-02-18T09:00:00Z".parse().unwrap();
        for (minutes, thread) in
            [(0, Thread::Continuation), (29, Thread::Continuation), (30, Thread::New), (31, Thread::New)]
        {
            assert_eq!(
                Thread::at(last + SignedDuration::from_mins(minutes), Some(last), GAP),
                thread,
                "{minutes} min"
            );
        }
        assert_eq!(Thread::at(last, None, GAP), Thread::New);
        let almost = last + SignedDuration::from_mins(30) - SignedDuration::from_micros(1);
        assert_eq!(Thread::at(almost, Some(last), GAP), Thread::Continuation);
    }
}
