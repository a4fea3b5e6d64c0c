//! What one home hands to another: read on one snapshot, and stored again under the ids that it had.

use std::collections::HashMap;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::forget::fingerprint;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Memory, Reach, Status};
use throughline_domain::message::MessageId;
use throughline_domain::summary::{End, Scope, Summary};
use throughline_text::summarize::Sections;
use tokio::sync::mpsc::Sender;
use uuid::Uuid;

use crate::attachments::StoredAttachment;
use crate::forget::Suppressed;
use crate::jobs::JobKind;
use crate::suppressions::{self, Suppressor};
use crate::tx::Tx;
use crate::{Error, Result, Store, jobs, summaries};

/// Number of messages read at a time.
const PAGE: usize = 1_000;

/// One piece of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    /// A message, and the files that came with it.
    Message(Box<StoredMessage>, Vec<StoredAttachment>),
    /// What is kept beside the messages.
    Carried(Carried),
}

/// What a home keeps beside its messages, and hands on with them.
#[derive(Debug, Clone, PartialEq)]
pub enum Carried {
    /// A memory.
    Memory(Box<CarriedMemory>),
    /// A summary.
    Summary(Box<CarriedSummary>),
    /// The keyed hashes of a forgotten value.
    Suppression(CarriedSuppression),
}

/// A memory with its history.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedMemory {
    /// The memory.
    pub memory: Memory,
    /// The time at which it was stored.
    pub learned_at: Timestamp,
    /// The time at which its status last changed.
    pub changed_at: Timestamp,
    /// The newest message of its chat at the time at which it was stored.
    pub after: Option<MessageId>,
    /// Whether the person was asked to confirm it.
    pub offered: bool,
}

/// A summary with the messages at its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedSummary {
    /// Its id.
    pub id: Uuid,
    /// Its chat.
    pub chat: ChatId,
    /// Its lane.
    pub lane: Lane,
    /// What it covers.
    pub scope: Scope,
    /// The text.
    pub text: String,
    /// The same by what it is about.
    pub sections: Sections,
    /// How many messages it stands for.
    pub messages: u64,
    /// The first message it covers.
    pub first: MessageId,
    /// The last one.
    pub last: MessageId,
    /// When these two were said.
    pub said: (Timestamp, Timestamp),
    /// How many times it was replaced.
    pub version: u32,
    /// When it was made.
    pub updated_at: Timestamp,
    /// Whether a message arrived later inside its span.
    pub stale: bool,
    /// The newest message of its chat when it was made.
    pub after: Option<MessageId>,
}

/// A suppression, and the key that its hashes need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedSuppression {
    /// The suppression, and where it holds.
    pub suppressed: Suppressed,
    /// The forgetting that made it.
    pub forgetting: Uuid,
    /// The fingerprint of the key; nothing if the key is lost.
    pub key: Option<String>,
}

/// What became of a piece that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is stored.
    Stored,
    /// It is stored, and recognizes nothing until this home has the key of the home that it comes from.
    WithoutKey,
    /// It was there, or the home has something in its place.
    Known,
    /// It holds what was forgotten here.
    Forgotten,
    /// The messages that it stands for are not there.
    Baseless,
}

impl Store {
    /// Sends everything that this handle may touch, or what one chat holds of it, from one snapshot: the messages chat by
    /// chat, then memories, summaries and suppressions. It ends early when nobody receives.
    pub async fn export(&self, only: Option<ChatId>, to: Sender<Exported>) -> Result<()> {
        let scope = self.clone();
        self.read(move |tx| {
            let mut chats: Vec<ChatId> = tx.chat_counts()?.into_iter().map(|count| count.chat).collect();
            chats.retain(|chat| scope.may_touch(chat) && only.as_ref().is_none_or(|only| only == chat));
            chats.sort();
            let rows = chats.into_iter().map(|chat| Ok((tx.chat_row(&chat)?, chat)));
            let rows: Vec<(Option<i64>, ChatId)> = rows.collect::<Result<_>>()?;
            let rows: Vec<(i64, ChatId)> =
                rows.into_iter().filter_map(|(row, chat)| Some((row?, chat))).collect();
            match send(tx, &rows, &to) {
                Err(Stopped::Store(error)) => Err(error),
                Ok(()) | Err(Stopped::NobodyReceives) => Ok(()),
            }
        })
        .await
    }

    /// Stores what another home handed over, in order, as one transaction. What was forgotten here does not come back.
    ///
    /// # Errors
    /// When nothing could be written; then nothing was.
    pub async fn take_over(&self, carried: Vec<Carried>) -> Result<Vec<Taken>> {
        carried.iter().try_for_each(|one| self.check_scope(one.chat()))?;
        self.write(move |tx| {
            let mut taker = Taker { tx, suppressors: HashMap::new() };
            carried.iter().map(|one| taker.take(one)).collect()
        })
        .await
    }
}

