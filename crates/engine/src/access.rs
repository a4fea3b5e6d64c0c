//! What a connection may see. It is kept by the store's own handle, so that nothing behind the connection can read wider.

use std::sync::Arc;

use throughline_domain::chat::ChatId;

use crate::Engine;

/// What a connection may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Everything: it is the owner's.
    Everything,
    /// The private chats of one person.
    Person(String),
    /// One chat.
    Chat(ChatId),
}

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
}
