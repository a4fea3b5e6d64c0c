//! Appends and reads messages. The lane keeps a count, its last moment and its newest conversation, so that the usual
//! append, which comes last, looks at nothing else.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::context::collapse;
use throughline_domain::context::{History, StoredMessage};
use throughline_domain::conversation::opens;
use throughline_domain::forget::{Suppression, SuppressionList};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::metadata::change_each_text;
use throughline_domain::pending::PendingSlot;
use throughline_domain::summary::Position;
use throughline_domain::tokens;
use uuid::Uuid;

use super::rows::{Id, MESSAGE, MessageReader, Moment, json};
use super::words::Pending;
use super::{Sqlite, compaction, conversations, jobs, memories, summaries, suppressions, turns, vectors};
use crate::memories::EXTRACT;
use crate::messages::{Append, Appended, LaneView, Origin, Purpose, Reach, Reference};
use crate::routines::SUMMARIZE_ROUTINE;
use crate::{Error, Result};

impl Sqlite {
    pub async fn append(&self, messages: Vec<Append>) -> Result<Vec<Appended>> {
        let gap = self.gap();
        self.write(move |transaction| {
            let mut appender = Appender::new(transaction, gap);
            let appended =
                messages.iter().map(|append| appender.append(append)).collect::<Result<Vec<_>>>()?;
            appender.finish()?;
            Ok(appended)
        })
        .await
    }

    pub async fn find(&self, chat: &ChatId, reference: Reference) -> Result<Option<StoredMessage>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(chat_row) = chat_row(transaction, &chat)? else { return Ok(None) };
            let seq = match reference {
                Reference::Id(id) => known_id(transaction, chat_row, id)?,
                Reference::External(external) => known_external(transaction, chat_row, &external)?,
            };
            seq.map(|seq| read_one(transaction, &chat, seq)).transpose()
        })
        .await
    }

    pub async fn lane(
        &self,
        chat: &ChatId,
        lane: &Lane,
        reach: Reach,
        except: HashSet<MessageId>,
    ) -> Result<LaneView> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| {
            let Some(lane) = lane_row(transaction, &chat, &key)? else { return Ok(LaneView::default()) };
            Ok(LaneView {
                history: history(transaction, &chat, &lane, reach, &except)?,
                summaries: summaries::told(transaction, lane.id)?,
                last_reply: last_reply(transaction, &chat, lane.id)?,
                pending: pending(transaction, lane.id)?,
                uncertain: turns::untold(transaction, lane.id)?,
            })
        })
        .await
    }

    pub async fn count(&self, chat: &ChatId, lane: &Lane) -> Result<u64> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| Ok(lane_row(transaction, &chat, &key)?.map_or(0, |lane| lane.messages)))
            .await
    }

    pub async fn following(
        &self,
        chat: &ChatId,
        lane: &Lane,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| {
            let Some(lane) = lane_row(transaction, &chat, &key)? else { return Ok(Vec::new()) };
            let (at, seq) = after.map_or((i64::MIN, i64::MIN), |place| (place.at.as_microsecond(), place.seq));
            let sql = format!(
                "SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 AND (m.occurred_at, m.seq) > (?2, ?3) \
                 ORDER BY m.occurred_at, m.seq LIMIT ?4"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut reader = MessageReader::new(&chat);
            let mut rows = statement.query(params![lane.id, at, seq, limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(reader.stored(row)?);
            }
            Ok(found)
        })
        .await
    }

    pub async fn recorded_after(&self, chat: &ChatId, seq: i64, limit: usize) -> Result<Vec<StoredMessage>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(chat_row) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let sql = format!("SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq > ?1 AND m.chat = ?2 ORDER BY m.seq LIMIT ?3");
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut reader = MessageReader::new(&chat);
            let mut rows = statement.query(params![seq, chat_row, limit])?;
            let mut page = Vec::new();
            while let Some(row) = rows.next()? {
                page.push(reader.stored(row)?);
            }
            Ok(page)
        })
        .await
    }
}

/// A lane's row.
pub(super) struct LaneRow {
    pub id: i64,
    pub messages: u64,
    last_at: Option<i64>,
    conversation: Option<Uuid>,
}

pub(super) fn chat_row(transaction: &Transaction<'_>, chat: &ChatId) -> Result<Option<i64>> {
    let mut statement = transaction.prepare_cached("SELECT id FROM chats WHERE key = ?1")?;
    Ok(statement.query_row([chat.as_str()], |row| row.get(0)).optional()?)
}

