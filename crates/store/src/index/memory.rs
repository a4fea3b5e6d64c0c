//! The index of a chat in memory: metadata of its messages and their vectors. Each search first catches up with what other
//! processes wrote.
//!
//! Catching up does not rely on the order of sequence numbers: a message with a lower number may become visible after one
//! with a higher number. Counters of the chat, read in the same snapshot, tell that something was written; which blocks
//! are new is decided by the set of blocks that are held.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use rustc_hash::FxHashMap;
use throughline_domain::chat::ChatId;
use throughline_domain::recall::meta::{Entry, MessageMeta};
use throughline_domain::recall::score::Statistics;
use throughline_domain::recall::similarity::Similarities;
use throughline_domain::recall::vector::{Vector, differing_signs};

use super::blocks::{Blocks, Cursor, HeldBlock};
use super::meta;
use crate::Result;
use crate::search::Speaker;
use crate::tx::{IndexRow, Tx};

/// Vectors that are stored and read together.
pub(crate) const PART: usize = 16;
/// Maximum memory of all chats together; the least recently searched ones make room.
const MOST_BYTES: usize = 96 * 1024 * 1024;
/// Maximum size of a chat in which every vector is compared in full.
const FEW: usize = 4_096;
/// Vectors that are compared in full in a larger chat: those whose signs match best.
const BEST: usize = 256;

/// The chats that this process has searched.
#[derive(Default)]
pub(crate) struct Indexes {
    chats: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    chats: HashMap<ChatId, CachedIndex>,
    clock: u64,
}

struct CachedIndex {
    index: Arc<Mutex<Arc<ChatIndex>>>,
    bytes: usize,
    used: u64,
}

impl Indexes {
    /// The index of a chat, after `catch_up` brought it up to date. It is locked only for that, and the lock comes before
    /// the first read, so that the snapshot of the database is never older than the index. Searches of one chat run side
    /// by side.
    pub fn current<T>(
        &self,
        chat: &ChatId,
        catch_up: impl FnOnce(&mut Arc<ChatIndex>) -> Result<T>,
    ) -> Result<(Arc<ChatIndex>, T)> {
        let index = {
            let mut shelf = self.chats.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&shelf.chats.entry(chat.clone()).or_insert_with(CachedIndex::empty).index)
        };
        let mut held = index.lock().unwrap_or_else(PoisonError::into_inner);
        let done = catch_up(&mut held);
        if done.is_err() {
            // It may have caught up halfway.
            *held = Arc::default();
        }
        let current = Arc::clone(&held);
        drop(held);
        self.chats.lock().unwrap_or_else(PoisonError::into_inner).note(chat, current.bytes());
        Ok((current, done?))
    }
}

impl CachedIndex {
    fn empty() -> Self {
        Self { index: Arc::default(), bytes: 0, used: 0 }
    }
}

impl Shelf {
    fn note(&mut self, chat: &ChatId, bytes: usize) {
        self.clock += 1;
        let used = self.clock;
        if let Some(kept) = self.chats.get_mut(chat) {
            (kept.bytes, kept.used) = (bytes, used);
        }
        let mut all: usize = self.chats.values().map(|kept| kept.bytes).sum();
        while all > MOST_BYTES && self.chats.len() > 1 {
            let oldest = self.chats.iter().min_by_key(|(_, kept)| kept.used).map(|(chat, _)| chat.clone());
            let Some(gone) = oldest.and_then(|chat| self.chats.remove(&chat)) else { break };
            all -= gone.bytes;
        }
    }
}

/// One chat in memory. It is copied before a change while a search uses it.
#[derive(Default, Clone)]
pub(crate) struct ChatIndex {
    /// The state of the chat's index up to which this one has caught up.
    state: Option<IndexRow>,
    statistics: Statistics,
    speakers: Vec<Speaker>,
    /// The indexed messages, block by block, and behind them those that are not indexed.
    meta: MessageMeta,
    blocks: Blocks,
    /// The sequence numbers of the messages that are not indexed.
    unindexed: Vec<i64>,
    vectors: Vectors,
}

