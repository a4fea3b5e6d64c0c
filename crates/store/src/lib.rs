//! What was said and learned, on disk. Every read of what people said goes through a chat: see [`InChat`].
//!
//! [`Store`] is a struct over a private enum with one arm per database. A public method carries the contract and a
//! match; the SQL is in the arm's own files, named like these.

pub mod arrivals;
pub mod chats;
pub mod embedder;
mod error;
pub mod forget;
pub mod health;
pub mod holder;
pub mod jobs;
pub mod ledger;
pub mod memories;
pub mod messages;
pub mod outbox;
pub mod pairing;
pub mod pieces;
pub mod profiles;
pub mod routines;
pub mod search;
mod sqlite;
pub mod summaries;
pub mod turns;
pub mod vectors;

use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;

pub use error::{Error, Result};

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database file; its directory exists.
    pub path: PathBuf,
    /// The silence that ends a conversation.
    pub gap: SignedDuration,
    /// Where a backup goes before a migration.
    pub backups: PathBuf,
}

/// A database, shared by everything in this process and by other processes.
#[derive(Clone)]
pub struct Store {
    arm: Arm,
}

#[derive(Clone)]
enum Arm {
    Sqlite(Arc<sqlite::Sqlite>),
}

impl Store {
    /// Opens the database, creating or migrating it first where needed.
    ///
    /// # Errors
    /// When it cannot be read or written, is corrupt, or was made by a newer version.
    pub async fn open(options: Options) -> Result<Self> {
        Ok(Self { arm: Arm::Sqlite(Arc::new(sqlite::Sqlite::open(options).await?)) })
    }

    /// Everything that can be read of one chat.
    #[must_use]
    pub fn chat(&self, chat: &ChatId) -> InChat {
        InChat { store: self.clone(), chat: chat.clone(), watched: None }
    }
}

/// A handle that can read one chat and no other.
#[derive(Clone)]
pub struct InChat {
    store: Store,
    chat: ChatId,
    /// How often something had been forgotten here when the handle began to watch.
    watched: Option<u64>,
}

impl InChat {
    /// The chat.
    #[must_use]
    pub fn id(&self) -> &ChatId {
        &self.chat
    }

    /// A handle that writes nothing derived once something was forgotten after this moment: what was read before may hold
    /// it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn watching(&self) -> Result<Self> {
        let watched = match &self.store.arm {
            Arm::Sqlite(db) => db.forgettings(&self.chat).await?,
        };
        Ok(Self { watched: Some(watched), ..self.clone() })
    }
}
