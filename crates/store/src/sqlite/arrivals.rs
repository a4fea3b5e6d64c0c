//! Updates taken in once, inbound_actions in their lanes, accounts, and chats that move.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use super::messages::{Appender, chat_row, lane_row};
use super::rows::{Moment, parse};
use super::{Sqlite, outbox, pairing, profiles};
use crate::arrivals::{Account, Arrival, InboundAction, Ingested, Mark, Next};
use crate::{Error, Result};

/// So long an update is known again. Channels repeat them for a day.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(72);

impl Sqlite {
    pub async fn ingest(&self, mark: Mark, arrival: Arrival) -> Result<Ingested> {
        let gap = self.gap();
        self.write(move |transaction| {
            if !is_new(transaction, &mark)? {
                return Ok(Ingested::Known);
            }
            match arrival {
                Arrival::Message(append) => {
                    let mut appender = Appender::new(transaction, gap);
                    let appended = appender.append(&append)?;
                    appender.finish()?;
                    return Ok(Ingested::Message(appended));
                }
                Arrival::InboundAction { chat, lane, what } => {
                    let lane = Appender::new(transaction, gap).open_lane(&chat, &lane)?;
                    let mut insert = transaction.prepare_cached(
                        "INSERT INTO inbound_actions (lane, after, action) VALUES (?1, (SELECT coalesce(max(seq), 0) FROM messages), ?2)",
                    )?;
                    insert.execute(params![lane, what])?;
                }
                Arrival::Move { from, to } => move_chat(transaction, &from, &to)?,
                Arrival::PairingRequest(request, post) => {
                    pairing::note(transaction, &request, mark.at)?;
                    outbox::insert(transaction, &post, None, None)?;
                }
                Arrival::Nothing => {}
            }
            Ok(Ingested::Done)
        })
        .await
    }

    pub async fn open_account(&self, id: &str) -> Result<Account> {
        let id = id.to_owned();
        self.write(move |transaction| {
            let channel = id.split(':').next().unwrap_or_default().to_owned();
            let name = format!("account {channel}");
            let last: Option<String> = transaction
                .query_row("SELECT value FROM settings WHERE name = ?1", [&name], |row| row.get(0))
                .optional()?;
            if let Some(last) = last.filter(|last| *last != id) {
                set_ids_apart(transaction, &channel, &last, &id)?;
            }
            transaction.execute(
                "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
                [&name, &id],
            )?;
            transaction.execute("INSERT INTO accounts (id) VALUES (?1) ON CONFLICT DO NOTHING", [&id])?;
            let opened = accounts(transaction, Some(&id))?.pop();
            opened.ok_or(Error::NotFound { what: "account", id })
        })
        .await
    }