impl Carried {
    /// The chat that it belongs to.
    #[must_use]
    pub fn chat(&self) -> &ChatId {
        match self {
            Self::Memory(memory) => &memory.memory.chat,
            Self::Summary(summary) => &summary.chat,
            Self::Suppression(suppression) => &suppression.suppressed.chat,
        }
    }
}

/// Why an export ends early.
enum Stopped {
    Store(Error),
    NobodyReceives,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

fn send(tx: &Tx<'_>, chats: &[(i64, ChatId)], to: &Sender<Exported>) -> std::result::Result<(), Stopped> {
    let send = |piece| to.blocking_send(piece).map_err(|_| Stopped::NobodyReceives);
    let carry = |carried| send(Exported::Carried(carried));
    for (chat, name) in chats {
        let mut after = i64::MIN;
        loop {
            let page = tx.recorded_after(name, *chat, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            for stored in page {
                let files = tx.attachments_of(stored.seq)?;
                send(Exported::Message(Box::new(stored), files))?;
            }
        }
    }
    let rows: HashMap<&ChatId, i64> = chats.iter().map(|(row, chat)| (chat, *row)).collect();
    // In the order in which they were learned, whatever the chat: that is the order in which they are listed.
    for (stored, offered) in tx.all_memories()? {
        let Some(chat) = rows.get(&stored.memory.chat) else { continue };
        carry(Carried::Memory(Box::new(CarriedMemory {
            after: tx.newest_message_up_to(*chat, stored.learned_after)?,
            memory: stored.memory,
            learned_at: stored.learned_at,
            changed_at: stored.changed_at,
            offered,
        })))?;
    }
    for (chat, name) in chats {
        for summary in summaries_of(tx, name, *chat)? {
            carry(Carried::Summary(Box::new(summary)))?;
        }
    }
    let mut own = None;
    for (forgetting, foreign, suppressed) in tx.every_suppression()? {
        if rows.contains_key(&suppressed.chat) {
            if foreign.is_none() && own.is_none() {
                own = suppressions::existing_key(tx)?.map(|key| fingerprint(&key));
            }
            let key = foreign.or_else(|| own.clone());
            carry(Carried::Suppression(CarriedSuppression { suppressed, forgetting, key }))?;
        }
    }
    Ok(())
}

/// The summaries of a chat in an order that depends on nothing but what they cover.
fn summaries_of(tx: &Tx<'_>, name: &ChatId, chat: i64) -> Result<Vec<CarriedSummary>> {
    let mut all = summaries::of_every_lane(tx, name, chat, |summaries| summaries)?;
    all.sort_by_key(|(lane, summary)| {
        (lane.key(name), summary.first.position, summary.scope, summary.version, summary.id)
    });
    let carried = all.into_iter().map(|(lane, summary)| {
        Ok(CarriedSummary {
            id: summary.id,
            chat: name.clone(),
            lane,
            scope: summary.scope,
            text: summary.text,
            sections: summary.sections,
            messages: summary.messages,
            first: summary.first.id,
            last: summary.last.id,
            said: (summary.first.position.at, summary.last.position.at),
            version: summary.version,
            updated_at: summary.updated_at,
            stale: summary.stale,
            after: tx.newest_message_up_to(chat, summary.made_after)?,
        })
    });
    carried.collect()
}

/// Stores what was handed over.
struct Taker<'a> {
    tx: &'a Tx<'a>,
    /// What was forgotten in each chat, read when it is first needed.
    suppressors: HashMap<(i64, Option<String>), Option<Suppressor>>,
}

impl Taker<'_> {
    fn take(&mut self, carried: &Carried) -> Result<Taken> {
        let chat = match self.tx.chat_row(carried.chat())? {
            Some(row) => row,
            None => self.tx.insert_chat(carried.chat())?,
        };
        match carried {
            Carried::Memory(memory) => self.memory(chat, memory),
            Carried::Summary(summary) => self.summary(chat, summary),
            Carried::Suppression(suppression) => self.suppression(chat, suppression),
        }
    }

