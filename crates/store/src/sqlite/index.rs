//! What this process holds in memory of a chat to search it: the outline of its messages and their vectors. Each search
//! first catches up with what other processes wrote.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use rusqlite::{OptionalExtension, Transaction};
use rustc_hash::FxHashMap;
use throughline_domain::chat::ChatId;
use throughline_domain::recall::meta::{Entry, MessageMeta};
use throughline_domain::recall::score::Statistics;
use throughline_domain::recall::vector::Vector;

use super::message_meta;
use super::vectors::{self, PART};
use super::words;
use crate::Result;
use crate::search::Speaker;

/// All chats together may take so many bytes; the ones that were not asked for longest make room.
const MOST_BYTES: usize = 96 * 1024 * 1024;
/// In a chat of at most so many messages every vector is compared in full.
const FEW: usize = 4_096;
/// In a larger one the signs are compared first, and so many of the best in full.
const BEST: usize = 256;

/// The chats that this process has searched.
#[derive(Default)]
pub(super) struct Indexes {
    chats: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    chats: HashMap<ChatId, CachedIndex>,
    clock: u64,
}

struct CachedIndex {
    index: Arc<Mutex<ChatIndex>>,
    bytes: usize,
    used: u64,
}

impl Indexes {
    /// Works with the index of a chat; nobody else does meanwhile. Lock first, read then: so that a snapshot of the
    /// database is never older than what is held.
    pub fn with<T>(&self, chat: &ChatId, work: impl FnOnce(&mut ChatIndex) -> Result<T>) -> Result<T> {
        let index = {
            let mut shelf = self.chats.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&shelf.chats.entry(chat.clone()).or_insert_with(CachedIndex::empty).index)
        };
        let mut held = index.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut held);
        if done.is_err() {
            // Half of it may be new.
            *held = ChatIndex::default();
        }
        let bytes = held.bytes();
        drop(held);
        self.chats.lock().unwrap_or_else(PoisonError::into_inner).note(chat, bytes);
        done
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

/// How far an index has caught up.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
struct Mark {
    generation: u64,
    /// Messages that the word index has taken in.
    indexed: u64,
    /// How often vectors were written.
    embedded: u64,
}

/// One chat in memory.
#[derive(Default)]
pub(super) struct ChatIndex {
    row: Option<i64>,
    mark: Mark,
    statistics: Statistics,
    speakers: Vec<Speaker>,
    meta: MessageMeta,
    /// How many entries of the outline come from blocks; those beside the index follow.
    taken_in: usize,
    /// The position and length of each block, by its first message.
    blocks: Vec<(i64, usize, usize)>,
    /// The last messages beside the index that were seen.
    unindexed: Vec<i64>,
    vectors: Vectors,
}

/// The vectors of one embedder, by position.
#[derive(Default)]
struct Vectors {
    embedder: String,
    mark: u64,
    dimensions: usize,
    /// Signs of every vector in the blocks, and whether there is one.
    signs: Vec<u64>,
    there: Vec<bool>,
    /// Components by block and part, read when they are needed.
    parts: FxHashMap<(usize, usize), Vec<u8>>,
    /// Components of messages beside the index.
    unmerged: HashMap<i64, Vec<u8>>,
}

/// What a search reads of the messages beside the index, on the way.
pub(super) type Unindexed<'a> = dyn FnMut(usize, &str) -> u32 + 'a;

impl ChatIndex {
    /// Brings the index up to the database. `beside` is given the position and the text of each message that the word
    /// index has not taken in, and says how many terms it has.
    pub fn catch_up(
        &mut self,
        transaction: &Transaction<'_>,
        chat: &ChatId,
        gap: SignedDuration,
        unindexed: &mut Unindexed<'_>,
    ) -> Result<()> {
        let mut statement = transaction.prepare_cached(
            "SELECT id, generation, indexed_messages, vector_writes, indexed_terms FROM chats WHERE key = ?1",
        )?;
        let row = statement.query_row([chat.as_str()], |row| {
            let mark = Mark { generation: row.get(1)?, indexed: row.get(2)?, embedded: row.get(3)? };
            Ok((row.get::<_, i64>(0)?, mark, row.get(4)?))
        });
        let Some((row, mark, terms)) = row.optional()? else {
            *self = Self::default();
            return Ok(());
        };
        if self.row != Some(row) || self.mark.generation != mark.generation {
            *self = Self { row: Some(row), mark: Mark { indexed: u64::MAX, ..mark }, ..Self::default() };
        }
        let grown = self.mark.indexed != mark.indexed;
        let mut entries = Vec::new();
        if grown {
            entries = self.meta.entries().get(..self.taken_in).unwrap_or_default().to_vec();
            self.index(transaction, row, &mut entries)?;
        }
        self.statistics = Statistics { documents: mark.indexed, terms };
        let tail = self.read_unindexed(transaction, row, unindexed)?;
        let numbers: Vec<i64> = tail.iter().map(|entry| entry.seq).collect();
        if grown || self.unindexed != numbers {
            if !grown {
                entries = self.meta.entries().get(..self.taken_in).unwrap_or_default().to_vec();
            }
            entries.extend(tail);
            self.meta = MessageMeta::new(entries, gap);
            self.unindexed = numbers;
        }
        self.mark = mark;
        Ok(())
    }