    pub async fn note_account(&self, account: Account) -> Result<()> {
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached(
                "INSERT INTO accounts (id, name, state, problem, changed_at, owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                 ON CONFLICT (id) DO UPDATE SET name = coalesce(?2, name), state = ?3, problem = ?4, changed_at = ?5, owner = ?6",
            )?;
            let Account { id, name, state, problem, changed_at, owner, .. } = account;
            update.execute(params![id, name, state, problem, Moment(changed_at), owner])?;
            Ok(())
        })
        .await
    }

    pub async fn accounts(&self) -> Result<Vec<Account>> {
        self.read(|transaction| accounts(transaction, None)).await
    }

    pub async fn lanes_with_work(&self, channel: &str) -> Result<Vec<(ChatId, Lane)>> {
        let pattern = format!("{channel}:chat:*");
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT c.key, l.key FROM lanes l JOIN chats c ON c.id = l.chat WHERE c.key GLOB ?1 \
                 AND l.id IN (SELECT lane FROM waiting UNION SELECT lane FROM inbound_actions) ORDER BY l.id",
            )?;
            let mut rows = statement.query([pattern])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let chat: ChatId = parse(&row.get::<_, String>(0)?)?;
                let key: String = row.get(1)?;
                let lane = Lane::parse(&key, &chat).map_err(|error| Error::Unreadable(error.to_string()))?;
                found.push((chat, lane));
            }
            Ok(found)
        })
        .await
    }

    pub async fn next_in_lane(&self, chat: &ChatId, lane: &Lane) -> Result<Next> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| {
            let Some(lane) = lane_row(transaction, &chat, &key)? else { return Ok(Next::Nothing) };
            let mut first = transaction.prepare_cached("SELECT min(message) FROM waiting WHERE lane = ?1")?;
            let waits: Option<i64> = first.query_row([lane.id], |row| row.get(0))?;
            let mut action = transaction.prepare_cached(
                "SELECT id, after, action FROM inbound_actions WHERE lane = ?1 ORDER BY id LIMIT 1",
            )?;
            let action = action.query_row([lane.id], |row| {
                Ok((InboundAction { id: row.get(0)?, what: row.get(2)? }, row.get::<_, i64>(1)?))
            });
            Ok(match (action.optional()?, waits) {
                (Some((_, after)), Some(waits)) if waits <= after => Next::Turn(Some(after)),
                (Some((action, _)), _) => Next::InboundAction(action),
                (None, Some(_)) => Next::Turn(None),
                (None, None) => Next::Nothing,
            })
        })
        .await
    }

    pub async fn close_lane(&self, chat: &ChatId, lane: &Lane) -> Result<()> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.write(move |transaction| {
            if let Some(lane) = lane_row(transaction, &chat, &key)? {
                transaction.execute("UPDATE lanes SET closed = 1 WHERE id = ?1", [lane.id])?;
            }
            Ok(())
        })
        .await
    }

    pub async fn is_closed(&self, chat: &ChatId, lane: &Lane) -> Result<bool> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| {
            let Some(lane) = lane_row(transaction, &chat, &key)? else { return Ok(false) };
            let mut statement = transaction.prepare_cached("SELECT closed FROM lanes WHERE id = ?1")?;
            Ok(statement.query_row([lane.id], |row| row.get(0))?)
        })
        .await
    }

    pub async fn move_chat(&self, from: &ChatId, to: &ChatId) -> Result<()> {
        let (from, to) = (from.clone(), to.clone());
        self.write(move |transaction| move_chat(transaction, &from, &to)).await
    }
}

