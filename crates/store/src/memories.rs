//! Memories: what was learned, whose it is, and what became of it.

use jiff::Timestamp;
use throughline_domain::context::StoredMessage;
use throughline_domain::memory::{Memory, MemoryId, Proof, Status};

use crate::{Arm, InChat, Result};

/// A message to learn from, with the reply that followed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unextracted {
    /// What the person said.
    pub said: StoredMessage,
    /// What the assistant answered, where it did.
    pub answered: Option<String>,
}

/// A memory with when it was written down and when that last changed, by the calendar.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The memory.
    pub memory: Memory,
    /// When it was written down.
    pub learned_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// The number of the newest message when it was written down.
    pub learned_after: i64,
}

/// A change to a memory that is there.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It holds no longer.
    Close {
        /// Which.
        id: MemoryId,
        /// What became of it.
        status: Status,
        /// Since when.
        at: Timestamp,
        /// What took its place.
        by: Option<MemoryId>,
    },
    /// It was said again.
    Prove {
        /// Which.
        id: MemoryId,
        /// By this.
        proof: Proof,
    },
    /// It holds from now on: somebody said so.
    Accept {
        /// Which.
        id: MemoryId,
    },
}

/// What came of learning, to be written as one.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// New memories.
    pub memories: Vec<Memory>,
    /// Changes to those there are.
    pub changes: Vec<Change>,
    /// The sequence numbers of messages that need not be looked at again.
    pub read: Vec<i64>,
    /// The moment, by the calendar.
    pub at: Timestamp,
}

impl InChat {
    /// Writes down what was learned here, and asks for what follows from it.
    ///
    /// # Errors
    /// When the store cannot be written; then nothing was.
    pub async fn learn(&self, learned: Learned) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.learn(&self.chat, self.watched, learned).await,
        }
    }

    /// The oldest messages that nobody has learned from. Those that wait for a turn, or are being answered, come later.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn unextracted(&self, limit: usize) -> Result<Vec<Unextracted>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.unextracted(&self.chat, limit).await,
        }
    }

    /// What may be seen in this chat: what was learned in it, and what is the person's, in any state, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn memories(&self, person: Option<&str>) -> Result<Vec<StoredMemory>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.memories(&self.chat, person).await,
        }
    }
}
