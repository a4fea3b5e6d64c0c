//! Lanes held by turns, replies and how far they came.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::turn::{Delivery, TurnId, TurnStatus};

use super::messages::{Appender, lane_row};
use super::rows::{Id, MESSAGE, MessageReader, Moment};
use super::{Sqlite, ledger, memories, outbox, routines};
use crate::holder::Holder;
use crate::memories::EXTRACT;
use crate::messages::{Append, Appended, Origin, Purpose};
use crate::outbox::Outgoing;
use crate::routines::Run;
use crate::turns::{Answer, Entry, Take, TurnRecord};
use crate::{Error, Result};

impl Sqlite {
    pub async fn enter_lane(
        &self,
        chat: &ChatId,
        lane: &Lane,
        turn: TurnId,
        new: &Holder,
        take: Take,
        at: Timestamp,
    ) -> Result<Entry> {
        let (chat, key, new) = (chat.clone(), lane.key(chat), new.clone());
        let (lane, gap) = (lane.clone(), self.gap());
        self.write(move |transaction| {
            if take == Take::Nothing {
                Appender::new(transaction, gap).open_lane(&chat, &lane)?;
            }
            let Some(lane) = lane_row(transaction, &chat, &key)? else { return Ok(Entry::Nothing) };
            let mut holder = transaction.prepare_cached(
                "SELECT l.turn, l.owner, t.leased_to FROM lanes l JOIN turns t ON t.id = l.turn WHERE l.id = ?1",
            )?;
            if let Some((turn, holder)) = holder.query_row([lane.id], held_turn).optional()? {
                return Ok(Entry::Busy { holder, turn });
            }
            let messages = match take {
                Take::Waiting => take_waiting(transaction, &chat, lane.id, i64::MAX)?,
                Take::UpTo(last) => take_waiting(transaction, &chat, lane.id, last)?,
                Take::Nothing => Vec::new(),
            };
            if messages.is_empty() && take != Take::Nothing {
                return Ok(Entry::Nothing);
            }
            let mut begin = transaction.prepare_cached(
                "INSERT INTO turns (id, lane, status, owner, started_at, leased_to) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let (status, leased_to) = (TurnStatus::Running.as_str(), Moment(new.leased_to));
            begin.execute(params![Id(turn.0), lane.id, status, new.owner, Moment(at), leased_to])?;
            let mut belong =
                transaction.prepare_cached("INSERT INTO turn_messages (message, turn) VALUES (?1, ?2)")?;
            for stored in &messages {
                belong.execute(params![stored.seq, Id(turn.0)])?;
            }
            transaction
                .prepare_cached("UPDATE lanes SET turn = ?2, owner = ?3 WHERE id = ?1")?
                .execute(params![lane.id, Id(turn.0), new.owner])?;
            Ok(Entry::Held(messages))
        })
        .await
    }

    pub async fn renew_turn(&self, turn: TurnId, leased_to: Timestamp) -> Result<()> {
        self.write(move |transaction| {
            let mut renew = transaction.prepare_cached("UPDATE turns SET leased_to = ?2 WHERE id = ?1")?;
            renew.execute(params![Id(turn.0), Moment(leased_to)])?;
            Ok(())
        })
        .await
    }

    pub async fn begin_reply(&self, turn: TurnId) -> Result<()> {
        self.write(move |transaction| {
            check_running(transaction, &Id(turn.0))?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO replies (turn, lane, delivery) SELECT id, lane, ?2 FROM turns WHERE id = ?1 ON CONFLICT (turn) DO NOTHING",
            )?;
            insert.execute(params![Id(turn.0), Delivery::Pending.as_str()])?;
            Ok(())
        })
        .await
    }