    /// Reads the blocks that were added.
    fn index(&mut self, transaction: &Transaction<'_>, row: i64, entries: &mut Vec<Entry>) -> Result<()> {
        let next = entries.last().map_or(i64::MIN, |last| last.seq + 1);
        for block in message_meta::read_from(transaction, row, next)? {
            if let Some(first) = block.first() {
                self.blocks.push((first.seq, entries.len(), block.len()));
            }
            entries.extend(block);
        }
        self.taken_in = entries.len();
        self.speakers = message_meta::known_speakers(transaction, row)?;
        // The vectors of the new blocks may have been written before.
        self.vectors.mark = u64::MAX;
        Ok(())
    }

    fn read_unindexed(
        &mut self,
        transaction: &Transaction<'_>,
        row: i64,
        unindexed: &mut Unindexed<'_>,
    ) -> Result<Vec<Entry>> {
        let mut tail = Vec::new();
        let (speakers, taken_in) = (&mut self.speakers, self.taken_in);
        let statistics = &mut self.statistics;
        words::for_each_unindexed(transaction, row, |message, text| {
            let length = unindexed(taken_in + tail.len(), text);
            statistics.documents += 1;
            statistics.terms += u64::from(length);
            let speaker_id =
                speakers.iter().position(|known| *known == message.speaker).unwrap_or_else(|| {
                    speakers.push(message.speaker);
                    speakers.len() - 1
                });
            tail.push(Entry {
                seq: message.seq,
                at: message.at,
                lane: message.lane,
                speaker_id: u16::try_from(speaker_id).unwrap_or(u16::MAX),
                length: u16::try_from(length).unwrap_or(u16::MAX),
            });
        })?;
        Ok(tail)
    }

