//! A turn: one run of the assistant, from trigger to recorded outcome, and the receipt that says what went into it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use uuid::Uuid;

use crate::message::MessageId;

/// The id of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub Uuid);

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for TurnId {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Self)
    }
}

/// How far a reply has come. Only what is `Sent` is known to have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Delivery {
    /// On disk, not yet handed to the channel.
    Pending,
    /// The channel confirmed it.
    Sent,
    /// Handed over, but the confirmation never came: it may or may not have been seen.
    Uncertain,
    /// The channel refused it.
    Failed,
}

impl Delivery {
    /// The name in JSON and SQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What went into a turn and why: ids and figures, never text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Receipt {
    /// The preset the context was made by.
    pub preset: String,
    /// The model that answered.
    pub model: String,
    /// `continuation` or `new`.
    pub thread: String,
    /// The budget of the context and what it used, in tokens.
    pub budget: u32,
    /// What the context used of it.
    pub tokens: u32,
    /// Layer by layer.
    pub layers: Vec<LayerReceipt>,
    /// The calls of tools while the model answered, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolReceipt>,
    /// What went wrong without stopping the turn: a memory that could not be read, a model that had to be replaced.
    pub degraded: Vec<String>,
    /// Milliseconds for everything but the model, and for the model.
    pub own_ms: f64,
    /// Milliseconds until the model had answered.
    pub model_ms: f64,
}

/// One layer of a receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerReceipt {
    /// The layer's name.
    pub name: String,
    /// What it used.
    pub tokens: u32,
    /// What it could have used.
    pub budget: u32,
    /// What it holds.
    pub items: Vec<ItemReceipt>,
    /// What it had no room or no reason for.
    pub dropped: Vec<ItemReceipt>,
}

/// One piece of a layer, and why it is there or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemReceipt {
    /// `message`, `summary`, `memory`, `file`, `note`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What it used; 0 when it was dropped.
    pub tokens: u32,
    /// Why it was kept or dropped.
    pub why: String,
}

/// One call of a tool by the model. What it looked for and found is not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolReceipt {
    /// The tool's name; `unknown` if there is none by the name that the model used.
    pub tool: String,
    /// Hits or messages in the answer; nothing if another program carried out the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<u32>,
    /// Milliseconds until the answer.
    pub ms: f64,
    /// Whether the call could not be carried out.
    pub is_error: bool,
}

/// A turn's place in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TurnStatus {
    /// Being answered now, by the owner that holds the lane.
    Running,
    /// Its reply is recorded.
    Answered,
    /// It ended without a reply, and the failure was told.
    Failed,
    /// Its owner died before a reply was recorded; its messages wait for the next turn.
    Abandoned,
}

impl TurnStatus {
    /// The name in JSON and SQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What the next message is most likely about: what it replies to, else what the assistant said last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The message that the person replied to.
    Replied(MessageId),
    /// The lane's newest assistant message.
    LastReply(MessageId),
}

impl Anchor {
    /// The focus of the next message, by strength of evidence.
    #[must_use]
    pub fn choose(replied: Option<MessageId>, last_reply: Option<MessageId>) -> Option<Self> {
        replied.map(Self::Replied).or(last_reply.map(Self::LastReply))
    }

    /// The anchored message.
    #[must_use]
    pub fn message(self) -> MessageId {
        match self {
            Self::Replied(id) | Self::LastReply(id) => id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e3_the_focus_is_the_replied_message_else_the_newest_reply() {
        let [replied, last] = [1, 2].map(|n| MessageId(Uuid::from_u128(n)));
        assert_eq!(Anchor::choose(Some(replied), Some(last)), Some(Anchor::Replied(replied)));
        assert_eq!(Anchor::choose(None, Some(last)), Some(Anchor::LastReply(last)));
        assert_eq!(Anchor::choose(None, None), None);
    }
}