pub(super) fn lane_row(transaction: &Transaction<'_>, chat: &ChatId, key: &str) -> Result<Option<LaneRow>> {
    let mut statement = transaction.prepare_cached(
        "SELECT l.id, l.messages, l.last_at, l.conversation FROM lanes l JOIN chats c ON c.id = l.chat WHERE c.key = ?1 AND l.key = ?2",
    )?;
    let row = statement.query_row([chat.as_str(), key], |row| {
        let conversation = row.get::<_, Option<Id>>(3)?.map(|id| id.0);
        Ok(LaneRow { id: row.get(0)?, messages: row.get(1)?, last_at: row.get(2)?, conversation })
    });
    Ok(row.optional()?)
}

pub(super) fn known_id(transaction: &Transaction<'_>, chat: i64, id: MessageId) -> Result<Option<i64>> {
    let mut statement = transaction.prepare_cached("SELECT seq FROM messages WHERE id = ?1 AND chat = ?2")?;
    Ok(statement.query_row(params![Id(id.0), chat], |row| row.get(0)).optional()?)
}

fn known_external(transaction: &Transaction<'_>, chat: i64, external: &str) -> Result<Option<i64>> {
    let mut statement =
        transaction.prepare_cached("SELECT message FROM external_ids WHERE chat = ?1 AND id = ?2")?;
    Ok(statement.query_row(params![chat, external], |row| row.get(0)).optional()?)
}

pub(super) fn read_one(transaction: &Transaction<'_>, chat: &ChatId, seq: i64) -> Result<StoredMessage> {
    let sql = format!("SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq = ?1");
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut rows = statement.query([seq])?;
    let row = rows.next()?.ok_or_else(|| Error::NotFound { what: "message", id: seq.to_string() })?;
    MessageReader::new(chat).stored(row)
}

/// Walks the lane back from its end until the reach is exhausted.
fn history(
    transaction: &Transaction<'_>,
    chat: &ChatId,
    lane: &LaneRow,
    reach: Reach,
    except: &HashSet<MessageId>,
) -> Result<History> {
    let waiting = turns::waiting_in(transaction, lane.id)?;
    let sql = format!(
        "SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 ORDER BY m.occurred_at DESC, m.seq DESC"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut reader = MessageReader::new(chat);
    let mut rows = statement.query([lane.id])?;
    let mut messages: Vec<StoredMessage> = Vec::new();
    let mut ordinal = lane.messages;
    let mut tokens: u32 = 0;
    let mut openings = 0;
    while tokens <= reach.tokens && messages.len() < reach.messages {
        let Some(row) = rows.next()? else { break };
        ordinal = ordinal.saturating_sub(1);
        let stored = StoredMessage { ordinal, ..reader.stored(row)? };
        if except.contains(&stored.message.id) || waiting.contains(&stored.seq) {
            continue;
        }
        let is_old = reach.since.is_some_and(|since| stored.message.occurred_at < since);
        if is_old && openings >= 2 {
            break;
        }
        openings += usize::from(stored.opens);
        tokens = tokens.saturating_add(stored.tokens.min(reach.longest));
        messages.push(stored);
    }
    messages.reverse();
    let head = match messages.first() {
        Some(first) if reach.head > 0 && !messages.iter().any(|stored| stored.opens) => {
            conversations::head(transaction, chat, lane, first, reach.head)?
        }
        _ => Vec::new(),
    };
    Ok(History { messages, head })
}

fn pending(transaction: &Transaction<'_>, lane: i64) -> Result<Option<PendingSlot>> {
    let mut statement = transaction.prepare_cached("SELECT pending FROM lanes WHERE id = ?1")?;
    let mut rows = statement.query([lane])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    json(row, 0)
}

fn last_reply(transaction: &Transaction<'_>, chat: &ChatId, lane: i64) -> Result<Option<Message>> {
    // The newest few messages nearly always hold one; an assistant silent for longer has nothing to be reminded of.
    let sql = format!(
        "SELECT {MESSAGE} FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.lane = ?1 ORDER BY m.occurred_at DESC, m.seq DESC LIMIT 50"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut reader = MessageReader::new(chat);
    let mut rows = statement.query([lane])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(2)?.as_str() == Ok("assistant") {
            return Ok(Some(reader.stored(row)?.message));
        }
    }
    Ok(None)
}

/// Appends messages in one transaction; what several of them share is read once and written back at the end.
pub(super) struct Appender<'a> {
    transaction: &'a Transaction<'a>,
    gap: SignedDuration,
    chats: HashMap<ChatId, i64>,
    lanes: HashMap<(i64, Lane), LaneRow>,
    pending: HashMap<i64, Pending>,
    suppressions: HashMap<i64, Option<Suppressor>>,
}

