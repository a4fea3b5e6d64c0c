//! How the store is: figures for `status`, checks for `doctor`, and repairs.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{Arm, Result, Store};

/// Figures of the whole store; nothing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// The database's format.
    pub format: u32,
    /// How many chats.
    pub chats: u64,
    /// How many messages.
    pub messages: u64,
    /// How many summaries.
    pub summaries: u64,
    /// How many memories hold.
    pub memories: u64,
    /// Jobs that wait, by kind.
    pub jobs_by_kind: BTreeMap<String, u64>,
    /// Messages that wait for a turn.
    pub waiting: u64,
    /// Turns that run.
    pub running: u64,
    /// Replies on disk that no channel has confirmed yet.
    pub pending_replies: u64,
    /// Replies of which nobody knows whether they were seen.
    pub uncertain_replies: u64,
    /// Jobs that wait, and those of them that failed before.
    pub jobs: u64,
    /// Jobs that failed at least once.
    pub failing_jobs: u64,
    /// Why one of them failed, the one that is tried last.
    pub job_problem: Option<String>,
    /// How many messages have a vector, by the embedder that made it.
    pub vectors: BTreeMap<String, u64>,
    /// Messages that lie beside the word index.
    pub unindexed: u64,
    /// The size of the database in bytes.
    pub bytes: u64,
}

impl Figures {
    /// How many messages have a vector of this embedder.
    #[must_use]
    pub fn embedded(&self, embedder: &str) -> u64 {
        self.vectors.get(embedder).copied().unwrap_or_default()
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// What is wrong, if anything.
    pub problem: Option<String>,
}

impl Store {
    /// Writes a copy of the whole database to a file that does not exist yet.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn back_up(&self, file: &Path) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.back_up(file).await,
        }
    }

    /// Puts a backup in the place of everything that is here, and says how many messages it holds. What was here is
    /// backed up first.
    ///
    /// # Errors
    /// When the file is no backup of this version or an earlier one, or cannot be read; then nothing is changed.
    pub async fn restore(&self, file: &Path) -> Result<u64> {
        match &self.arm {
            Arm::Sqlite(db) => db.restore(file).await,
        }
    }

    /// Figures for `status`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn figures(&self) -> Result<Figures> {
        match &self.arm {
            Arm::Sqlite(db) => db.figures().await,
        }
    }

    /// Looks for damage: the file, the references in it, and the word index against the messages.
    ///
    /// # Errors
    /// When the store cannot be read at all.
    pub async fn check(&self) -> Result<Vec<Check>> {
        match &self.arm {
            Arm::Sqlite(db) => db.check().await,
        }
    }

    /// One transaction that writes next to nothing: what the disk takes for a commit.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn bare_commit(&self) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.bare_commit().await,
        }
    }

    /// Makes the word index anew from the messages.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn reindex(&self) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.reindex().await,
        }
    }
}