/// The vectors of one embedder, by position.
#[derive(Default, Clone)]
struct Vectors {
    embedder: String,
    /// The write of vectors up to which these have caught up.
    written: Option<u64>,
    dimensions: usize,
    /// The signs of the indexed messages' vectors, and whether there are any.
    signs: Vec<u64>,
    there: Vec<bool>,
    /// Components by block and part, read when they are needed. Blocks keep their numbers, so copies share them.
    parts: Arc<Mutex<Parts>>,
    /// Components of messages that are not indexed.
    unmerged: HashMap<i64, Vec<u8>>,
}

type Parts = FxHashMap<(usize, usize), Arc<[u8]>>;

/// Reads the position and the text of a message that is not indexed, and returns how many terms it has.
pub(crate) type Unindexed<'a> = dyn FnMut(usize, &str) -> u32 + 'a;

/// The messages of a chat that are not indexed.
struct Tail {
    entries: Vec<Entry>,
    terms: u64,
    /// Those who said something for the first time.
    speakers: Vec<Speaker>,
}

impl ChatIndex {
    /// Catches up with the database. `unindexed` reads each message that is not indexed.
    pub fn catch_up(
        held: &mut Arc<Self>,
        tx: &Tx<'_>,
        chat: &ChatId,
        gap: SignedDuration,
        unindexed: &mut Unindexed<'_>,
    ) -> Result<()> {
        let Some(state) = tx.index_row(chat)? else {
            *held = Arc::default();
            return Ok(());
        };
        if held.state.is_none_or(|held| (held.chat, held.generation) != (state.chat, state.generation)) {
            *held = Arc::default();
        }
        let has_grown = held.state.is_none_or(|held| held.messages != state.messages);
        let mut entries = Vec::new();
        if has_grown {
            entries.reserve_exact(usize::try_from(state.messages).unwrap_or_default());
            entries.extend_from_slice(held.indexed());
            Arc::make_mut(held).add_blocks(tx, state.chat, &mut entries)?;
        }
        let tail = held.read_tail(tx, state.chat, unindexed)?;
        let is_same_tail = held.unindexed.iter().eq(tail.entries.iter().map(|entry| &entry.seq));
        if held.state == Some(state) && is_same_tail {
            return Ok(());
        }
        let index = Arc::make_mut(held);
        index.statistics = Statistics {
            documents: state.messages + tail.entries.len() as u64,
            terms: state.terms + tail.terms,
        };
        index.speakers.extend(tail.speakers);
        if has_grown || !is_same_tail {
            if !has_grown {
                entries = index.indexed().to_vec();
            }
            index.unindexed = tail.entries.iter().map(|entry| entry.seq).collect();
            entries.extend(tail.entries);
            index.meta = MessageMeta::new(entries, gap);
        }
        index.state = Some(state);
        Ok(())
    }

    /// The indexed messages.
    fn indexed(&self) -> &[Entry] {
        self.meta.entries().get(..self.blocks.messages()).unwrap_or_default()
    }

    /// Reads the blocks that are not held yet.
    fn add_blocks(&mut self, tx: &Tx<'_>, chat: i64, entries: &mut Vec<Entry>) -> Result<()> {
        let mut found: Vec<Vec<u8>> = Vec::new();
        let is_missing = |first| !self.blocks.holds(first);
        tx.for_each_meta_block(chat, &is_missing, &mut |block| found.push(block.to_vec()))?;
        for block in found {
            self.blocks.add(entries, meta::entries(&block));
        }
        self.blocks.order(entries);
        self.speakers = tx.speakers(chat)?;
        // The vectors of the new blocks may have been written before.
        self.vectors.written = None;
        Ok(())
    }

