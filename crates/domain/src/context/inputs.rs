//! What a context could hold: everything that was gathered for one turn, before anything is fitted.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::lane::Lane;
use crate::message::{Message, MessageId};
use crate::summary::{Position, Summary};

/// A message with its place in its lane.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The message.
    pub message: Message,
    /// Its sequence number in the store.
    pub seq: i64,
    /// How many messages of the lane come before it.
    pub ordinal: u64,
    /// Whether it opens a conversation.
    pub opens: bool,
    /// What its words cost.
    pub tokens: u32,
}

impl StoredMessage {
    /// Its place in the order of the lane.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { at: self.message.occurred_at, seq: self.seq }
    }
}

/// The newest messages of a lane, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// A contiguous tail of the lane, as much as could fit.
    pub messages: Vec<StoredMessage>,
    /// The beginning of the newest conversation, if the tail does not reach back to it.
    pub head: Vec<StoredMessage>,
}

/// One result of recall that the turn may show.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// What it is: `message`, `memory` or `summary`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// The messages it stands for; none of them is shown twice.
    pub messages: Vec<MessageId>,
    /// The conversation that a message is of.
    pub conversation: Option<MessageId>,
    /// The lane it is of, if that is another than the turn's.
    pub lane: Option<Lane>,
    /// Who said it.
    pub role: crate::message::Role,
    /// The speaker's name, if known.
    pub speaker: Option<String>,
    /// When it was said.
    pub at: Timestamp,
    /// The order of messages that were said at the same moment.
    pub seq: i64,
    /// The words.
    pub text: String,
    /// How well it matches.
    pub score: f32,
    /// The question that a short message answers, without which it may say nothing.
    pub question: Option<Box<Recalled>>,
}

impl Recalled {
    /// Whether it is a memory, and this is a message that proves it.
    pub(super) fn is_proven_by(&self, message: &Self) -> bool {
        self.kind == "memory"
            && message.kind == "message"
            && self.messages.iter().any(|proof| message.messages.contains(proof))
    }
}

/// Where a conversation spends its budget. It is chosen by the words that open the conversation, because what stands
/// before the last message must not change while it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// On what was said last.
    #[default]
    Present,
    /// On what was said long ago.
    Past,
}

/// What the person says now.
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
    /// The moment of the turn.
    pub now: Timestamp,
    /// The person's zone.
    pub zone: TimeZone,
    /// The person's name, if known.
    pub person: Option<String>,
    /// The rules of the house.
    pub policy: Cow<'static, str>,
    /// Who the assistant is: name of the file and its text.
    pub identity: Vec<(String, String)>,
    /// Who the person is.
    pub profile: Option<String>,
    /// The lane's messages.
    pub history: History,
    /// The lane's summaries, in any order.
    pub summaries: Vec<Summary>,
    /// What recall found, best first: messages, memories and summaries in one ranking.
    pub recalled: Vec<Recalled>,
    /// Whether what was found is surely about the message.
    pub match_is_certain: bool,
    /// How much of the budget the turn wants for what was recalled rather than for older conversations.
    pub focus: Focus,
    /// The message that is replied to.
    pub quoted: Option<Message>,
    /// The lane's newest assistant message, shown or not.
    pub last_reply: Option<Message>,
    /// What the person says now.
    pub message: Option<Current>,
    /// Something the model must be told once, such as a reply whose delivery is uncertain.
    pub notices: Vec<String>,
}
