//! What a connection may see. It is kept by the store's own handle, so that nothing behind the connection can read wider.

use std::sync::Arc;

pub use throughline_domain::access::Access;
use throughline_domain::channel::is_group;
use throughline_domain::chat::ChatId;

use crate::{Engine, Result};

/// The channel of chats that programs make up, whose persons no setting need name.
const PROGRAMS: &str = "api";

impl Engine {
    /// The same engine over a handle of the store that can touch only these chats.
    #[must_use]
    pub fn narrowed(&self, access: &Access) -> Self {
        let store = match access.clone() {
            Access::Everything => self.store.clone(),
            Access::Chat(only) => self.store.narrowed(Arc::new(move |chat| *chat == only)),
            Access::Person(person) => {
                let settings = Arc::clone(&self.settings);
                let is_theirs = move |chat: &ChatId| settings.people.of(chat).as_ref() == Some(&person);
                self.store.narrowed(Arc::new(is_theirs))
            }
        };
        Self { store, ..self.clone() }
    }

    /// Whether a person may touch a chat. One on the channel `api` that belongs to nobody yet, and in which nothing was said,
    /// is theirs from then on.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn claim(&self, chat: &ChatId, person: &str) -> Result<bool> {
        let people = &self.settings.people;
        if let Some(known) = people.of(chat) {
            return Ok(known == person);
        }
        if chat.channel() != PROGRAMS || is_group(chat) {
            return Ok(false);
        }
        let Some(claimed) = self.store.claim_chat(chat, person).await? else { return Ok(false) };
        let is_theirs = claimed == person;
        people.claims.add(chat.clone(), claimed);
        Ok(is_theirs)
    }

    /// Reads the claims that were made before this process began.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn load_claims(&self) -> Result<()> {
        for (chat, person) in self.store.claims().await? {
            self.settings.people.claims.add(chat, person);
        }
        Ok(())
    }
}
