//! A message to record, and the recorded message.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;
use throughline_engine::turn::record::RecordedReply;
use throughline_engine::{Engine, Inbound};
use utoipa::ToSchema;

use super::MemoryDocument;
use crate::commands::{lane_named, message_named, moment_named};
use crate::output::Failure;
use crate::wire::App;

/// A message to record.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// The text.
    pub text: String,
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// root, topic:N or reply:ID; where `reply_to` points, else root, unless given.
    #[schema(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
    /// user, assistant, tool_use, tool_result or system; user unless given.
    #[schema(pattern = "^(user|assistant|tool_use|tool_result|system)$")]
    pub role: Option<String>,
    /// When it was said; now unless given.
    #[schema(format = DateTime)]
    pub at: Option<String>,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// The message that it answers, by our id or the channel's.
    pub reply_to: Option<String>,
    /// The channel's own id of the message; the same id twice is one message.
    pub external_id: Option<String>,
    /// An object to store with the message.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
}

/// A recorded message.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecordDocument {
    /// Its id.
    pub id: String,
    /// The chat.
    pub chat: String,
    /// The lane.
    pub lane: String,
    /// The first message of its conversation.
    pub conversation: String,
    /// The text of a reply without its tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The memories that the tags of a reply asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memories: Option<Vec<MemoryDocument>>,
    /// Whether it can be found by meaning too, if that was waited for. Its words can be found at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed: Option<bool>,
}

impl NewMessage {
    /// Converts the request to a message for the engine, and returns its role too.
    pub async fn inbound(
        self,
        chat: &ChatId,
        app: &App,
        engine: &Engine,
    ) -> Result<(Inbound, Role), Failure> {
        let role = self.role.as_deref().map(str::parse).transpose();
        let role: Role =
            role.map_err(|error| Failure::Usage(format!("role: {error}")))?.unwrap_or(Role::User);
        let inbound = Inbound {
            lane: lane_named(self.lane.as_deref(), chat)?,
            role,
            text: self.text,
            speaker: self.speaker,
            at: moment_named(self.at.as_deref(), "at", app)?,
            reply_to: message_named(self.reply_to.as_deref(), chat, engine).await?,
            external_ids: self.external_id.into_iter().collect(),
            metadata: self.metadata,
            ..Inbound::in_chat(chat.clone())
        };
        Ok((inbound, role))
    }
}

impl RecordDocument {
    /// The document of a recorded message.
    pub fn new(chat: &ChatId, role: Role, recorded: &RecordedReply) -> Self {
        let appended = &recorded.appended;
        let is_reply = role == Role::Assistant;
        Self {
            id: appended.id.to_string(),
            chat: chat.to_string(),
            lane: appended.lane.key(chat),
            conversation: appended.conversation.to_string(),
            text: is_reply.then(|| recorded.text.clone()),
            memories: is_reply.then(|| recorded.memories.iter().map(MemoryDocument::from).collect()),
            indexed: None,
        }
    }
}
