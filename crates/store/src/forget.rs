//! Forgetting: the only operation that changes messages. It can be undone for a while; then the words are deleted.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::forget::{Aim, Suppression};
use throughline_domain::memory::{Memory, MemoryId, Status};
use throughline_domain::message::MessageId;
use throughline_domain::summary::Summary;
use throughline_text::erase::FORGOTTEN;
use throughline_text::summarize::Sections;
use uuid::Uuid;

use crate::effects::Effect;
use crate::forgotten_words::{self as words, ForgottenWords, MessageBefore};
use crate::index::words::rebuild_chat;
use crate::jobs::JobKind;
use crate::tx::{MemoryBefore, Place, Tx};
use crate::{
    Arm, Error, InChat, Result, Store, attachments, outbox, profiles, relayed, summaries, suppressions,
};

/// A limit for reads without one.
const ALL: usize = i32::MAX as usize;

/// A message and its text after a forgetting.
#[derive(Debug, Clone, PartialEq)]
pub struct Blanked {
    /// The message.
    pub id: MessageId,
    /// Its text when it was read.
    pub before: String,
    /// The removed sentences.
    pub gone: Vec<String>,
    /// Its new text.
    pub text: String,
    /// Its new metadata.
    pub metadata: Map<String, Value>,
}

/// A summary after a forgetting. If no text is left, it is rewritten from the messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleaned {
    /// The summary.
    pub id: Uuid,
    /// Its new text.
    pub text: String,
    /// Its new sections.
    pub sections: Sections,
}

/// A forgetting, carried out in one transaction.
#[derive(Debug, Clone)]
pub struct Forgetting {
    /// The id of the receipt.
    pub id: Uuid,
    /// The time, by the calendar.
    pub at: Timestamp,
    /// Until when it can be undone; `None` if it is permanent.
    pub undo_until: Option<Timestamp>,
    /// The person whose memories are forgotten, if known.
    pub person: Option<String>,
    /// Memories to forget.
    pub memories: Vec<MemoryId>,
    /// Messages to change, in any chat of the person.
    pub messages: Vec<Blanked>,
    /// Summaries to change.
    pub summaries: Vec<Cleaned>,
    /// The hashes that keep the values from being learned again.
    pub suppressions: Vec<Suppression>,
    /// The state in which the matches were found.
    pub seen: Vec<Seen>,
}

/// The state that a forgetting has read. If a matching memory, message or summary was written since, the forgetting
/// fails with a conflict.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The values to forget.
    pub aim: Aim,
    /// All memories at that time.
    pub memories: BTreeSet<MemoryId>,
    /// The chats that were read, each with the sequence number of its last message.
    pub chats: Vec<(ChatId, i64)>,
}

/// A suppression and its scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// The chat in which the value was forgotten.
    pub chat: ChatId,
    /// The person in all of whose chats it applies, if known.
    pub person: Option<String>,
    /// When it took effect.
    pub at: Timestamp,
    /// The hashes.
    pub suppression: Suppression,
}

/// The receipt of a forgetting: counts, no words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Its id.
    pub id: Uuid,
    /// The time, by the calendar.
    pub at: Timestamp,
    /// Until when it can be undone.
    pub undo_until: Option<Timestamp>,
    /// The number of forgotten memories.
    pub memories: u64,
    /// The number of changed messages.
    pub messages: u64,
    /// The number of changed summaries.
    pub summaries: u64,
}

impl Store {
    /// The key of the suppression hashes; created on first use.
    pub async fn suppression_key(&self) -> Result<[u8; 32]> {
        self.write(suppressions::key).await
    }

    /// The suppressions of all chats.
    pub async fn all_suppressions(&self) -> Result<Vec<Suppressed>> {
        let all = self.read(|tx| tx.every_suppression()).await?;
        Ok(all.into_iter().map(|(.., suppressed)| suppressed).collect())
    }

