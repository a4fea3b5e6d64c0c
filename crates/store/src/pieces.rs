//! Pieces: memories and summaries as a search sees them, each with its vector where it has one.

use std::collections::HashMap;

use jiff::Timestamp;
use throughline_domain::lane::Lane;
use throughline_domain::memory::Memory;
use throughline_domain::recall::vector::Vector;
use throughline_domain::summary::Summary;
use uuid::Uuid;

use crate::{Arm, InChat, Result};

/// What a piece is.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A memory that holds.
    Memory(Memory),
    /// A summary of a lane.
    Summary(Lane, Summary),
}

impl Piece {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> Uuid {
        match self {
            Self::Memory(memory) => memory.id.0,
            Self::Summary(_, summary) => summary.id,
        }
    }

    /// Its words.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Memory(memory) => &memory.text,
            Self::Summary(_, summary) => &summary.text,
        }
    }

    /// The moment it is about.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Memory(memory) => memory.valid_from,
            Self::Summary(_, summary) => summary.last.position.at,
        }
    }
}

impl InChat {
    /// The components of the vectors that an embedder made of pieces, by piece.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn piece_vectors(&self, pieces: Vec<Uuid>, embedder: &str) -> Result<HashMap<Uuid, Vec<u8>>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.piece_vectors(pieces, embedder).await,
        }
    }

    /// The words of this chat's own pieces that have no vector of an embedder.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn pieces_without_vectors(&self, embedder: &str, limit: usize) -> Result<Vec<(Uuid, String)>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.pieces_without_vectors(&self.chat, embedder, limit).await,
        }
    }

    /// Keeps vectors of pieces.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn add_piece_vectors(&self, embedder: &str, made: Vec<(Uuid, Vector)>) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.add_piece_vectors(&self.chat, self.watched, embedder, made).await,
        }
    }
}
