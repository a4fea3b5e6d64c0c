//! What was learned.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, MemoryId, Proof, Reach};

use super::messages::chat_row;
use super::rows::{Id, MESSAGE, MessageReader, Moment, parse};
use super::{Sqlite, forget, jobs, vectors};
use crate::jobs::JobKind;
use crate::memories::{Change, Learned, StoredMemory, Unextracted};
use crate::{Error, Result};

impl Sqlite {
    pub async fn learn(&self, chat: &ChatId, watched: Option<u64>, learned: Learned) -> Result<()> {
        let chat = chat.clone();
        self.write(move |transaction| {
            let row = chat_row(transaction, &chat)?
                .ok_or_else(|| Error::NotFound { what: "chat", id: chat.to_string() })?;
            forget::check(transaction, row, watched)?;
            learn(transaction, row, &learned)?;
            Ok(())
        })
        .await
    }

    pub async fn unextracted(&self, chat: &ChatId, limit: usize) -> Result<Vec<Unextracted>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let sql = format!(
                "SELECT {MESSAGE} FROM unextracted u JOIN messages m ON m.seq = u.message JOIN lanes l ON l.id = m.lane \
                 WHERE u.chat = ?1 AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.message = m.seq) \
                 AND NOT EXISTS (SELECT 1 FROM turn_messages b JOIN turns t ON t.id = b.turn WHERE b.message = m.seq AND t.status = 'running') \
                 ORDER BY u.message LIMIT ?2"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut reader = MessageReader::new(&chat);
            let mut rows = statement.query(params![row, limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let said = reader.stored(row)?;
                let answered = answer_to(transaction, said.seq)?;
                found.push(Unextracted { said, answered });
            }
            Ok(found)
        })
        .await
    }

    pub async fn memories(&self, chat: &ChatId, person: Option<&str>) -> Result<Vec<StoredMemory>> {
        let (chat, person) = (chat.clone(), person.map(str::to_owned));
        self.read(move |transaction| of_chat(transaction, &chat, person.as_deref())).await
    }
}

/// Notes that memories went into a context.
pub(super) fn note_use(transaction: &Transaction<'_>, memories: &[MemoryId], at: Timestamp) -> Result<()> {
    let mut update = transaction.prepare_cached("UPDATE memories SET used_at = ?2 WHERE id = ?1")?;
    for id in memories {
        update.execute(params![Id(id.0), Moment(at)])?;
    }
    Ok(())
}

/// Writes down what was learned in a chat.
pub(super) fn learn(transaction: &Transaction<'_>, chat: i64, learned: &Learned) -> Result<()> {
    for memory in &learned.memories {
        insert(transaction, chat, memory, learned.at)?;
    }
    for change in &learned.changes {
        apply(transaction, change, learned.at)?;
    }
    let mut done = transaction.prepare_cached("DELETE FROM unextracted WHERE chat = ?1 AND message = ?2")?;
    for seq in &learned.read {
        done.execute([chat, *seq])?;
    }
    if !learned.memories.is_empty() || !learned.changes.is_empty() {
        want(transaction, JobKind::Profile, chat)?;
        vectors::want(transaction, chat)?;
    }
    Ok(())
}

