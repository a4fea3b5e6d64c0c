//! Restricts a connection to the chats it may read. The store's own handle enforces the limit, so code behind the
//! connection cannot read more.

use std::sync::Arc;

pub use throughline_domain::access::Access;
use throughline_domain::channel::is_group;
use throughline_domain::chat::ChatId;

use crate::{Engine, Result};

/// The channel of chats that API clients create. Their persons need no entry in the settings.
const API_CHANNEL: &str = "api";

impl Engine {
    /// Returns this engine with a store handle that can access only these chats.
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

    /// Returns true if a person may access a chat. An unclaimed, empty chat on the channel `api` becomes theirs.
    pub async fn claim(&self, chat: &ChatId, person: &str) -> Result<bool> {
        let people = &self.settings.people;
        if let Some(known) = people.of(chat) {
            return Ok(known == person);
        }
        if chat.channel() != API_CHANNEL || is_group(chat) {
            return Ok(false);
        }
        let Some(claimed) = self.store.claim_chat(chat, person).await? else { return Ok(false) };
        let is_theirs = claimed == person;
        people.claims.add(chat.clone(), claimed);
        Ok(is_theirs)
    }

    /// Loads the claims that earlier processes stored.
    pub async fn load_claims(&self) -> Result<()> {
        for (chat, person) in self.store.claims().await? {
            self.settings.people.claims.add(chat, person);
        }
        Ok(())
    }
}