/// What was forgotten in a chat, each value with when, and all of it made ready.
struct Suppressor {
    key: [u8; 32],
    suppressions: Vec<(Suppression, Timestamp)>,
    all: SuppressionList,
}

impl Suppressor {
    fn read(transaction: &Transaction<'_>, chat: i64, person: Option<&str>) -> Result<Option<Self>> {
        let suppressions = suppressions::of(transaction, chat, person)?;
        if suppressions.is_empty() {
            return Ok(None);
        }
        let key = suppressions::key(transaction)?;
        let all = SuppressionList::new(
            key,
            &suppressions.iter().map(|(suppression, _)| suppression.clone()).collect::<Vec<_>>(),
        );
        Ok(Some(Self { key, suppressions, all }))
    }

    /// Takes what was forgotten after a moment out of a text, and says whether there was any.
    fn suppress(&self, text: &mut String, said: Option<Timestamp>) -> bool {
        let suppressed = self.suppressed(text, said);
        let hidden = suppressed.is_some();
        if let Some(suppressed) = suppressed {
            *text = suppressed;
        }
        hidden
    }

    /// The text without what was forgotten after a moment; nothing where it may stay as it is.
    fn suppressed(&self, text: &str, said: Option<Timestamp>) -> Option<String> {
        let holds = |at: &Timestamp| said.is_none_or(|said| said < *at);
        let held: Vec<Suppression> = self
            .suppressions
            .iter()
            .filter(|(_, at)| holds(at))
            .map(|(suppression, _)| suppression.clone())
            .collect();
        match held.len() {
            0 => None,
            all if all == self.suppressions.len() => self.all.suppressed(text),
            _ => SuppressionList::new(self.key, &held).suppressed(text),
        }
    }
}

impl<'a> Appender<'a> {
    pub fn new(transaction: &'a Transaction<'a>, gap: SignedDuration) -> Self {
        Self {
            transaction,
            gap,
            chats: HashMap::new(),
            lanes: HashMap::new(),
            pending: HashMap::new(),
            suppressions: HashMap::new(),
        }
    }

    pub fn append(&mut self, append: &Append) -> Result<Appended> {
        let message = &append.message;
        let chat = self.chat(&message.chat)?;
        if let Some(seq) = self.known(chat, append)? {
            return self.appended_before(&message.chat, seq);
        }
        let suppressed = self.suppressed(chat, append)?;
        let message = suppressed.as_ref().unwrap_or(message);
        let lane = self.lane(chat, &message.chat, &message.lane)?;
        let (lane_id, at) = (lane.id, message.occurred_at.as_microsecond());
        let comes_last = lane.last_at.is_none_or(|last| last <= at);
        let before = match lane.last_at {
            Some(last) if last <= at => Some(last),
            _ => moment_before(self.transaction, lane_id, at)?,
        };
        let opening =
            message.starts_new_conversation() || before.is_none_or(|before| is_opening(before, at, self.gap));
        let seq = match self.insert(chat, lane_id, message, opening) {
            Err(Error::Conflict(_)) => return self.append_under_a_taken_id(chat, append),
            inserted => inserted?,
        };
        if !comes_last {
            self.finish_late_message(lane_id, seq, at)?;
        }
        self.note_ids(chat, seq, append)?;
        if append.purpose == Purpose::Answer {
            let mut wait =
                self.transaction.prepare_cached("INSERT INTO waiting (message, lane) VALUES (?1, ?2)")?;
            wait.execute([seq, lane_id])?;
        }
        let conversation = match (comes_last, opening) {
            (true, true) => message.id.0,
            (true, false) => self
                .lanes
                .get(&(chat, message.lane.clone()))
                .and_then(|lane| lane.conversation)
                .unwrap_or(message.id.0),
            (false, _) => conversations::of_position(self.transaction, lane_id, at, seq)?,
        };
        let newest =
            if comes_last { conversation } else { conversations::newest(self.transaction, lane_id)? };
        if let Some(lane) = self.lanes.get_mut(&(chat, message.lane.clone())) {
            lane.messages += 1;
            lane.last_at = Some(lane.last_at.map_or(at, |last| last.max(at)));
            lane.conversation = Some(newest);
        }
        self.pending.entry(chat).or_default().push(seq, lane_id, message);
        self.note_what_follows(chat, lane_id, seq, append)?;
        Ok(Appended {
            id: message.id,
            seq,
            lane: message.lane.clone(),
            conversation: MessageId(conversation),
            known: false,
        })
    }

