//! Conversations: the messages of a lane without a long silence. They are computed from the times of messages.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use strum::IntoStaticStr;

use crate::message::MessageId;

/// The default silence that ends a conversation.
pub const GAP: SignedDuration = SignedDuration::from_mins(30);

/// One conversation of a lane. Its id is its first message's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The first message.
    pub id: MessageId,
    /// The key of its lane.
    pub lane: String,
    /// The time of its first message.
    pub from: Timestamp,
    /// The time of its last message.
    pub to: Timestamp,
    /// The number of its messages.
    pub messages: u64,
}

/// How the next message relates to the lane's last conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Thread {
    /// It continues the conversation: the last message is less than the gap ago, so do not greet again.
    Continuation,
    /// It begins a new one: the silence was long enough, or there is no message before it.
    New,
}

as_str!(Thread);

impl Thread {
    /// How a message at `now` relates to a lane whose last message was at `last`.
    #[must_use]
    pub fn at(now: Timestamp, last: Option<Timestamp>, gap: SignedDuration) -> Self {
        match last {
            Some(last) if !opens(last, now, gap) => Self::Continuation,
            _ => Self::New,
        }
    }
}

/// Returns true if a message at `at` opens a conversation after one at `before`.
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