    /// Whether nothing was written since the last time; vectors apart.
    pub fn is_current(&self, transaction: &Transaction<'_>, chat: &ChatId) -> Result<bool> {
        let mut statement = transaction.prepare_cached(
            "SELECT c.generation, c.indexed_messages, (SELECT count(*) FROM unindexed WHERE chat = c.id), \
             (SELECT max(seq) FROM unindexed WHERE chat = c.id) FROM chats c WHERE c.key = ?1",
        )?;
        let found: Option<(u64, u64, usize, Option<i64>)> = statement
            .query_row([chat.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let held =
            (self.mark.generation, self.mark.indexed, self.unindexed.len(), self.unindexed.last().copied());
        Ok(self.row.is_some() && found == Some(held))
    }

    /// The chat's row; nothing for a chat that was never seen.
    pub fn row(&self) -> Option<i64> {
        self.row
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

    /// How alike each message is to a question, not a number where that is not known. `own` are the questions of single
    /// speakers, for their messages.
    pub fn dense(
        &mut self,
        transaction: &Transaction<'_>,
        embedder: &str,
        question: &Vector,
        own: &[(u16, Vector)],
    ) -> Result<Vec<f32>> {
        let Some(row) = self.row.filter(|_| question.has_direction()) else { return Ok(Vec::new()) };
        self.catch_up_vectors(transaction, row, embedder, question.components().len())?;
        let guesser = question.guesser();
        let own_guessers: Vec<_> =
            own.iter().map(|(speaker_id, vector)| (*speaker_id, vector.guesser())).collect();
        let guess = |speaker_id: u16, signs: &[u64]| {
            let own = own_guessers.iter().find(|(own, _)| *own == speaker_id);
            own.map_or(&guesser, |(_, own)| own).guess(signs)
        };
        let asked = |speaker_id: u16| {
            own.iter().find(|(own, _)| *own == speaker_id).map_or(question, |(_, vector)| vector)
        };
        let entries = self.meta.entries();
        let words = self.vectors.dimensions.div_ceil(64).max(1);
        let mut similarity = vec![f32::NAN; entries.len()];
        let signs = self.vectors.signs.chunks(words).zip(&self.vectors.there);
        for ((similarity, entry), (signs, there)) in similarity.iter_mut().zip(entries).zip(signs) {
            if *there {
                *similarity = guess(entry.speaker_id, signs);
            }
        }
        for (similarity, entry) in similarity.iter_mut().zip(entries).skip(self.taken_in) {
            if let Some(components) = self.vectors.unmerged.get(&entry.seq) {
                *similarity = asked(entry.speaker_id).similarity(components);
            }
        }
        let mut exact: Vec<usize> =
            (0..self.taken_in).filter(|at| similarity.get(*at).is_some_and(|l| !l.is_nan())).collect();
        if exact.len() > FEW {
            let of = |at: &usize| similarity.get(*at).copied().unwrap_or(f32::NEG_INFINITY);
            exact.select_nth_unstable_by(BEST, |a, b| of(b).total_cmp(&of(a)));
            exact.truncate(BEST);
        }
        for position in exact {
            let speaker_id = self.meta.entries().get(position).map_or(0, |entry| entry.speaker_id);
            let vector = self.vectors.components(transaction, row, &self.blocks, position)?;
            if let Some(slot) = similarity.get_mut(position)
                && !vector.is_empty()
            {
                *slot = asked(speaker_id).similarity(vector);
            }
        }
        Ok(similarity)
    }

    fn catch_up_vectors(
        &mut self,
        transaction: &Transaction<'_>,
        row: i64,
        embedder: &str,
        dimensions: usize,
    ) -> Result<()> {
        if self.vectors.embedder == embedder && self.vectors.mark == self.mark.embedded {
            return Ok(());
        }
        if self.vectors.embedder != embedder {
            self.vectors = Vectors { embedder: embedder.to_owned(), dimensions, ..Vectors::default() };
        }
        let words = dimensions.div_ceil(64);
        let vectors = &mut self.vectors;
        vectors.signs.resize(self.taken_in * words, 0);
        vectors.there.resize(self.taken_in, false);
        let blocks: HashMap<i64, (usize, usize)> =
            self.blocks.iter().map(|(first, at, length)| (*first, (*at, *length))).collect();
        let there = vectors.there.clone();
        let wanted = |first: i64| blocks.get(&first).is_some_and(|(at, _)| there.get(*at) == Some(&false));
        vectors::for_each_block(transaction, row, embedder, wanted, |first, bytes| {
            let Some((at, length)) = blocks.get(&first).copied() else { return };
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
        vectors::for_each_unmerged(transaction, row, embedder, |message, components| {
            vectors.unmerged.insert(message, components);
        })?;
        vectors.mark = self.mark.embedded;
        Ok(())
    }

    /// About how much memory this takes.
    fn bytes(&self) -> usize {
        let parts: usize = self.vectors.parts.values().map(|part| part.len() + 64).sum();
        self.meta.entries().len() * 40 + self.vectors.signs.len() * 8 + self.vectors.there.len() + parts
    }
}

impl Vectors {
    /// The components of one vector in the blocks; empty where there is none.
    fn components(
        &mut self,
        transaction: &Transaction<'_>,
        row: i64,
        blocks: &[(i64, usize, usize)],
        position: usize,
    ) -> Result<&[u8]> {
        let block = blocks.partition_point(|(_, at, _)| *at <= position).saturating_sub(1);
        let Some((first, at, _)) = blocks.get(block).copied() else { return Ok(&[]) };
        let (part, within) = ((position - at) / PART, (position - at) % PART);
        if !self.parts.contains_key(&(block, part)) {
            let read = vectors::part(transaction, row, &self.embedder, first, part)?;
            self.parts.insert((block, part), read);
        }
        let start = within * self.dimensions;
        let components =
            self.parts.get(&(block, part)).and_then(|part| part.get(start..start + self.dimensions));
        Ok(components.unwrap_or_default())
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
