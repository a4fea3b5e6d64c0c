//! The list of chats: names and counts, no content.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::memory::MemoryId;
use throughline_domain::message::MessageId;

use crate::{InChat, Result, Store};

/// A chat and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatCount {
    /// The chat.
    pub chat: ChatId,
    /// The number of its messages.
    pub messages: u64,
    /// The number of its lanes.
    pub lanes: u64,
    /// The time of the newest message.
    pub last_at: Option<Timestamp>,
}

/// A lane and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneCount {
    /// The lane.
    pub lane: Lane,
    /// The number of its messages.
    pub messages: u64,
    /// The time of the newest message.
    pub last_at: Option<Timestamp>,
}

impl InChat {
    /// The lanes of this chat, most recent first.
    pub async fn lanes(&self) -> Result<Vec<LaneCount>> {
        self.read(|tx, name, chat| tx.lane_counts(name, chat)).await
    }

    /// The model chosen for this chat; `None` for the model in the settings.
    pub async fn model(&self) -> Result<Option<String>> {
        self.read(|tx, _, chat| tx.chat_model(chat)).await
    }

    /// Chooses a model for this chat; `None` returns to the model in the settings.
    pub async fn choose_model(&self, model: Option<String>) -> Result<()> {
        self.store()?.open_chat(&self.chat).await?;
        self.write(move |tx, _, chat| tx.put_chat_model(chat, model.as_deref())).await
    }
}

impl Store {
    /// Creates a chat before its first message.
    pub async fn open_chat(&self, chat: &ChatId) -> Result<()> {
        self.check_scope(chat)?;
        let chat = chat.clone();
        self.write(move |tx| match tx.chat_row(&chat)? {
            Some(_) => Ok(()),
            None => tx.insert_chat(&chat).map(drop),
        })
        .await
    }

    /// The chats of messages.
    pub async fn chats_of(&self, messages: Vec<MessageId>) -> Result<Vec<ChatId>> {
        let found: Result<Vec<ChatId>> = self
            .read(move |tx| {
                let chats = messages.into_iter().map(|message| tx.chat_of_message(message));
                chats.filter_map(Result::transpose).collect()
            })
            .await;
        Ok(found?.into_iter().filter(|chat| self.may_touch(chat)).collect())
    }

    /// The chat in which a memory was learned, if this handle may access it.
    pub async fn chat_of_memory(&self, memory: MemoryId) -> Result<Option<ChatId>> {
        let found = self.read(move |tx| tx.chat_of_memory(memory)).await?;
        Ok(found.filter(|chat| self.may_touch(chat)))
    }

    /// The claimed chats and their persons.
    pub async fn claims(&self) -> Result<Vec<(ChatId, String)>> {
        self.read(|tx| tx.claims()).await
    }

    /// Claims a chat for a person, and returns the person it belongs to; `None` if it has content already or a token
    /// is bound to it.
    pub async fn claim_chat(&self, chat: &ChatId, person: &str) -> Result<Option<String>> {
        let (chat, person) = (chat.clone(), person.to_owned());
        self.write(move |tx| {
            if let Some(claimed) = tx.claim(&chat)? {
                return Ok(Some(claimed));
            }
            let is_unused = match tx.chat_row(&chat)? {
                Some(row) => tx.is_bare_chat(row)?,
                None => true,
            };
            if !is_unused || tx.has_token_of(&chat)? {
                return Ok(None);
            }
            tx.insert_claim(&chat, &person)?;
            Ok(Some(person))
        })
        .await
    }

    /// All chats that this handle may access, most recent first.
    pub async fn chats(&self) -> Result<Vec<ChatCount>> {
        let mut chats = self.read(|tx| tx.chat_counts()).await?;
        chats.retain(|count| self.may_touch(&count.chat));
        Ok(chats)
    }
}
