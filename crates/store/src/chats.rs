//! Which chats there are: names and counts, nothing that was said.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;

use crate::{Arm, Result, Store};

/// A chat and how much is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatCount {
    /// The chat.
    pub chat: ChatId,
    /// Its messages.
    pub messages: u64,
    /// Its lanes.
    pub lanes: u64,
    /// When the newest message was said.
    pub last_at: Option<Timestamp>,
}

impl Store {
    /// Makes a chat known before anything was said in it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn open_chat(&self, chat: &ChatId) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.open_chat(chat).await,
        }
    }

    /// The chats that messages are in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn chats_of(&self, messages: Vec<MessageId>) -> Result<Vec<ChatId>> {
        match &self.arm {
            Arm::Sqlite(db) => db.chats_of(messages).await,
        }
    }

    /// All chats, the most recent first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn chats(&self) -> Result<Vec<ChatCount>> {
        match &self.arm {
            Arm::Sqlite(db) => db.chats().await,
        }
    }
}
