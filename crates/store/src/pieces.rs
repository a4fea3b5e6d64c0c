//! Pieces: memories and summaries as search sees them, each with its vector if it has one.

use std::collections::HashMap;

use jiff::Timestamp;
use throughline_domain::lane::Lane;
use throughline_domain::memory::Memory;
use throughline_domain::recall::vector::Vector;
use throughline_domain::summary::Summary;
use uuid::Uuid;

use crate::{InChat, Result};

/// A memory or a summary.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// An active memory.
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

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Memory(memory) => &memory.text,
            Self::Summary(_, summary) => &summary.text,
        }
    }

    /// The time it is about.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Memory(memory) => memory.valid_from,
            Self::Summary(_, summary) => summary.last.position.at,
        }
    }
}

impl InChat {
    /// The vector components of pieces, by piece.
    pub async fn piece_vectors(&self, pieces: Vec<Uuid>, embedder: &str) -> Result<HashMap<Uuid, Vec<u8>>> {
        let embedder = embedder.to_owned();
        self.store()?
            .read(move |tx| {
                let mut found = HashMap::with_capacity(pieces.len());
                for piece in pieces {
                    found.extend(tx.piece_vector(piece, &embedder)?.map(|components| (piece, components)));
                }
                Ok(found)
            })
            .await
    }

    /// The texts of this chat's pieces without a vector of an embedder.
    pub async fn pieces_without_vectors(&self, embedder: &str, limit: usize) -> Result<Vec<(Uuid, String)>> {
        let embedder = embedder.to_owned();
        self.read(move |tx, _, chat| tx.pieces_without_vectors(chat, &embedder, limit)).await
    }

    /// Stores vectors of pieces. If a piece occurs twice, the last vector is kept.
    pub async fn add_piece_vectors(&self, embedder: &str, made: Vec<(Uuid, Vector)>) -> Result<()> {
        let embedder = embedder.to_owned();
        self.write_derived(move |tx, _, chat| {
            let made: HashMap<Uuid, Vector> = made.into_iter().collect();
            made.iter().try_for_each(|(piece, vector)| {
                tx.put_piece_vector(chat, *piece, &embedder, vector.components())
            })
        })
        .await
    }
}
