//! Forgetting. What was there goes to one table, `forgotten_words`, and from there nowhere.

mod words;

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use throughline_domain::chat::ChatId;
use throughline_domain::forget::FORGOTTEN;
use throughline_domain::memory::Status;
use uuid::Uuid;

use self::words::{BlankedText, MemoryBefore, MessageBefore, from_text, to_text};
use super::messages::chat_row;
use super::rows::{Id, Moment, parse};
use super::{Sqlite, compaction, memories, outbox, profiles, scrub, summaries, vectors, words as index};
use crate::forget::{Blanked, Cleaned, Forgetting, Forgotten};
use crate::memories::PROFILE;
use crate::{Error, Result};

impl Sqlite {
    pub async fn forget(
        &self,
        chat: &ChatId,
        watched: Option<u64>,
        forgetting: Forgetting,
    ) -> Result<Forgotten> {
        let chat = chat.clone();
        self.write(move |transaction| {
            let row = chat_row(transaction, &chat)?
                .ok_or_else(|| Error::NotFound { what: "chat", id: chat.to_string() })?;
            check(transaction, row, watched)?;
            let work = Work { transaction, id: forgetting.id, keep: forgetting.undo_until.is_some() };
            let mut chats = BTreeSet::from([row]);
            let mut changed = HashSet::new();
            for blanked in &forgetting.messages {
                let (seq, chat) = work.blank(blanked)?;
                chats.insert(chat);
                changed.insert(seq);
            }
            for id in &forgetting.memories {
                work.take_out(id.0, forgetting.at)?;
            }
            for cleaned in &forgetting.summaries {
                work.clean(cleaned)?;
            }
            work.add_suppressions(row, &forgetting)?;
            let gone: Vec<&str> = forgetting
                .messages
                .iter()
                .flat_map(|blanked| blanked.gone.iter().map(String::as_str))
                .collect();
            outbox::take_out_words(transaction, &chat, &gone)?;
            finish(transaction, &chats, &changed, forgetting.person.as_deref())?;
            let forgotten = Forgotten {
                id: forgetting.id,
                at: forgetting.at,
                undo_until: forgetting.undo_until,
                memories: forgetting.memories.len() as u64,
                messages: forgetting.messages.len() as u64,
                summaries: forgetting.summaries.len() as u64,
            };
            insert(transaction, row, &forgotten)?;
            if forgotten.undo_until.is_none() {
                scrub::want(transaction)?;
            }
            Ok(forgotten)
        })
        .await
    }

    pub async fn undo_forgetting(
        &self,
        chat: &ChatId,
        id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Forgotten>> {
        let chat = chat.clone();
        self.write(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(None) };
            let Some(forgotten) = find(transaction, row, id, now)? else { return Ok(None) };
            let mut chats = BTreeSet::from([row]);
            let mut changed = HashSet::new();
            for kept in words::kept_by(transaction, id)? {
                match kept {
                    BlankedText::Message(message, before) => {
                        let (seq, chat) = words::restore_message(transaction, id, message, &before)?;
                        chats.insert(chat);
                        changed.insert(seq);
                    }
                    BlankedText::Memory(memory, before) => {
                        words::restore_memory(transaction, memory, &before, now)?;
                    }
                }
            }
            renew_summaries(transaction, &changed)?;
            let person: Option<String> = transaction
                .query_row("SELECT person FROM suppressions WHERE forgetting = ?1 LIMIT 1", [Id(id)], |row| {
                    row.get(0)
                })
                .optional()?
                .flatten();
            for table in
                ["forgotten_words WHERE forgetting", "suppressions WHERE forgetting", "forgettings WHERE id"]
            {
                transaction.execute(&format!("DELETE FROM {table} = ?1"), [Id(id)])?;
            }
            finish(transaction, &chats, &changed, person.as_deref())?;
            Ok(Some(forgotten))
        })
        .await
    }

    pub async fn forgettings(&self, chat: &ChatId) -> Result<u64> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached("SELECT forgettings FROM chats WHERE key = ?1")?;
            Ok(statement.query_row([chat.as_str()], |row| row.get(0)).optional()?.unwrap_or(0))
        })
        .await
    }
}

