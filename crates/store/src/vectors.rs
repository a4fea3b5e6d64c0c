//! Vectors: what an embedder made of messages. They are written in the background and can be made anew.

use throughline_domain::recall::vector::Vector;

use crate::{Arm, InChat, Result};

/// Messages that are to get their vectors together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The first message of their block in the index; nothing where they lie beside it.
    pub(crate) block: Option<i64>,
    /// Each with its components, where it has them already.
    pub(crate) messages: Vec<(i64, Option<Vec<u8>>)>,
    /// The texts of the others, in order.
    pub texts: Vec<String>,
}

impl InChat {
    /// Messages without a vector of this embedder, the newest first; empty when all have one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn without_vectors(&self, embedder: &str) -> Result<Vec<Unembedded>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.without_vectors(&self.chat, embedder).await,
        }
    }

    /// Whether some message has no vector of this embedder.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn lacks_vectors(&self, embedder: &str) -> Result<bool> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.lacks_vectors(&self.chat, embedder).await,
        }
    }

    /// Takes messages into the index that have come one by one, once they are many.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn index_unindexed(&self) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.index_unindexed(&self.chat).await,
        }
    }

    /// Asks for the vectors of this chat.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn want_vectors(&self) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.want_vectors_of(&self.chat).await,
        }
    }

    /// Keeps what an embedder made of messages; a vector for each text, in order. Where it was made twice, the last holds.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn add_vectors(&self, embedder: &str, made: Vec<(Unembedded, Vec<Vector>)>) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.add_vectors(&self.chat, self.watched, embedder, made).await,
        }
    }

    /// Drops what other embedders made of this chat.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn keep_only_vectors_of(&self, embedder: &str) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.keep_only_vectors_of(&self.chat, embedder).await,
        }
    }
}
