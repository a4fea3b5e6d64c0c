//! Pieces that are sent, and buttons under them.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, Status};
use throughline_domain::message::MessageId;
use throughline_domain::turn::{Delivery, TurnId};
use uuid::Uuid;

use super::messages::{Appender, chat_row, known_id};
use super::rows::{Id, Moment, holder, parse};
use super::{Sqlite, memories, routines};
use crate::Result;
use crate::holder::Holder;
use crate::messages::Appended;
use crate::outbox::{Button, NewOutboxItem, OutboxFigures, OutboxItem, Outgoing, Sent};

impl Sqlite {
    pub async fn send_out(&self, outgoing: Outgoing) -> Result<Vec<Appended>> {
        let gap = self.gap();
        self.write(move |transaction| send_out(transaction, gap, outgoing)).await
    }

    pub async fn begin_send(
        &self,
        chat: &ChatId,
        holder: &Holder,
        now: Timestamp,
    ) -> Result<Option<OutboxItem>> {
        let (chat, holder) = (chat.clone(), holder.clone());
        self.write(move |transaction| {
            let mut first = transaction.prepare_cached(
                "SELECT id, state, body, due_at, attempts FROM outbox WHERE chat = ?1 AND state IN ('pending', 'sending') ORDER BY id LIMIT 1",
            )?;
            let first = first.query_row([chat.as_str()], |row| {
                let due: Moment = row.get(3)?;
                let is_due = row.get_ref(1)?.as_str() == Ok("pending") && due.0 <= now;
                Ok((is_due, OutboxItem { id: row.get(0)?, chat: chat.clone(), body: row.get(2)?, attempts: row.get(4)? }))
            });
            let Some((true, item)) = first.optional()? else { return Ok(None) };
            let mut begin = transaction.prepare_cached(
                "UPDATE outbox SET state = 'sending', owner = ?2, leased_to = ?3, attempts = attempts + 1 WHERE id = ?1",
            )?;
            begin.execute(params![item.id, holder.owner, Moment(holder.leased_to)])?;
            Ok(Some(item))
        })
        .await
    }

    pub async fn end_send(&self, item: i64, sent: Sent) -> Result<()> {
        self.write(move |transaction| {
            match sent {
                Sent::Delivered(id) => {
                    set_state(transaction, item, "sent", None)?;
                    if let Some(id) = id {
                        note_id(transaction, item, &id)?;
                    }
                }
                Sent::Uncertain(why) => set_state(transaction, item, "uncertain", Some(&why))?,
                Sent::Refused(why) => set_state(transaction, item, "failed", Some(&why))?,
                Sent::Again { body, at, problem } => {
                    let mut again = transaction.prepare_cached(
                        "UPDATE outbox SET state = 'pending', owner = NULL, body = coalesce(?2, body), due_at = ?3, problem = ?4 WHERE id = ?1",
                    )?;
                    again.execute(params![item, body, Moment(at), problem])?;
                    return Ok(());
                }
            }
            finish_reply(transaction, item)
        })
        .await
    }

