//! A turn: one run of the assistant, from trigger to recorded outcome, and its receipt.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::context::Item;
use crate::message::MessageId;

uuid_id! {
    /// The id of a turn.
    TurnId
}

/// The delivery of a reply. Only a `Sent` reply is known to have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Delivery {
    /// On disk, not yet sent.
    Pending,
    /// The channel confirmed it.
    Sent,
    /// Sent without a confirmation: it may have been seen.
    Uncertain,
    /// The channel refused it.
    Failed,
}

as_str!(Delivery);

/// What went into a turn and why: ids and figures, never text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Receipt {
    /// The preset of the context.
    pub preset: String,
    /// The model that answered.
    pub model: String,
    /// `continuation` or `new`.
    pub thread: String,
    /// The budget of the context, in tokens.
    pub budget: u32,
    /// The tokens used.
    pub tokens: u32,
    /// The layers.
    pub layers: Vec<LayerReceipt>,
    /// The tool calls of the model, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolReceipt>,
    /// Problems that did not stop the turn, such as an unreadable memory or a replaced model.
    pub degraded: Vec<String>,
    /// Milliseconds for everything but the model.
    pub own_ms: f64,
    /// Milliseconds until the model had answered.
    pub model_ms: f64,
}

/// One layer of a receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerReceipt {
    /// The layer's name.
    pub name: String,
    /// The tokens used.
    pub tokens: u32,
    /// The token limit.
    pub budget: u32,
    /// The items kept.
    pub items: Vec<Item>,
    /// The items dropped.
    pub dropped: Vec<Item>,
}

/// One tool call of the model, without its query and results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolReceipt {
    /// The tool's name; `unknown` if the model used a name that does not exist.
    pub tool: String,
    /// The number of hits or messages in the answer; `None` if another program carried out the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<u32>,
    /// Milliseconds until the answer.
    pub ms: f64,
    /// True if the call failed.
    pub is_error: bool,
}

/// The status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TurnStatus {
    /// Being answered by the process that holds the lane.
    Running,
    /// Its reply is recorded.
    Answered,
    /// It ended without a reply, and the failure was reported.
    Failed,
    /// Its process died before a reply was recorded; its messages wait for the next turn.
    Abandoned,
}

as_str!(TurnStatus);

/// The likely subject of the next message: the message it replies to, else the assistant's last reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The message that the person replied to.
    Replied(MessageId),
    /// The lane's newest assistant message.
    LastReply(MessageId),
}

impl Anchor {
    /// Chooses the subject by strength of evidence.
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
        let [replied, last] = [1, 2].map(|n| MessageId(uuid::Uuid::from_u128(n)));
        assert_eq!(Anchor::choose(Some(replied), Some(last)), Some(Anchor::Replied(replied)));
        assert_eq!(Anchor::choose(None, Some(last)), Some(Anchor::LastReply(last)));
        assert_eq!(Anchor::choose(None, None), None);
    }
}
