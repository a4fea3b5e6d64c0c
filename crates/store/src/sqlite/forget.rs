//! Forgetting. What was there goes to one table, `forgotten_words`, and from there nowhere.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::forget::{FORGOTTEN, Veil, blank};
use throughline_domain::memory::{Proof, Status};
use uuid::Uuid;

use super::messages::{chat_row, shown_tokens};
use super::rows::{Id, MESSAGE, MessageReader, Moment};
use super::{Sqlite, blocking, compaction, memories, profiles, summaries, vectors, words};
use crate::forget::{Blanked, Cleaned, Forgetting, Forgotten};
use crate::memories::PROFILE;
use crate::{Error, Result};

const KEY: &str = "veil_key";
/// Stands in the settings while deleted bytes may still lie in the files.
const SCRUB: &str = "scrub";
const WANT_SCRUB: &str = "INSERT OR IGNORE INTO settings (name, value) VALUES (?1, '1')";

/// What a message was before anything of it was forgotten, and the sentences that one forgetting took.
#[derive(Serialize, Deserialize)]
struct MessageBefore {
    text: String,
    metadata: Map<String, Value>,
    gone: Vec<String>,
}

impl MessageBefore {
    /// The message without these sentences.
    fn without(&self, gone: &[String]) -> (String, Map<String, Value>) {
        let mut metadata = self.metadata.clone();
        metadata.values_mut().for_each(|value| take_from_json(value, gone));
        (take_from(&self.text, gone), metadata)
    }
}

fn take_from(text: &str, gone: &[String]) -> String {
    let found = gone
        .iter()
        .filter(|sentence| !sentence.is_empty())
        .flat_map(|sentence| text.match_indices(sentence.as_str()).map(|(at, found)| at..at + found.len()));
    blank(text, &found.collect::<Vec<_>>())
}

