//! The word index of each chat. New messages are not indexed at once, and a search reads their texts; when enough have
//! gathered, they are indexed together. So a write stays small, and words can be found as soon as it returns.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use throughline_domain::message::Message;
use throughline_domain::recall::meta::Entry;
use throughline_text::words;

use super::meta;
use super::postings::{Block, Posting, postings};
use crate::jobs::JobKind;
use crate::search::Speaker;
use crate::tx::{MessageSource, Tx};
use crate::vectors::unmerge;
use crate::{Result, jobs};

/// Messages, and bytes of them, that are indexed together: what a search can still read quickly.
const MOST_MESSAGES: u64 = 256;
const MOST_BYTES: u64 = 64 * 1024;
/// Factor on these limits if messages come one by one: a background job indexes them earlier, and no person waits.
const PATIENCE: u64 = 4;
/// Fewer messages in one transaction count as coming one by one.
const ONE_BY_ONE: u64 = 8;
/// Minimum number of messages for which new blocks are begun: that is cheaper than filling the old ones.
const MANY: u64 = 1_000;
/// Messages and bytes of text that a rebuild holds in memory.
const MOST_HELD: usize = 50_000;
const MOST_HELD_BYTES: usize = 16 * 1024 * 1024;

/// The new messages of one chat, to be indexed or noted at the end of their transaction.
#[derive(Default)]
pub(crate) struct Pending {
    messages: u64,
    bytes: u64,
    /// The messages that may stay unindexed: sequence numbers and sizes only, because the messages are in the database already.
    unindexed: Vec<(i64, usize)>,
    gathered: Gathered,
}

impl Pending {
    pub fn is_empty(&self) -> bool {
        self.messages == 0
    }

    pub fn push(&mut self, chat: i64, seq: i64, lane: i64, message: &Message) {
        self.messages += 1;
        self.bytes += message.text.len() as u64;
        if self.messages <= MOST_MESSAGES {
            self.unindexed.push((seq, message.text.len()));
        } else {
            self.gathered.read(MessageSource {
                chat,
                seq,
                at: message.occurred_at.as_microsecond(),
                lane,
                role: message.role,
                speaker: message.speaker.as_deref(),
                text: &message.text,
            });
        }
    }

    /// Leaves the messages unindexed, or indexes them behind those that wait.
    pub fn finish(self, tx: &Tx<'_>, chat: i64) -> Result<()> {
        let (waiting, bytes) = tx.unindexed_size(chat)?;
        self.unindexed.iter().try_for_each(|(seq, length)| tx.add_unindexed(chat, *seq, *length))?;
        let times = if self.messages < ONE_BY_ONE { PATIENCE } else { 1 };
        if waiting + self.messages < MOST_MESSAGES * times && bytes + self.bytes < MOST_BYTES * times {
            return Ok(());
        }
        index_waiting(tx, chat)?;
        self.gathered.index(tx, chat)
    }
}

/// Indexes the messages of a chat that wait, if they are enough.
pub(crate) fn index_if_due(tx: &Tx<'_>, chat: i64) -> Result<()> {
    match tx.unindexed_size(chat)? {
        (messages, bytes) if messages < MOST_MESSAGES && bytes < MOST_BYTES => Ok(()),
        _ => index_waiting(tx, chat),
    }
}

fn index_waiting(tx: &Tx<'_>, chat: i64) -> Result<()> {
    let mut gathered = Gathered::default();
    tx.for_each_unindexed(chat, &mut |source| {
        gathered.read(source);
        Ok(())
    })?;
    gathered.index(tx, chat)
}

/// Counts the terms of a text.
pub(crate) fn count_terms(text: &str) -> u32 {
    let mut count = 0;
    words::for_each_term(text, |_| count += 1);
    count
}

/// The postings of messages on their way into the index, by term.
#[derive(Default)]
struct Gathered {
    /// The number of each term, which is its place in `postings`.
    numbers: FxHashMap<String, usize>,
    postings: Vec<Vec<Posting>>,
    /// The metadata of the messages; their speakers are places in `speakers`.
    entries: Vec<Entry>,
    speakers: Vec<Speaker>,
    length: u64,
}

impl Gathered {
    /// Adds the words of a message; messages come in order.
    fn read(&mut self, source: MessageSource<'_>) {
        let seq = source.seq;
        let mut length = 0u32;
        words::for_each_term(source.text, |term| {
            length += 1;
            let known = self.numbers.get(term).copied();
            let number = known.unwrap_or_else(|| {
                self.numbers.insert(term.to_owned(), self.postings.len());
                self.postings.push(Vec::new());
                self.postings.len() - 1
            });
            let Some(postings) = self.postings.get_mut(number) else { return };
            match postings.last_mut() {
                Some(last) if last.seq == seq => last.once_more(),
                _ => postings.push(Posting::once(seq)),
            }
        });
        self.length += u64::from(length);
        let speaker_id = self.speaker_id(source);
        self.entries.push(Entry {
            seq,
            at: source.at,
            lane: u32::try_from(source.lane).unwrap_or(u32::MAX),
            speaker_id,
            length: u16::try_from(length).unwrap_or(u16::MAX),
        });
    }