    /// Writes back the counts and hands the new words to the index.
    pub fn finish(self) -> Result<()> {
        let mut update = self.transaction.prepare_cached(
            "UPDATE lanes SET messages = ?2, last_at = ?3, conversation = ?4 WHERE id = ?1",
        )?;
        for lane in self.lanes.values() {
            update.execute(params![lane.id, lane.messages, lane.last_at, lane.conversation.map(Id)])?;
        }
        for (chat, pending) in self.pending {
            pending.finish(self.transaction, chat)?;
            vectors::want(self.transaction, chat)?;
        }
        Ok(())
    }

    /// The row of a lane, made where it is missing.
    pub fn open_lane(&mut self, chat: &ChatId, lane: &Lane) -> Result<i64> {
        let row = self.chat(chat)?;
        Ok(self.lane(row, chat, lane)?.id)
    }

    fn chat(&mut self, chat: &ChatId) -> Result<i64> {
        if let Some(id) = self.chats.get(chat) {
            return Ok(*id);
        }
        let id = match chat_row(self.transaction, chat)? {
            Some(id) => id,
            None => {
                self.transaction
                    .prepare_cached("INSERT INTO chats (key) VALUES (?1)")?
                    .execute([chat.as_str()])?;
                self.transaction.last_insert_rowid()
            }
        };
        self.chats.insert(chat.clone(), id);
        Ok(id)
    }

    fn lane(&mut self, chat: i64, name: &ChatId, lane: &Lane) -> Result<&LaneRow> {
        let slot = (chat, lane.clone());
        if !self.lanes.contains_key(&slot) {
            let key = lane.key(name);
            let row = match lane_row(self.transaction, name, &key)? {
                Some(row) => row,
                None => {
                    self.transaction
                        .prepare_cached("INSERT INTO lanes (chat, key) VALUES (?1, ?2)")?
                        .execute(params![chat, key])?;
                    LaneRow {
                        id: self.transaction.last_insert_rowid(),
                        messages: 0,
                        last_at: None,
                        conversation: None,
                    }
                }
            };
            self.lanes.insert(slot.clone(), row);
        }
        self.lanes.get(&slot).ok_or(Error::Ending)
    }

    /// The message that this one repeats, if any: by its id, a channel's id, or the fingerprint of its line.
    fn known(&self, chat: i64, append: &Append) -> Result<Option<i64>> {
        for external in &append.message.external_ids {
            if let Some(seq) = known_external(self.transaction, chat, external)? {
                return Ok(Some(seq));
            }
        }
        if let Purpose::Import(fingerprint) = &append.purpose {
            let mut seen = self
                .transaction
                .prepare_cached("SELECT message FROM fingerprints WHERE chat = ?1 AND fingerprint = ?2")?;
            if let Some(seq) = seen.query_row(params![chat, fingerprint], |row| row.get(0)).optional()? {
                return Ok(Some(seq));
            }
        }
        // Only what carries no other mark can be one of ours that comes back.
        if append.message.external_ids.is_empty() && append.purpose == Purpose::Record {
            return known_id(self.transaction, chat, append.message.id);
        }
        Ok(None)
    }

    /// A message whose id is taken came before under another mark, or is a copy of another chat's, which gets an id of
    /// its own: the same each time, so that the copy is known when it comes again.
    fn append_under_a_taken_id(&mut self, chat: i64, append: &Append) -> Result<Appended> {
        let message = &append.message;
        if let Some(seq) = known_id(self.transaction, chat, message.id)? {
            return self.appended_before(&message.chat, seq);
        }
        let id = MessageId(Uuid::new_v5(&message.id.0, message.chat.as_str().as_bytes()));
        self.append(&Append {
            message: Message { id, ..message.clone() },
            purpose: append.purpose.clone(),
            origin: append.origin,
            person: append.person.clone(),
        })
    }

    fn appended_before(&self, chat: &ChatId, seq: i64) -> Result<Appended> {
        let stored = read_one(self.transaction, chat, seq)?;
        let at = stored.message.occurred_at.as_microsecond();
        let lane: i64 = self
            .transaction
            .prepare_cached("SELECT lane FROM messages WHERE seq = ?1")?
            .query_row([seq], |row| row.get(0))?;
        let conversation = MessageId(conversations::of_position(self.transaction, lane, at, seq)?);
        Ok(Appended { id: stored.message.id, seq, lane: stored.message.lane, conversation, known: true })
    }

