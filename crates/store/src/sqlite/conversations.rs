//! Conversations are computed: each message knows whether it opens one, by the silence before it.

use jiff::SignedDuration;
use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::Conversation;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use uuid::Uuid;

use super::Sqlite;
use super::messages::{LaneRow, chat_row};
use super::rows::{Id, MESSAGE, MessageReader, Moment};
use crate::{Error, Result};

impl Sqlite {
    pub async fn conversations(
        &self,
        chat: &ChatId,
        lane: Option<&Lane>,
        limit: usize,
    ) -> Result<Vec<Conversation>> {
        let (chat, key) = (chat.clone(), lane.map(|lane| lane.key(chat)));
        self.read(move |transaction| {
            let Some(chat_row) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let mut statement = transaction.prepare_cached(
                "SELECT m.id, l.key, m.occurred_at, m.seq, l.id FROM messages m JOIN lanes l ON l.id = m.lane \
                 WHERE l.chat = ?1 AND m.opens AND (?2 IS NULL OR l.key = ?2) ORDER BY m.occurred_at DESC, m.seq DESC LIMIT ?3",
            )?;
            let mut rows = statement.query(params![chat_row, key, limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let (at, seq, lane): (i64, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
                let (messages, to) = extent(transaction, lane, at, seq)?;
                found.push(Conversation {
                    id: MessageId(row.get::<_, Id>(0)?.0),
                    lane: row.get(1)?,
                    from: row.get::<_, Moment>(2)?.0,
                    to,
                    messages,
                });
            }
            Ok(found)
        })
        .await
    }

    pub async fn conversation(&self, chat: &ChatId, id: MessageId) -> Result<Vec<StoredMessage>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let mut find = transaction.prepare_cached(
                "SELECT m.lane, m.occurred_at, m.seq FROM messages m JOIN chats c ON c.id = m.chat WHERE m.id = ?1 AND c.key = ?2",
            )?;
            let place = find.query_row(params![Id(id.0), chat.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
            let (lane, at, seq): (i64, i64, i64) = place.ok_or_else(|| Error::NotFound { what: "conversation", id: id.to_string() })?;
            let (start_at, start_seq) = start_before(transaction, lane, at, seq)?.unwrap_or((at, seq));
            let (end_at, end_seq) = next_start(transaction, lane, start_at, start_seq)?.unwrap_or((i64::MAX, i64::MAX));
            let sql = format!(
                "SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 \
                 AND (m.occurred_at, m.seq) >= (?2, ?3) AND (m.occurred_at, m.seq) < (?4, ?5) ORDER BY m.occurred_at, m.seq"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut reader = MessageReader::new(&chat);
            let mut rows = statement.query(params![lane, start_at, start_seq, end_at, end_seq])?;
            let mut messages = Vec::new();
            while let Some(row) = rows.next()? {
                messages.push(reader.stored(row)?);
            }
            Ok(messages)
        })
        .await
    }
}

/// How many messages a conversation has, and when its last one was said.
fn extent(transaction: &Transaction<'_>, lane: i64, at: i64, seq: i64) -> Result<(u64, jiff::Timestamp)> {
    let (end_at, end_seq) = next_start(transaction, lane, at, seq)?.unwrap_or((i64::MAX, i64::MAX));
    let mut statement = transaction.prepare_cached(
        "SELECT count(*), max(occurred_at) FROM messages WHERE lane = ?1 AND (occurred_at, seq) >= (?2, ?3) AND (occurred_at, seq) < (?4, ?5)",
    )?;
    Ok(statement.query_row(params![lane, at, seq, end_at, end_seq], |row| {
        Ok((row.get(0)?, row.get::<_, Moment>(1)?.0))
    })?)
}

/// The first message of the conversation that holds this place.
pub(super) fn of_position(transaction: &Transaction<'_>, lane: i64, at: i64, seq: i64) -> Result<Uuid> {
    let mut statement = transaction.prepare_cached(
        "SELECT id FROM messages WHERE lane = ?1 AND opens AND (occurred_at, seq) <= (?2, ?3) ORDER BY occurred_at DESC, seq DESC LIMIT 1",
    )?;
    Ok(statement.query_row(params![lane, at, seq], |row| row.get::<_, Id>(0))?.0)
}

/// The first message of the lane's newest conversation.
pub(super) fn newest(transaction: &Transaction<'_>, lane: i64) -> Result<Uuid> {
    of_position(transaction, lane, i64::MAX, i64::MAX)
}

fn start_before(transaction: &Transaction<'_>, lane: i64, at: i64, seq: i64) -> Result<Option<(i64, i64)>> {
    let mut statement = transaction.prepare_cached(
        "SELECT occurred_at, seq FROM messages WHERE lane = ?1 AND opens AND (occurred_at, seq) <= (?2, ?3) ORDER BY occurred_at DESC, seq DESC LIMIT 1",
    )?;
    Ok(statement.query_row(params![lane, at, seq], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

fn next_start(transaction: &Transaction<'_>, lane: i64, at: i64, seq: i64) -> Result<Option<(i64, i64)>> {
    let mut statement = transaction.prepare_cached(
        "SELECT occurred_at, seq FROM messages WHERE lane = ?1 AND opens AND (occurred_at, seq) > (?2, ?3) ORDER BY occurred_at, seq LIMIT 1",
    )?;
    Ok(statement.query_row(params![lane, at, seq], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// The beginning of the conversation that `first` is in the middle of, up to so many tokens.
pub(super) fn head(
    transaction: &Transaction<'_>,
    chat: &ChatId,
    lane: &LaneRow,
    first: &StoredMessage,
    tokens: u32,
) -> Result<Vec<StoredMessage>> {
    let (at, seq) = (first.message.occurred_at.as_microsecond(), first.seq);
    let Some((start_at, start_seq)) = start_before(transaction, lane.id, at, seq)? else {
        return Ok(Vec::new());
    };
    let mut count = transaction.prepare_cached("SELECT count(*) FROM messages WHERE lane = ?1 AND (occurred_at, seq) >= (?2, ?3) AND (occurred_at, seq) < (?4, ?5)")?;
    let before: u64 = count.query_row(params![lane.id, start_at, start_seq, at, seq], |row| row.get(0))?;
    let sql = format!(
        "SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 \
         AND (m.occurred_at, m.seq) >= (?2, ?3) AND (m.occurred_at, m.seq) < (?4, ?5) ORDER BY m.occurred_at, m.seq"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut reader = MessageReader::new(chat);
    let mut rows = statement.query(params![lane.id, start_at, start_seq, at, seq])?;
    let mut head = Vec::new();
    let (mut spent, mut ordinal) = (0u32, first.ordinal.saturating_sub(before));
    while let Some(row) = rows.next()? {
        let stored = StoredMessage { ordinal, ..reader.stored(row)? };
        spent = spent.saturating_add(stored.tokens);
        if spent > tokens {
            break;
        }
        head.push(stored);
        ordinal += 1;
    }
    Ok(head)
}

/// Whether the message after a place still opens a conversation, now that there is one before it.
pub(super) fn rejoin_after(
    transaction: &Transaction<'_>,
    lane: i64,
    seq: i64,
    at: i64,
    gap: SignedDuration,
) -> Result<()> {
    let mut next = transaction.prepare_cached(
        "SELECT seq, occurred_at FROM messages WHERE lane = ?1 AND (occurred_at, seq) > (?2, ?3) ORDER BY occurred_at, seq LIMIT 1",
    )?;
    let next: Option<(i64, i64)> =
        next.query_row(params![lane, at, seq], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some((next, next_at)) = next {
        let opens = i128::from(next_at) - i128::from(at) >= gap.as_micros();
        transaction
            .prepare_cached("UPDATE messages SET opens = ?2 OR coalesce(metadata ->> 'new', 0) WHERE seq = ?1 AND opens <> ?2")?
            .execute(params![next, opens])?;
    }
    Ok(())
}

/// Computes all conversations anew, by another gap.
pub(super) fn recompute(transaction: &Transaction<'_>, gap: SignedDuration) -> Result<()> {
    let gap = i64::try_from(gap.as_micros()).unwrap_or(i64::MAX);
    transaction.execute(
        "UPDATE messages SET opens = fresh.opens FROM ( \
           SELECT seq, coalesce(occurred_at - lag(occurred_at) OVER (PARTITION BY lane ORDER BY occurred_at, seq) >= ?1, 1) OR coalesce(metadata ->> 'new', 0) AS opens FROM messages \
         ) AS fresh WHERE fresh.seq = messages.seq AND fresh.opens <> messages.opens",
        [gap],
    )?;
    transaction.execute(
        "UPDATE lanes SET conversation = (SELECT id FROM messages WHERE lane = lanes.id AND opens ORDER BY occurred_at DESC, seq DESC LIMIT 1)",
        [],
    )?;
    Ok(())
}
