//! The list of chats: names and counts, no content.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;

use crate::{InChat, Result, Store};

/// A chat and how much is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatCount {
    /// The chat.
    pub chat: ChatId,
    /// Its messages.
    pub messages: u64,
    /// Its lanes.
    pub lanes: u64,
    /// The time of the newest message.
    pub last_at: Option<Timestamp>,
}

/// A lane and how much is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneCount {
    /// The lane.
    pub lane: Lane,
    /// Its messages.
    pub messages: u64,
    /// The time of the newest message.
    pub last_at: Option<Timestamp>,
}

impl InChat {
    /// The lanes of this chat, the most recent first.
    pub async fn lanes(&self) -> Result<Vec<LaneCount>> {
        self.read(|tx, name, chat| tx.lane_counts(name, chat)).await
    }

    /// The model that was chosen for this chat; nothing if that of the settings answers.
    pub async fn model(&self) -> Result<Option<String>> {
        self.read(|tx, _, chat| tx.chat_model(chat)).await
    }

    /// Chooses a model for this chat, or that of the settings again.
    pub async fn choose_model(&self, model: Option<String>) -> Result<()> {
        self.store()?.open_chat(&self.chat).await?;
        self.write(move |tx, _, chat| tx.put_chat_model(chat, model.as_deref())).await
    }
}

impl Store {
    /// Makes a chat known before anything was said in it.
    pub async fn open_chat(&self, chat: &ChatId) -> Result<()> {
        self.check_scope(chat)?;
        let chat = chat.clone();
        self.write(move |tx| match tx.chat_row(&chat)? {
            Some(_) => Ok(()),
            None => tx.insert_chat(&chat).map(drop),
        })
        .await
    }

    /// The chats that messages are in.
    pub async fn chats_of(&self, messages: Vec<MessageId>) -> Result<Vec<ChatId>> {
        let found: Result<Vec<ChatId>> = self
            .read(move |tx| {
                let chats = messages.into_iter().map(|message| tx.chat_of_message(message));
                chats.filter_map(Result::transpose).collect()
            })
            .await;
        Ok(found?.into_iter().filter(|chat| self.may_touch(chat)).collect())
    }

    /// All chats that this handle may touch, the most recent first.
    pub async fn chats(&self) -> Result<Vec<ChatCount>> {
        let mut chats = self.read(|tx| tx.chat_counts()).await?;
        chats.retain(|count| self.may_touch(&count.chat));
        Ok(chats)
    }
}
