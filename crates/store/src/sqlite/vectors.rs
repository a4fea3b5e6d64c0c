//! Keeps the vectors of each chat, beside the blocks of its outline.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::recall::vector::{self, Vector};

use super::messages::chat_row;
use super::{Sqlite, forget, memories, message_meta, words};
use crate::vectors::{EMBED, Unembedded};
use crate::{Error, Result};

/// So many vectors are read together.
pub(super) const PART: usize = 16;
/// So many blocks get their vectors in one transaction.
const BLOCKS: usize = 16;

impl Sqlite {
    pub async fn without_vectors(&self, chat: &ChatId, embedder: &str) -> Result<Vec<Unembedded>> {
        let (chat, embedder) = (chat.clone(), embedder.to_owned());
        self.read(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let beside = beside(transaction, chat, &embedder)?;
            let mut found = blocks(transaction, chat, &embedder)?;
            found.extend((!beside.messages.is_empty()).then_some(beside));
            Ok(found)
        })
        .await
    }

    pub async fn lacks_vectors(&self, chat: &ChatId, embedder: &str) -> Result<bool> {
        let (chat, embedder) = (chat.clone(), embedder.to_owned());
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM unindexed u WHERE u.chat = c.id AND NOT EXISTS ( \
                   SELECT 1 FROM unmerged_vectors v WHERE v.chat = u.chat AND v.embedder = ?2 AND v.message = u.seq)) \
                 OR EXISTS (SELECT 1 FROM message_meta o WHERE o.chat = c.id AND NOT EXISTS ( \
                   SELECT 1 FROM vector_signs v WHERE v.chat = o.chat AND v.embedder = ?2 AND v.first = o.first)) \
                 FROM chats c WHERE c.key = ?1",
            )?;
            let lacks = statement.query_row(params![chat.as_str(), embedder], |row| row.get(0)).optional()?;
            Ok(lacks.unwrap_or(false))
        })
        .await
    }

    pub async fn index_unindexed(&self, chat: &ChatId) -> Result<()> {
        let chat = chat.clone();
        self.write(move |transaction| match chat_row(transaction, &chat)? {
            Some(row) => words::index_if_due(transaction, row),
            None => Ok(()),
        })
        .await
    }

    pub async fn want_vectors_of(&self, chat: &ChatId) -> Result<()> {
        let chat = chat.clone();
        self.write(move |transaction| match chat_row(transaction, &chat)? {
            Some(row) => want(transaction, row),
            None => Ok(()),
        })
        .await
    }

    pub async fn add_vectors(
        &self,
        chat: &ChatId,
        watched: Option<u64>,
        embedder: &str,
        made: Vec<(Unembedded, Vec<Vector>)>,
    ) -> Result<()> {
        let (chat, embedder) = (chat.clone(), embedder.to_owned());
        self.write(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(()) };
            forget::check(transaction, chat, watched)?;
            for (what, vectors) in made {
                let block = what.block;
                let vectors = joined(what, vectors)?;
                match block {
                    Some(first) => add_block(transaction, chat, &embedder, first, &vectors)?,
                    None => add_unmerged(transaction, chat, &embedder, &vectors)?,
                }
            }
            changed_vectors(transaction, chat)
        })
        .await
    }

    pub async fn keep_only_vectors_of(&self, chat: &ChatId, embedder: &str) -> Result<()> {
        let (chat, embedder) = (chat.clone(), embedder.to_owned());
        self.write(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(()) };
            for table in ["vector_signs", "vectors", "unmerged_vectors", "piece_vectors"] {
                let sql = format!("DELETE FROM {table} WHERE chat = ?1 AND embedder <> ?2");
                transaction.prepare_cached(&sql)?.execute(params![chat, embedder])?;
            }
            Ok(())
        })
        .await
    }
}

/// Asks for the vectors of a chat.
pub(super) fn want(transaction: &Transaction<'_>, chat: i64) -> Result<()> {
    memories::want(transaction, EMBED, chat)
}

pub(super) fn want_all(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute(
        "INSERT OR IGNORE INTO jobs (kind, subject, due_at) SELECT ?1, key, 0 FROM chats",
        [EMBED],
    )?;
    Ok(())
}

