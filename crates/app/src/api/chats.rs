//! The list of chats.

use serde::Serialize;
use throughline_engine::people::People;
use throughline_store::chats::ChatCount;
use utoipa::ToSchema;

/// Chats, the most recent first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatsDocument {
    /// The chats.
    pub chats: Vec<ChatDocument>,
}

/// A chat and how much is in it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatDocument {
    /// The chat.
    pub chat: String,
    /// Its messages.
    pub messages: u64,
    /// Its lanes.
    pub lanes: u64,
    /// The time of the newest message.
    pub last_at: Option<String>,
    /// The person it belongs to, if one is known.
    pub person: Option<String>,
}

impl ChatsDocument {
    /// The document of chats.
    pub fn new(chats: &[ChatCount], people: &People) -> Self {
        let chat = |count: &ChatCount| ChatDocument {
            chat: count.chat.to_string(),
            messages: count.messages,
            lanes: count.lanes,
            last_at: count.last_at.map(|at| at.to_string()),
            person: people.of(&count.chat),
        };
        Self { chats: chats.iter().map(chat).collect() }
    }
}
