//! What was there before something was forgotten: kept for a while, so that it can come back.

use jiff::Timestamp;
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::forget::Aim;
use throughline_domain::memory::Proof;
use throughline_domain::message::Message;
use throughline_domain::metadata::change_each_text;
use throughline_text::erase::blank;
use uuid::Uuid;

use super::super::messages::{chat_row, read_one, shown_tokens};
use super::super::rows::{Id, Moment, parse};
use super::super::{Sqlite, scrub};
use crate::{Error, Result};

/// What a message was before anything of it was forgotten, and the sentences that one forgetting took.
#[derive(Serialize, Deserialize)]
pub(super) struct MessageBefore {
    pub text: String,
    pub metadata: Map<String, Value>,
    pub gone: Vec<String>,
}

impl MessageBefore {
    /// The message without these sentences.
    fn without(&self, gone: &[String]) -> (String, Map<String, Value>) {
        let mut metadata = self.metadata.clone();
        change_each_text(&mut metadata, |text| *text = take_from(text, gone));
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

/// What a memory was before.
#[derive(Serialize, Deserialize)]
pub(super) struct MemoryBefore {
    pub text: String,
    pub category: String,
    pub status: String,
    pub speaker: Option<String>,
    pub day: Option<String>,
    pub proofs: Vec<Proof>,
}

/// What one forgetting keeps of a piece.
pub(super) enum BlankedText {
    Message(Uuid, MessageBefore),
    Memory(Uuid, MemoryBefore),
}

impl BlankedText {
    /// Whether it holds something that an aim takes.
    fn holds(&self, aim: &Aim) -> bool {
        match self {
            Self::Message(_, before) => before.gone.iter().any(|sentence| aim.is_in(sentence)),
            Self::Memory(_, before) => aim.is_in(&before.text),
        }
    }
}

impl Sqlite {
    pub async fn purge_forgotten(&self, now: Timestamp) -> Result<u64> {
        let due = "SELECT id FROM forgettings WHERE undo_until IS NOT NULL AND undo_until <= ?1";
        let any =
            self.read(move |transaction| Ok(transaction.prepare_cached(due)?.exists([Moment(now)])?)).await?;
        if !any {
            return Ok(0);
        }
        self.write(move |transaction| {
            let mut over = transaction.prepare(due)?;
            let over = over.query_map([Moment(now)], |row| Ok(row.get::<_, Id>(0)?.0))?;
            let over = over.collect::<rusqlite::Result<Vec<Uuid>>>()?;
            over.iter().try_for_each(|id| let_go(transaction, *id))?;
            Ok(over.len() as u64)
        })
        .await
    }

    pub async fn finish_forgettings(&self, chat: &ChatId, aim: Aim) -> Result<u64> {
        let chat = chat.clone();
        self.write(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(0) };
            let mut standing = transaction
                .prepare_cached("SELECT id FROM forgettings WHERE chat = ?1 AND undo_until IS NOT NULL")?;
            let standing = standing.query_map([chat], |row| Ok(row.get::<_, Id>(0)?.0))?;
            let mut settled = 0;
            for id in standing.collect::<rusqlite::Result<Vec<Uuid>>>()? {
                if kept_by(transaction, id)?.iter().any(|kept| kept.holds(&aim)) {
                    let_go(transaction, id)?;
                    settled += 1;
                }
            }
            Ok(settled)
        })
        .await
    }
}

/// Lets go of the words of a forgetting: from now on it cannot be undone.
fn let_go(transaction: &Transaction<'_>, id: Uuid) -> Result<()> {
    for kept in kept_by(transaction, id)? {
        if let BlankedText::Message(message, before) = kept {
            take_from_others(transaction, id, message, &before.gone)?;
        }
    }
    transaction.execute("DELETE FROM forgotten_words WHERE forgetting = ?1", [Id(id)])?;
    transaction.execute("UPDATE forgettings SET undo_until = NULL WHERE id = ?1", [Id(id)])?;
    scrub::want(transaction)
}

/// Keeps what a piece was before.
pub(super) fn keep(
    transaction: &Transaction<'_>,
    forgetting: Uuid,
    kind: &str,
    id: Uuid,
    before: &impl Serialize,
) -> Result<()> {
    transaction
        .prepare_cached("INSERT INTO forgotten_words (forgetting, kind, id, before) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![Id(forgetting), kind, Id(id), to_text(before)?])?;
    Ok(())
}

/// What a forgetting keeps.
pub(super) fn kept_by(transaction: &Transaction<'_>, forgetting: Uuid) -> Result<Vec<BlankedText>> {
    let mut statement =
        transaction.prepare_cached("SELECT kind, id, before FROM forgotten_words WHERE forgetting = ?1")?;
    let mut rows = statement.query([Id(forgetting)])?;
    let mut kept = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, id, before): (String, Uuid, String) = (row.get(0)?, row.get::<_, Id>(1)?.0, row.get(2)?);
        kept.push(match kind.as_str() {
            "message" => BlankedText::Message(id, from_text(&before)?),
            _ => BlankedText::Memory(id, from_text(&before)?),
        });
    }
    Ok(kept)
}

/// What one forgetting took for good is not kept for another to bring back.
pub(super) fn take_from_others(
    transaction: &Transaction<'_>,
    own: Uuid,
    piece: Uuid,
    gone: &[String],
) -> Result<()> {
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
pub(super) fn others(
    transaction: &Transaction<'_>,
    own: Uuid,
    piece: Uuid,
) -> Result<Vec<(Uuid, MessageBefore)>> {
    let mut statement = transaction.prepare_cached(
        "SELECT forgetting, before FROM forgotten_words WHERE kind = 'message' AND id = ?1 AND forgetting <> ?2",
    )?;
    let rows = statement.query_map([Id(piece), Id(own)], |row| Ok((row.get::<_, Id>(0)?.0, row.get(1)?)))?;
    let rows = rows.collect::<rusqlite::Result<Vec<(Uuid, String)>>>()?;
    rows.into_iter().map(|(forgetting, before)| Ok((forgetting, from_text(&before)?))).collect()
}

/// Brings back what one forgetting took from a message; what others took stays away.
pub(super) fn restore_message(
    transaction: &Transaction<'_>,
    own: Uuid,
    id: Uuid,
    before: &MessageBefore,
) -> Result<(i64, i64)> {
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

pub(super) fn restore_memory(
    transaction: &Transaction<'_>,
    id: Uuid,
    before: &MemoryBefore,
    now: Timestamp,
) -> Result<()> {
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

/// Writes another text and metadata into a message, and what they cost in a window.
pub(super) fn write_message(
    transaction: &Transaction<'_>,
    seq: i64,
    text: &str,
    metadata: &Map<String, Value>,
) -> Result<()> {
    let key: String = transaction
        .prepare_cached("SELECT c.key FROM messages m JOIN chats c ON c.id = m.chat WHERE m.seq = ?1")?
        .query_row([seq], |row| row.get(0))?;
    let chat: ChatId = parse(&key)?;
    let message = Message {
        text: text.to_owned(),
        metadata: metadata.clone(),
        ..read_one(transaction, &chat, seq)?.message
    };
    let written = if metadata.is_empty() { None } else { Some(to_text(metadata)?) };
    transaction
        .prepare_cached("UPDATE messages SET text = ?2, metadata = ?3, tokens = ?4 WHERE seq = ?1")?
        .execute(params![seq, text, written, shown_tokens(&message)])?;
    Ok(())
}

pub(super) fn to_text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Unreadable(error.to_string()))
}

pub(super) fn from_text<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Unreadable(error.to_string()))
}
