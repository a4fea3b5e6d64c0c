//! Turns, the lanes they hold, and their replies.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Row, params};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::message::MessageId;
use throughline_domain::turn::{Delivery, Receipt, TurnId, TurnStatus};

use super::Tx;
use super::rows::{Id, MessageReader, Moment, json, message, parse, to_json};
use crate::holder::Holder;
use crate::turns::TurnEntry;
use crate::tx::{ReplyRow, TurnRow};
use crate::{Error, Result};

/// The columns of a turn and their tables, for `entry`.
macro_rules! entry {
    () => {
        "t.id, c.key, l.key, t.status, t.started_at, t.ended_at, m.id, r.delivery, t.receipt, t.problem \
         FROM turns t JOIN lanes l ON l.id = t.lane JOIN chats c ON c.id = l.chat \
         LEFT JOIN replies r ON r.turn = t.id LEFT JOIN messages m ON m.seq = r.message"
    };
}

impl Tx<'_> {
    pub fn add_waiting(&self, message: i64, lane: i64) -> Result<()> {
        self.execute("INSERT INTO waiting (message, lane) VALUES (?1, ?2)", [message, lane])
    }

    pub fn waiting_in(&self, lane: i64) -> Result<HashSet<i64>> {
        let mut found = HashSet::new();
        self.for_each("SELECT message FROM waiting WHERE lane = ?1", [lane], |row| {
            found.insert(row.get(0)?);
            Ok(())
        })?;
        Ok(found)
    }

    pub fn first_waiting(&self, lane: i64) -> Result<Option<i64>> {
        self.only("SELECT min(message) FROM waiting WHERE lane = ?1", [lane])
    }

    pub fn delete_waiting(&self, message: i64) -> Result<()> {
        self.execute("DELETE FROM waiting WHERE message = ?1", [message])
    }

    pub fn take_waiting(&self, chat: &ChatId, lane: i64, up_to: i64) -> Result<Vec<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM waiting w JOIN messages m ON m.seq = w.message JOIN lanes l ON l.id = m.lane WHERE w.lane = ?1 AND w.message <= ?2 ORDER BY m.occurred_at, m.seq"
        );
        let mut reader = MessageReader::new(chat);
        let messages = self.all(sql, [lane, up_to], |row| reader.stored(row))?;
        self.execute("DELETE FROM waiting WHERE lane = ?1 AND message <= ?2", [lane, up_to])?;
        Ok(messages)
    }

    pub fn insert_turn(&self, turn: TurnId, lane: i64, holder: &Holder, at: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO turns (id, lane, status, owner, started_at, leased_to) VALUES (?1, ?2, 'running', ?3, ?4, ?5)",
            params![Id(turn.0), lane, holder.owner, Moment(at), Moment(holder.leased_to)],
        )
    }

    pub fn add_turn_message(&self, turn: TurnId, message: i64) -> Result<()> {
        let sql = "INSERT INTO turn_messages (message, turn) VALUES (?1, ?2)";
        self.execute(sql, params![message, Id(turn.0)])
    }

    pub fn return_to_waiting(&self, turn: TurnId) -> Result<()> {
        self.execute(
            "INSERT INTO waiting (message, lane) SELECT b.message, m.lane FROM turn_messages b JOIN messages m ON m.seq = b.message WHERE b.turn = ?1",
            [Id(turn.0)],
        )?;
        self.execute("DELETE FROM turn_messages WHERE turn = ?1", [Id(turn.0)])
    }

    pub fn hold_lane(&self, lane: i64, turn: TurnId, owner: &str) -> Result<()> {
        let sql = "UPDATE lanes SET turn = ?2, owner = ?3 WHERE id = ?1";
        self.execute(sql, params![lane, Id(turn.0), owner])
    }

    pub fn free_lane(&self, turn: TurnId) -> Result<()> {
        self.execute("UPDATE lanes SET turn = NULL, owner = NULL WHERE turn = ?1", [Id(turn.0)])
    }

    pub fn lane_holder(&self, lane: i64) -> Result<Option<(TurnId, Holder)>> {
        self.first(
            "SELECT l.turn, l.owner, t.leased_to FROM lanes l JOIN turns t ON t.id = l.turn WHERE l.id = ?1",
            [lane],
            held_turn,
        )
    }

    pub fn unfinished_turns(&self) -> Result<Vec<(TurnId, Holder)>> {
        // The first condition on the delivery matches a partial index, which has few rows.
        self.all(
            "SELECT l.turn, l.owner, t.leased_to FROM lanes l JOIN turns t ON t.id = l.turn WHERE l.turn IS NOT NULL UNION \
             SELECT t.id, t.owner, t.leased_to FROM replies r JOIN turns t ON t.id = r.turn WHERE r.delivery <> 'sent' AND r.delivery = 'pending' \
             AND NOT EXISTS (SELECT 1 FROM outbox p WHERE p.turn = r.turn) \
             AND NOT EXISTS (SELECT 1 FROM live_replies v WHERE v.turn = r.turn AND t.status <> 'running')",
            [],
            held_turn,
        )
    }

    pub fn turn_row(&self, turn: TurnId) -> Result<Option<TurnRow>> {
        self.first(
            "SELECT t.status, t.lane, l.chat, t.owner, t.leased_to FROM turns t JOIN lanes l ON l.id = t.lane WHERE t.id = ?1",
            [Id(turn.0)],
            |row| {
                let holder = Holder { owner: row.get(3)?, leased_to: row.get::<_, Moment>(4)?.0 };
                Ok(TurnRow { status: word(row.get(0)?)?, lane: row.get(1)?, chat: row.get(2)?, holder })
            },
        )
    }

    pub fn renew_turn(&self, turn: TurnId, leased_to: Timestamp) -> Result<()> {
        let sql = "UPDATE turns SET leased_to = ?2 WHERE id = ?1";
        self.execute(sql, params![Id(turn.0), Moment(leased_to)])
    }

    pub fn end_turn(
        &self,
        turn: TurnId,
        status: TurnStatus,
        at: Timestamp,
        receipt: Option<&Receipt>,
        problem: Option<&str>,
    ) -> Result<()> {
        self.execute(
            "UPDATE turns SET status = ?2, ended_at = ?3, receipt = ?4, problem = ?5 WHERE id = ?1",
            params![Id(turn.0), status.as_str(), Moment(at), receipt.map(to_json).transpose()?, problem],
        )
    }

    pub fn newest_turn_that_fell_short(&self, lane: i64) -> Result<Option<TurnId>> {
        let turn: Option<Id> = self.value(
            "SELECT t.id FROM turns t LEFT JOIN replies r ON r.turn = t.id LEFT JOIN messages m ON m.seq = r.message \
             WHERE t.lane = ?1 AND (t.status IN ('failed', 'abandoned') OR m.metadata ->> 'shortfall' IS NOT NULL) \
             AND EXISTS (SELECT 1 FROM turn_messages b WHERE b.turn = t.id) ORDER BY t.started_at DESC, t.id DESC LIMIT 1",
            [lane],
        )?;
        Ok(turn.map(|turn| TurnId(turn.0)))
    }

    pub fn notice_of_turn(&self, turn: TurnId) -> Result<Option<i64>> {
        self.value(
            "SELECT m.seq FROM turns t JOIN messages m ON m.lane = t.lane WHERE t.id = ?1 \
             AND m.seq > (SELECT max(message) FROM turn_messages WHERE turn = ?1) AND m.metadata ->> 'failed_turn' = ?2",
            params![Id(turn.0), turn.to_string()],
        )
    }

    pub fn messages_of_turn(&self, chat: &ChatId, turn: TurnId) -> Result<Vec<StoredMessage>> {
        let sql = concat!(
            "SELECT ",
            message!(),
            " FROM turn_messages b JOIN messages m ON m.seq = b.message JOIN lanes l ON l.id = m.lane WHERE b.turn = ?1 ORDER BY m.occurred_at, m.seq"
        );
        let mut reader = MessageReader::new(chat);
        self.all(sql, [Id(turn.0)], |row| reader.stored(row))
    }

    pub fn turn_of_message(&self, chat: i64, message: MessageId) -> Result<Option<TurnId>> {
        let turn: Option<Id> = self.value(
            "SELECT t.turn FROM turn_messages t JOIN messages m ON m.seq = t.message WHERE m.id = ?1 AND m.chat = ?2",
            params![Id(message.0), chat],
        )?;
        Ok(turn.map(|turn| TurnId(turn.0)))
    }

    pub fn turn_of_reply(&self, chat: i64, message: i64) -> Result<Option<TurnId>> {
        let turn: Option<Id> = self.value(
            "SELECT r.turn FROM replies r JOIN lanes l ON l.id = r.lane WHERE r.message = ?1 AND l.chat = ?2",
            [message, chat],
        )?;
        Ok(turn.map(|turn| TurnId(turn.0)))
    }

    pub fn newest_turn_with_receipt(&self, lane: i64) -> Result<Option<TurnId>> {
        let turn: Option<Id> = self.value(
            "SELECT id FROM turns WHERE lane = ?1 AND receipt IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 1",
            [lane],
        )?;
        Ok(turn.map(|turn| TurnId(turn.0)))
    }

    pub fn turns_before(
        &self,
        chat: Option<i64>,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnEntry>> {
        // Ids sort by time.
        let sql = concat!(
            "SELECT ",
            entry!(),
            " WHERE (?1 IS NULL OR l.chat = ?1) AND (?2 IS NULL OR t.id < ?2) ORDER BY t.id DESC LIMIT ?3"
        );
        self.all(sql, params![chat, before.map(|turn| Id(turn.0)), limit], |row| self.entry(row))
    }

    pub fn turn_entry(&self, turn: TurnId) -> Result<Option<TurnEntry>> {
        self.first(concat!("SELECT ", entry!(), " WHERE t.id = ?1"), [Id(turn.0)], |row| self.entry(row))
    }

    fn entry(&self, row: &Row<'_>) -> Result<TurnEntry> {
        let id = row.get::<_, Id>(0)?;
        Ok(TurnEntry {
            chat: parse(&row.get::<_, String>(1)?)?,
            lane: row.get(2)?,
            status: word(row.get(3)?)?,
            started_at: row.get::<_, Moment>(4)?.0,
            ended_at: row.get::<_, Option<Moment>>(5)?.map(|at| at.0),
            reply: row.get::<_, Option<Id>>(6)?.map(|id| MessageId(id.0)),
            delivery: row.get::<_, Option<String>>(7)?.map(word).transpose()?,
            receipt: json(row, 8)?,
            problem: row.get(9)?,
            spent: self.spent_on_turn(&id)?,
            id: TurnId(id.0),
        })
    }

    pub fn reply_row(&self, turn: TurnId) -> Result<Option<ReplyRow>> {
        self.first(
            "SELECT t.status, t.started_at, t.receipt, r.message, r.delivery FROM turns t LEFT JOIN replies r ON r.turn = t.id WHERE t.id = ?1",
            [Id(turn.0)],
            |row| {
                Ok(ReplyRow {
                    status: word(row.get(0)?)?,
                    started_at: row.get::<_, Moment>(1)?.0,
                    receipt: json::<Option<Receipt>>(row, 2)?,
                    message: row.get(3)?,
                    delivery: row.get::<_, Option<String>>(4)?.map(word).transpose()?,
                })
            },
        )
    }

    pub fn add_pending_reply(&self, turn: TurnId, lane: i64) -> Result<()> {
        self.execute(
            "INSERT INTO replies (turn, lane, delivery) VALUES (?1, ?2, 'pending') ON CONFLICT (turn) DO NOTHING",
            params![Id(turn.0), lane],
        )
    }

    pub fn put_reply(&self, turn: TurnId, lane: i64, message: i64) -> Result<()> {
        self.execute(
            "INSERT INTO replies (turn, lane, message, delivery) VALUES (?1, ?2, ?3, 'pending') \
             ON CONFLICT (turn) DO UPDATE SET message = excluded.message",
            params![Id(turn.0), lane, message],
        )
    }

    pub fn set_delivery(&self, turn: TurnId, delivery: Delivery) -> Result<()> {
        let sql = "UPDATE replies SET delivery = ?2 WHERE turn = ?1";
        self.execute(sql, params![Id(turn.0), delivery.as_str()])
    }

    pub fn mark_shown_reply_uncertain(&self, turn: TurnId) -> Result<bool> {
        let marked = self.run(
            "UPDATE replies SET delivery = 'uncertain' WHERE turn = ?1 AND delivery = 'pending' AND NOT EXISTS (SELECT 1 FROM outbox p WHERE p.turn = ?1)",
            [Id(turn.0)],
        )?;
        Ok(marked > 0)
    }

    pub fn unreported(&self, lane: i64) -> Result<u64> {
        self.only(
            "SELECT (SELECT count(*) FROM replies WHERE lane = ?1 AND delivery <> 'sent' AND delivery = 'uncertain' AND NOT reported) \
             + (SELECT count(DISTINCT p.message) FROM outbox p WHERE p.state = 'uncertain' AND p.turn IS NULL \
                AND NOT p.reported AND (SELECT m.lane FROM messages m WHERE m.seq = p.message) = ?1)",
            [lane],
        )
    }

    pub fn unreported_refusals(&self, lane: i64) -> Result<u64> {
        self.only(
            "SELECT count(*) FROM replies WHERE lane = ?1 AND delivery <> 'sent' AND delivery = 'failed' AND message IS NOT NULL AND NOT reported",
            [lane],
        )
    }

    pub fn mark_reported(&self, lane: i64) -> Result<()> {
        self.execute(
            "UPDATE replies SET reported = 1 WHERE lane = ?1 AND delivery <> 'sent' AND delivery IN ('uncertain', 'failed')",
            [lane],
        )?;
        self.execute(
            "UPDATE outbox SET reported = 1 WHERE state = 'uncertain' AND turn IS NULL \
             AND message IN (SELECT m.seq FROM messages m WHERE m.lane = ?1 AND m.seq = outbox.message)",
            [lane],
        )
    }

    pub fn text_of_reply_to(&self, message: i64) -> Result<Option<String>> {
        self.value(
            "SELECT m.text FROM turn_messages b JOIN replies r ON r.turn = b.turn JOIN messages m ON m.seq = r.message WHERE b.message = ?1",
            [message],
        )
    }

    pub fn role_and_text_after(&self, message: i64) -> Result<Option<(String, String)>> {
        self.first(
            "SELECT n.role, n.text FROM messages m JOIN messages n ON n.lane = m.lane AND (n.occurred_at, n.seq) > (m.occurred_at, m.seq) \
             WHERE m.seq = ?1 ORDER BY n.occurred_at, n.seq LIMIT 1",
            [message],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }
}

/// A turn and its holder.
fn held_turn(row: &Row<'_>) -> Result<(TurnId, Holder)> {
    let holder = Holder { owner: row.get(1)?, leased_to: row.get::<_, Moment>(2)?.0 };
    Ok((TurnId(row.get::<_, Id>(0)?.0), holder))
}

/// Parses a value that is stored by its name in JSON.
fn word<T: serde::de::DeserializeOwned>(text: String) -> Result<T> {
    serde_json::from_value(serde_json::Value::String(text))
        .map_err(|error| Error::Unreadable(error.to_string()))
}
