//! Intake: every message passes deduplication, suppression, lane, conversation and enqueueing, in this order.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::collapse;
use throughline_domain::conversation::opens;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::summary::Position;
use throughline_text::tokens;
use uuid::Uuid;

use crate::index::words::Pending;
use crate::jobs::JobKind;
use crate::messages::{Append, Appended, Purpose};
use crate::suppressions::Suppressor;
use crate::tx::{LaneRow, NewMessage, Tx};
use crate::{Error, Result, conversations, summaries};

/// Appends messages in order.
pub(crate) fn append_all(tx: &Tx<'_>, gap: SignedDuration, messages: &[Append]) -> Result<Vec<Appended>> {
    let mut appender = Appender::new(tx, gap);
    let appended = messages.iter().map(|append| appender.append(append)).collect::<Result<_>>()?;
    appender.finish()?;
    Ok(appended)
}

/// Appends one message.
pub(crate) fn append_one(tx: &Tx<'_>, gap: SignedDuration, append: &Append) -> Result<Appended> {
    append_all(tx, gap, std::slice::from_ref(append))?.pop().ok_or(Error::Ending)
}

/// The place of a message that was appended before.
pub(crate) fn appended_before(tx: &Tx<'_>, chat: &ChatId, seq: i64) -> Result<Appended> {
    let missing = || Error::NotFound { what: "message", id: seq.to_string() };
    let (stored, lane) = tx.message_by_seq(chat, seq)?.ok_or_else(missing)?;
    let message = stored.message;
    let conversation = conversations::id_at(tx, lane, Position { at: message.occurred_at, seq })?;
    Ok(Appended { id: message.id, seq, lane: message.lane, conversation, known: true })
}

/// The row of a lane, created if missing.
pub(crate) fn open_lane(tx: &Tx<'_>, chat: &ChatId, lane: &Lane) -> Result<LaneRow> {
    let key = lane.key(chat);
    if let Some(row) = tx.lane_row(chat, &key)? {
        return Ok(row);
    }
    let chat = match tx.chat_row(chat)? {
        Some(row) => row,
        None => tx.insert_chat(chat)?,
    };
    Ok(LaneRow { id: tx.insert_lane(chat, &key)?, messages: 0, last_at: None, conversation: None })
}

/// The token count of a message in a window, where tool calls are shortened.
pub(crate) fn shown_tokens(message: &Message) -> u32 {
    collapse::shown_text(message).map_or(0, |text| tokens::estimate(&text))
}

/// A time with the database's precision, microseconds.
fn as_stored(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// Appends messages in one transaction. Shared rows are read once and written back at the end. A lane's row has its
/// count, last time and newest conversation, so a message at the end of its lane needs no other read.
struct Appender<'a> {
    tx: &'a Tx<'a>,
    gap: SignedDuration,
    chats: HashMap<ChatId, ChatState>,
    lanes: HashMap<(i64, Lane), LaneRow>,
}

struct ChatState {
    row: i64,
    pending: Pending,
    /// Loaded with the first new message.
    suppressor: Option<Option<Suppressor>>,
}

impl<'a> Appender<'a> {
    fn new(tx: &'a Tx<'a>, gap: SignedDuration) -> Self {
        Self { tx, gap, chats: HashMap::new(), lanes: HashMap::new() }
    }

    fn append(&mut self, append: &Append) -> Result<Appended> {
        let name = &append.message.chat;
        let chat = self.chat(name)?.row;
        if let Some(seq) = self.known(chat, append)? {
            self.note_further_ids(chat, seq, append)?;
            return appended_before(self.tx, name, seq);
        }
        if let Some(append) = self.with_reply(chat, append)? {
            return self.append(&append);
        }
        let suppressed = self.suppressed(append)?;
        let message = suppressed.as_ref().unwrap_or(&append.message);
        let (tx, gap, at) = (self.tx, self.gap, as_stored(message.occurred_at));
        let lane = self.lane(chat, message)?;
        let comes_last = lane.last_at.is_none_or(|last| last <= at);
        let before = if comes_last { lane.last_at } else { tx.moment_before(lane.id, at)? };
        let is_opening =
            message.starts_new_conversation() || before.is_none_or(|before| opens(before, at, gap));
        let tokens = shown_tokens(message);
        let new = NewMessage { chat, lane: lane.id, message, opens: is_opening, tokens };
        let Some(seq) = tx.insert_message(&new)? else { return self.append_under_a_taken_id(chat, append) };
        let position = Position { at, seq };
        let conversation = match lane.conversation {
            Some(newest) if comes_last && !is_opening => newest,
            _ if comes_last => message.id,
            _ => {
                // A late message may join two conversations, and makes the summaries around it stale.
                conversations::rejoin_after(tx, name, lane.id, position, gap)?;
                tx.mark_summaries_stale(lane.id, position)?;
                conversations::id_at(tx, lane.id, position)?
            }
        };
        lane.conversation = Some(match comes_last {
            true => conversation,
            false => conversations::id_at(tx, lane.id, conversations::END)?,
        });
        lane.messages += 1;
        lane.last_at = lane.last_at.max(Some(at));
        let lane = lane.id;
        self.note_marks(chat, seq, append)?;
        append.attachments.iter().try_for_each(|file| tx.insert_attachment(seq, file))?;
        if append.purpose == Purpose::Answer {
            tx.add_waiting(seq, lane)?;
        }
        self.chat(name)?.pending.push(chat, seq, lane, message);
        self.enqueue(chat, lane, position, append)?;
        Ok(Appended { id: message.id, seq, lane: message.lane.clone(), conversation, known: false })
    }