    pub async fn record_answer(&self, answer: Answer) -> Result<Appended> {
        let gap = self.gap();
        self.write(move |transaction| {
            let turn = Id(answer.turn.0);
            check_running(transaction, &turn)?;
            let mut appender = Appender::new(transaction, gap);
            let appended = appender.append(&Append { message: answer.reply, purpose: Purpose::Record, origin: Origin::Heard, person: None })?;
            appender.finish()?;
            let receipt = serde_json::to_string(&answer.receipt).map_err(|error| Error::Unreadable(error.to_string()))?;
            let mut end = transaction.prepare_cached("UPDATE turns SET status = ?2, ended_at = ?3, receipt = ?4 WHERE id = ?1")?;
            end.execute(params![turn, TurnStatus::Answered.as_str(), Moment(answer.at), receipt])?;
            let mut reply = transaction.prepare_cached(
                "INSERT INTO replies (turn, lane, message, delivery) SELECT id, lane, ?2, ?3 FROM turns WHERE id = ?1 \
                 ON CONFLICT (turn) DO UPDATE SET message = ?2",
            )?;
            reply.execute(params![turn, appended.seq, Delivery::Pending.as_str()])?;
            for post in &answer.outbox {
                outbox::insert(transaction, post, Some(appended.seq), Some(answer.turn))?;
            }
            if let Some(run) = answer.run {
                routines::end(transaction, &Run { message: Some(appended.id), ..run })?;
            }
            let chat: i64 = transaction
                .prepare_cached("SELECT chat FROM messages WHERE seq = ?1")?
                .query_row([appended.seq], |row| row.get(0))?;
            memories::learn(transaction, chat, &answer.learned)?;
            memories::note_use(transaction, &answer.used, answer.at)?;
            if let Some(call) = &answer.call {
                ledger::note(transaction, call)?;
            }
            let pending = answer.pending.as_ref().map(serde_json::to_string).transpose();
            let pending = pending.map_err(|error| Error::Unreadable(error.to_string()))?;
            let mut wait = transaction
                .prepare_cached("UPDATE lanes SET pending = ?2 WHERE id = (SELECT lane FROM turns WHERE id = ?1)")?;
            wait.execute(params![turn, pending])?;
            if answer.tells_uncertain {
                note_told(transaction, &turn)?;
            }
            free(transaction, &turn)?;
            Ok(appended)
        })
        .await
    }

    pub async fn fail_turn(&self, turn: TurnId, problem: &str, at: Timestamp, told: Outgoing) -> Result<()> {
        let (problem, gap) = (problem.to_owned(), self.gap());
        self.write(move |transaction| {
            let turn = Id(turn.0);
            if !is_running(transaction, &turn)? {
                // Another process answers what this turn could not.
                return Ok(());
            }
            outbox::send_out(transaction, gap, told)?;
            let mut end = transaction
                .prepare_cached("UPDATE turns SET status = ?2, ended_at = ?3, problem = ?4 WHERE id = ?1")?;
            end.execute(params![turn, TurnStatus::Failed.as_str(), Moment(at), problem])?;
            let mut shown = transaction.prepare_cached("UPDATE replies SET delivery = ?2 WHERE turn = ?1")?;
            shown.execute(params![turn, Delivery::Failed.as_str()])?;
            free(transaction, &turn)
        })
        .await
    }