/// The memories that may be seen in a chat, oldest first.
pub(super) fn of_chat(
    transaction: &Transaction<'_>,
    chat: &ChatId,
    person: Option<&str>,
) -> Result<Vec<StoredMemory>> {
    let row = chat_row(transaction, chat)?;
    let mut statement = transaction.prepare_cached(
        "SELECT m.id, c.key, m.person, m.kind, m.text, m.category, m.confidence, m.extracted, m.status, m.speaker, m.day, \
         m.proofs, m.valid_from, m.valid_to, m.superseded_by, m.used_at, m.learned_at, m.changed_at, m.seq, m.learned_after \
         FROM memories m JOIN chats c ON c.id = m.chat WHERE m.chat = ?1 UNION \
         SELECT m.id, c.key, m.person, m.kind, m.text, m.category, m.confidence, m.extracted, m.status, m.speaker, m.day, \
         m.proofs, m.valid_from, m.valid_to, m.superseded_by, m.used_at, m.learned_at, m.changed_at, m.seq, m.learned_after \
         FROM memories m JOIN chats c ON c.id = m.chat WHERE m.person = ?2 ORDER BY 19",
    )?;
    let mut rows = statement.query(params![row, person])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<StoredMemory> {
    let moment = |column: usize| -> rusqlite::Result<Option<Timestamp>> {
        Ok(row.get::<_, Option<Moment>>(column)?.map(|at| at.0))
    };
    let person: Option<String> = row.get(2)?;
    let proofs: String = row.get(11)?;
    let memory = Memory {
        id: MemoryId(row.get::<_, Id>(0)?.0),
        chat: parse(&row.get::<_, String>(1)?)?,
        reach: person.map_or(Reach::Chat, Reach::Person),
        kind: parse(&row.get::<_, String>(3)?)?,
        text: row.get(4)?,
        category: row.get(5)?,
        confidence: row.get(6)?,
        extracted: row.get(7)?,
        status: parse(&row.get::<_, String>(8)?)?,
        speaker: row.get(9)?,
        day: row.get::<_, Option<String>>(10)?.map(|day| parse(&day)).transpose()?,
        proofs: serde_json::from_str(&proofs).map_err(|error| Error::Unreadable(error.to_string()))?,
        valid_from: row.get::<_, Moment>(12)?.0,
        valid_to: moment(13)?,
        superseded_by: row.get::<_, Option<Id>>(14)?.map(|id| MemoryId(id.0)),
        used_at: moment(15)?,
    };
    Ok(StoredMemory {
        memory,
        learned_at: row.get::<_, Moment>(16)?.0,
        changed_at: row.get::<_, Moment>(17)?.0,
        learned_after: row.get(19)?,
    })
}

fn insert(transaction: &Transaction<'_>, chat: i64, memory: &Memory, at: Timestamp) -> Result<()> {
    let person = match &memory.reach {
        Reach::Person(person) => Some(person.as_str()),
        Reach::Chat => None,
    };
    let mut insert = transaction.prepare_cached(
        "INSERT INTO memories (id, chat, person, kind, text, category, confidence, extracted, status, speaker, day, proofs, \
         valid_from, valid_to, superseded_by, used_at, learned_at, changed_at, learned_after) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, (SELECT coalesce(max(seq), 0) FROM messages))",
    )?;
    insert.execute(params![
        Id(memory.id.0),
        chat,
        person,
        memory.kind.as_str(),
        memory.text,
        memory.category,
        memory.confidence,
        memory.extracted,
        memory.status.as_str(),
        memory.speaker,
        memory.day.map(|day| day.to_string()),
        proofs_as_text(&memory.proofs)?,
        Moment(memory.valid_from),
        memory.valid_to.map(Moment),
        memory.superseded_by.map(|id| Id(id.0)),
        memory.used_at.map(Moment),
        Moment(at),
    ])?;
    Ok(())
}

fn apply(transaction: &Transaction<'_>, change: &Change, now: Timestamp) -> Result<()> {
    match change {
        Change::Close { id, status, at, by } => {
            let mut update = transaction.prepare_cached(
                "UPDATE memories SET status = ?2, valid_to = ?3, superseded_by = ?4, changed_at = ?5 WHERE id = ?1",
            )?;
            update.execute(params![
                Id(id.0),
                status.as_str(),
                Moment(*at),
                by.map(|id| Id(id.0)),
                Moment(now)
            ])?;
        }
        Change::Prove { id, proof } => {
            let mut known = transaction.prepare_cached("SELECT proofs FROM memories WHERE id = ?1")?;
            let Some(text) = known.query_row([Id(id.0)], |row| row.get::<_, String>(0)).optional()? else {
                return Ok(());
            };
            let mut proofs: Vec<Proof> =
                serde_json::from_str(&text).map_err(|error| Error::Unreadable(error.to_string()))?;
            if !proofs.contains(proof) {
                proofs.push(proof.clone());
                transaction
                    .prepare_cached("UPDATE memories SET proofs = ?2 WHERE id = ?1")?
                    .execute(params![Id(id.0), proofs_as_text(&proofs)?])?;
            }
        }
        Change::Accept { id } => {
            let mut update = transaction.prepare_cached(
                "UPDATE memories SET status = 'active', valid_to = NULL, changed_at = ?2 WHERE id = ?1 AND status IN ('suggested', 'done')",
            )?;
            update.execute(params![Id(id.0), Moment(now)])?;
        }
    }
    Ok(())
}

fn proofs_as_text(proofs: &[Proof]) -> Result<String> {
    serde_json::to_string(proofs).map_err(|error| Error::Unreadable(error.to_string()))
}

/// The reply of the turn that answered a message, else the assistant's next words in the lane.
fn answer_to(transaction: &Transaction<'_>, seq: i64) -> Result<Option<String>> {
    let mut of_turn = transaction.prepare_cached(
        "SELECT m.text FROM turn_messages b JOIN replies r ON r.turn = b.turn JOIN messages m ON m.seq = r.message WHERE b.message = ?1",
    )?;
    if let Some(text) = of_turn.query_row([seq], |row| row.get(0)).optional()? {
        return Ok(Some(text));
    }
    let mut next = transaction.prepare_cached(
        "SELECT n.role, n.text FROM messages m JOIN messages n ON n.lane = m.lane AND (n.occurred_at, n.seq) > (m.occurred_at, m.seq) \
         WHERE m.seq = ?1 ORDER BY n.occurred_at, n.seq LIMIT 1",
    )?;
    let next: Option<(String, String)> =
        next.query_row([seq], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(next.filter(|(role, _)| role == "assistant").map(|(_, text)| text))
}

/// Asks that a message be learned from.
pub(super) fn note_unextracted(transaction: &Transaction<'_>, chat: i64, seq: i64) -> Result<()> {
    let mut insert =
        transaction.prepare_cached("INSERT OR IGNORE INTO unextracted (chat, message) VALUES (?1, ?2)")?;
    insert.execute([chat, seq])?;
    Ok(())
}

/// Asks for a job over a chat.
pub(super) fn want(transaction: &Transaction<'_>, kind: JobKind, chat: i64) -> Result<()> {
    let mut key = transaction.prepare_cached("SELECT key FROM chats WHERE id = ?1")?;
    let key: String = key.query_row([chat], |row| row.get(0))?;
    jobs::want(transaction, kind, &key)
}