    /// Deletes the words of forgettings that can no longer be undone, and returns the number of forgettings.
    pub async fn purge_forgotten(&self, now: Timestamp) -> Result<u64> {
        // Read first, because usually there is nothing to write.
        if self.read(move |tx| tx.expired_forgettings(now)).await?.is_empty() {
            return Ok(0);
        }
        self.write(move |tx| {
            let expired = tx.expired_forgettings(now)?;
            expired.iter().try_for_each(|id| words::make_permanent(tx, *id))?;
            Ok(expired.len() as u64)
        })
        .await
    }

    /// Returns true if deleted bytes may still be in the database's files.
    pub async fn wants_scrub(&self) -> Result<bool> {
        self.read(|tx| tx.wants_scrub()).await
    }

    /// Removes deleted bytes from the database's files.
    ///
    /// # Errors
    /// If the files cannot be written, or another process keeps an old snapshot open.
    pub async fn scrub(&self) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.scrub().await,
        }
    }
}

impl InChat {
    /// Forgets. Indexes, vectors and profiles are updated in the same transaction.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was forgotten.
    pub async fn forget(&self, forgetting: Forgetting) -> Result<Forgotten> {
        let forgotten =
            self.write_derived(move |tx, name, chat| forget(tx, name, chat, &forgetting).map(Some));
        forgotten.await?.ok_or_else(|| Error::NotFound { what: "chat", id: self.chat.to_string() })
    }

    /// A forgetting as an effect.
    #[must_use]
    pub fn effect_of_forgetting(&self, forgetting: Forgetting) -> Effect {
        Effect::Forget { chat: self.chat.clone(), watched: self.watched, forgetting: Box::new(forgetting) }
    }

    /// The chat's number of forgettings. If it changed since a read, the data read may contain forgotten words.
    pub async fn forgettings(&self) -> Result<u64> {
        self.read(|tx, _, chat| tx.forgettings(chat)).await
    }

    /// The receipt of a forgetting that can still be undone.
    pub async fn undoable_forgetting(&self, id: Uuid, now: Timestamp) -> Result<Option<Forgotten>> {
        self.read(move |tx, _, chat| tx.undoable_forgetting(chat, id, now)).await
    }

    /// The receipts of this chat that were not made permanent.
    pub async fn undoable_forgettings(&self) -> Result<Vec<Uuid>> {
        self.read(|tx, _, chat| tx.undoable_forgettings(chat)).await
    }

    /// Undoes the forgetting of a receipt, if still possible.
    pub async fn undo_forgetting(&self, id: Uuid, now: Timestamp) -> Result<Option<Forgotten>> {
        self.write(move |tx, _, chat| undo(tx, chat, id, now)).await
    }

    /// Makes earlier forgettings permanent that keep words matching an aim, and returns their number.
    pub async fn finish_forgettings(&self, aim: Aim) -> Result<u64> {
        self.write(move |tx, _, chat| {
            let mut finished = 0;
            for id in tx.undoable_forgettings(chat)? {
                if words::kept_by(tx, id)?.iter().any(|kept| kept.holds(&aim)) {
                    words::make_permanent(tx, id)?;
                    finished += 1;
                }
            }
            Ok(finished)
        })
        .await
    }

    /// The suppressions of this chat and of the person, each with its start.
    pub async fn suppressions(&self, person: Option<&str>) -> Result<Vec<(Suppression, Timestamp)>> {
        let person = person.map(str::to_owned);
        self.read(move |tx, _, chat| tx.suppressions(chat, person.as_deref())).await
    }
}