/// Notes an update, and says whether it came for the first time.
fn is_new(transaction: &Transaction<'_>, mark: &Mark) -> Result<bool> {
    let mut insert = transaction
        .prepare_cached("INSERT INTO updates (account, id, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
    let is_new = insert.execute(params![mark.account, mark.update, Moment(mark.at)])? > 0;
    let mut listen =
        transaction.prepare_cached("UPDATE accounts SET next_update = ?2 + 1, heard_at = ?3 WHERE id = ?1")?;
    listen.execute(params![mark.account, mark.update, Moment(mark.at)])?;
    let old = mark.at.saturating_sub(KNOWN_FOR).unwrap_or(Timestamp::MIN);
    transaction.prepare_cached("DELETE FROM updates WHERE at < ?1")?.execute([Moment(old)])?;
    Ok(is_new)
}

fn accounts(transaction: &Transaction<'_>, id: Option<&str>) -> Result<Vec<Account>> {
    let mut statement = transaction.prepare_cached(
        "SELECT id, name, next_update, heard_at, state, problem, changed_at, owner FROM accounts WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
    )?;
    let rows = statement.query_map([id], |row| {
        Ok(Account {
            id: row.get(0)?,
            name: row.get(1)?,
            next: row.get(2)?,
            heard_at: row.get::<_, Option<Moment>>(3)?.map(|at| at.0),
            state: row.get(4)?,
            problem: row.get(5)?,
            changed_at: row.get::<_, Moment>(6)?.0,
            owner: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What another account of a channel called its messages must not be taken for what this one does. What this one called
/// its own, before the other came, is valid again.
fn set_ids_apart(transaction: &Transaction<'_>, channel: &str, other: &str, own: &str) -> Result<()> {
    let mut chats = transaction.prepare("SELECT id FROM chats WHERE key GLOB ?1 || ':chat:*'")?;
    let chats: Vec<i64> = chats.query_map([channel], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for chat in chats {
        prefix_ids(transaction, chat, other)?;
        transaction.execute(
            "UPDATE external_ids SET id = substr(id, length(?2) + 2) WHERE chat = ?1 AND id GLOB ?2 || '/*'",
            params![chat, own],
        )?;
    }
    Ok(())
}

fn prefix_ids(transaction: &Transaction<'_>, chat: i64, prefix: &str) -> Result<()> {
    transaction.execute(
        "UPDATE external_ids SET id = ?2 || '/' || id WHERE chat = ?1 AND instr(id, '/') = 0",
        params![chat, prefix],
    )?;
    Ok(())
}

/// Whether nothing was ever said, answered or learned in a chat.
fn is_bare(transaction: &Transaction<'_>, chat: i64) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM messages m JOIN lanes l ON l.id = m.lane WHERE l.chat = ?1) \
         AND NOT EXISTS (SELECT 1 FROM turns t JOIN lanes l ON l.id = t.lane WHERE l.chat = ?1) \
         AND NOT EXISTS (SELECT 1 FROM calls WHERE chat = ?1) AND NOT EXISTS (SELECT 1 FROM memories WHERE chat = ?1) \
         AND NOT EXISTS (SELECT 1 FROM forgettings WHERE chat = ?1)";
    Ok(transaction.query_row(sql, [chat], |row| row.get(0))?)
}

/// A chat that goes on under another id keeps its row, and so everything that belongs to it.
fn move_chat(transaction: &Transaction<'_>, from: &ChatId, to: &ChatId) -> Result<()> {
    // What is to be sent goes to where the chat is now, whatever becomes of the rest.
    for table in ["outbox", "buttons"] {
        let sql = format!("UPDATE {table} SET chat = ?2 WHERE chat = ?1");
        transaction.execute(&sql, [from.as_str(), to.as_str()])?;
    }
    let Some(row) = chat_row(transaction, from)? else { return Ok(()) };
    if let Some(there) = chat_row(transaction, to)? {
        if !is_bare(transaction, there)? {
            tracing::warn!(%from, %to, "a chat moved to one that has a past of its own; both stay as they are");
            return Ok(());
        }
        transaction.execute(
            "DELETE FROM inbound_actions WHERE lane IN (SELECT id FROM lanes WHERE chat = ?1)",
            [there],
        )?;
        transaction.execute("DELETE FROM lanes WHERE chat = ?1", [there])?;
        transaction.execute("DELETE FROM chats WHERE id = ?1", [there])?;
    }
    transaction.execute("UPDATE chats SET key = ?2 WHERE id = ?1", params![row, to.as_str()])?;
    let mut lanes = transaction.prepare("SELECT id, key FROM lanes WHERE chat = ?1")?;
    let lanes: Vec<(i64, String)> =
        lanes.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    for (id, key) in lanes {
        let lane = Lane::parse(&key, from).map_err(|error| Error::Unreadable(error.to_string()))?;
        transaction.execute("UPDATE lanes SET key = ?2 WHERE id = ?1", params![id, lane.key(to)])?;
    }
    // The channel counts its messages anew there.
    prefix_ids(transaction, row, from.name())?;
    transaction.execute(
        "UPDATE OR REPLACE jobs SET subject = ?2 WHERE subject = ?1",
        [from.as_str(), to.as_str()],
    )?;
    transaction.execute(
        "UPDATE OR REPLACE profiles SET owner = ?2 WHERE owner = ?1",
        [profiles::owner(from, None), profiles::owner(to, None)],
    )?;
    Ok(())
}