/// Refuses a write of what was read before something was forgotten.
pub(super) fn check(transaction: &Transaction<'_>, chat: i64, watched: Option<u64>) -> Result<()> {
    let Some(watched) = watched else { return Ok(()) };
    let mut statement = transaction.prepare_cached("SELECT forgettings FROM chats WHERE id = ?1")?;
    let now: u64 = statement.query_row([chat], |row| row.get(0))?;
    if now == watched {
        return Ok(());
    }
    Err(Error::Conflict("something was forgotten in this chat meanwhile; it is done anew".to_owned()))
}

/// The summaries around messages that came back are made anew.
fn renew_summaries(transaction: &Transaction<'_>, messages: &HashSet<i64>) -> Result<()> {
    let mut place = transaction.prepare_cached("SELECT lane, occurred_at FROM messages WHERE seq = ?1")?;
    let mut lanes = BTreeSet::new();
    for seq in messages {
        let (lane, at) = place.query_row([seq], |row| Ok((row.get(0)?, row.get(1)?)))?;
        summaries::mark_stale(transaction, lane, *seq, at)?;
        lanes.insert(lane);
    }
    lanes.into_iter().try_for_each(|lane| compaction::want(transaction, lane))
}

/// One forgetting under way.
struct Work<'a> {
    transaction: &'a Transaction<'a>,
    id: Uuid,
    /// Whether what was there is kept for a while.
    keep: bool,
}

impl Work<'_> {
    fn keep_before(&self, kind: &str, id: Uuid, before: &impl Serialize) -> Result<()> {
        if self.keep { words::keep(self.transaction, self.id, kind, id, before) } else { Ok(()) }
    }

    /// Changes a message and gives its sequence number and chat.
    fn blank(&self, blanked: &Blanked) -> Result<(i64, i64)> {
        let mut find = self
            .transaction
            .prepare_cached("SELECT seq, chat, text, metadata FROM messages WHERE id = ?1")?;
        let found = find.query_row([Id(blanked.id.0)], |row| {
            let columns: (i64, i64, String, Option<String>) =
                (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(columns)
        });
        let not_found = || Error::NotFound { what: "message", id: blanked.id.to_string() };
        let (seq, chat, text, metadata) = found.optional()?.ok_or_else(not_found)?;
        if text != blanked.before {
            return Err(Error::Conflict("a message was changed meanwhile; try again".to_owned()));
        }
        let metadata = metadata.map(|text| from_text(&text)).transpose()?.unwrap_or_default();
        let (id, gone) = (blanked.id.0, blanked.gone.clone());
        // Every forgetting keeps the message as it was before the first of them.
        let before = match words::others(self.transaction, self.id, id)?.pop() {
            Some((_, first)) => MessageBefore { gone, ..first },
            None => MessageBefore { text, metadata, gone },
        };
        if !self.keep {
            words::take_from_others(self.transaction, self.id, id, &before.gone)?;
        }
        self.keep_before("message", id, &before)?;
        words::write_message(self.transaction, seq, &blanked.text, &blanked.metadata)?;
        outbox::take_out(self.transaction, seq)?;
        Ok((seq, chat))
    }

    fn take_out(&self, id: Uuid, at: Timestamp) -> Result<()> {
        let mut find = self.transaction.prepare_cached(
            "SELECT text, category, status, speaker, day, proofs FROM memories WHERE id = ?1",
        )?;
        let found = find.query_row([Id(id)], |row| {
            let proofs: String = row.get(5)?;
            let before = MemoryBefore {
                text: row.get(0)?,
                category: row.get(1)?,
                status: row.get(2)?,
                speaker: row.get(3)?,
                day: row.get(4)?,
                proofs: Vec::new(),
            };
            Ok((before, proofs))
        });
        let not_found = || Error::NotFound { what: "memory", id: id.to_string() };
        let (before, proofs) = found.optional()?.ok_or_else(not_found)?;
        self.keep_before("memory", id, &MemoryBefore { proofs: from_text(&proofs)?, ..before })?;
        let mut update = self.transaction.prepare_cached(
            "UPDATE memories SET text = ?2, status = ?3, proofs = '[]', category = '', speaker = NULL, day = NULL, changed_at = ?4 WHERE id = ?1",
        )?;
        update.execute(params![Id(id), FORGOTTEN, Status::Forgotten.as_str(), Moment(at)])?;
        self.drop_vectors(id)
    }

    fn clean(&self, cleaned: &Cleaned) -> Result<()> {
        let mut find = self.transaction.prepare_cached("SELECT lane FROM summaries WHERE id = ?1")?;
        let found = find.query_row([Id(cleaned.id)], |row| row.get(0));
        let not_found = || Error::NotFound { what: "summary", id: cleaned.id.to_string() };
        let lane = found.optional()?.ok_or_else(not_found)?;
        let sections = if cleaned.sections.is_empty() { None } else { Some(to_text(&cleaned.sections)?) };
        let mut update = self
            .transaction
            .prepare_cached("UPDATE summaries SET text = ?2, sections = ?3, stale = ?4 WHERE id = ?1")?;
        let anew = cleaned.text.is_empty();
        update.execute(params![Id(cleaned.id), cleaned.text, sections, anew])?;
        if anew {
            compaction::want(self.transaction, lane)?;
        }
        self.drop_vectors(cleaned.id)
    }

    fn drop_vectors(&self, piece: Uuid) -> Result<()> {
        self.transaction
            .prepare_cached("DELETE FROM piece_vectors WHERE piece = ?1")?
            .execute([Id(piece)])?;
        Ok(())
    }

    fn add_suppressions(&self, chat: i64, forgetting: &Forgetting) -> Result<()> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO suppressions (chat, person, forgetting, at, hashes) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for suppression in &forgetting.suppressions {
            insert.execute(params![
                chat,
                forgetting.person,
                Id(forgetting.id),
                Moment(forgetting.at),
                to_text(suppression)?
            ])?;
        }
        Ok(())
    }
}

