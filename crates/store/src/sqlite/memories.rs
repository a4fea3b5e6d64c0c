//! Memories, and the messages that wait for extraction.

use jiff::Timestamp;
use rusqlite::{Row, params};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::memory::{Memory, MemoryId, Proof, Reach, Status};

use super::Tx;
use super::rows::{Id, MessageReader, Moment, message, parse, to_json};
use crate::memories::{Learning, StoredMemory};
use crate::tx::MemoryBefore;
use crate::{Error, Result};

/// The columns of a memory, for [`read`].
macro_rules! memory {
    () => {
        "m.id, c.key, m.person, m.kind, m.text, m.category, m.confidence, m.extracted, m.status, m.speaker, m.day, \
         m.proofs, m.valid_from, m.valid_to, m.superseded_by, m.used_at, m.learned_at, m.changed_at, m.seq, m.learned_after"
    };
}

impl Tx<'_> {
    pub fn insert_memory(&self, chat: i64, memory: &Memory, at: Timestamp) -> Result<()> {
        let person = match &memory.reach {
            Reach::Person(person) => Some(person.as_str()),
            Reach::Chat => None,
        };
        self.execute(
            "INSERT INTO memories (id, chat, person, kind, text, category, confidence, extracted, status, speaker, day, proofs, \
             valid_from, valid_to, superseded_by, used_at, learned_at, changed_at, learned_after) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, (SELECT coalesce(max(seq), 0) FROM messages))",
            params![
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
                to_json(&memory.proofs)?,
                Moment(memory.valid_from),
                memory.valid_to.map(Moment),
                memory.superseded_by.map(|id| Id(id.0)),
                memory.used_at.map(Moment),
                Moment(at),
            ],
        )
    }

    pub fn all_memories(&self) -> Result<Vec<(StoredMemory, bool)>> {
        let sql = concat!(
            "SELECT ",
            memory!(),
            ", m.offered FROM memories m JOIN chats c ON c.id = m.chat ORDER BY m.seq"
        );
        self.all(sql, [], |row| Ok((read(row)?, row.get(20)?)))
    }

    pub fn put_memory_history(
        &self,
        memory: MemoryId,
        changed_at: Timestamp,
        learned_after: i64,
        offered: bool,
    ) -> Result<()> {
        self.execute(
            "UPDATE memories SET changed_at = ?2, learned_after = ?3, offered = ?4 WHERE id = ?1",
            params![Id(memory.0), Moment(changed_at), learned_after, offered],
        )
    }

    pub fn memories_of(&self, chat: Option<i64>, person: Option<&str>) -> Result<Vec<StoredMemory>> {
        let sql = concat!(
            "SELECT ",
            memory!(),
            " FROM memories m JOIN chats c ON c.id = m.chat WHERE m.chat = ?1 UNION SELECT ",
            memory!(),
            " FROM memories m JOIN chats c ON c.id = m.chat WHERE m.person = ?2 ORDER BY 19"
        );
        self.all(sql, params![chat, person], read)
    }

    pub fn memories_to_offer(&self, chat: i64) -> Result<Vec<Memory>> {
        let sql = concat!(
            "SELECT ",
            memory!(),
            " FROM memories m JOIN chats c ON c.id = m.chat WHERE m.chat = ?1 AND m.status = 'suggested' AND NOT m.offered ORDER BY m.seq"
        );
        self.all(sql, [chat], |row| Ok(read(row)?.memory))
    }

    pub fn chats_to_ask(&self, channel: &str) -> Result<Vec<ChatId>> {
        self.all(
            "SELECT DISTINCT c.key FROM memories m JOIN chats c ON c.id = m.chat WHERE m.status = 'suggested' AND NOT m.offered AND c.key GLOB ?1 || ':chat:*'",
            [channel],
            |row| parse(&row.get::<_, String>(0)?),
        )
    }

    pub fn mark_offered(&self, memory: MemoryId) -> Result<()> {
        self.execute("UPDATE memories SET offered = 1 WHERE id = ?1", [Id(memory.0)])
    }

    pub fn mark_used(&self, memory: MemoryId, at: Timestamp) -> Result<()> {
        self.execute("UPDATE memories SET used_at = ?2 WHERE id = ?1", params![Id(memory.0), Moment(at)])
    }

    pub fn chat_of_memory(&self, memory: MemoryId) -> Result<Option<ChatId>> {
        self.first(
            "SELECT c.key FROM memories m JOIN chats c ON c.id = m.chat WHERE m.id = ?1",
            [Id(memory.0)],
            |row| parse(&row.get::<_, String>(0)?),
        )
    }

    pub fn memory_status(&self, memory: MemoryId) -> Result<Option<Status>> {
        self.first("SELECT status FROM memories WHERE id = ?1", [Id(memory.0)], |row| {
            parse(&row.get::<_, String>(0)?)
        })
    }

    pub fn close_memory(
        &self,
        memory: MemoryId,
        status: Status,
        valid_to: Option<Timestamp>,
        superseded_by: Option<MemoryId>,
        now: Timestamp,
    ) -> Result<()> {
        self.execute(
            "UPDATE memories SET status = ?2, valid_to = ?3, superseded_by = ?4, changed_at = ?5 WHERE id = ?1",
            params![
                Id(memory.0),
                status.as_str(),
                valid_to.map(Moment),
                superseded_by.map(|id| Id(id.0)),
                Moment(now)
            ],
        )
    }

    pub fn activate_memory(&self, memory: MemoryId, now: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE memories SET status = 'active', valid_to = NULL, changed_at = ?2 WHERE id = ?1",
            params![Id(memory.0), Moment(now)],
        )
    }

    pub fn proofs(&self, memory: MemoryId) -> Result<Option<Vec<Proof>>> {
        self.first("SELECT proofs FROM memories WHERE id = ?1", [Id(memory.0)], |row| proofs(row, 0))
    }

    pub fn put_proofs(&self, memory: MemoryId, proofs: &[Proof]) -> Result<()> {
        let sql = "UPDATE memories SET proofs = ?2 WHERE id = ?1";
        self.execute(sql, params![Id(memory.0), to_json(proofs)?])
    }

    pub fn memory_before(&self, memory: MemoryId) -> Result<Option<MemoryBefore>> {
        self.first(
            "SELECT text, category, status, speaker, day, proofs FROM memories WHERE id = ?1",
            [Id(memory.0)],
            |row| {
                Ok(MemoryBefore {
                    text: row.get(0)?,
                    category: row.get(1)?,
                    status: row.get(2)?,
                    speaker: row.get(3)?,
                    day: row.get(4)?,
                    proofs: proofs(row, 5)?,
                })
            },
        )
    }

    pub fn rewrite_memory(&self, memory: MemoryId, content: &MemoryBefore, now: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE memories SET text = ?2, category = ?3, status = ?4, speaker = ?5, day = ?6, proofs = ?7, changed_at = ?8 WHERE id = ?1",
            params![
                Id(memory.0),
                content.text,
                content.category,
                content.status,
                content.speaker,
                content.day,
                to_json(&content.proofs)?,
                Moment(now)
            ],
        )
    }

    pub fn learning(&self) -> Result<Learning> {
        Ok(Learning {
            memories: self.only("SELECT count(*) FROM memories", [])?,
            waiting: self.only("SELECT count(*) FROM unextracted", [])?,
        })
    }

    pub fn add_unextracted(&self, chat: i64, message: i64) -> Result<()> {
        self.execute("INSERT OR IGNORE INTO unextracted (chat, message) VALUES (?1, ?2)", [chat, message])
    }

    pub fn delete_unextracted(&self, chat: i64, message: i64) -> Result<()> {
        self.execute("DELETE FROM unextracted WHERE chat = ?1 AND message = ?2", [chat, message])
    }

    pub fn unextracted(&self, name: &ChatId, chat: i64, limit: usize) -> Result<Vec<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM unextracted u JOIN messages m ON m.seq = u.message JOIN lanes l ON l.id = m.lane \
             WHERE u.chat = ?1 AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.message = m.seq) \
             AND NOT EXISTS (SELECT 1 FROM turn_messages b JOIN turns t ON t.id = b.turn WHERE b.message = m.seq AND t.status = 'running') \
             ORDER BY u.message LIMIT ?2"
        );
        let mut reader = MessageReader::new(name);
        self.all(sql, params![chat, limit], |row| reader.stored(row))
    }
}

fn proofs(row: &Row<'_>, column: usize) -> Result<Vec<Proof>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| Error::Unreadable(error.to_string()))
}

fn read(row: &Row<'_>) -> Result<StoredMemory> {
    let moment = |column: usize| -> rusqlite::Result<Option<Timestamp>> {
        Ok(row.get::<_, Option<Moment>>(column)?.map(|at| at.0))
    };
    let person: Option<String> = row.get(2)?;
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
        proofs: proofs(row, 11)?,
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
