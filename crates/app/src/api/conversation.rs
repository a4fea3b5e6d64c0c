//! A conversation and its messages.

use schemars::JsonSchema;
use serde::Serialize;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::Conversation;
use throughline_domain::message::MessageId;
use utoipa::ToSchema;

/// A conversation, or a page of it.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct ConversationPage {
    /// Its first message.
    pub id: Option<String>,
    /// The chat.
    pub chat: String,
    /// The messages, oldest first.
    pub messages: Vec<MessageDocument>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Messages of a lane, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessagesPage {
    /// The chat.
    pub chat: String,
    /// The lane.
    pub lane: String,
    /// The messages.
    pub messages: Vec<MessageDocument>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The conversations of a chat, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationsDocument {
    /// The chat.
    pub chat: String,
    /// The conversations.
    pub conversations: Vec<ConversationDocument>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A conversation as it is listed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationDocument {
    /// Its first message.
    pub id: String,
    /// The lane.
    pub lane: String,
    /// When its first message was said.
    pub from: String,
    /// When its last message was said.
    pub to: String,
    /// How many messages it has.
    pub messages: u64,
}

/// A message.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct MessageDocument {
    /// Its id.
    pub id: String,
    /// user, assistant, tool_use, tool_result or system.
    pub role: String,
    /// The speaker's name, if it is known.
    pub speaker: Option<String>,
    /// When it was said.
    pub at: String,
    /// The text.
    pub text: String,
}

impl ConversationPage {
    /// The document of messages of a conversation.
    pub fn new(chat: &ChatId, id: Option<MessageId>, messages: &[StoredMessage]) -> Self {
        Self {
            id: id.map(|id| id.to_string()),
            chat: chat.to_string(),
            messages: messages.iter().map(MessageDocument::from).collect(),
            next_cursor: None,
        }
    }
}

impl From<&StoredMessage> for MessageDocument {
    fn from(stored: &StoredMessage) -> Self {
        let message = &stored.message;
        Self {
            id: message.id.to_string(),
            role: message.role.as_str().to_owned(),
            speaker: message.speaker.clone(),
            at: message.occurred_at.to_string(),
            text: message.text.clone(),
        }
    }
}

impl ConversationsDocument {
    /// The document of conversations.
    pub fn new(chat: &ChatId, conversations: &[Conversation]) -> Self {
        let conversations = conversations.iter().map(ConversationDocument::from).collect();
        Self { chat: chat.to_string(), conversations, next_cursor: None }
    }
}

impl From<&Conversation> for ConversationDocument {
    fn from(conversation: &Conversation) -> Self {
        Self {
            id: conversation.id.to_string(),
            lane: conversation.lane.clone(),
            from: conversation.from.to_string(),
            to: conversation.to.to_string(),
            messages: conversation.messages,
        }
    }
}