    pub async fn unsent(&self, channel: &str) -> Result<Vec<(ChatId, Timestamp)>> {
        let pattern = format!("{channel}:chat:*");
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT chat, due_at, min(id) FROM outbox WHERE state IN ('pending', 'sending') AND chat GLOB ?1 GROUP BY chat",
            )?;
            let mut rows = statement.query([pattern])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push((parse(&row.get::<_, String>(0)?)?, row.get::<_, Moment>(1)?.0));
            }
            Ok(found)
        })
        .await
    }

    pub async fn send_owners(&self) -> Result<Vec<Holder>> {
        self.read(|transaction| {
            let mut statement = transaction
                .prepare_cached("SELECT DISTINCT owner, leased_to FROM outbox WHERE state = 'sending'")?;
            let rows = statement.query_map([], holder)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn mark_uncertain(&self, owners: Vec<Holder>) -> Result<()> {
        self.write(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT id FROM outbox WHERE state = 'sending' AND owner = ?1 AND leased_to = ?2",
            )?;
            let mut again = transaction.prepare_cached(
                "UPDATE outbox SET state = 'pending', owner = NULL WHERE state = 'sending' AND owner = ?1 AND leased_to = ?2 AND repeatable",
            )?;
            for Holder { owner, leased_to } in owners {
                let held = params![owner, Moment(leased_to)];
                again.execute(held)?;
                let outbox: Vec<i64> =
                    statement.query_map(held, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
                for item in outbox {
                    set_state(
                        transaction,
                        item,
                        "uncertain",
                        Some("the program ended while it was being sent"),
                    )?;
                    finish_reply(transaction, item)?;
                }
            }
            Ok(())
        })
        .await
    }

    pub async fn outbox_figures(&self) -> Result<OutboxFigures> {
        self.read(|transaction| {
            let count = |sql: &str| transaction.query_row(sql, [], |row| row.get(0));
            Ok(OutboxFigures {
                pending: count("SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')")?,
                uncertain: count("SELECT count(*) FROM outbox WHERE state = 'uncertain'")?,
                failed: count("SELECT count(*) FROM outbox WHERE state = 'failed'")?,
            })
        })
        .await
    }

    pub async fn button(&self, chat: &ChatId, id: &str, now: Timestamp) -> Result<Option<Button>> {
        let (chat, id) = (chat.clone(), id.to_owned());
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT bundle, person, action, expires_at FROM buttons WHERE id = ?1 AND chat = ?2 AND expires_at > ?3",
            )?;
            let button = statement.query_row(params![id, chat.as_str(), Moment(now)], |row| {
                Ok(Button {
                    id: id.clone(),
                    bundle: row.get::<_, Id>(0)?.0,
                    chat: chat.clone(),
                    person: row.get(1)?,
                    action: row.get(2)?,
                    until: row.get::<_, Moment>(3)?.0,
                })
            });
            Ok(button.optional()?)
        })
        .await
    }

    pub async fn chats_to_ask(&self, channel: &str) -> Result<Vec<ChatId>> {
        let pattern = format!("{channel}:chat:*");
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT DISTINCT c.key FROM memories m JOIN chats c ON c.id = m.chat WHERE m.status = ?1 AND NOT m.offered AND c.key GLOB ?2",
            )?;
            let mut rows = statement.query(params![Status::Suggested.as_str(), pattern])?;
            let mut chats = Vec::new();
            while let Some(row) = rows.next()? {
                chats.push(parse(&row.get::<_, String>(0)?)?);
            }
            Ok(chats)
        })
        .await
    }

    pub async fn to_offer(&self, chat: &ChatId) -> Result<Vec<Memory>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let mut statement = transaction
                .prepare_cached("SELECT id FROM memories WHERE chat = ?1 AND status = ?2 AND NOT offered")?;
            let waiting: Vec<Uuid> = statement
                .query_map(params![row, Status::Suggested.as_str()], |row| Ok(row.get::<_, Id>(0)?.0))?
                .collect::<rusqlite::Result<_>>()?;
            if waiting.is_empty() {
                return Ok(Vec::new());
            }
            let known = memories::of_chat(transaction, &chat, None)?;
            Ok(known
                .into_iter()
                .map(|kept| kept.memory)
                .filter(|memory| waiting.contains(&memory.id.0))
                .collect())
        })
        .await
    }

    pub async fn delivery_of(&self, chat: &ChatId, message: MessageId) -> Result<Option<Delivery>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(None) };
            let Some(seq) = known_id(transaction, row, message)? else { return Ok(None) };
            let mut statement =
                transaction.prepare_cached("SELECT DISTINCT state FROM outbox WHERE message = ?1")?;
            let states: Vec<String> =
                statement.query_map([seq], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            let any = |wanted: &[&str]| states.iter().any(|state| wanted.contains(&state.as_str()));
            Ok(match states.is_empty() {
                true => None,
                false if any(&["pending", "sending"]) => Some(Delivery::Pending),
                false if any(&["uncertain"]) => Some(Delivery::Uncertain),
                false if any(&["failed"]) => Some(Delivery::Failed),
                false => Some(Delivery::Sent),
            })
        })
        .await
    }

    pub async fn sent_as(&self, chat: &ChatId, message: MessageId) -> Result<Vec<String>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let Some(seq) = known_id(transaction, row, message)? else { return Ok(Vec::new()) };
            let mut statement = transaction.prepare_cached(
                "SELECT external_id FROM outbox WHERE message = ?1 AND external_id IS NOT NULL ORDER BY id",
            )?;
            let rows = statement.query_map([seq], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

/// Records and writes down what is sent, and settles what led to it.
pub(super) fn send_out(
    transaction: &Transaction<'_>,
    gap: jiff::SignedDuration,
    outgoing: Outgoing,
) -> Result<Vec<Appended>> {
    let mut appender = Appender::new(transaction, gap);
    let appended = outgoing.said.iter().map(|append| appender.append(append)).collect::<Result<Vec<_>>>()?;
    appender.finish()?;
    let message = appended.last().map(|appended| appended.seq);
    for item in &outgoing.outbox {
        insert(transaction, item, message, None)?;
    }
    for button in &outgoing.buttons {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO buttons (id, bundle, chat, person, action, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let Button { id, bundle, chat, person, action, until } = button;
        insert.execute(params![id, Id(*bundle), chat.as_str(), person, action, Moment(*until)])?;
    }
    for bundle in outgoing.used {
        transaction.execute("DELETE FROM buttons WHERE bundle = ?1", [Id(bundle)])?;
    }
    if let Some(action) = outgoing.action {
        transaction.execute("DELETE FROM inbound_actions WHERE id = ?1", [action])?;
    }
    if let Some(mut run) = outgoing.run {
        run.message = run.message.or(appended.last().map(|appended| appended.id));
        routines::end(transaction, &run)?;
    }
    for memory in &outgoing.offered {
        transaction.execute("UPDATE memories SET offered = 1 WHERE id = ?1", [Id(memory.0)])?;
    }
    Ok(appended)
}

/// Writes down a piece that is to be sent.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    item: &NewOutboxItem,
    message: Option<i64>,
    turn: Option<TurnId>,
) -> Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO outbox (chat, message, turn, body, repeatable) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    insert.execute(params![
        item.chat.as_str(),
        message,
        turn.map(|turn| Id(turn.0)),
        item.body,
        item.is_repeatable
    ])?;
    Ok(())
}