    /// Writes back the counts and indexes the new words.
    fn finish(self) -> Result<()> {
        self.lanes.values().try_for_each(|lane| self.tx.update_lane(lane))?;
        for (name, chat) in self.chats {
            if chat.pending.is_empty() {
                continue;
            }
            chat.pending.finish(self.tx, chat.row)?;
            self.tx.request_job(JobKind::EMBED, name.as_str())?;
        }
        Ok(())
    }

    fn chat(&mut self, chat: &ChatId) -> Result<&mut ChatState> {
        if !self.chats.contains_key(chat) {
            let row = match self.tx.chat_row(chat)? {
                Some(row) => row,
                None => self.tx.insert_chat(chat)?,
            };
            let state = ChatState { row, pending: Pending::default(), suppressor: None };
            self.chats.insert(chat.clone(), state);
        }
        self.chats.get_mut(chat).ok_or(Error::Ending)
    }

    fn lane(&mut self, chat: i64, message: &Message) -> Result<&mut LaneRow> {
        let slot = (chat, message.lane.clone());
        if !self.lanes.contains_key(&slot) {
            let row = open_lane(self.tx, &message.chat, &message.lane)?;
            self.lanes.insert(slot.clone(), row);
        }
        self.lanes.get_mut(&slot).ok_or(Error::Ending)
    }

    /// The message that this one repeats, if any: by external id, fingerprint of its line, or id.
    fn known(&self, chat: i64, append: &Append) -> Result<Option<i64>> {
        for external in &append.message.external_ids {
            if let Some(seq) = self.tx.external_message(chat, external)? {
                return Ok(Some(seq));
            }
        }
        match &append.purpose {
            Purpose::Import(fingerprint) => self.tx.fingerprinted_message(chat, fingerprint),
            // Only a message without another mark can be a repetition of one of ours.
            Purpose::Record if append.message.external_ids.is_empty() => {
                self.tx.message_seq(chat, append.message.id)
            }
            Purpose::Record | Purpose::Answer => Ok(None),
        }
    }

    /// Adds the external ids of a repeated message that the stored one does not have yet.
    fn note_further_ids(&self, chat: i64, seq: i64, append: &Append) -> Result<()> {
        let mut further = Vec::new();
        for id in &append.message.external_ids {
            if self.tx.add_external_id(chat, id, seq)? {
                further.push(id.clone());
            }
        }
        if further.is_empty() {
            return Ok(());
        }
        let mut ids = self.tx.external_ids(seq)?;
        ids.append(&mut further);
        self.tx.put_external_ids(seq, &ids)
    }

    /// The message with `reply_to` resolved, if it names a known message by the channel's id.
    fn with_reply(&self, chat: i64, append: &Append) -> Result<Option<Append>> {
        let Some(target) = &append.replies_to else { return Ok(None) };
        let Some(seq) = self.tx.external_message(chat, target)? else { return Ok(None) };
        let Some((replied, _)) = self.tx.message_by_seq(&append.message.chat, seq)? else { return Ok(None) };
        let mut copy = Append { replies_to: None, ..append.clone() };
        copy.message.reply_to = Some(replied.message.id);
        Ok(Some(copy))
    }

    /// Appends a message whose id is taken: it was appended before under another mark, or is a copy of another
    /// chat's. A copy gets an id derived from both, so that it is recognized the next time.
    fn append_under_a_taken_id(&mut self, chat: i64, append: &Append) -> Result<Appended> {
        let message = &append.message;
        if let Some(seq) = self.tx.message_seq(chat, message.id)? {
            return appended_before(self.tx, &message.chat, seq);
        }
        let id = MessageId(Uuid::new_v5(&message.id.0, message.chat.as_str().as_bytes()));
        let mut copy = append.clone();
        copy.message.id = id;
        self.append(&copy)
    }

    fn suppressed(&mut self, append: &Append) -> Result<Option<Message>> {
        let tx = self.tx;
        let chat = self.chat(&append.message.chat)?;
        if chat.suppressor.is_none() {
            chat.suppressor = Some(Suppressor::read(tx, chat.row, append.person.as_deref())?);
        }
        Ok(chat.suppressor.iter().flatten().find_map(|suppressor| suppressor.apply(append)))
    }

    /// Enqueues the jobs for a message.
    fn enqueue(&self, chat: i64, lane: i64, position: Position, append: &Append) -> Result<()> {
        let message = &append.message;
        if !append.origin.teaches() {
            return self.tx.raise_floor(lane, position);
        }
        if message.role == Role::User {
            self.tx.add_unextracted(chat, position.seq)?;
            // A message that waits for a turn is extracted after the turn.
            if append.purpose != Purpose::Answer {
                self.tx.request_job(JobKind::EXTRACT, message.chat.as_str())?;
            }
        }
        if message.lacks_routine_summary() {
            self.tx.request_job(JobKind::ROUTINE_SUMMARY, &position.seq.to_string())?;
        }
        summaries::request_compaction(self.tx, lane)
    }

    fn note_marks(&self, chat: i64, seq: i64, append: &Append) -> Result<()> {
        for external in &append.message.external_ids {
            self.tx.add_external_id(chat, external, seq)?;
        }
        if let Purpose::Import(fingerprint) = &append.purpose {
            self.tx.add_fingerprint(chat, fingerprint, seq)?;
        }
        Ok(())
    }
}
