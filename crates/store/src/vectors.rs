//! Vectors of messages. Background jobs make them, and they can be rebuilt.

use std::collections::HashSet;

use throughline_domain::recall::vector::{self, Vector};

use crate::index::memory::PART;
use crate::index::{meta, words};
use crate::jobs::JobKind;
use crate::tx::Tx;
use crate::{Error, InChat, Result};

/// Messages that are embedded together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The first message of their block; `None` if they are not indexed.
    pub(crate) block: Option<i64>,
    /// The messages, each with its components if it has some already.
    pub(crate) messages: Vec<(i64, Option<Vec<u8>>)>,
    /// The texts of the others, in order.
    pub texts: Vec<String>,
}

/// Number of blocks that are embedded in one transaction.
const BLOCKS_PER_WRITE: usize = 16;

impl InChat {
    /// Messages without a vector of this embedder, newest blocks first; empty if all have one.
    pub async fn without_vectors(&self, embedder: &str) -> Result<Vec<Unembedded>> {
        let embedder = embedder.to_owned();
        self.read(move |tx, _, chat| {
            let blocks = tx.blocks_without_vectors(chat, &embedder, BLOCKS_PER_WRITE)?.into_iter();
            let mut found =
                blocks.map(|first| read_block(tx, chat, &embedder, first)).collect::<Result<Vec<_>>>()?;
            let unindexed = tx.unindexed_without_vectors(chat, &embedder)?;
            if !unindexed.is_empty() {
                let (messages, texts) = unindexed.into_iter().map(|(seq, text)| ((seq, None), text)).unzip();
                found.push(Unembedded { block: None, messages, texts });
            }
            Ok(found)
        })
        .await
    }

    /// Returns true if a message has no vector of this embedder.
    pub async fn lacks_vectors(&self, embedder: &str) -> Result<bool> {
        let embedder = embedder.to_owned();
        self.read(move |tx, _, chat| tx.lacks_vectors(chat, &embedder)).await
    }

    /// Indexes the unindexed messages, once there are many.
    pub async fn index_unindexed(&self) -> Result<()> {
        self.write(|tx, _, chat| words::index_if_due(tx, chat)).await
    }

    /// Requests the vectors of this chat.
    pub async fn request_vectors(&self) -> Result<()> {
        self.write(|tx, name, _| tx.request_job(JobKind::EMBED, name.as_str())).await
    }

    /// Stores the vectors of messages: one for each text, in order. If a message gets two, the last one is kept.
    pub async fn add_vectors(&self, embedder: &str, made: Vec<(Unembedded, Vec<Vector>)>) -> Result<()> {
        let embedder = embedder.to_owned();
        self.write_derived(move |tx, _, chat| {
            for (what, vectors) in made {
                let block = what.block;
                let vectors = joined(what, vectors)?;
                match block {
                    Some(first) => add_block(tx, chat, &embedder, first, &vectors)?,
                    None => add_unmerged(tx, chat, &embedder, &vectors)?,
                }
            }
            tx.count_vector_write(chat)
        })
        .await
    }

    /// Deletes this chat's vectors of other embedders.
    pub async fn keep_only_vectors_of(&self, embedder: &str) -> Result<()> {
        let embedder = embedder.to_owned();
        self.write(move |tx, _, chat| tx.delete_other_vectors(chat, &embedder)).await
    }
}

/// Moves the vectors of a chat out of their blocks, without those of changed messages.
pub(crate) fn unmerge(tx: &Tx<'_>, chat: i64, changed: &HashSet<i64>) -> Result<()> {
    for (embedder, first) in tx.vector_blocks(chat)? {
        let entries = meta::read(tx, chat, first)?;
        for (part, entries) in entries.chunks(PART).enumerate() {
            let components = tx.vector_part(chat, &embedder, first, part)?.unwrap_or_default();
            let dimensions = components.len() / entries.len().max(1);
            let vectors = entries.iter().zip(components.chunks(dimensions.max(1)));
            for (entry, components) in vectors.filter(|(entry, _)| !changed.contains(&entry.seq)) {
                tx.put_unmerged_vector(chat, &embedder, entry.seq, components)?;
            }
        }
    }
    tx.delete_vector_blocks(chat)?;
    for embedder in tx.unmerged_embedders(chat)? {
        changed.iter().try_for_each(|message| tx.delete_unmerged_vector(chat, &embedder, *message))?;
    }
    tx.count_vector_write(chat)
}

fn read_block(tx: &Tx<'_>, chat: i64, embedder: &str, first: i64) -> Result<Unembedded> {
    let mut found = Unembedded { block: Some(first), messages: Vec::new(), texts: Vec::new() };
    for entry in meta::read(tx, chat, first)? {
        let made = tx.unmerged_vector(chat, embedder, entry.seq)?;
        if made.is_none() {
            found.texts.push(tx.message_text(entry.seq)?.unwrap_or_default());
        }
        found.messages.push((entry.seq, made));
    }
    Ok(found)
}

/// The components of each message: existing ones, and those made of the texts.
fn joined(what: Unembedded, vectors: Vec<Vector>) -> Result<Vec<(i64, Vec<u8>)>> {
    let missing = || Error::Conflict("there are not as many vectors as texts".to_owned());
    let mut vectors = vectors.into_iter();
    let mut components = |known: Option<Vec<u8>>| {
        known.or_else(|| Some(vectors.next()?.components().to_vec())).ok_or_else(missing)
    };
    what.messages.into_iter().map(|(message, known)| Ok((message, components(known)?))).collect()
}

/// Stores the vectors of a block, unless the block was rebuilt meanwhile.
fn add_block(tx: &Tx<'_>, chat: i64, embedder: &str, first: i64, vectors: &[(i64, Vec<u8>)]) -> Result<()> {
    let entries = meta::read(tx, chat, first)?;
    if !entries.iter().map(|entry| entry.seq).eq(vectors.iter().map(|(message, _)| *message)) {
        return Ok(());
    }
    let signs: Vec<u8> = vectors
        .iter()
        .flat_map(|(_, components)| vector::signs(components))
        .flat_map(u64::to_le_bytes)
        .collect();
    tx.put_vector_signs(chat, embedder, first, &signs)?;
    for (part, vectors) in vectors.chunks(PART).enumerate() {
        let components: Vec<u8> = vectors.iter().flat_map(|(_, components)| components).copied().collect();
        tx.put_vector_part(chat, embedder, first, part, &components)?;
    }
    vectors.iter().try_for_each(|(message, _)| tx.delete_unmerged_vector(chat, embedder, *message))
}

/// Stores the vectors of messages that are still unindexed.
fn add_unmerged(tx: &Tx<'_>, chat: i64, embedder: &str, vectors: &[(i64, Vec<u8>)]) -> Result<()> {
    for (message, components) in vectors {
        if tx.is_unindexed(chat, *message)? {
            tx.put_unmerged_vector(chat, embedder, *message, components)?;
        }
    }
    Ok(())
}