    pub async fn mark_delivery(
        &self,
        turn: TurnId,
        delivery: Delivery,
        external_ids: Vec<String>,
    ) -> Result<()> {
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached("UPDATE replies SET delivery = ?2 WHERE turn = ?1")?;
            update.execute(params![Id(turn.0), delivery.as_str()])?;
            if external_ids.is_empty() {
                return Ok(());
            }
            let mut insert = transaction.prepare_cached(
                "INSERT INTO external_ids (chat, id, message) SELECT m.chat, ?2, m.seq FROM replies r JOIN messages m ON m.seq = r.message \
                 WHERE r.turn = ?1 ON CONFLICT DO NOTHING",
            )?;
            for id in &external_ids {
                insert.execute(params![Id(turn.0), id])?;
            }
            let mut note = transaction.prepare_cached("UPDATE messages SET external_ids = ?2 WHERE seq = (SELECT message FROM replies WHERE turn = ?1)")?;
            note.execute(params![Id(turn.0), serde_json::json!(external_ids).to_string()])?;
            Ok(())
        })
        .await
    }

    pub async fn abandon_turns(&self, turns: Vec<(TurnId, Holder)>, at: Timestamp) -> Result<()> {
        self.write(move |transaction| {
            let mut same = transaction
                .prepare_cached("SELECT 1 FROM turns WHERE id = ?1 AND owner = ?2 AND leased_to = ?3")?;
            for (turn, holder) in turns {
                let turn = Id(turn.0);
                if same.exists(params![turn, holder.owner, Moment(holder.leased_to)])? {
                    abandon(transaction, &turn, at)?;
                }
            }
            Ok(())
        })
        .await
    }

    pub async fn unfinished_turns(&self) -> Result<Vec<(TurnId, Holder)>> {
        self.read(|transaction| {
            // The first condition on the delivery is that of the index, which holds few replies.
            let mut statement = transaction.prepare_cached(
                "SELECT l.turn, l.owner, t.leased_to FROM lanes l JOIN turns t ON t.id = l.turn WHERE l.turn IS NOT NULL UNION \
                 SELECT t.id, t.owner, t.leased_to FROM replies r JOIN turns t ON t.id = r.turn WHERE r.delivery <> 'sent' AND r.delivery = 'pending' \
                 AND NOT EXISTS (SELECT 1 FROM outbox p WHERE p.turn = r.turn)",
            )?;
            let rows = statement.query_map([], held_turn)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn turn_of(&self, chat: &ChatId, message: MessageId) -> Result<Option<TurnRecord>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT t.turn FROM turn_messages t JOIN messages m ON m.seq = t.message JOIN chats c ON c.id = m.chat WHERE m.id = ?1 AND c.key = ?2",
            )?;
            let turn = statement.query_row(params![Id(message.0), chat.as_str()], |row| row.get::<_, Id>(0)).optional()?;
            turn.map(|turn| record(transaction, &chat, TurnId(turn.0))).transpose()
        })
        .await
    }

    pub async fn last_turn(&self, chat: &ChatId, lane: &Lane) -> Result<Option<TurnRecord>> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| {
            let Some(lane) = lane_row(transaction, &chat, &key)? else { return Ok(None) };
            let mut statement = transaction.prepare_cached(
                "SELECT id FROM turns WHERE lane = ?1 AND receipt IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 1",
            )?;
            let turn = statement.query_row([lane.id], |row| row.get::<_, Id>(0)).optional()?;
            turn.map(|turn| record(transaction, &chat, TurnId(turn.0))).transpose()
        })
        .await
    }
}

/// A turn and who holds it.
fn held_turn(row: &Row<'_>) -> rusqlite::Result<(TurnId, Holder)> {
    let holder = Holder { owner: row.get(1)?, leased_to: row.get::<_, Moment>(2)?.0 };
    Ok((TurnId(row.get::<_, Id>(0)?.0), holder))
}

fn is_running(transaction: &Transaction<'_>, turn: &Id) -> Result<bool> {
    let mut running =
        transaction.prepare_cached("SELECT 1 FROM turns WHERE id = ?1 AND status = 'running'")?;
    Ok(running.exists([turn])?)
}

/// Refuses to go on with a turn that another process has taken over, because its lease ran out.
fn check_running(transaction: &Transaction<'_>, turn: &Id) -> Result<()> {
    if is_running(transaction, turn)? {
        return Ok(());
    }
    Err(Error::Conflict("another process has taken this turn over".to_owned()))
}

fn record(transaction: &Transaction<'_>, chat: &ChatId, turn: TurnId) -> Result<TurnRecord> {
    let mut statement = transaction.prepare_cached(
        "SELECT t.status, t.started_at, t.receipt, r.message, r.delivery FROM turns t LEFT JOIN replies r ON r.turn = t.id WHERE t.id = ?1",
    )?;
    let (status, started_at, receipt, message, delivery) = statement.query_row([Id(turn.0)], |row| {
        let columns: (String, Moment, Option<String>, Option<i64>, Option<String>) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(columns)
    })?;
    let reply = match message {
        Some(seq) => {
            let sql =
                format!("SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq = ?1");
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut rows = statement.query([seq])?;
            rows.next()?
                .map(|row| MessageReader::new(chat).stored(row))
                .transpose()?
                .map(|stored| stored.message)
        }
        None => None,
    };
    Ok(TurnRecord {
        id: turn,
        status: word(status)?,
        started_at: started_at.0,
        reply,
        delivery: delivery.map(word).transpose()?,
        receipt: receipt
            .map(|text| serde_json::from_str(&text).map_err(|error| Error::Unreadable(error.to_string())))
            .transpose()?,
    })
}

/// A value that is written as one word, by the name it has in JSON.
fn word<T: serde::de::DeserializeOwned>(text: String) -> Result<T> {
    serde_json::from_value(serde_json::Value::String(text))
        .map_err(|error| Error::Unreadable(error.to_string()))
}