/// Fails if something was forgotten since `watched` was read.
pub(crate) fn check(tx: &Tx<'_>, chat: i64, watched: Option<u64>) -> Result<()> {
    match watched {
        Some(watched) if tx.forgettings(chat)? != watched => Err(Error::Conflict(
            "something was forgotten in this chat meanwhile; the work starts over".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Undoes the forgetting of a receipt, if still possible.
pub(crate) fn undo(tx: &Tx<'_>, chat: i64, id: Uuid, now: Timestamp) -> Result<Option<Forgotten>> {
    let Some(forgotten) = tx.undoable_forgetting(chat, id, now)? else { return Ok(None) };
    let mut changed = Changed::in_chat(chat);
    for kept in words::kept_by(tx, id)? {
        match kept {
            ForgottenWords::Message(message, before) => {
                changed.add(words::restore_message(tx, id, message, &before)?);
            }
            ForgottenWords::Memory(memory, before) => tx.rewrite_memory(memory, &before, now)?,
        }
    }
    tx.restore_attachments(id)?;
    changed.renew_summaries(tx)?;
    let person = tx.person_of_forgetting(id)?;
    tx.delete_forgetting(id)?;
    changed.finish(tx, person.as_deref())?;
    Ok(Some(forgotten))
}

/// Fails if a matching memory, message or summary was written since the forgetting read the store.
fn check_seen(tx: &Tx<'_>, chat: i64, forgetting: &Forgetting, seen: &Seen) -> Result<()> {
    let takes = |text: &str| seen.aim.is_in(text);
    let is_new = |memory: &Memory| {
        memory.status != Status::Forgotten && !seen.memories.contains(&memory.id) && takes(&memory.text)
    };
    let known = tx.memories_of(Some(chat), forgetting.person.as_deref())?;
    let mut is_late = known.iter().any(|stored| is_new(&stored.memory));
    let cleaned = |id: Uuid| forgetting.summaries.iter().any(|cleaned| cleaned.id == id);
    for (name, last) in &seen.chats {
        let Some(chat) = tx.chat_row(name)? else { continue };
        let said = tx.recorded_after(name, chat, *last, ALL)?;
        is_late |= said.iter().any(|stored| seen.aim.is_in_message(&stored.message));
        let summaries = summaries::of_every_lane(tx, name, chat, |summaries| summaries)?;
        is_late |= summaries.iter().any(|(_, summary)| !cleaned(summary.id) && takes(&summary.text));
    }
    match is_late {
        true => {
            Err(Error::Conflict("more about it was written meanwhile; the forgetting starts over".to_owned()))
        }
        false => Ok(()),
    }
}

/// Forgets, unless something matching was written since it read the store.
pub(crate) fn forget(tx: &Tx<'_>, name: &ChatId, chat: i64, forgetting: &Forgetting) -> Result<Forgotten> {
    forgetting.seen.iter().try_for_each(|seen| check_seen(tx, chat, forgetting, seen))?;
    let work = Work { tx, id: forgetting.id, keep: forgetting.undo_until.is_some() };
    let mut changed = Changed::in_chat(chat);
    for blanked in &forgetting.messages {
        changed.add(work.blank(blanked)?);
    }
    forgetting.memories.iter().try_for_each(|id| work.forget_memory(*id, forgetting.at))?;
    forgetting.summaries.iter().try_for_each(|cleaned| work.clean(cleaned))?;
    for suppression in &forgetting.suppressions {
        tx.insert_suppression(chat, forgetting, suppression)?;
    }
    let gone: Vec<&str> =
        forgetting.messages.iter().flat_map(|blanked| blanked.gone.iter().map(String::as_str)).collect();
    outbox::drop_words(tx, name, &gone)?;
    relayed::drop_words(tx, name, &gone)?;
    tx.erase_problems(chat)?;
    changed.finish(tx, forgetting.person.as_deref())?;
    let forgotten = Forgotten {
        id: forgetting.id,
        at: forgetting.at,
        undo_until: forgetting.undo_until,
        memories: forgetting.memories.len() as u64,
        messages: forgetting.messages.len() as u64,
        summaries: forgetting.summaries.len() as u64,
    };
    tx.insert_forgetting(chat, &forgotten)?;
    if !work.keep {
        tx.request_scrub()?;
    }
    Ok(forgotten)
}

/// One forgetting in progress.
struct Work<'a> {
    tx: &'a Tx<'a>,
    id: Uuid,
    /// True if the forgotten words are kept for an undo.
    keep: bool,
}

impl Work<'_> {
    /// Changes a message and returns its place.
    fn blank(&self, blanked: &Blanked) -> Result<Place> {
        let (place, message) = words::message(self.tx, blanked.id)?;
        if message.text != blanked.before {
            return Err(Error::Conflict("a message was changed meanwhile; try again".to_owned()));
        }
        let gone = blanked.gone.clone();
        // Every forgetting keeps the message as it was before the first of them.
        let before = match words::kept_by_others(self.tx, self.id, blanked.id)?.pop() {
            Some((_, first)) => MessageBefore { gone, ..first },
            None => MessageBefore { text: message.text.clone(), metadata: message.metadata.clone(), gone },
        };
        if self.keep {
            words::keep_message(self.tx, self.id, blanked.id, &before)?;
        } else {
            words::take_from_others(self.tx, self.id, blanked.id, &before.gone)?;
        }
        words::rewrite(self.tx, &place, message, blanked.text.clone(), blanked.metadata.clone())?;
        outbox::drop_message(self.tx, place.position.seq)?;
        attachments::forget(self.tx, place.position.seq, self.keep.then_some(self.id))?;
        Ok(place)
    }

    fn forget_memory(&self, id: MemoryId, at: Timestamp) -> Result<()> {
        let not_found = || Error::NotFound { what: "memory", id: id.to_string() };
        let before = self.tx.memory_before(id)?.ok_or_else(not_found)?;
        if self.keep {
            words::keep_memory(self.tx, self.id, id, &before)?;
        }
        let mark = MemoryBefore {
            text: FORGOTTEN.to_owned(),
            category: String::new(),
            status: Status::Forgotten.as_str().to_owned(),
            speaker: None,
            day: None,
            proofs: Vec::new(),
        };
        self.tx.rewrite_memory(id, &mark, at)?;
        self.tx.delete_piece_vectors(id.0)
    }

    fn clean(&self, cleaned: &Cleaned) -> Result<()> {
        let not_found = || Error::NotFound { what: "summary", id: cleaned.id.to_string() };
        let (lane, summary) = self.tx.summary(cleaned.id)?.ok_or_else(not_found)?;
        let stale = cleaned.text.is_empty();
        let (text, sections) = (cleaned.text.clone(), cleaned.sections.clone());
        self.tx.clean_summary(&Summary { text, sections, stale, ..summary })?;
        if stale {
            summaries::request_compaction(self.tx, lane)?;
        }
        self.tx.delete_piece_vectors(cleaned.id)
    }
}

/// The chats and messages that a forgetting or its undo changed.
struct Changed {
    chats: BTreeSet<i64>,
    messages: Vec<Place>,
}

impl Changed {
    fn in_chat(chat: i64) -> Self {
        Self { chats: BTreeSet::from([chat]), messages: Vec::new() }
    }

    fn add(&mut self, place: Place) {
        self.chats.insert(place.chat);
        self.messages.push(place);
    }

    /// Marks the summaries around the messages as stale.
    fn renew_summaries(&self, tx: &Tx<'_>) -> Result<()> {
        for place in &self.messages {
            tx.mark_summaries_stale(place.lane, place.position)?;
            summaries::request_compaction(tx, place.lane)?;
        }
        Ok(())
    }

    /// Updates the data derived from the messages and memories.
    fn finish(&self, tx: &Tx<'_>, person: Option<&str>) -> Result<()> {
        let changed = self.messages.iter().map(|place| place.position.seq).collect();
        for chat in &self.chats {
            let name = tx.chat_key(*chat)?;
            tx.delete_profiles(&profiles::owner(&name, None))?;
            tx.delete_profiles(&profiles::owner(&name, person))?;
            tx.delete_pending_slots(*chat)?;
            match person {
                // A person's memories are read in all their chats, which the store does not know.
                Some(_) => tx.count_forgetting_everywhere()?,
                None => tx.count_forgetting(*chat)?,
            }
            if !self.messages.is_empty() {
                rebuild_chat(tx, *chat, &changed)?;
            }
            tx.request_job(JobKind::EMBED, name.as_str())?;
            tx.request_job(JobKind::PROFILE, name.as_str())?;
        }
        Ok(())
    }
}
