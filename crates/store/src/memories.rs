//! Memories: learned statements with their owners and status.

use jiff::Timestamp;
use throughline_domain::context::StoredMessage;
use throughline_domain::memory::{Memory, MemoryId, Proof, Reach, Status};
use throughline_domain::message::Role;
use throughline_text::relate::same::exact;
use throughline_text::relate::{Known, Relation, relate};

use crate::jobs::JobKind;
use crate::tx::Tx;
use crate::{Error, InChat, Result, Store, jobs};

/// A message that waits for extraction, with the reply that followed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unextracted {
    /// The message of the person.
    pub said: StoredMessage,
    /// The reply of the assistant, if there is one.
    pub answered: Option<String>,
}

/// A memory with the times when it was stored and changed, by the calendar.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The memory.
    pub memory: Memory,
    /// When it was stored.
    pub learned_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// The sequence number of the newest message when it was stored.
    pub learned_after: i64,
}

/// A change to a stored memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It is no longer valid.
    Close {
        /// The memory.
        id: MemoryId,
        /// Its new status.
        status: Status,
        /// When the status took effect.
        at: Timestamp,
        /// The memory that replaces it.
        by: Option<MemoryId>,
    },
    /// It was stated again.
    Prove {
        /// The memory.
        id: MemoryId,
        /// The new proof.
        proof: Proof,
    },
    /// The person has confirmed it.
    Accept {
        /// The memory.
        id: MemoryId,
    },
}

/// The result of an extraction, stored in one transaction.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// New memories.
    pub memories: Vec<Memory>,
    /// Changes to stored ones.
    pub changes: Vec<Change>,
    /// The sequence numbers of the messages that were processed.
    pub read: Vec<i64>,
    /// The time, by the calendar.
    pub at: Timestamp,
}

/// The progress of extraction, across all chats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Learning {
    /// The number of memories ever learned.
    pub memories: u64,
    /// The number of messages that wait for extraction.
    pub waiting: u64,
}

impl Store {
    /// The progress of extraction.
    pub async fn learning(&self) -> Result<Learning> {
        self.read(|tx| tx.learning()).await
    }
}

impl InChat {
    /// Stores memories and changes, and enqueues the jobs that follow. Returns the id under which each memory is
    /// stored, which differs if the same statement was stored meanwhile.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was.
    pub async fn learn(&self, learned: Learned) -> Result<Vec<MemoryId>> {
        let stored = self.write_derived(move |tx, _, chat| learn(tx, chat, &learned).map(Some));
        stored.await?.ok_or_else(|| Error::NotFound { what: "chat", id: self.chat.to_string() })
    }

    /// The oldest messages that wait for extraction, except those that wait for a turn or are being answered.
    pub async fn unextracted(&self, limit: usize) -> Result<Vec<Unextracted>> {
        self.read(move |tx, name, chat| {
            let found = tx.unextracted(name, chat, limit)?.into_iter();
            found.map(|said| Ok(Unextracted { answered: answer_to(tx, said.seq)?, said })).collect()
        })
        .await
    }

    /// The memories visible in this chat, of any status, oldest first: those learned here, and the person's.
    pub async fn memories(&self, person: Option<&str>) -> Result<Vec<StoredMemory>> {
        let (chat, person) = (self.chat.clone(), person.map(str::to_owned));
        self.store()?.read(move |tx| tx.memories_of(tx.chat_row(&chat)?, person.as_deref())).await
    }
}