/// What was forgotten is not sent any more.
pub(super) fn take_out(transaction: &Transaction<'_>, message: i64) -> Result<()> {
    let mut unsent =
        transaction.prepare_cached("SELECT id FROM outbox WHERE message = ?1 AND state = 'pending'")?;
    let unsent: Vec<i64> = unsent.query_map([message], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for item in unsent {
        set_state(transaction, item, "failed", Some("it was forgotten before it was sent"))?;
        finish_reply(transaction, item)?;
    }
    Ok(())
}

/// What shows forgotten words to people, such as the result of a command, is not sent any more, either.
pub(super) fn take_out_words(transaction: &Transaction<'_>, chat: &ChatId, gone: &[&str]) -> Result<()> {
    let mut unsent =
        transaction.prepare_cached("SELECT id, body FROM outbox WHERE chat = ?1 AND state = 'pending'")?;
    let unsent: Vec<(i64, String)> = unsent
        .query_map([chat.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    // A body is JSON, and so are the words in it.
    let written: Vec<String> = gone.iter().map(|words| serde_json::json!(words).to_string()).collect();
    let holds = |body: &str| written.iter().any(|words| body.contains(words.trim_matches('"')));
    for (item, _) in unsent.iter().filter(|(_, body)| holds(body)) {
        set_state(transaction, *item, "failed", Some("it was forgotten before it was sent"))?;
        finish_reply(transaction, *item)?;
    }
    Ok(())
}

fn set_state(transaction: &Transaction<'_>, item: i64, state: &str, problem: Option<&str>) -> Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE outbox SET state = ?2, problem = ?3, body = '', owner = NULL WHERE id = ?1",
    )?;
    update.execute(params![item, state, problem])?;
    Ok(())
}

/// The channel's id of a piece leads to the message that it is a part of.
fn note_id(transaction: &Transaction<'_>, item: i64, id: &str) -> Result<()> {
    transaction
        .prepare_cached("UPDATE outbox SET external_id = ?2 WHERE id = ?1")?
        .execute(params![item, id])?;
    let mut lead = transaction.prepare_cached(
        "INSERT INTO external_ids (chat, id, message) SELECT m.chat, ?2, m.seq FROM outbox p JOIN messages m ON m.seq = p.message \
         WHERE p.id = ?1 ON CONFLICT DO NOTHING",
    )?;
    if lead.execute(params![item, id])? > 0 {
        let mut note = transaction.prepare_cached(
            "UPDATE messages SET external_ids = json_insert(coalesce(external_ids, '[]'), '$[#]', ?2) WHERE seq = (SELECT message FROM outbox WHERE id = ?1)",
        )?;
        note.execute(params![item, id])?;
    }
    Ok(())
}

/// A reply has come as far as its pieces have: it is there once all are.
fn finish_reply(transaction: &Transaction<'_>, item: i64) -> Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE replies SET delivery = (SELECT CASE \
           WHEN sum(p.state IN ('pending', 'sending')) > 0 THEN 'pending' \
           WHEN sum(p.state = 'uncertain') > 0 THEN 'uncertain' \
           WHEN sum(p.state = 'failed') > 0 THEN 'failed' \
           ELSE 'sent' END FROM outbox p WHERE p.turn = replies.turn) \
         WHERE turn = (SELECT turn FROM outbox WHERE id = ?1)",
    )?;
    update.execute([item])?;
    Ok(())
}
