//! The inputs of a context: everything that was gathered for one turn, before it is fitted into the budget.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::lane::Lane;
use crate::message::{Message, MessageId};
use crate::summary::{Position, Summary};

/// A message with its position in its lane.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The message.
    pub message: Message,
    /// Its sequence number in the store.
    pub seq: i64,
    /// The number of messages before it in the lane.
    pub ordinal: u64,
    /// True if it begins a conversation.
    pub opens: bool,
    /// The tokens of its text.
    pub tokens: u32,
}

impl StoredMessage {
    /// Its position in the lane.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { at: self.message.occurred_at, seq: self.seq }
    }
}

/// The newest messages of a lane, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// A contiguous tail of the lane, at least as much as can fit.
    pub messages: Vec<StoredMessage>,
    /// The beginning of the newest conversation, if the tail does not reach back to it.
    pub head: Vec<StoredMessage>,
}

/// One result of recall that the turn may show.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// Its kind: `message`, `memory` or `summary`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// The messages it represents; none of them is shown twice.
    pub messages: Vec<MessageId>,
    /// The conversation, for a message.
    pub conversation: Option<MessageId>,
    /// Its lane, if it is not the turn's.
    pub lane: Option<Lane>,
    /// The author's role.
    pub role: crate::message::Role,
    /// The speaker's name, if known.
    pub speaker: Option<String>,
    /// When it was said.
    pub at: Timestamp,
    /// The order among messages of the same time.
    pub seq: i64,
    /// The words.
    pub text: String,
    /// The score of the match.
    pub score: f32,
    /// The question that a short message answers, without which it may be unclear.
    pub question: Option<Box<Recalled>>,
}

impl Recalled {
    /// Returns true if it is a memory that this message proves.
    pub(super) fn is_proven_by(&self, message: &Self) -> bool {
        self.kind == "memory"
            && message.kind == "message"
            && self.messages.iter().any(|proof| message.messages.contains(proof))
    }
}

/// How a conversation spends its budget. It is chosen by the first message of the conversation, because the context
/// before the last message must not change while the conversation lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// On recent messages.
    #[default]
    Present,
    /// On messages from long ago.
    Past,
}

/// The current message of the person.
#[derive(Debug, Clone, PartialEq)]
pub struct Current {
    /// The messages that are answered together; empty for a preview.
    pub ids: Vec<MessageId>,
    /// The words.
    pub text: String,
    /// The speaker's name, if known.
    pub speaker: Option<String>,
}

/// Everything that was gathered for one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextInputs {
    /// The time of the turn.
    pub now: Timestamp,
    /// The person's zone.
    pub zone: TimeZone,
    /// The person's name, if known.
    pub person: Option<String>,
    /// The policy: general instructions to the model.
    pub policy: Cow<'static, str>,
    /// The identity files of the assistant: name and text.
    pub identity: Vec<(String, String)>,
    /// The person's profile.
    pub profile: Option<String>,
    /// The lane's messages.
    pub history: History,
    /// The lane's summaries, in any order.
    pub summaries: Vec<Summary>,
    /// The recalled messages, memories and summaries in one ranking, best first.
    pub recalled: Vec<Recalled>,
    /// True if the recalled items match the message with certainty.
    pub match_is_certain: bool,
    /// Whether recalled items or older conversations get more of the budget.
    pub focus: Focus,
    /// The message that the person replies to.
    pub quoted: Option<Message>,
    /// The lane's newest assistant message, shown or not.
    pub last_reply: Option<Message>,
    /// The current message.
    pub message: Option<Current>,
    /// Notices that the model must see once, such as a reply whose delivery is uncertain.
    pub notices: Vec<String>,
}