    fn insert(&self, chat: i64, lane: i64, message: &Message, opening: bool) -> Result<i64> {
        let metadata = (!message.metadata.is_empty())
            .then(|| serde_json::Value::Object(message.metadata.clone()).to_string());
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO messages (id, chat, lane, role, occurred_at, recorded_at, opens, tokens, channel, speaker, agent, reply_to, text, external_ids, metadata) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?;
        let inserted = insert.execute(params![
            Id(message.id.0),
            chat,
            lane,
            message.role.as_str(),
            Moment(message.occurred_at),
            Moment(message.recorded_at),
            opening,
            shown_tokens(message),
            message.channel,
            message.speaker,
            message.agent,
            message.reply_to.map(|id| Id(id.0)),
            message.text,
            (!message.external_ids.is_empty()).then(|| serde_json::json!(message.external_ids).to_string()),
            metadata,
        ]);
        match inserted {
            Ok(_) => Ok(self.transaction.last_insert_rowid()),
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => {
                Err(Error::Conflict(format!("the id {} belongs to a message of another chat", message.id)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A message that arrives behind others may join two conversations, and makes the summaries around it stale.
    fn finish_late_message(&self, lane: i64, seq: i64, at: i64) -> Result<()> {
        conversations::rejoin_after(self.transaction, lane, seq, at, self.gap)?;
        summaries::mark_stale(self.transaction, lane, seq, at)
    }

    /// The message without what was forgotten after it was said; nothing where it may stay as it is.
    fn suppressed(&mut self, chat: i64, append: &Append) -> Result<Option<Message>> {
        if !self.suppressions.contains_key(&chat) {
            self.suppressions
                .insert(chat, Suppressor::read(self.transaction, chat, append.person.as_deref())?);
        }
        let Some(Some(suppressor)) = self.suppressions.get(&chat) else { return Ok(None) };
        let undated = matches!(append.origin, Origin::File { dated: false, .. });
        let said = (!undated).then_some(append.message.occurred_at);
        let mut message = append.message.clone();
        let mut hidden = suppressor.suppress(&mut message.text, said);
        change_each_text(&mut message.metadata, |text| hidden |= suppressor.suppress(text, said));
        Ok(hidden.then_some(message))
    }

    /// What is to be made of the message later: what it teaches, and a summary that stands for it.
    fn note_what_follows(&self, chat: i64, lane: i64, seq: i64, append: &Append) -> Result<()> {
        let message = &append.message;
        if !append.origin.teaches() {
            return compaction::raise_floor(self.transaction, lane, message.occurred_at, seq);
        }
        if message.role == Role::User {
            memories::note_unextracted(self.transaction, chat, seq)?;
            // What waits for a turn is learned from when that has ended.
            if append.purpose != Purpose::Answer {
                memories::want(self.transaction, EXTRACT, chat)?;
            }
        }
        if message.lacks_routine_summary() {
            jobs::want(self.transaction, SUMMARIZE_ROUTINE, &seq.to_string())?;
        }
        compaction::want(self.transaction, lane)
    }

    fn note_ids(&self, chat: i64, seq: i64, append: &Append) -> Result<()> {
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO external_ids (chat, id, message) VALUES (?1, ?2, ?3)")?;
        for external in &append.message.external_ids {
            insert.execute(params![chat, external, seq])?;
        }
        if let Purpose::Import(fingerprint) = &append.purpose {
            let mut insert = self.transaction.prepare_cached(
                "INSERT INTO fingerprints (chat, fingerprint, message) VALUES (?1, ?2, ?3)",
            )?;
            insert.execute(params![chat, fingerprint, seq])?;
        }
        Ok(())
    }
}

/// What a message costs in a window, where tool traffic is shortened.
pub(super) fn shown_tokens(message: &Message) -> u32 {
    collapse::shown_text(message).map_or(0, |text| tokens::estimate(&text))
}

fn is_opening(before: i64, at: i64, gap: SignedDuration) -> bool {
    let moment = |micros| jiff::Timestamp::from_microsecond(micros).unwrap_or_default();
    opens(moment(before), moment(at), gap)
}

fn moment_before(transaction: &Transaction<'_>, lane: i64, at: i64) -> Result<Option<i64>> {
    let mut statement = transaction.prepare_cached(
        "SELECT occurred_at FROM messages WHERE lane = ?1 AND occurred_at <= ?2 ORDER BY occurred_at DESC LIMIT 1",
    )?;
    Ok(statement.query_row(params![lane, at], |row| row.get(0)).optional()?)
}
