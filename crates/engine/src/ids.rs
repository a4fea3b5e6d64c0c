//! Resolves ids as people write them: a prefix is enough if it is unambiguous.

use std::collections::HashMap;

use throughline_domain::chat::ChatId;
use throughline_domain::memory::Memory;
use throughline_domain::message::{Message, MessageId};
use throughline_domain::short_id::{IdPrefix, short};
use throughline_store::memories::StoredMemory;
use throughline_store::messages::Reference;
use uuid::Uuid;

use crate::{Engine, Error, Result};

/// Maximum number of candidates listed for an ambiguous id.
const MAX_CANDIDATES: usize = 5;

/// The message or memory of an id.
pub(crate) enum Named {
    Message(Box<Message>),
    Memory(Box<Memory>),
}

impl Engine {
    /// Finds a message by the channel's id, by our id, or by a prefix of ours.
    ///
    /// # Errors
    /// If the prefix matches several ids, or the store fails.
    pub async fn message_named(&self, chat: &ChatId, text: &str) -> Result<Option<MessageId>> {
        let in_chat = self.store.chat(chat);
        if let Some(stored) = in_chat.find(Reference::from(text)).await? {
            return Ok(Some(stored.message.id));
        }
        let Some(prefix) = IdPrefix::read(text) else { return Ok(None) };
        let found = in_chat.ids_with_prefix(prefix, MAX_CANDIDATES + 1).await?;
        unambiguous(text, found.into_iter().map(|id| id.0).collect()).map(|id| id.map(MessageId))
    }

    /// Finds a memory visible in a chat, by its id or a prefix of it.
    ///
    /// # Errors
    /// If none or several match.
    pub async fn memory(&self, chat: &ChatId, id: &str) -> Result<StoredMemory> {
        let all = self.memories(chat).await?;
        let named = unambiguous_match(id, all.iter().map(|kept| kept.memory.id.0))?;
        let found = all.into_iter().find(|kept| Some(kept.memory.id.0) == named);
        found.ok_or_else(|| Error::NoMemory(format!("there is none with the id {id:?} in this chat")))
    }

    /// Finds the message or memory with an id.
    ///
    /// # Errors
    /// If none or several match.
    pub(crate) async fn named(&self, chat: &ChatId, text: &str) -> Result<Named> {
        let unknown = || Error::NoMemory(format!("no memory or message of this chat has the id {text:?}"));
        let prefix = IdPrefix::read(text).ok_or_else(unknown)?;
        let messages = self.store.chat(chat).ids_with_prefix(prefix, MAX_CANDIDATES + 1).await?;
        let memories = self.memories(chat).await?.into_iter().map(|kept| kept.memory);
        let memories: Vec<Memory> = memories.filter(|memory| prefix.matches(memory.id.0)).collect();
        let all = messages.iter().map(|id| id.0).chain(memories.iter().map(|memory| memory.id.0));
        let id = unambiguous(text, all.collect())?.ok_or_else(unknown)?;
        if let Some(memory) = memories.into_iter().find(|memory| memory.id.0 == id) {
            return Ok(Named::Memory(Box::new(memory)));
        }
        let found = self.store.chat(chat).find(Reference::Id(MessageId(id))).await?;
        found.map(|stored| Named::Message(Box::new(stored.message))).ok_or_else(unknown)
    }

    /// Finds the receipt of a forgetting that can be undone.
    ///
    /// # Errors
    /// If none or several match.
    pub async fn receipt_named(&self, chat: &ChatId, text: &str) -> Result<Uuid> {
        let named = unambiguous_match(text, self.store.chat(chat).undoable_forgettings().await?)?;
        named.ok_or_else(|| Error::NotUndone(text.to_owned()))
    }

    /// Shortens ids of a chat for display: each to the shortest prefix that still matches one message, memory or
    /// receipt only.
    pub async fn short_ids(&self, chat: &ChatId, ids: impl IntoIterator<Item = Uuid>) -> Result<ShortIds> {
        let ids: Vec<Uuid> = ids.into_iter().collect();
        let in_chat = self.store.chat(chat);
        let memories = self.memories(chat).await?.into_iter().map(|kept| kept.memory.id.0);
        let others: Vec<Uuid> = memories.chain(in_chat.undoable_forgettings().await?).collect();
        let neighbors = in_chat.neighboring_ids(ids.clone()).await?;
        let shortened = ids.into_iter().zip(neighbors).map(|(id, neighbors)| {
            let others = others.iter().copied().chain(neighbors.into_iter().map(|message| message.0));
            (id, short(id, others))
        });
        Ok(ShortIds(shortened.collect()))
    }
}

/// Ids shortened for display.
#[derive(Debug, Clone, Default)]
pub struct ShortIds(HashMap<Uuid, String>);

impl ShortIds {
    /// The short form of an id, or the full id if it was not included.
    #[must_use]
    pub fn of(&self, id: Uuid) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }
}

fn unambiguous_match(text: &str, ids: impl IntoIterator<Item = Uuid>) -> Result<Option<Uuid>> {
    let Some(prefix) = IdPrefix::read(text) else { return Ok(None) };
    unambiguous(text, ids.into_iter().filter(|id| prefix.matches(*id)).collect())
}

fn unambiguous(text: &str, found: Vec<Uuid>) -> Result<Option<Uuid>> {
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        several => {
            let shown = several.iter().take(MAX_CANDIDATES).map(|id| short(*id, several.iter().copied()));
            let mut candidates: Vec<String> = shown.collect();
            if several.len() > MAX_CANDIDATES {
                candidates.push("…".to_owned());
            }
            Err(Error::AmbiguousId { given: text.to_owned(), candidates: candidates.join(", ") })
        }
    }
}