    fn memory(&mut self, chat: i64, carried: &CarriedMemory) -> Result<Taken> {
        let memory = &carried.memory;
        if self.tx.memory_status(memory.id)?.is_some() {
            return Ok(Taken::Known);
        }
        let person = match &memory.reach {
            Reach::Person(person) => Some(person.clone()),
            Reach::Chat => None,
        };
        if memory.status != Status::Forgotten && self.hides(chat, person, &memory.text, carried.learned_at)? {
            return Ok(Taken::Forgotten);
        }
        self.tx.insert_memory(chat, memory, carried.learned_at)?;
        let after = self.seq(chat, carried.after)?;
        self.tx.put_memory_history(memory.id, carried.changed_at, after, carried.offered)?;
        jobs::request_for_chat(self.tx, JobKind::Profile, chat)?;
        jobs::request_for_chat(self.tx, JobKind::Embed, chat)?;
        Ok(Taken::Stored)
    }

    fn summary(&mut self, chat: i64, carried: &CarriedSummary) -> Result<Taken> {
        if self.tx.summary(carried.id)?.is_some() {
            return Ok(Taken::Known);
        }
        if self.hides(chat, None, &carried.text, carried.updated_at)? {
            return Ok(Taken::Forgotten);
        }
        let Some(lane) = self.tx.lane_row(&carried.chat, &carried.lane.key(&carried.chat))? else {
            return Ok(Taken::Baseless);
        };
        let end = |id: MessageId| -> Result<Option<End>> {
            let place = self.tx.message_place(id)?.filter(|place| {
                place.chat == chat && (place.lane == lane.id || carried.scope == Scope::Chat)
            });
            Ok(place.map(|place| End { id, position: place.position }))
        };
        let (Some(first), Some(last)) = (end(carried.first)?, end(carried.last)?) else {
            return Ok(Taken::Baseless);
        };
        let summary = Summary {
            id: carried.id,
            scope: carried.scope,
            text: carried.text.clone(),
            sections: carried.sections.clone(),
            messages: carried.messages,
            first,
            last,
            version: carried.version,
            updated_at: carried.updated_at,
            made_after: self.seq(chat, carried.after)?,
            stale: carried.stale,
        };
        if last.position < first.position || self.has_in_place_of(&carried.chat, lane.id, &summary)? {
            return Ok(Taken::Known);
        }
        self.tx.insert_summary(chat, lane.id, &summary)?;
        self.tx.put_made_after(summary.id, summary.made_after)?;
        jobs::request_for_chat(self.tx, JobKind::Embed, chat)?;
        Ok(Taken::Stored)
    }

    /// Whether the home has a summary of its own where this one would be.
    fn has_in_place_of(&self, chat: &ChatId, lane: i64, summary: &Summary) -> Result<bool> {
        if summary.scope == Scope::Chat {
            return Ok(self.tx.chat_summary(chat)?.is_some());
        }
        let overlaps = |other: &Summary| match summary.scope {
            Scope::Lane => other.version == summary.version,
            _ => other.covers(summary.first.position) || summary.covers(other.first.position),
        };
        let own = self.tx.summaries_of_lane(lane)?;
        Ok(own.iter().any(|other| other.scope == summary.scope && overlaps(other)))
    }

    fn suppression(&mut self, chat: i64, carried: &CarriedSuppression) -> Result<Taken> {
        let known = self.tx.every_suppression()?;
        let is_known = |(forgetting, _, other): &(Uuid, Option<String>, Suppressed)| {
            *forgetting == carried.forgetting && *other == carried.suppressed
        };
        if known.iter().any(is_known) {
            return Ok(Taken::Known);
        }
        let own = suppressions::existing_key(self.tx)?.map(|key| fingerprint(&key));
        let foreign = carried.key.as_deref().filter(|key| own.as_deref() != Some(*key));
        self.tx.put_suppression(chat, carried.forgetting, &carried.suppressed, foreign)?;
        self.suppressors.clear();
        Ok(if foreign.is_some() { Taken::WithoutKey } else { Taken::Stored })
    }

    /// Whether a text that was written at a moment holds what was forgotten later.
    fn hides(&mut self, chat: i64, person: Option<String>, text: &str, at: Timestamp) -> Result<bool> {
        let key = (chat, person);
        if !self.suppressors.contains_key(&key) {
            let read = Suppressor::read(self.tx, chat, key.1.as_deref())?;
            self.suppressors.insert(key.clone(), read);
        }
        let suppressor = self.suppressors.get(&key).and_then(Option::as_ref);
        Ok(suppressor.is_some_and(|suppressor| suppressor.hides(text, at)))
    }

    /// The sequence number of a message of the chat; 0 if it is not there.
    fn seq(&self, chat: i64, message: Option<MessageId>) -> Result<i64> {
        let found = message.map(|id| self.tx.message_seq(chat, id)).transpose()?;
        Ok(found.flatten().unwrap_or(0))
    }
}
