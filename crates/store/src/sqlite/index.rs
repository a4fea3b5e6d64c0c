//! Blocks of the search index, and the messages that are not in it yet.

use std::ops::ControlFlow;

use rusqlite::{Row, params};
use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;

use super::Tx;
use super::rows::parse;
use crate::search::Speaker;
use crate::tx::{EachSource, IndexRow, MessageSource};
use crate::{Error, Result};

impl Tx<'_> {
    pub fn index_row(&self, chat: &ChatId) -> Result<Option<IndexRow>> {
        self.first(
            "SELECT id, generation, indexed_messages, indexed_terms, vector_writes FROM chats WHERE key = ?1",
            [chat.as_str()],
            |row| {
                Ok(IndexRow {
                    chat: row.get(0)?,
                    generation: row.get(1)?,
                    messages: row.get(2)?,
                    terms: row.get(3)?,
                    vector_writes: row.get(4)?,
                })
            },
        )
    }

    pub fn count_indexed(&self, chat: i64, messages: u64, terms: u64) -> Result<()> {
        self.execute(
            "UPDATE chats SET indexed_messages = indexed_messages + ?2, indexed_terms = indexed_terms + ?3 WHERE id = ?1",
            params![chat, messages, terms],
        )
    }

    pub fn clear_index(&self, chat: i64) -> Result<()> {
        self.execute("DELETE FROM postings WHERE chat = ?1", [chat])?;
        self.execute("DELETE FROM unindexed WHERE chat = ?1", [chat])?;
        self.execute("DELETE FROM message_meta WHERE chat = ?1", [chat])?;
        self.execute("DELETE FROM speakers WHERE chat = ?1", [chat])?;
        self.execute(
            "UPDATE chats SET indexed_messages = 0, indexed_terms = 0, generation = generation + 1 WHERE id = ?1",
            [chat],
        )
    }

    pub fn clear_all_indexes(&self) -> Result<()> {
        Ok(self.execute_batch(
            "DELETE FROM postings; DELETE FROM unindexed; DELETE FROM message_meta; DELETE FROM speakers; \
             DELETE FROM vector_signs; DELETE FROM vectors; DELETE FROM unmerged_vectors; \
             UPDATE chats SET indexed_messages = 0, indexed_terms = 0, generation = generation + 1;",
        )?)
    }

    pub fn add_unindexed(&self, chat: i64, seq: i64, bytes: usize) -> Result<()> {
        self.execute(
            "INSERT INTO unindexed (chat, seq, bytes) VALUES (?1, ?2, ?3)",
            params![chat, seq, bytes],
        )
    }

    pub fn delete_unindexed(&self, chat: i64) -> Result<()> {
        self.execute("DELETE FROM unindexed WHERE chat = ?1", [chat])
    }

    pub fn unindexed_size(&self, chat: i64) -> Result<(u64, u64)> {
        let sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM unindexed WHERE chat = ?1";
        Ok(self.first(sql, [chat], |row| Ok((row.get(0)?, row.get(1)?)))?.unwrap_or_default())
    }

    pub fn for_each_unindexed(&self, chat: i64, each: &mut EachSource<'_>) -> Result<()> {
        self.for_each(
            "SELECT m.chat, m.seq, m.occurred_at, m.lane, m.role, m.speaker, m.text \
             FROM unindexed u JOIN messages m ON m.seq = u.seq WHERE u.chat = ?1 ORDER BY u.seq",
            [chat],
            |row| each(source(row)?),
        )
    }

    pub fn for_each_source(&self, chat: Option<i64>, each: &mut EachSource<'_>) -> Result<()> {
        match chat {
            Some(chat) => self.for_each(
                "SELECT chat, seq, occurred_at, lane, role, speaker, text FROM messages WHERE chat = ?1 ORDER BY seq",
                [chat],
                |row| each(source(row)?),
            ),
            None => self.for_each(
                "SELECT chat, seq, occurred_at, lane, role, speaker, text FROM messages ORDER BY seq",
                [],
                |row| each(source(row)?),
            ),
        }
    }

    pub fn for_each_posting_block(
        &self,
        chat: i64,
        term: &str,
        each: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        let sql = "SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 ORDER BY first";
        self.for_each(sql, params![chat, term], |row| {
            each(row.get(0)?, blob(row, 1)?);
            Ok(())
        })
    }

    pub fn for_each_posting_block_back(
        &self,
        chat: i64,
        term: &str,
        up_to: i64,
        each: &mut dyn FnMut(i64, &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut statement = self.prepare_cached(
            "SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 AND first <= ?3 ORDER BY first DESC",
        )?;
        let mut rows = statement.query(params![chat, term, up_to])?;
        while let Some(row) = rows.next()? {
            if each(row.get(0)?, blob(row, 1)?) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    pub fn last_posting_block(&self, chat: i64, term: &str) -> Result<Option<(i64, Vec<u8>)>> {
        self.first(
            "SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 ORDER BY first DESC LIMIT 1",
            params![chat, term],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    pub fn put_posting_block(&self, chat: i64, term: &str, first: i64, block: &[u8]) -> Result<()> {
        self.execute(
            "INSERT INTO postings (chat, term, first, block) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET block = excluded.block",
            params![chat, term, first, block],
        )
    }

    pub fn speakers(&self, chat: i64) -> Result<Vec<Speaker>> {
        self.all("SELECT role, name FROM speakers WHERE chat = ?1 ORDER BY number", [chat], |row| {
            Ok(Speaker { role: parse(&row.get::<_, String>(0)?)?, name: row.get(1)? })
        })
    }

    pub fn insert_speaker(&self, chat: i64, number: usize, speaker: &Speaker) -> Result<()> {
        self.execute(
            "INSERT INTO speakers (chat, number, role, name) VALUES (?1, ?2, ?3, ?4)",
            params![chat, number, speaker.role.as_str(), speaker.name],
        )
    }

    pub fn insert_meta_block(&self, chat: i64, first: i64, entries: &[u8]) -> Result<()> {
        self.execute(
            "INSERT INTO message_meta (chat, first, entries) VALUES (?1, ?2, ?3)",
            params![chat, first, entries],
        )
    }

    pub fn for_each_meta_block(
        &self,
        chat: i64,
        wanted: &dyn Fn(i64) -> bool,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let sql = "SELECT first, entries FROM message_meta WHERE chat = ?1 ORDER BY first";
        self.for_each(sql, [chat], |row| {
            if wanted(row.get(0)?) {
                each(blob(row, 1)?);
            }
            Ok(())
        })
    }

    pub fn meta_block(&self, chat: i64, first: i64) -> Result<Option<Vec<u8>>> {
        self.value("SELECT entries FROM message_meta WHERE chat = ?1 AND first = ?2", [chat, first])
    }
}

pub(super) fn blob<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a [u8]> {
    row.get_ref(column)?.as_blob().map_err(|error| Error::Unreadable(error.to_string()))
}

/// Reads `chat, seq, occurred_at, lane, role, speaker, text`.
fn source<'a>(row: &'a Row<'_>) -> Result<MessageSource<'a>> {
    let unreadable = |error: rusqlite::types::FromSqlError| Error::Unreadable(error.to_string());
    let role: Role = parse(row.get_ref(4)?.as_str().map_err(unreadable)?)?;
    Ok(MessageSource {
        chat: row.get(0)?,
        seq: row.get(1)?,
        at: row.get(2)?,
        lane: row.get(3)?,
        role,
        speaker: row.get_ref(5)?.as_str_or_null().map_err(unreadable)?,
        text: row.get_ref(6)?.as_str().map_err(unreadable)?,
    })
}
