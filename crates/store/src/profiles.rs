//! Profile narratives, which a model writes from memories.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;

use crate::{InChat, Result, forget};

/// Number of versions kept per owner: a running conversation keeps the one it began with.
const VERSIONS_KEPT: u32 = 3;

impl InChat {
    /// The newest narrative from before a time: the person's if one is given, otherwise this chat's.
    pub async fn narrative(&self, person: Option<&str>, at: Timestamp) -> Result<Option<String>> {
        let owner = owner(&self.chat, person);
        self.store()?.read(move |tx| tx.profile_before(&owner, at)).await
    }

    /// Stores a narrative and deletes old versions.
    pub async fn keep_narrative(&self, person: Option<&str>, text: &str, at: Timestamp) -> Result<()> {
        let (chat, watched) = (self.chat.clone(), self.watched);
        let (owner, text) = (owner(&self.chat, person), text.to_owned());
        self.store()?
            .write(move |tx| {
                if let Some(chat) = tx.chat_row(&chat)? {
                    forget::check(tx, chat, watched)?;
                }
                tx.put_profile(&owner, at, &text)?;
                tx.delete_old_profiles(&owner, VERSIONS_KEPT)
            })
            .await
    }
}

/// The owner of a narrative, as stored.
pub(crate) fn owner(chat: &ChatId, person: Option<&str>) -> String {
    person.map_or_else(|| format!("chat:{chat}"), |person| format!("person:{person}"))
}
