//! Messages and lanes for the tests of this crate.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::inputs::StoredMessage;
use crate::conversation::{GAP, opens};
use crate::message::{Message, MessageId, Role};

/// A message of `cli:chat:main`, said at 09:00 UTC on 18 February 2026 until it is placed elsewhere.
pub(crate) fn said_by(role: Role, text: &str) -> Message {
    let at: Timestamp = "2026-02-18T09:00:00Z".parse().unwrap();
    Message {
        id: MessageId(Uuid::nil()),
        chat: "cli:chat:main".parse().unwrap(),
        lane: crate::lane::Lane::Root,
        role,
        text: text.to_owned(),
        channel: "cli".to_owned(),
        speaker: None,
        agent: None,
        occurred_at: at,
        recorded_at: at,
        external_ids: Vec::new(),
        reply_to: None,
        metadata: serde_json::Map::new(),
    }
}

/// The messages as one lane, a minute apart, with ids by their number.
pub(crate) fn lane_of(messages: Vec<Message>) -> Vec<StoredMessage> {
    let spaced = messages.into_iter().enumerate().map(|(n, mut message)| {
        message.occurred_at += SignedDuration::from_mins(n as i64);
        message
    });
    stored(spaced.collect())
}

/// The messages as one lane at the times they carry.
pub(crate) fn stored(messages: Vec<Message>) -> Vec<StoredMessage> {
    let mut before: Option<Timestamp> = None;
    let place = |(n, mut message): (usize, Message)| {
        message.id = MessageId(Uuid::from_u128(n as u128 + 1));
        let at = message.occurred_at;
        let opens = before.is_none_or(|before| opens(before, at, GAP));
        before = Some(at);
        let tokens = throughline_text::tokens::estimate(&message.text);
        StoredMessage { message, seq: n as i64 + 1, ordinal: n as u64, opens, tokens }
    };
    messages.into_iter().enumerate().map(place).collect()
}
