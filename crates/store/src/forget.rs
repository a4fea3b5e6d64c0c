//! Forgetting: the one thing that changes messages. What was there can be brought back for a while, then it is nowhere.

use jiff::Timestamp;
use serde_json::{Map, Value};
use throughline_domain::forget::{Aim, Suppression};
use throughline_domain::memory::MemoryId;
use throughline_domain::message::MessageId;
use throughline_text::summarize::Sections;
use uuid::Uuid;

use crate::{Arm, InChat, Result, Store};

/// What is left of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Blanked {
    /// Which.
    pub id: MessageId,
    /// Its text as it was read.
    pub before: String,
    /// The sentences that go.
    pub gone: Vec<String>,
    /// Its text from now on.
    pub text: String,
    /// Its metadata from now on.
    pub metadata: Map<String, Value>,
}

/// What is left of a summary. One without words is made anew from what is left of the messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleaned {
    /// Which.
    pub id: Uuid,
    /// Its words from now on.
    pub text: String,
    /// Its sections from now on.
    pub sections: Sections,
}

/// What is to be forgotten, as one.
#[derive(Debug, Clone)]
pub struct Forgetting {
    /// The id of the receipt.
    pub id: Uuid,
    /// When, by the calendar.
    pub at: Timestamp,
    /// Until when it can be undone; nothing where it cannot.
    pub undo_until: Option<Timestamp>,
    /// Whose memories they are, where that is known.
    pub person: Option<String>,
    /// Memories to take out.
    pub memories: Vec<MemoryId>,
    /// Messages to change, in whatever chats of the person they are.
    pub messages: Vec<Blanked>,
    /// Summaries to change.
    pub summaries: Vec<Cleaned>,
    /// What keeps the values from being learned again.
    pub suppressions: Vec<Suppression>,
}

/// A receipt of forgetting: figures, no words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Its id.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// Until when it can be undone.
    pub undo_until: Option<Timestamp>,
    /// Memories that were taken out.
    pub memories: u64,
    /// Messages that were changed.
    pub messages: u64,
    /// Summaries that were changed.
    pub summaries: u64,
}

impl Store {
    /// The key of the hashes that are left of what was forgotten; made when it is first asked for.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn suppression_key(&self) -> Result<[u8; 32]> {
        match &self.arm {
            Arm::Sqlite(db) => db.suppression_key().await,
        }
    }

    /// Lets go of the words of forgettings that can no longer be undone, and says how many there were.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn purge_forgotten(&self, now: Timestamp) -> Result<u64> {
        match &self.arm {
            Arm::Sqlite(db) => db.purge_forgotten(now).await,
        }
    }

    /// Whether deleted bytes may still lie in the database's files.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn wants_scrub(&self) -> Result<bool> {
        match &self.arm {
            Arm::Sqlite(db) => db.wants_scrub().await,
        }
    }

    /// Leaves no trace in the database's files of what was deleted from it.
    ///
    /// # Errors
    /// When the files cannot be written, or another process keeps an old state open.
    pub async fn scrub(&self) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.scrub().await,
        }
    }
}

impl InChat {
    /// Forgets. Indexes, vectors and portraits follow in the same transaction.
    ///
    /// # Errors
    /// When the store cannot be written; then nothing was forgotten.
    pub async fn forget(&self, forgetting: Forgetting) -> Result<Forgotten> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.forget(&self.chat, self.watched, forgetting).await,
        }
    }

    /// Brings back what a receipt stands for, if that is still possible.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn undo_forgetting(&self, id: Uuid, now: Timestamp) -> Result<Option<Forgotten>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.undo_forgetting(&self.chat, id, now).await,
        }
    }

    /// Makes earlier forgettings permanent that keep something an aim takes, and says how many there were.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn finish_forgettings(&self, aim: Aim) -> Result<u64> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.finish_forgettings(&self.chat, aim).await,
        }
    }

    /// What is left of forgotten values, with when they were forgotten: those of this chat and of the person.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn suppressions(&self, person: Option<&str>) -> Result<Vec<(Suppression, Timestamp)>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.suppressions(&self.chat, person).await,
        }
    }
}