    fn read_tail(&self, tx: &Tx<'_>, chat: i64, unindexed: &mut Unindexed<'_>) -> Result<Tail> {
        let mut tail = Tail { entries: Vec::new(), terms: 0, speakers: Vec::new() };
        let indexed = self.blocks.messages();
        tx.for_each_unindexed(chat, &mut |source| {
            let length = unindexed(indexed + tail.entries.len(), source.text);
            tail.terms += u64::from(length);
            let is_same =
                |known: &Speaker| known.role == source.role && known.name.as_deref() == source.speaker;
            let known = self.speakers.iter().chain(&tail.speakers).position(is_same);
            let speaker_id = known.unwrap_or_else(|| {
                tail.speakers.push(Speaker { role: source.role, name: source.speaker.map(str::to_owned) });
                self.speakers.len() + tail.speakers.len() - 1
            });
            tail.entries.push(Entry {
                seq: source.seq,
                at: source.at,
                lane: u32::try_from(source.lane).unwrap_or(u32::MAX),
                speaker_id: u16::try_from(speaker_id).unwrap_or(u16::MAX),
                length: u16::try_from(length).unwrap_or(u16::MAX),
            });
            Ok(())
        })?;
        Ok(tail)
    }

    /// Whether nothing was written since the last time, apart from vectors. Until messages are indexed, the number of
    /// those that are not can only grow.
    pub fn is_current(&self, tx: &Tx<'_>, chat: &ChatId) -> Result<bool> {
        let (Some(held), Some(now)) = (self.state, tx.index_row(chat)?) else { return Ok(false) };
        let is_same = (held.chat, held.generation, held.messages) == (now.chat, now.generation, now.messages);
        Ok(is_same && tx.unindexed_size(now.chat)?.0 == self.unindexed.len() as u64)
    }

    /// The chat's row; nothing for a chat that is not known.
    pub fn row(&self) -> Option<i64> {
        self.state.map(|state| state.chat)
    }

    pub fn meta(&self) -> &MessageMeta {
        &self.meta
    }

    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub fn speakers(&self) -> &[Speaker] {
        &self.speakers
    }

    /// Finds the positions of indexed messages.
    pub fn cursor(&self) -> Cursor<'_> {
        self.blocks.cursor(self.meta.entries())
    }

    /// The similarity of each message to a question. `own` are the questions of single speakers, for their messages.
    pub fn dense(&self, tx: &Tx<'_>, question: &Vector, own: &[(u16, Vector)]) -> Result<Similarities> {
        let Some(row) = self.row().filter(|_| question.has_direction()) else {
            return Ok(Similarities::default());
        };
        let mut asked: Vec<&Vector> = vec![question; self.speakers.len()];
        for (speaker_id, vector) in own {
            if let Some(slot) = asked.get_mut(usize::from(*speaker_id)) {
                *slot = vector;
            }
        }
        let asked = |position: usize| {
            let speaker_id = self.meta.speaker_ids().get(position).copied().unwrap_or(u16::MAX);
            *asked.get(usize::from(speaker_id)).unwrap_or(&question)
        };
        let (entries, indexed) = (self.meta.entries(), self.blocks.messages());
        let mut similarities = Similarities::new(entries.len(), self.vectors.dimensions);
        self.vectors.estimate(&mut similarities, asked);
        for (position, entry) in entries.iter().enumerate().skip(indexed) {
            if let Some(components) = self.vectors.unmerged.get(&entry.seq) {
                similarities.set(position, asked(position).similarity(components));
            }
        }
        let most = if indexed > FEW { BEST } else { indexed };
        for position in similarities.highest_estimates(most) {
            let Some(place) = self.blocks.at(position) else { continue };
            let part = self.vectors.part(tx, row, place, position)?;
            if let Some(vector) = self.vectors.within(&part, place, position) {
                similarities.set(position, asked(position).similarity(vector));
            }
        }
        Ok(similarities)
    }

    /// Catches up with the vectors of an embedder.
    pub fn catch_up_vectors(
        held: &mut Arc<Self>,
        tx: &Tx<'_>,
        embedder: &str,
        dimensions: usize,
    ) -> Result<()> {
        let Some(IndexRow { chat: row, vector_writes, .. }) = held.state else { return Ok(()) };
        let written = Some(vector_writes);
        if held.vectors.embedder == embedder && held.vectors.written == written {
            return Ok(());
        }
        let index = Arc::make_mut(held);
        if index.vectors.embedder != embedder {
            index.vectors = Vectors { embedder: embedder.to_owned(), dimensions, ..Vectors::default() };
        }
        let words = dimensions.div_ceil(64);
        let (vectors, blocks) = (&mut index.vectors, &index.blocks);
        vectors.signs.resize(blocks.messages() * words, 0);
        vectors.there.resize(blocks.messages(), false);
        let held = |first: i64| blocks.starting_with(first);
        let there = vectors.there.clone();
        let is_wanted = |first: i64| held(first).is_some_and(|block| there.get(block.at) == Some(&false));
        tx.for_each_vector_block(row, embedder, &is_wanted, &mut |first, bytes| {
            let Some(HeldBlock { at, length, .. }) = held(first) else { return };
            let slots = vectors.signs.get_mut(at * words..(at + length) * words).unwrap_or_default();
            if bytes.len() != slots.len() * 8 {
                return;
            }
            for (slot, bytes) in slots.iter_mut().zip(bytes.as_chunks().0) {
                *slot = u64::from_le_bytes(*bytes);
            }
            vectors.there.get_mut(at..at + length).unwrap_or_default().fill(true);
        })?;
        vectors.unmerged.clear();
        tx.for_each_unmerged_vector(row, embedder, &mut |message, components| {
            vectors.unmerged.insert(message, components);
        })?;
        vectors.written = written;
        Ok(())
    }

    /// The memory it takes, roughly.
    fn bytes(&self) -> usize {
        let Vectors { signs, there, parts, dimensions, .. } = &self.vectors;
        let parts = parts.lock().unwrap_or_else(PoisonError::into_inner).len() * (PART * dimensions + 64);
        self.meta.entries().len() * 40 + signs.len() * 8 + there.len() + parts
    }
}