/// Stores memories and changes, and returns the id under which each memory is stored. The caller has compared them
/// with existing memories, but a reply's tag and an extraction can learn from the same message at once; a statement
/// that was stored meanwhile gets another proof instead.
pub(crate) fn learn(tx: &Tx<'_>, chat: i64, learned: &Learned) -> Result<Vec<MemoryId>> {
    let mut stored = Vec::with_capacity(learned.memories.len());
    for memory in &learned.memories {
        let known = known(tx, chat, memory, &learned.changes)?;
        stored.push(known.as_ref().map_or(memory.id, |known| known.id));
        match known {
            Some(known) => add_proofs(tx, &known, memory, learned.at)?,
            None => tx.insert_memory(chat, memory, learned.at)?,
        }
    }
    for change in &learned.changes {
        let mut change = change.clone();
        if let Change::Close { by: Some(by), .. } = &mut change
            && let Some(at) = learned.memories.iter().position(|memory| memory.id == *by)
            && let Some(kept) = stored.get(at)
        {
            *by = *kept;
        }
        apply(tx, &change, learned.at)?;
    }
    learned.read.iter().try_for_each(|seq| tx.delete_unextracted(chat, *seq))?;
    if !learned.memories.is_empty() || !learned.changes.is_empty() {
        jobs::request_for_chat(tx, JobKind::PROFILE, chat)?;
        jobs::request_for_chat(tx, JobKind::EMBED, chat)?;
    }
    Ok(stored)
}

/// The stored memory that states the same as a new one: in the same words, or from the same message in similar words.
/// A memory that the new one replaces does not count.
fn known(tx: &Tx<'_>, chat: i64, new: &Memory, changes: &[Change]) -> Result<Option<Memory>> {
    let holds = |status| matches!(status, Status::Active | Status::Suggested);
    if !holds(new.status) {
        return Ok(None);
    }
    let person = match &new.reach {
        Reach::Person(person) => Some(person.as_str()),
        Reach::Chat => None,
    };
    let proves = |proof: &Proof| new.proofs.iter().any(|other| other.message == proof.message);
    let is_closed =
        |id| changes.iter().any(|change| matches!(change, Change::Close { id: closed, .. } if *closed == id));
    let mut kept: Vec<Memory> =
        tx.memories_of(Some(chat), person)?.into_iter().map(|kept| kept.memory).collect();
    kept.retain(|kept| {
        holds(kept.status)
            && kept.speaker == new.speaker
            && !is_closed(kept.id)
            && (exact(&kept.text, &new.text) || kept.proofs.iter().any(proves))
    });
    let statements: Vec<Known<'_>> = kept.iter().map(Memory::as_known).collect();
    Ok(match relate(&new.as_known(), &statements, &|_| None, f32::INFINITY) {
        Relation::Same(at) => kept.into_iter().nth(at),
        _ => None,
    })
}

/// Adds the proofs of a repeated statement to its memory.
fn add_proofs(tx: &Tx<'_>, known: &Memory, again: &Memory, now: Timestamp) -> Result<()> {
    for proof in &again.proofs {
        apply(tx, &Change::Prove { id: known.id, proof: proof.clone() }, now)?;
    }
    match again.status {
        Status::Active => apply(tx, &Change::Accept { id: known.id }, now),
        _ => Ok(()),
    }
}

fn apply(tx: &Tx<'_>, change: &Change, now: Timestamp) -> Result<()> {
    match change {
        Change::Close { id, status, at, by } => tx.close_memory(*id, *status, Some(*at), *by, now),
        Change::Prove { id, proof } => match tx.proofs(*id)? {
            Some(mut proofs) if !proofs.contains(proof) => {
                proofs.push(proof.clone());
                tx.put_proofs(*id, &proofs)
            }
            _ => Ok(()),
        },
        Change::Accept { id } => match tx.memory_status(*id)? {
            Some(Status::Suggested | Status::Done) => tx.activate_memory(*id, now),
            _ => Ok(()),
        },
    }
}

/// The reply of the turn that answered a message, or else the assistant's next message in the lane.
fn answer_to(tx: &Tx<'_>, seq: i64) -> Result<Option<String>> {
    if let Some(text) = tx.text_of_reply_to(seq)? {
        return Ok(Some(text));
    }
    let next = tx.role_and_text_after(seq)?;
    Ok(next.filter(|(role, _)| role == Role::Assistant.as_str()).map(|(_, text)| text))
}