    /// The place of who speaks in the list: a chat has few speakers.
    fn speaker_id(&mut self, source: MessageSource<'_>) -> u16 {
        let is_same = |known: &Speaker| known.role == source.role && known.name.as_deref() == source.speaker;
        let number = self.speakers.iter().position(is_same).unwrap_or_else(|| {
            self.speakers.push(Speaker { role: source.role, name: source.speaker.map(str::to_owned) });
            self.speakers.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }

    fn index(mut self, tx: &Tx<'_>, chat: i64) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let numbers = meta::number(tx, chat, &self.speakers)?;
        for entry in &mut self.entries {
            entry.speaker_id = numbers.get(usize::from(entry.speaker_id)).copied().unwrap_or(u16::MAX);
        }
        meta::add(tx, chat, &self.entries)?;
        let messages = self.entries.len() as u64;
        let mut terms: Vec<(String, usize)> = self.numbers.into_iter().collect();
        // In the order of the B-tree, so that neighbors share their pages.
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (term, number) in terms {
            let postings = self.postings.get_mut(number).map(std::mem::take).unwrap_or_default();
            let mut open = if messages < MANY { last_block(tx, chat, &term)? } else { None };
            for posting in postings {
                // A block is full, or its message became visible before this earlier one.
                if let Some(full) = open.take_if(|block| !block.can_take(posting.seq)) {
                    full.put(tx, chat, &term)?;
                }
                match &mut open {
                    Some(block) => block.push(posting),
                    None => open = Some(Block::starting_with(posting)),
                }
            }
            open.map_or(Ok(()), |block| block.put(tx, chat, &term))?;
        }
        tx.delete_unindexed(chat)?;
        tx.count_indexed(chat, messages, self.length)
    }
}

impl Block {
    fn put(&self, tx: &Tx<'_>, chat: i64, term: &str) -> Result<()> {
        tx.put_posting_block(chat, term, self.first, &self.bytes)
    }
}

/// The newest block of a term.
fn last_block(tx: &Tx<'_>, chat: i64, term: &str) -> Result<Option<Block>> {
    let block = tx.last_posting_block(chat, term)?;
    Ok(block.map(|(first, bytes)| Block::stored(first, bytes)).filter(|block| !block.is_full()))
}

/// Whether the index holds a message under each of its words.
pub(crate) fn holds(tx: &Tx<'_>, chat: i64, seq: i64, text: &str) -> Result<bool> {
    for term in words::terms(text) {
        let mut is_found = false;
        tx.for_each_posting_block_back(chat, &term, seq, &mut |first, block| {
            is_found = postings(first, block).any(|posting| posting.seq == seq);
            if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if !is_found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Rebuilds the index of one chat. Vectors of messages that did not change are kept for the next blocks.
pub(crate) fn rebuild_chat(tx: &Tx<'_>, chat: i64, changed: &HashSet<i64>) -> Result<()> {
    unmerge(tx, chat, changed)?;
    tx.clear_index(chat)?;
    let mut gathered = Gathered::default();
    tx.for_each_source(Some(chat), &mut |source| {
        gathered.read(source);
        if gathered.entries.len() >= MOST_HELD {
            std::mem::take(&mut gathered).index(tx, chat)?;
        }
        Ok(())
    })?;
    gathered.index(tx, chat)?;
    jobs::request_for_chat(tx, JobKind::EMBED, chat)
}

/// Rebuilds the index of all chats. Their vectors are made again in the background.
pub(crate) fn rebuild(tx: &Tx<'_>) -> Result<()> {
    tx.clear_all_indexes()?;
    let mut gathered: HashMap<i64, Gathered> = HashMap::new();
    let mut held = 0usize;
    tx.for_each_source(None, &mut |source| {
        held += source.text.len();
        gathered.entry(source.chat).or_default().read(source);
        if held > MOST_HELD_BYTES {
            held = 0;
            gathered.drain().try_for_each(|(chat, gathered)| gathered.index(tx, chat))?;
        }
        Ok(())
    })?;
    gathered.into_iter().try_for_each(|(chat, gathered)| gathered.index(tx, chat))?;
    tx.add_job_for_every_chat(JobKind::EMBED)
}