fn take_from_json(value: &mut Value, gone: &[String]) {
    match value {
        Value::String(text) => *text = take_from(text, gone),
        Value::Array(values) => values.iter_mut().for_each(|value| take_from_json(value, gone)),
        Value::Object(values) => values.values_mut().for_each(|value| take_from_json(value, gone)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a memory was before.
#[derive(Serialize, Deserialize)]
struct MemoryBefore {
    text: String,
    category: String,
    status: String,
    speaker: Option<String>,
    day: Option<String>,
    proofs: Vec<Proof>,
}

impl Sqlite {
    pub async fn veil_key(&self) -> Result<[u8; 32]> {
        self.write(veil_key).await
    }

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
            let mut work = Work { transaction, id: forgetting.id, keep: forgetting.undo_until.is_some() };
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
            work.note_veils(row, &forgetting)?;
            settle(transaction, &chats, &changed, forgetting.person.as_deref())?;
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
                want_scrub(transaction)?;
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
            for (kind, piece, before) in words_of(transaction, id)? {
                if kind == "message" {
                    let (seq, chat) = restore_message(transaction, id, piece, &before)?;
                    chats.insert(chat);
                    changed.insert(seq);
                } else {
                    restore_memory(transaction, piece, &before, now)?;
                }
            }
            renew_summaries(transaction, &changed)?;
            let person: Option<String> = transaction
                .query_row("SELECT person FROM veils WHERE forgetting = ?1 LIMIT 1", [Id(id)], |row| {
                    row.get(0)
                })
                .optional()?
                .flatten();
            for table in
                ["forgotten_words WHERE forgetting", "veils WHERE forgetting", "forgettings WHERE id"]
            {
                transaction.execute(&format!("DELETE FROM {table} = ?1"), [Id(id)])?;
            }
            settle(transaction, &chats, &changed, person.as_deref())?;
            Ok(Some(forgotten))
        })
        .await
    }

    pub async fn purge_forgotten(&self, now: Timestamp) -> Result<u64> {
        let due = "SELECT id FROM forgettings WHERE undo_until IS NOT NULL AND undo_until <= ?1";
        let any =
            self.read(move |transaction| Ok(transaction.prepare_cached(due)?.exists([Moment(now)])?)).await?;
        if !any {
            return Ok(0);
        }
        self.write(move |transaction| {
            let mut over = transaction.prepare(due)?;
            let over = over.query_map([Moment(now)], |row| row.get::<_, Id>(0))?;
            for id in over.collect::<rusqlite::Result<Vec<Id>>>()? {
                for (_, piece, before) in
                    words_of(transaction, id.0)?.iter().filter(|(kind, ..)| kind == "message")
                {
                    let before: MessageBefore = from_text(before)?;
                    take_from_others(transaction, id.0, *piece, &before.gone)?;
                }
            }
            want_scrub(transaction)?;
            transaction.execute(
                &format!("DELETE FROM forgotten_words WHERE forgetting IN ({due})"),
                [Moment(now)],
            )?;
            let purged = transaction.execute(
                "UPDATE forgettings SET undo_until = NULL WHERE undo_until IS NOT NULL AND undo_until <= ?1",
                [Moment(now)],
            )?;
            Ok(purged as u64)
        })
        .await
    }

    pub async fn scrub(&self) -> Result<()> {
        let inner = std::sync::Arc::clone(&self.inner);
        blocking(move || {
            let _turn = inner.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            inner.with_connection(|connection| {
                // Deleted bytes stay in free pages and in gaps between rows; a file that is written anew has neither.
                connection.execute("DELETE FROM settings WHERE name = ?1", [SCRUB])?;
                if let Err(error) = connection.execute_batch("VACUUM") {
                    connection.execute(WANT_SCRUB, [SCRUB])?;
                    return Err(error.into());
                }
                let busy: bool =
                    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
                if busy {
                    connection.execute(WANT_SCRUB, [SCRUB])?;
                    return Err(Error::Busy);
                }
                Ok(())
            })
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

    pub async fn wants_scrub(&self) -> Result<bool> {
        self.read(|transaction| {
            Ok(transaction.prepare_cached("SELECT 1 FROM settings WHERE name = ?1")?.exists([SCRUB])?)
        })
        .await
    }

    pub async fn veils(&self, chat: &ChatId, person: Option<&str>) -> Result<Vec<(Veil, Timestamp)>> {
        let (chat, person) = (chat.clone(), person.map(str::to_owned));
        self.read(move |transaction| match chat_row(transaction, &chat)? {
            Some(chat) => veils(transaction, chat, person.as_deref()),
            None => Ok(Vec::new()),
        })
        .await
    }
}

/// What is left of values that were forgotten in a chat, or of a person in any.
pub(super) fn veils(
    transaction: &Transaction<'_>,
    chat: i64,
    person: Option<&str>,
) -> Result<Vec<(Veil, Timestamp)>> {
    let mut statement =
        transaction.prepare_cached("SELECT veil, at FROM veils WHERE chat = ?1 OR person = ?2")?;
    let mut rows = statement.query(params![chat, person])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((from_text(&row.get::<_, String>(0)?)?, row.get::<_, Moment>(1)?.0));
    }
    Ok(found)
}

/// The key of this home; random, and made once.
pub(super) fn veil_key(transaction: &Transaction<'_>) -> Result<[u8; 32]> {
    transaction
        .execute("INSERT OR IGNORE INTO settings (name, value) SELECT ?1, hex(randomblob(32))", [KEY])?;
    let text: String =
        transaction.query_row("SELECT value FROM settings WHERE name = ?1", [KEY], |row| row.get(0))?;
    let mut key = [0u8; 32];
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        *byte = u8::from_str_radix(digits, 16).map_err(|error| Error::Unreadable(error.to_string()))?;
    }
    Ok(key)
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

fn want_scrub(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute(WANT_SCRUB, [SCRUB])?;
    Ok(())
}

/// What one forgetting took for good is not kept for another to bring back.
fn take_from_others(transaction: &Transaction<'_>, own: Uuid, piece: Uuid, gone: &[String]) -> Result<()> {
    for (forgetting, before) in others(transaction, own, piece)? {
        let (text, metadata) = before.without(gone);
        transaction
            .prepare_cached(
                "UPDATE forgotten_words SET before = ?3 WHERE forgetting = ?1 AND kind = 'message' AND id = ?2",
            )?
            .execute(params![
                Id(forgetting),
                Id(piece),
                to_text(&MessageBefore { text, metadata, gone: before.gone })?
            ])?;
    }
    Ok(())
}

/// What other forgettings keep of a message.
fn others(transaction: &Transaction<'_>, own: Uuid, piece: Uuid) -> Result<Vec<(Uuid, MessageBefore)>> {
    let mut statement = transaction.prepare_cached(
        "SELECT forgetting, before FROM forgotten_words WHERE kind = 'message' AND id = ?1 AND forgetting <> ?2",
    )?;
    let rows = statement.query_map([Id(piece), Id(own)], |row| Ok((row.get::<_, Id>(0)?.0, row.get(1)?)))?;
    let rows = rows.collect::<rusqlite::Result<Vec<(Uuid, String)>>>()?;
    rows.into_iter().map(|(forgetting, before)| Ok((forgetting, from_text(&before)?))).collect()
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
    fn keep_before(&mut self, kind: &str, id: Uuid, before: &impl Serialize) -> Result<()> {
        if self.keep {
            self.transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO forgotten_words (forgetting, kind, id, before) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![Id(self.id), kind, Id(id), to_text(before)?])?;
        }
        Ok(())
    }

    /// Changes a message and gives its sequence number and chat.
    fn blank(&mut self, blanked: &Blanked) -> Result<(i64, i64)> {
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
        let before = match others(self.transaction, self.id, id)?.pop() {
            Some((_, first)) => MessageBefore { gone, ..first },
            None => MessageBefore { text, metadata, gone },
        };
        if !self.keep {
            take_from_others(self.transaction, self.id, id, &before.gone)?;
        }
        self.keep_before("message", id, &before)?;
        write_message(self.transaction, seq, &blanked.text, &blanked.metadata)?;
        Ok((seq, chat))
    }

    fn take_out(&mut self, id: Uuid, at: Timestamp) -> Result<()> {
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

    fn clean(&mut self, cleaned: &Cleaned) -> Result<()> {
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

    fn note_veils(&self, chat: i64, forgetting: &Forgetting) -> Result<()> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO veils (chat, person, forgetting, at, veil) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for veil in &forgetting.veils {
            insert.execute(params![
                chat,
                forgetting.person,
                Id(forgetting.id),
                Moment(forgetting.at),
                to_text(veil)?
            ])?;
        }
        Ok(())
    }
}

/// What is derived from messages and memories follows them.
fn settle(
    transaction: &Transaction<'_>,
    chats: &BTreeSet<i64>,
    changed: &HashSet<i64>,
    person: Option<&str>,
) -> Result<()> {
    for chat in chats {
        let key: String =
            transaction.query_row("SELECT key FROM chats WHERE id = ?1", [chat], |row| row.get(0))?;
        let chat_id: ChatId = super::rows::parse(&key)?;
        for owner in [profiles::owner(&chat_id, None), profiles::owner(&chat_id, person)] {
            transaction.execute("DELETE FROM profiles WHERE owner = ?1", [owner])?;
        }
        transaction.execute("UPDATE lanes SET pending = NULL WHERE chat = ?1", [chat])?;
        transaction.execute("UPDATE chats SET forgettings = forgettings + 1 WHERE id = ?1", [chat])?;
        if !changed.is_empty() {
            words::rebuild_chat(transaction, *chat, changed)?;
        }
        vectors::want(transaction, *chat)?;
        memories::want(transaction, PROFILE, *chat)?;
    }
    Ok(())
}

fn write_message(
    transaction: &Transaction<'_>,
    seq: i64,
    text: &str,
    metadata: &Map<String, Value>,
) -> Result<()> {
    let metadata_text = if metadata.is_empty() { None } else { Some(to_text(metadata)?) };
    transaction
        .prepare_cached("UPDATE messages SET text = ?2, metadata = ?3 WHERE seq = ?1")?
        .execute(params![seq, text, metadata_text])?;
    let (chat, placed) = {
        let key: String = transaction.query_row(
            "SELECT c.key FROM messages m JOIN chats c ON c.id = m.chat WHERE m.seq = ?1",
            [seq],
            |row| row.get(0),
        )?;
        let chat: ChatId = super::rows::parse(&key)?;
        let sql = format!("SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq = ?1");
        let mut statement = transaction.prepare_cached(&sql)?;
        let mut rows = statement.query([seq])?;
        let row = rows.next()?.ok_or_else(|| Error::NotFound { what: "message", id: seq.to_string() })?;
        let placed = MessageReader::new(&chat).placed(row)?;
        (chat, placed)
    };
    debug_assert_eq!(placed.message.chat, chat);
    transaction
        .prepare_cached("UPDATE messages SET tokens = ?2 WHERE seq = ?1")?
        .execute(params![seq, shown_tokens(&placed.message)])?;
    Ok(())
}

/// Brings back what one forgetting took from a message; what others took stays away.
fn restore_message(transaction: &Transaction<'_>, own: Uuid, id: Uuid, before: &str) -> Result<(i64, i64)> {
    let before: MessageBefore = from_text(before)?;
    let still_gone: Vec<String> =
        others(transaction, own, id)?.into_iter().flat_map(|(_, other)| other.gone).collect();
    let (text, metadata) = before.without(&still_gone);
    let (seq, chat) =
        transaction.query_row("SELECT seq, chat FROM messages WHERE id = ?1", [Id(id)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    write_message(transaction, seq, &text, &metadata)?;
    Ok((seq, chat))
}

fn restore_memory(transaction: &Transaction<'_>, id: Uuid, before: &str, now: Timestamp) -> Result<()> {
    let before: MemoryBefore = from_text(before)?;
    transaction.execute(
        "UPDATE memories SET text = ?2, category = ?3, status = ?4, speaker = ?5, day = ?6, proofs = ?7, changed_at = ?8 WHERE id = ?1",
        params![
            Id(id),
            before.text,
            before.category,
            before.status,
            before.speaker,
            before.day,
            to_text(&before.proofs)?,
            Moment(now)
        ],
    )?;
    Ok(())
}

fn words_of(transaction: &Transaction<'_>, id: Uuid) -> Result<Vec<(String, Uuid, String)>> {
    let mut statement =
        transaction.prepare_cached("SELECT kind, id, before FROM forgotten_words WHERE forgetting = ?1")?;
    let rows = statement.query_map([Id(id)], |row| Ok((row.get(0)?, row.get::<_, Id>(1)?.0, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
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

fn to_text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Unreadable(error.to_string()))
}

fn from_text<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Unreadable(error.to_string()))
}