impl Vectors {
    /// Estimates the similarities of the indexed messages by their signs.
    fn estimate<'v>(&self, similarities: &mut Similarities, asked: impl Fn(usize) -> &'v Vector) {
        match self.dimensions.div_ceil(64) {
            // The built-in embedder's; a fixed size is several times as fast.
            4 => {
                let signs = self.signs.as_chunks::<4>().0.iter().zip(&self.there).enumerate();
                similarities.estimate(signs.map(|(position, (signs, is_there))| {
                    let asked = asked(position).signs().first_chunk::<4>().filter(|_| *is_there)?;
                    Some(differing_signs(asked, signs))
                }));
            }
            words => {
                let signs = self.signs.chunks(words.max(1)).zip(&self.there).enumerate();
                similarities.estimate(signs.map(|(position, (signs, is_there))| {
                    is_there.then(|| differing_signs(asked(position).signs(), signs))
                }));
            }
        }
    }

    /// The part of a block that has the vector of an indexed message; empty if there is none.
    fn part(
        &self,
        tx: &Tx<'_>,
        row: i64,
        (block, held): (usize, HeldBlock),
        position: usize,
    ) -> Result<Arc<[u8]>> {
        let part = (position - held.at) / PART;
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = parts.get(&(block, part)) {
            return Ok(Arc::clone(known));
        }
        let read: Arc<[u8]> =
            tx.vector_part(row, &self.embedder, held.first, part)?.unwrap_or_default().into();
        parts.insert((block, part), Arc::clone(&read));
        Ok(read)
    }

    /// The components of the vector of an indexed message.
    fn within<'a>(&self, part: &'a [u8], (_, held): (usize, HeldBlock), position: usize) -> Option<&'a [u8]> {
        let start = (position - held.at) % PART * self.dimensions;
        part.get(start..start + self.dimensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chats_that_were_not_asked_for_longest_make_room() {
        let mut shelf = Shelf::default();
        let chat = |name: &str| format!("cli:chat:{name}").parse::<ChatId>().unwrap();
        for name in ["a", "b", "c"] {
            shelf.chats.insert(chat(name), CachedIndex::empty());
            shelf.note(&chat(name), MOST_BYTES / 2);
        }
        let mut left: Vec<String> = shelf.chats.keys().map(|chat| chat.as_str().to_owned()).collect();
        left.sort();
        assert_eq!(left, ["cli:chat:b", "cli:chat:c"]);
    }
}
