//! Export and import between homes: read on one snapshot, and stored under the same ids.

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

/// Number of messages per read.
const PAGE: usize = 1_000;

/// One item of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    /// A message and its attachments.
    Message(Box<StoredMessage>, Vec<StoredAttachment>),
    /// A memory, summary or suppression.
    Carried(Carried),
}

/// A memory, summary or suppression that moves between homes.
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
    /// When it was stored.
    pub learned_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// The newest message of its chat when it was stored.
    pub after: Option<MessageId>,
    /// True if the person was asked to confirm it.
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
    /// Its scope.
    pub scope: Scope,
    /// The text.
    pub text: String,
    /// The text by section.
    pub sections: Sections,
    /// The number of messages it covers.
    pub messages: u64,
    /// The first message it covers.
    pub first: MessageId,
    /// The last message it covers.
    pub last: MessageId,
    /// The times of these two messages.
    pub said: (Timestamp, Timestamp),
    /// How often it was replaced.
    pub version: u32,
    /// When it was made.
    pub updated_at: Timestamp,
    /// True if a message arrived later inside its span.
    pub stale: bool,
    /// The newest message of its chat when it was made.
    pub after: Option<MessageId>,
}

/// A suppression, and the key that its hashes need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedSuppression {
    /// The suppression and its scope.
    pub suppressed: Suppressed,
    /// The forgetting that made it.
    pub forgetting: Uuid,
    /// The fingerprint of the key; `None` if the key is lost.
    pub key: Option<String>,
}

/// The result of importing an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It is stored.
    Stored,
    /// It is stored, but has no effect until this home has the key of its original home.
    WithoutKey,
    /// It was stored before, or the home has another one in its place.
    Known,
    /// It contains values that were forgotten here.
    Forgotten,
    /// The messages it refers to are missing.
    MissingMessages,
}

impl Store {
    /// Sends everything this handle may access, or one chat's part of it, from one snapshot: the messages chat by
    /// chat, then memories, summaries and suppressions. Stops early when the receiver is gone.
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

    /// Imports items in order in one transaction. Forgotten values do not come back.
    ///
    /// # Errors
    /// If the store fails; then nothing was imported.
    pub async fn import_carried(&self, carried: Vec<Carried>) -> Result<Vec<ImportOutcome>> {
        carried.iter().try_for_each(|item| self.check_scope(item.chat()))?;
        self.write(move |tx| {
            let mut importer = Importer { tx, suppressors: HashMap::new() };
            carried.iter().map(|item| importer.import(item)).collect()
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
    // Ordered by when they were learned, across chats, because lists show them in that order.
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

/// The summaries of a chat, in an order that depends only on their spans.
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

/// Imports items.
struct Importer<'a> {
    tx: &'a Tx<'a>,
    /// The forgotten values of each chat, loaded on first use.
    suppressors: HashMap<(i64, Option<String>), Option<Suppressor>>,
}

impl Importer<'_> {
    fn import(&mut self, carried: &Carried) -> Result<ImportOutcome> {
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

    fn memory(&mut self, chat: i64, carried: &CarriedMemory) -> Result<ImportOutcome> {
        let memory = &carried.memory;
        if self.tx.memory_status(memory.id)?.is_some() {
            return Ok(ImportOutcome::Known);
        }
        let person = match &memory.reach {
            Reach::Person(person) => Some(person.clone()),
            Reach::Chat => None,
        };
        if memory.status != Status::Forgotten && self.hides(chat, person, &memory.text, carried.learned_at)? {
            return Ok(ImportOutcome::Forgotten);
        }
        self.tx.insert_memory(chat, memory, carried.learned_at)?;
        let after = self.seq(chat, carried.after)?;
        self.tx.put_memory_history(memory.id, carried.changed_at, after, carried.offered)?;
        jobs::request_for_chat(self.tx, JobKind::PROFILE, chat)?;
        jobs::request_for_chat(self.tx, JobKind::EMBED, chat)?;
        Ok(ImportOutcome::Stored)
    }

    fn summary(&mut self, chat: i64, carried: &CarriedSummary) -> Result<ImportOutcome> {
        if self.tx.summary(carried.id)?.is_some() {
            return Ok(ImportOutcome::Known);
        }
        if self.hides(chat, None, &carried.text, carried.updated_at)? {
            return Ok(ImportOutcome::Forgotten);
        }
        let Some(lane) = self.tx.lane_row(&carried.chat, &carried.lane.key(&carried.chat))? else {
            return Ok(ImportOutcome::MissingMessages);
        };
        let end = |id: MessageId| -> Result<Option<End>> {
            let place = self.tx.message_place(id)?.filter(|place| {
                place.chat == chat && (place.lane == lane.id || carried.scope == Scope::Chat)
            });
            Ok(place.map(|place| End { id, position: place.position }))
        };
        let (Some(first), Some(last)) = (end(carried.first)?, end(carried.last)?) else {
            return Ok(ImportOutcome::MissingMessages);
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
        if last.position < first.position || self.has_own_summary_for(&carried.chat, lane.id, &summary)? {
            return Ok(ImportOutcome::Known);
        }
        self.tx.insert_summary(chat, lane.id, &summary)?;
        self.tx.put_made_after(summary.id, summary.made_after)?;
        jobs::request_for_chat(self.tx, JobKind::EMBED, chat)?;
        Ok(ImportOutcome::Stored)
    }

    /// Returns true if the home has a summary of its own for this span.
    fn has_own_summary_for(&self, chat: &ChatId, lane: i64, summary: &Summary) -> Result<bool> {
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

    fn suppression(&mut self, chat: i64, carried: &CarriedSuppression) -> Result<ImportOutcome> {
        let known = self.tx.every_suppression()?;
        let is_known = |(forgetting, _, other): &(Uuid, Option<String>, Suppressed)| {
            *forgetting == carried.forgetting && *other == carried.suppressed
        };
        if known.iter().any(is_known) {
            return Ok(ImportOutcome::Known);
        }
        let own = suppressions::existing_key(self.tx)?.map(|key| fingerprint(&key));
        let foreign = carried.key.as_deref().filter(|key| own.as_deref() != Some(*key));
        self.tx.put_suppression(chat, carried.forgetting, &carried.suppressed, foreign)?;
        self.suppressors.clear();
        Ok(if foreign.is_some() { ImportOutcome::WithoutKey } else { ImportOutcome::Stored })
    }

    /// Returns true if a text from a time contains a value that was forgotten later.
    fn hides(&mut self, chat: i64, person: Option<String>, text: &str, at: Timestamp) -> Result<bool> {
        let key = (chat, person);
        if !self.suppressors.contains_key(&key) {
            let read = Suppressor::read(self.tx, chat, key.1.as_deref())?;
            self.suppressors.insert(key.clone(), read);
        }
        let suppressor = self.suppressors.get(&key).and_then(Option::as_ref);
        Ok(suppressor.is_some_and(|suppressor| suppressor.hides(text, at)))
    }

    /// The sequence number of a message of the chat; 0 if it is missing.
    fn seq(&self, chat: i64, message: Option<MessageId>) -> Result<i64> {
        let found = message.map(|id| self.tx.message_seq(chat, id)).transpose()?;
        Ok(found.flatten().unwrap_or(0))
    }
}
