//! Messages, their marks, and the conversations they open.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use jiff::Timestamp;
use rusqlite::{Params, params};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::summary::{End, Position};
use uuid::Uuid;

use super::Tx;
use super::rows::{Id, MessageReader, Moment, json, message, parse, to_json};
use crate::Result;
use crate::tx::{self, EachMessage, NewMessage, Opening, Place};

impl Tx<'_> {
    pub fn insert_message(&self, new: &NewMessage<'_>) -> Result<Option<i64>> {
        let message = new.message;
        let external_ids = (!message.external_ids.is_empty()).then(|| to_json(&message.external_ids));
        let inserted = self.run(
            "INSERT INTO messages (id, chat, lane, role, occurred_at, recorded_at, opens, tokens, channel, speaker, agent, reply_to, text, external_ids, metadata) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) ON CONFLICT (id) DO NOTHING",
            params![
                Id(message.id.0),
                new.chat,
                new.lane,
                message.role.as_str(),
                Moment(message.occurred_at),
                Moment(message.recorded_at),
                new.opens,
                new.tokens,
                message.channel,
                message.speaker,
                message.agent,
                message.reply_to.map(|id| Id(id.0)),
                message.text,
                external_ids.transpose()?,
                metadata_as_text(&message.metadata)?,
            ],
        )?;
        Ok((inserted > 0).then(|| self.last_insert_rowid()))
    }

    pub fn rewrite_message(
        &self,
        seq: i64,
        text: &str,
        metadata: &Map<String, Value>,
        tokens: u32,
    ) -> Result<()> {
        self.execute(
            "UPDATE messages SET text = ?2, metadata = ?3, tokens = ?4 WHERE seq = ?1",
            params![seq, text, metadata_as_text(metadata)?, tokens],
        )
    }

    pub fn message_seq(&self, chat: i64, id: MessageId) -> Result<Option<i64>> {
        self.value("SELECT seq FROM messages WHERE id = ?1 AND chat = ?2", params![Id(id.0), chat])
    }

    pub fn message_ids_between(&self, chat: i64, ends: (Uuid, Uuid), limit: usize) -> Result<Vec<MessageId>> {
        let sql = "SELECT id FROM messages WHERE id BETWEEN ?1 AND ?2 AND chat = ?3 ORDER BY id LIMIT ?4";
        self.all(sql, params![Id(ends.0), Id(ends.1), chat, limit], |row| {
            Ok(MessageId(row.get::<_, Id>(0)?.0))
        })
    }

    pub fn message_ids_beside(&self, chat: i64, id: Uuid) -> Result<Vec<MessageId>> {
        self.all(
            "SELECT * FROM (SELECT id FROM messages WHERE id < ?1 AND chat = ?2 ORDER BY id DESC LIMIT 1) UNION ALL \
             SELECT * FROM (SELECT id FROM messages WHERE id > ?1 AND chat = ?2 ORDER BY id LIMIT 1)",
            params![Id(id), chat],
            |row| Ok(MessageId(row.get::<_, Id>(0)?.0)),
        )
    }

    pub fn message_text(&self, seq: i64) -> Result<Option<String>> {
        self.value("SELECT text FROM messages WHERE seq = ?1", [seq])
    }

    pub fn message_texts(&self, seqs: &[i64]) -> Result<HashMap<i64, (MessageId, String)>> {
        let sql = "SELECT m.seq, m.id, m.text FROM json_each(?1) wanted CROSS JOIN messages m ON m.seq = wanted.value \
                   WHERE m.metadata IS NULL OR json_extract(m.metadata, '$.source') IS NOT 'command'";
        let mut found = HashMap::with_capacity(seqs.len());
        self.for_each(sql, [to_json(seqs)?], |row| {
            found.insert(row.get(0)?, (MessageId(row.get::<_, Id>(1)?.0), row.get(2)?));
            Ok(())
        })?;
        Ok(found)
    }

    pub fn messages_by_seq(
        &self,
        chat: &ChatId,
        seqs: &[i64],
    ) -> Result<HashMap<i64, (StoredMessage, MessageId)>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            ", (SELECT o.id FROM messages o WHERE o.lane = m.lane AND o.opens \
                AND (o.occurred_at, o.seq) <= (m.occurred_at, m.seq) ORDER BY o.occurred_at DESC, o.seq DESC LIMIT 1) \
             FROM json_each(?1) wanted CROSS JOIN messages m ON m.seq = wanted.value JOIN lanes l ON l.id = m.lane"
        );
        let mut reader = MessageReader::new(chat);
        let mut found = HashMap::with_capacity(seqs.len());
        self.for_each(sql, [to_json(seqs)?], |row| {
            let stored = reader.stored(row)?;
            found.insert(stored.seq, (stored, MessageId(row.get::<_, Id>(15)?.0)));
            Ok(())
        })?;
        Ok(found)
    }

    pub fn message_place(&self, id: MessageId) -> Result<Option<Place>> {
        self.first("SELECT seq, occurred_at, chat, lane FROM messages WHERE id = ?1", [Id(id.0)], |row| {
            let position = Position { at: row.get::<_, Moment>(1)?.0, seq: row.get(0)? };
            Ok(Place { position, chat: row.get(2)?, lane: row.get(3)? })
        })
    }

    pub fn message_by_seq(&self, chat: &ChatId, seq: i64) -> Result<Option<(StoredMessage, i64)>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            ", m.lane FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq = ?1"
        );
        self.first(sql, [seq], |row| Ok((MessageReader::new(chat).stored(row)?, row.get(15)?)))
    }

    pub fn chat_and_message(&self, seq: i64) -> Result<Option<(ChatId, MessageId)>> {
        let sql = "SELECT c.key, m.id FROM messages m JOIN chats c ON c.id = m.chat WHERE m.seq = ?1";
        self.first(sql, [seq], |row| {
            Ok((parse(&row.get::<_, String>(0)?)?, MessageId(row.get::<_, Id>(1)?.0)))
        })
    }

    pub fn is_message_at(&self, lane: i64, end: End) -> Result<bool> {
        self.has(
            "SELECT 1 FROM messages WHERE seq = ?1 AND id = ?2 AND lane = ?3 AND occurred_at = ?4",
            params![end.position.seq, Id(end.id.0), lane, Moment(end.position.at)],
        )
    }

    pub fn moment_before(&self, lane: i64, at: Timestamp) -> Result<Option<Timestamp>> {
        let sql = "SELECT occurred_at FROM messages WHERE lane = ?1 AND occurred_at <= ?2 ORDER BY occurred_at DESC LIMIT 1";
        Ok(self.value::<Moment>(sql, params![lane, Moment(at)])?.map(|at| at.0))
    }

    pub fn set_opens(&self, seq: i64, opens: bool) -> Result<()> {
        self.execute("UPDATE messages SET opens = ?2 WHERE seq = ?1 AND opens <> ?2", params![seq, opens])
    }

    pub fn external_message(&self, chat: i64, external: &str) -> Result<Option<i64>> {
        self.value("SELECT message FROM external_ids WHERE chat = ?1 AND id = ?2", params![chat, external])
    }

    pub fn add_external_id(&self, chat: i64, external: &str, message: i64) -> Result<bool> {
        let added = self.run(
            "INSERT INTO external_ids (chat, id, message) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![chat, external, message],
        )?;
        Ok(added > 0)
    }

    pub fn put_external_ids(&self, seq: i64, external_ids: &[String]) -> Result<()> {
        let sql = "UPDATE messages SET external_ids = ?2 WHERE seq = ?1";
        self.execute(sql, params![seq, to_json(external_ids)?])
    }

    pub fn move_external_id(&self, chat: i64, external: &str, message: i64) -> Result<()> {
        self.execute(
            "UPDATE external_ids SET message = ?3 WHERE chat = ?1 AND id = ?2",
            params![chat, external, message],
        )
    }

    pub fn external_ids(&self, seq: i64) -> Result<Vec<String>> {
        let sql = "SELECT external_ids FROM messages WHERE seq = ?1";
        Ok(self.first(sql, [seq], |row| json(row, 0))?.unwrap_or_default())
    }

    pub fn prefix_external_ids(&self, chat: i64, prefix: &str) -> Result<()> {
        self.execute(
            "UPDATE external_ids SET id = ?2 || '/' || id WHERE chat = ?1 AND instr(id, '/') = 0",
            params![chat, prefix],
        )
    }

    pub fn unprefix_external_ids(&self, chat: i64, prefix: &str) -> Result<()> {
        self.execute(
            "UPDATE external_ids SET id = substr(id, length(?2) + 2) WHERE chat = ?1 AND id GLOB ?2 || '/*'",
            params![chat, prefix],
        )
    }

    pub fn fingerprinted_message(&self, chat: i64, fingerprint: &[u8; 16]) -> Result<Option<i64>> {
        let sql = "SELECT message FROM fingerprints WHERE chat = ?1 AND fingerprint = ?2";
        self.value(sql, params![chat, fingerprint])
    }

    pub fn add_fingerprint(&self, chat: i64, fingerprint: &[u8; 16], message: i64) -> Result<()> {
        self.execute(
            "INSERT INTO fingerprints (chat, fingerprint, message) VALUES (?1, ?2, ?3)",
            params![chat, fingerprint, message],
        )
    }

    pub fn message_before(
        &self,
        chat: &ChatId,
        lane: i64,
        position: Position,
    ) -> Result<Option<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 AND (m.occurred_at, m.seq) < (?2, ?3) \
             ORDER BY m.occurred_at DESC, m.seq DESC LIMIT 1"
        );
        self.first(sql, params![lane, Moment(position.at), position.seq], |row| {
            MessageReader::new(chat).stored(row)
        })
    }

    pub fn messages_before(
        &self,
        chat: &ChatId,
        lane: i64,
        before: Position,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 AND (m.occurred_at, m.seq) < (?2, ?3) \
             ORDER BY m.occurred_at DESC, m.seq DESC LIMIT ?4"
        );
        let mut reader = MessageReader::new(chat);
        self.all(sql, params![lane, Moment(before.at), before.seq, limit], |row| reader.stored(row))
    }

    pub fn walk_back(&self, chat: &ChatId, lane: i64, each: &mut EachMessage<'_>) -> Result<()> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 ORDER BY m.occurred_at DESC, m.seq DESC"
        );
        self.walk(chat, sql, [lane], each)
    }

    pub fn walk_span(
        &self,
        chat: &ChatId,
        lane: i64,
        span: Range<Position>,
        each: &mut EachMessage<'_>,
    ) -> Result<()> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 \
             AND (m.occurred_at, m.seq) >= (?2, ?3) AND (m.occurred_at, m.seq) < (?4, ?5) ORDER BY m.occurred_at, m.seq"
        );
        let Range { start, end } = span;
        self.walk(chat, sql, params![lane, Moment(start.at), start.seq, Moment(end.at), end.seq], each)
    }

    fn walk(&self, chat: &ChatId, sql: &str, params: impl Params, each: &mut EachMessage<'_>) -> Result<()> {
        let mut statement = self.prepare_cached(sql)?;
        let mut reader = MessageReader::new(chat);
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            if each(reader.stored(row)?)? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    pub fn messages_after(
        &self,
        chat: &ChatId,
        lane: i64,
        after: Position,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 AND (m.occurred_at, m.seq) > (?2, ?3) \
             ORDER BY m.occurred_at, m.seq LIMIT ?4"
        );
        let mut reader = MessageReader::new(chat);
        self.all(sql, params![lane, Moment(after.at), after.seq, limit], |row| reader.stored(row))
    }

    pub fn recorded_after(
        &self,
        name: &ChatId,
        chat: i64,
        seq: i64,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq > ?1 AND m.chat = ?2 ORDER BY m.seq LIMIT ?3"
        );
        let mut reader = MessageReader::new(name);
        self.all(sql, params![seq, chat, limit], |row| reader.stored(row))
    }

    pub fn newest_message_up_to(&self, chat: i64, seq: i64) -> Result<Option<MessageId>> {
        let sql = "SELECT id FROM messages WHERE chat = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT 1";
        Ok(self.value::<Id>(sql, [chat, seq])?.map(|id| MessageId(id.0)))
    }

    pub fn count_span(&self, lane: i64, span: Range<Position>) -> Result<(u64, Option<Timestamp>)> {
        let Range { start, end } = span;
        let found = self.first(
            "SELECT count(*), max(occurred_at) FROM messages WHERE lane = ?1 AND (occurred_at, seq) >= (?2, ?3) AND (occurred_at, seq) < (?4, ?5)",
            params![lane, Moment(start.at), start.seq, Moment(end.at), end.seq],
            |row| Ok((row.get(0)?, row.get::<_, Option<Moment>>(1)?.map(|at| at.0))),
        )?;
        Ok(found.unwrap_or_default())
    }

    pub fn opening_up_to(&self, lane: i64, position: Position) -> Result<Option<(MessageId, Position)>> {
        self.first(
            "SELECT id, occurred_at, seq FROM messages WHERE lane = ?1 AND opens AND (occurred_at, seq) <= (?2, ?3) \
             ORDER BY occurred_at DESC, seq DESC LIMIT 1",
            params![lane, Moment(position.at), position.seq],
            |row| {
                let position = Position { at: row.get::<_, Moment>(1)?.0, seq: row.get(2)? };
                Ok((MessageId(row.get::<_, Id>(0)?.0), position))
            },
        )
    }

    pub fn opening_after(&self, lane: i64, position: Position) -> Result<Option<Position>> {
        self.first(
            "SELECT occurred_at, seq FROM messages WHERE lane = ?1 AND opens AND (occurred_at, seq) > (?2, ?3) \
             ORDER BY occurred_at, seq LIMIT 1",
            params![lane, Moment(position.at), position.seq],
            |row| Ok(Position { at: row.get::<_, Moment>(0)?.0, seq: row.get(1)? }),
        )
    }

    pub fn openings(
        &self,
        name: &ChatId,
        chat: i64,
        lane: Option<&Lane>,
        before: Position,
        limit: usize,
    ) -> Result<Vec<Opening>> {
        let key = lane.map(|lane| lane.key(name));
        self.all(
            "SELECT m.id, l.key, m.occurred_at, m.seq, l.id FROM messages m JOIN lanes l ON l.id = m.lane \
             WHERE l.chat = ?1 AND m.opens AND (?2 IS NULL OR l.key = ?2) AND (m.occurred_at, m.seq) < (?3, ?4) \
             ORDER BY m.occurred_at DESC, m.seq DESC LIMIT ?5",
            params![chat, key, Moment(before.at), before.seq, limit],
            |row| {
                Ok(Opening {
                    id: MessageId(row.get::<_, Id>(0)?.0),
                    lane_key: row.get(1)?,
                    lane: row.get(4)?,
                    position: Position { at: row.get::<_, Moment>(2)?.0, seq: row.get(3)? },
                })
            },
        )
    }

    pub fn for_each_moment(&self, each: &mut dyn FnMut(tx::Moment)) -> Result<()> {
        self.for_each(
            "SELECT seq, id, lane, occurred_at, opens, coalesce(metadata ->> 'new', 0) FROM messages ORDER BY lane, occurred_at, seq",
            [],
            |row| {
                each(tx::Moment {
                    seq: row.get(0)?,
                    id: MessageId(row.get::<_, Id>(1)?.0),
                    lane: row.get(2)?,
                    at: row.get::<_, Moment>(3)?.0,
                    opens: row.get(4)?,
                    starts_new: row.get(5)?,
                });
                Ok(())
            },
        )
    }

    pub fn put_newest_conversation(&self, lane: i64, opening: MessageId) -> Result<()> {
        let sql = "UPDATE lanes SET conversation = ?2 WHERE id = ?1";
        self.execute(sql, params![lane, Id(opening.0)])
    }
}

fn metadata_as_text(metadata: &Map<String, Value>) -> Result<Option<String>> {
    (!metadata.is_empty()).then(|| to_json(metadata)).transpose()
}
