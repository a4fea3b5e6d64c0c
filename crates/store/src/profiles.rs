//! Profiles: portraits of people as a model wrote them. What they are made of are memories.

use jiff::Timestamp;

use crate::{Arm, InChat, Result};

impl InChat {
    /// The newest portrait that was there before a moment: of the person where one is known, else of this chat.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn narrative(&self, person: Option<&str>, at: Timestamp) -> Result<Option<String>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.narrative(&self.chat, person, at).await,
        }
    }

    /// Keeps a portrait beside the few before it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn keep_narrative(&self, person: Option<&str>, text: &str, at: Timestamp) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.keep_narrative(&self.chat, self.watched, person, text, at).await,
        }
    }
}