/// Takes the vectors of a chat out of their blocks, but for those of messages that have changed.
pub(super) fn unmerge(transaction: &Transaction<'_>, chat: i64, changed: &HashSet<i64>) -> Result<()> {
    let mut signs = transaction
        .prepare("SELECT embedder, first FROM vector_signs WHERE chat = ?1 ORDER BY embedder, first")?;
    let blocks = signs.query_map([chat], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut insert = transaction.prepare(
        "INSERT OR REPLACE INTO unmerged_vectors (chat, embedder, message, components) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (embedder, first) in blocks.collect::<rusqlite::Result<Vec<(String, i64)>>>()? {
        let entries = message_meta::read_one(transaction, chat, first)?;
        for (number, entries) in entries.chunks(PART).enumerate() {
            let components = part(transaction, chat, &embedder, first, number)?;
            let dimension = components.len() / entries.len().max(1);
            let kept = entries.iter().zip(components.chunks(dimension.max(1)));
            for (entry, components) in kept.filter(|(entry, _)| !changed.contains(&entry.seq)) {
                insert.execute(params![chat, embedder, entry.seq, components])?;
            }
        }
    }
    for table in ["vector_signs", "vectors"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE chat = ?1"), [chat])?;
    }
    let mut embedders =
        transaction.prepare("SELECT DISTINCT embedder FROM unmerged_vectors WHERE chat = ?1")?;
    let embedders = embedders.query_map([chat], |row| row.get(0))?;
    // Each by its whole key: there may be as many as there are messages.
    let mut drop = transaction
        .prepare("DELETE FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?2 AND message = ?3")?;
    for embedder in embedders.collect::<rusqlite::Result<Vec<String>>>()? {
        for message in changed {
            drop.execute(params![chat, embedder, message])?;
        }
    }
    changed_vectors(transaction, chat)
}

/// Says that what is held in memory has to catch up.
fn changed_vectors(transaction: &Transaction<'_>, chat: i64) -> Result<()> {
    transaction.prepare_cached("UPDATE chats SET vector_writes = vector_writes + 1 WHERE id = ?1")?.execute([chat])?;
    Ok(())
}

/// The newest blocks without vectors.
fn blocks(transaction: &Transaction<'_>, chat: i64, embedder: &str) -> Result<Vec<Unembedded>> {
    let mut statement = transaction.prepare_cached(
        "SELECT o.first FROM message_meta o WHERE o.chat = ?1 AND NOT EXISTS ( \
           SELECT 1 FROM vector_signs v WHERE v.chat = o.chat AND v.embedder = ?2 AND v.first = o.first \
         ) ORDER BY o.first DESC LIMIT ?3",
    )?;
    let firsts = statement.query_map(params![chat, embedder, BLOCKS], |row| row.get(0))?;
    let firsts = firsts.collect::<rusqlite::Result<Vec<i64>>>()?;
    firsts.into_iter().map(|first| read_block(transaction, chat, embedder, first)).collect()
}

fn read_block(transaction: &Transaction<'_>, chat: i64, embedder: &str, first: i64) -> Result<Unembedded> {
    let mut known = transaction.prepare_cached(
        "SELECT components FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?2 AND message = ?3",
    )?;
    let mut text = transaction.prepare_cached("SELECT text FROM messages WHERE seq = ?1")?;
    let mut found = Unembedded { block: Some(first), messages: Vec::new(), texts: Vec::new() };
    for entry in message_meta::read_one(transaction, chat, first)? {
        let made = known.query_row(params![chat, embedder, entry.seq], |row| row.get(0)).optional()?;
        if made.is_none() {
            found.texts.push(text.query_row([entry.seq], |row| row.get(0)).optional()?.unwrap_or_default());
        }
        found.messages.push((entry.seq, made));
    }
    Ok(found)
}

/// The components of each message: those it has, and those that were made of the texts.
fn joined(what: Unembedded, vectors: Vec<Vector>) -> Result<Vec<(i64, Vec<u8>)>> {
    let missing = || Error::Conflict("there are not as many vectors as texts".to_owned());
    let mut vectors = vectors.into_iter();
    let mut components = |known: Option<Vec<u8>>| {
        known.or_else(|| Some(vectors.next()?.components().to_vec())).ok_or_else(missing)
    };
    what.messages.into_iter().map(|(message, known)| Ok((message, components(known)?))).collect()
}

/// The messages beside the index that have no vector.
fn beside(transaction: &Transaction<'_>, chat: i64, embedder: &str) -> Result<Unembedded> {
    let mut statement = transaction.prepare_cached(
        "SELECT m.seq, m.text FROM unindexed u JOIN messages m ON m.seq = u.seq WHERE u.chat = ?1 AND NOT EXISTS ( \
           SELECT 1 FROM unmerged_vectors v WHERE v.chat = u.chat AND v.embedder = ?2 AND v.message = u.seq \
         ) ORDER BY u.seq",
    )?;
    let mut rows = statement.query(params![chat, embedder])?;
    let mut found = Unembedded { block: None, messages: Vec::new(), texts: Vec::new() };
    while let Some(row) = rows.next()? {
        found.messages.push((row.get(0)?, None));
        found.texts.push(row.get(1)?);
    }
    Ok(found)
}

/// A block that was made anew meanwhile is not there any more, and its vectors are not wanted.
fn add_block(
    transaction: &Transaction<'_>,
    chat: i64,
    embedder: &str,
    first: i64,
    vectors: &[(i64, Vec<u8>)],
) -> Result<()> {
    let entries = message_meta::read_one(transaction, chat, first)?;
    if !entries.iter().map(|entry| entry.seq).eq(vectors.iter().map(|(message, _)| *message)) {
        return Ok(());
    }
    let signs: Vec<u8> = vectors
        .iter()
        .flat_map(|(_, components)| vector::signs(components))
        .flat_map(u64::to_le_bytes)
        .collect();
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO vector_signs (chat, embedder, first, signs) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![chat, embedder, first, signs])?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO vectors (chat, embedder, first, part, components) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (part, vectors) in vectors.chunks(PART).enumerate() {
        let components: Vec<u8> = vectors.iter().flat_map(|(_, components)| components).copied().collect();
        insert.execute(params![chat, embedder, first, part, components])?;
    }
    if let Some((last, _)) = vectors.last() {
        let mut delete = transaction.prepare_cached(
            "DELETE FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?4 AND message BETWEEN ?2 AND ?3",
        )?;
        delete.execute(params![chat, first, last, embedder])?;
    }
    Ok(())
}