/// What a turn was told of, the next need not hear again.
fn note_told(transaction: &Transaction<'_>, turn: &Id) -> Result<()> {
    let mut replies = transaction.prepare_cached(
        "UPDATE replies SET reported = 1 WHERE lane = (SELECT lane FROM turns WHERE id = ?1) AND delivery = 'uncertain'",
    )?;
    replies.execute([turn])?;
    let mut outbox = transaction.prepare_cached(
        "UPDATE outbox SET reported = 1 WHERE state = 'uncertain' AND turn IS NULL \
         AND message IN (SELECT m.seq FROM messages m JOIN turns t ON t.lane = m.lane WHERE t.id = ?1 AND m.seq = outbox.message)",
    )?;
    outbox.execute([turn])?;
    Ok(())
}

/// Closes a turn whose owner died. What it may have shown is uncertain; otherwise its messages wait again. Another
/// process may have done so before, which changes nothing.
fn abandon(transaction: &Transaction<'_>, turn: &Id, at: Timestamp) -> Result<()> {
    let mut doubt = transaction.prepare_cached(
        "UPDATE replies SET delivery = 'uncertain' WHERE turn = ?1 AND delivery = 'pending' AND NOT EXISTS (SELECT 1 FROM outbox p WHERE p.turn = ?1)",
    )?;
    let shown = doubt.execute([turn])? > 0;
    let mut end = transaction
        .prepare_cached("UPDATE turns SET status = ?2, ended_at = ?3 WHERE id = ?1 AND status = 'running'")?;
    let ran = end.execute(params![turn, TurnStatus::Abandoned.as_str(), Moment(at)])? > 0;
    if ran && !shown {
        let mut again = transaction.prepare_cached(
            "INSERT INTO waiting (message, lane) SELECT b.message, m.lane FROM turn_messages b JOIN messages m ON m.seq = b.message WHERE b.turn = ?1",
        )?;
        again.execute([turn])?;
        transaction.prepare_cached("DELETE FROM turn_messages WHERE turn = ?1")?.execute([turn])?;
    }
    free(transaction, turn)
}

/// Frees the lane of a turn that has ended. What was said in it can be learned from now.
fn free(transaction: &Transaction<'_>, turn: &Id) -> Result<()> {
    let mut chat = transaction
        .prepare_cached("SELECT l.chat FROM turns t JOIN lanes l ON l.id = t.lane WHERE t.id = ?1")?;
    if let Some(chat) = chat.query_row([turn], |row| row.get(0)).optional()? {
        memories::want(transaction, EXTRACT, chat)?;
    }
    transaction
        .prepare_cached("UPDATE lanes SET turn = NULL, owner = NULL WHERE turn = ?1")?
        .execute([turn])?;
    Ok(())
}

fn take_waiting(
    transaction: &Transaction<'_>,
    chat: &ChatId,
    lane: i64,
    upto: i64,
) -> Result<Vec<StoredMessage>> {
    let sql = format!(
        "SELECT {MESSAGE} FROM waiting w JOIN messages m ON m.seq = w.message JOIN lanes l ON l.id = m.lane WHERE w.lane = ?1 AND w.message <= ?2 ORDER BY m.occurred_at, m.seq"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut reader = MessageReader::new(chat);
    let mut rows = statement.query([lane, upto])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        messages.push(reader.stored(row)?);
    }
    transaction
        .prepare_cached("DELETE FROM waiting WHERE lane = ?1 AND message <= ?2")?
        .execute([lane, upto])?;
    Ok(messages)
}

/// The messages of a lane that wait for a turn.
pub(super) fn waiting_in(transaction: &Transaction<'_>, lane: i64) -> Result<HashSet<i64>> {
    let mut statement = transaction.prepare_cached("SELECT message FROM waiting WHERE lane = ?1")?;
    let rows = statement.query_map([lane], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Of how many replies and other messages of a lane nobody knows whether they were seen, without a turn having been told.
pub(super) fn untold(transaction: &Transaction<'_>, lane: i64) -> Result<u64> {
    let mut statement = transaction.prepare_cached(
        "SELECT (SELECT count(*) FROM replies WHERE lane = ?1 AND delivery <> 'sent' AND delivery = 'uncertain' AND NOT reported) \
         + (SELECT count(DISTINCT p.message) FROM outbox p JOIN messages m ON m.seq = p.message \
            WHERE p.state = 'uncertain' AND p.turn IS NULL AND NOT p.reported AND m.lane = ?1)",
    )?;
    Ok(statement.query_row([lane], |row| row.get(0))?)
}