/// What is derived from messages and memories follows them.
fn finish(
    transaction: &Transaction<'_>,
    chats: &BTreeSet<i64>,
    changed: &HashSet<i64>,
    person: Option<&str>,
) -> Result<()> {
    for chat in chats {
        let key: String =
            transaction.query_row("SELECT key FROM chats WHERE id = ?1", [chat], |row| row.get(0))?;
        let chat_id: ChatId = parse(&key)?;
        for owner in [profiles::owner(&chat_id, None), profiles::owner(&chat_id, person)] {
            transaction.execute("DELETE FROM profiles WHERE owner = ?1", [owner])?;
        }
        transaction.execute("UPDATE lanes SET pending = NULL WHERE chat = ?1", [chat])?;
        transaction.execute("UPDATE chats SET forgettings = forgettings + 1 WHERE id = ?1", [chat])?;
        if !changed.is_empty() {
            index::rebuild_chat(transaction, *chat, changed)?;
        }
        vectors::want(transaction, *chat)?;
        memories::want(transaction, PROFILE, *chat)?;
    }
    Ok(())
}

fn find(transaction: &Transaction<'_>, chat: i64, id: Uuid, now: Timestamp) -> Result<Option<Forgotten>> {
    let mut statement = transaction.prepare_cached(
        "SELECT at, undo_until, memories, messages, summaries FROM forgettings WHERE id = ?1 AND chat = ?2 AND undo_until > ?3",
    )?;
    let found = statement.query_row(params![Id(id), chat, Moment(now)], |row| {
        Ok(Forgotten {
            id,
            at: row.get::<_, Moment>(0)?.0,
            undo_until: row.get::<_, Option<Moment>>(1)?.map(|at| at.0),
            memories: row.get(2)?,
            messages: row.get(3)?,
            summaries: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}

fn insert(transaction: &Transaction<'_>, chat: i64, forgotten: &Forgotten) -> Result<()> {
    transaction.execute(
        "INSERT INTO forgettings (id, chat, at, undo_until, memories, messages, summaries) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            Id(forgotten.id),
            chat,
            Moment(forgotten.at),
            forgotten.undo_until.map(Moment),
            forgotten.memories,
            forgotten.messages,
            forgotten.summaries
        ],
    )?;
    Ok(())
}