fn add_unmerged(
    transaction: &Transaction<'_>,
    chat: i64,
    embedder: &str,
    vectors: &[(i64, Vec<u8>)],
) -> Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO unmerged_vectors (chat, embedder, message, components) \
         SELECT ?1, ?2, seq, ?4 FROM unindexed WHERE chat = ?1 AND seq = ?3",
    )?;
    for (message, components) in vectors {
        insert.execute(params![chat, embedder, message, components])?;
    }
    Ok(())
}

/// Calls `each` with the first message of each block that is wanted and has vectors, and their signs.
pub(super) fn for_each_block(
    transaction: &Transaction<'_>,
    chat: i64,
    embedder: &str,
    wanted: impl Fn(i64) -> bool,
    mut each: impl FnMut(i64, &[u8]),
) -> Result<()> {
    let mut statement = transaction
        .prepare_cached("SELECT first, signs FROM vector_signs WHERE chat = ?1 AND embedder = ?2")?;
    let mut rows = statement.query(params![chat, embedder])?;
    while let Some(row) = rows.next()? {
        let first = row.get(0)?;
        if wanted(first) {
            // Only now are the signs read from the disk.
            each(first, row.get_ref(1)?.as_blob().map_err(|error| Error::Unreadable(error.to_string()))?);
        }
    }
    Ok(())
}

/// Calls `each` with the vectors of messages beside the index.
pub(super) fn for_each_unmerged(
    transaction: &Transaction<'_>,
    chat: i64,
    embedder: &str,
    mut each: impl FnMut(i64, Vec<u8>),
) -> Result<()> {
    let mut statement = transaction.prepare_cached(
        "SELECT message, components FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?2",
    )?;
    let mut rows = statement.query(params![chat, embedder])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get(1)?);
    }
    Ok(())
}

/// Some of the vectors of a block.
pub(super) fn part(
    transaction: &Transaction<'_>,
    chat: i64,
    embedder: &str,
    first: i64,
    part: usize,
) -> Result<Vec<u8>> {
    let mut statement = transaction.prepare_cached(
        "SELECT components FROM vectors WHERE chat = ?1 AND embedder = ?2 AND first = ?3 AND part = ?4",
    )?;
    let found = statement.query_row(params![chat, embedder, first, part], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or_default())
}
