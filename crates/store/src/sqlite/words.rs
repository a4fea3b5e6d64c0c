//! The word index of each chat. New messages lie beside it, and a search reads them as they are; when enough have
//! gathered, the index takes them in. So a write stays small, and words can be found as soon as it returns.

use std::collections::{HashMap, HashSet};

use rusqlite::{CachedStatement, Row, Transaction, params};
use rustc_hash::FxHashMap;
use throughline_domain::message::{Message, Role};
use throughline_domain::recall::meta::Entry;
use throughline_text::words;

use super::message_meta;
use super::postings::{self, Block, Posting};
use super::rows::parse;
use super::vectors;
use crate::search::Speaker;
use crate::{Error, Result};

/// The index takes messages in when so many wait, or so many bytes of them: what a search can still read in a blink.
const MOST_MESSAGES: u64 = 256;
const MOST_BYTES: u64 = 64 * 1024;
/// What comes one by one may wait for so many times as much: a job takes it in before, and nobody waits for that.
const PATIENCE: u64 = 4;
/// Fewer messages at once come one by one.
const ONE_BY_ONE: u64 = 8;
/// So many messages at once begin new blocks, which is cheaper than finding and filling the old ones.
const MANY: u64 = 1_000;

/// Where a message stands and who said it.
#[derive(Clone, Copy)]
struct MessageSource<'a> {
    seq: i64,
    at: i64,
    lane: i64,
    role: Role,
    speaker: Option<&'a str>,
}

/// The new messages of one chat, to be settled at the end of their transaction.
#[derive(Default)]
pub(super) struct Pending {
    messages: u64,
    bytes: u64,
    /// What may stay beside the index: numbers and sizes only, for the messages are in the database already.
    unindexed: Vec<(i64, usize)>,
    gathered: Gathered,
}

impl Pending {
    pub fn push(&mut self, seq: i64, lane: i64, message: &Message) {
        self.messages += 1;
        self.bytes += message.text.len() as u64;
        if self.messages <= MOST_MESSAGES {
            self.unindexed.push((seq, message.text.len()));
        } else {
            let speaker = message.speaker.as_deref();
            let at = message.occurred_at.as_microsecond();
            self.gathered.read(MessageSource { seq, at, lane, role: message.role, speaker }, &message.text);
        }
    }

    /// Leaves the messages beside the index, or takes them in behind those that wait there.
    pub fn finish(self, transaction: &Transaction<'_>, chat: i64) -> Result<()> {
        let (waiting, bytes): (u64, u64) = transaction
            .prepare_cached("SELECT count(*), coalesce(sum(bytes), 0) FROM unindexed WHERE chat = ?1")?
            .query_row([chat], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut insert =
            transaction.prepare_cached("INSERT INTO unindexed (chat, seq, bytes) VALUES (?1, ?2, ?3)")?;
        for (seq, length) in &self.unindexed {
            insert.execute(params![chat, seq, length])?;
        }
        let times = if self.messages < ONE_BY_ONE { PATIENCE } else { 1 };
        if waiting + self.messages < MOST_MESSAGES * times && bytes + self.bytes < MOST_BYTES * times {
            return Ok(());
        }
        index_waiting(transaction, chat)?;
        self.gathered.index(transaction, chat)
    }
}

/// Takes in what lies beside the index of a chat, if that is enough.
pub(super) fn index_if_due(transaction: &Transaction<'_>, chat: i64) -> Result<()> {
    let (waiting, bytes): (u64, u64) = transaction
        .prepare_cached("SELECT count(*), coalesce(sum(bytes), 0) FROM unindexed WHERE chat = ?1")?
        .query_row([chat], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if waiting < MOST_MESSAGES && bytes < MOST_BYTES {
        return Ok(());
    }
    index_waiting(transaction, chat)
}

fn index_waiting(transaction: &Transaction<'_>, chat: i64) -> Result<()> {
    let mut gathered = Gathered::default();
    for_each_waiting(transaction, chat, |source, text| {
        gathered.read(source, text);
        Ok(())
    })?;
    gathered.index(transaction, chat)
}

/// A message that lies beside the index, as a search reads it.
pub(super) struct Waiting {
    pub seq: i64,
    pub at: i64,
    pub lane: u32,
    pub speaker: Speaker,
}

/// Reads what lies beside the index, in order.
pub(super) fn for_each_unindexed(
    transaction: &Transaction<'_>,
    chat: i64,
    mut each: impl FnMut(Waiting, &str),
) -> Result<()> {
    for_each_waiting(transaction, chat, |source, text| {
        let lane = u32::try_from(source.lane).unwrap_or(u32::MAX);
        let speaker = Speaker { role: source.role, name: source.speaker.map(str::to_owned) };
        each(Waiting { seq: source.seq, at: source.at, lane, speaker }, text);
        Ok(())
    })
}

fn for_each_waiting(
    transaction: &Transaction<'_>,
    chat: i64,
    mut each: impl FnMut(MessageSource<'_>, &str) -> Result<()>,
) -> Result<()> {
    let mut statement = transaction.prepare_cached(
        "SELECT m.chat, m.seq, m.occurred_at, m.lane, m.role, m.speaker, m.text \
         FROM unindexed u JOIN messages m ON m.seq = u.seq WHERE u.chat = ?1 ORDER BY u.seq",
    )?;
    let mut rows = statement.query([chat])?;
    while let Some(row) = rows.next()? {
        let (_, source, text) = read_place(row)?;
        each(source, text)?;
    }
    Ok(())
}

/// Chat, place and text of a row of `chat, seq, occurred_at, lane, role, speaker, text`.
fn read_place<'a>(row: &'a Row<'_>) -> Result<(i64, MessageSource<'a>, &'a str)> {
    let unreadable = |error: rusqlite::types::FromSqlError| Error::Unreadable(error.to_string());
    let role = parse(row.get_ref(4)?.as_str().map_err(unreadable)?)?;
    let speaker = row.get_ref(5)?.as_str_or_null().map_err(unreadable)?;
    let text = row.get_ref(6)?.as_str().map_err(unreadable)?;
    let source = MessageSource { seq: row.get(1)?, at: row.get(2)?, lane: row.get(3)?, role, speaker };
    Ok((row.get(0)?, source, text))
}

/// The postings of messages on their way into the index, by term.
#[derive(Default)]
struct Gathered {
    /// The number of each term, which is its place in `postings`.
    numbers: FxHashMap<String, usize>,
    postings: Vec<Vec<Posting>>,
    /// The outline of the messages; their speakers are places in `speakers`.
    entries: Vec<Entry>,
    speakers: Vec<Speaker>,
    length: u64,
}

impl Gathered {
    /// Adds the words of a message; messages come in order.
    fn read(&mut self, source: MessageSource<'_>, text: &str) {
        let seq = source.seq;
        let mut length = 0u32;
        words::for_each_term(text, |term| {
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

    fn index(mut self, transaction: &Transaction<'_>, chat: i64) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        self.index_meta(transaction, chat)?;
        let messages = self.entries.len() as u64;
        let mut terms: Vec<(String, usize)> = self.numbers.into_iter().collect();
        // In the order of the B-tree, so that neighbours share their pages.
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut last = transaction.prepare_cached(
            "SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 ORDER BY first DESC LIMIT 1",
        )?;
        let mut put = transaction.prepare_cached("INSERT INTO postings (chat, term, first, block) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET block = excluded.block")?;
        for (term, number) in terms {
            let postings = self.postings.get_mut(number).map(std::mem::take).unwrap_or_default();
            let mut open = if messages < MANY { last_block(&mut last, chat, &term)? } else { None };
            for posting in postings {
                match &mut open {
                    Some(block) => block.push(posting),
                    None => open = Some(Block::starting_with(posting)),
                }
                if let Some(block) = open.take_if(|block| block.is_full()) {
                    put.execute(params![chat, term, block.first, block.bytes])?;
                }
            }
            if let Some(block) = open {
                put.execute(params![chat, term, block.first, block.bytes])?;
            }
        }
        transaction.prepare_cached("DELETE FROM unindexed WHERE chat = ?1")?.execute([chat])?;
        let mut update = transaction.prepare_cached(
            "UPDATE chats SET indexed_messages = indexed_messages + ?2, indexed_terms = indexed_terms + ?3 WHERE id = ?1",
        )?;
        update.execute(params![chat, messages, self.length])?;
        Ok(())
    }

    fn index_meta(&mut self, transaction: &Transaction<'_>, chat: i64) -> Result<()> {
        let numbers = message_meta::number(transaction, chat, &self.speakers)?;
        for entry in &mut self.entries {
            entry.speaker_id = numbers.get(usize::from(entry.speaker_id)).copied().unwrap_or(u16::MAX);
        }
        message_meta::add(transaction, chat, &self.entries)
    }
}

/// The newest block of a term, where it has room.
fn last_block(last: &mut CachedStatement<'_>, chat: i64, term: &str) -> Result<Option<Block>> {
    let mut rows = last.query(params![chat, term])?;
    let block =
        rows.next()?.map(|row| Ok::<_, Error>(Block::stored(row.get(0)?, row.get(1)?))).transpose()?;
    Ok(block.filter(|block| !block.is_full()))
}

/// Whether the index holds a message under each of its words.
pub(super) fn holds(transaction: &Transaction<'_>, chat: i64, seq: i64, text: &str) -> Result<bool> {
    let mut block = transaction.prepare_cached("SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 AND first <= ?3 ORDER BY first DESC LIMIT 1")?;
    for term in words::terms(text) {
        let mut rows = block.query(params![chat, term, seq])?;
        let Some(row) = rows.next()? else { return Ok(false) };
        let bytes: Vec<u8> = row.get(1)?;
        if !postings::postings(row.get(0)?, &bytes).any(|posting| posting.seq == seq) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Makes the index of one chat anew. Vectors of messages that did not change are kept for the next blocks.
pub(super) fn rebuild_chat(transaction: &Transaction<'_>, chat: i64, changed: &HashSet<i64>) -> Result<()> {
    vectors::unmerge(transaction, chat, changed)?;
    for table in ["postings", "unindexed", "message_meta", "speakers"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE chat = ?1"), [chat])?;
    }
    transaction.execute(
        "UPDATE chats SET indexed_messages = 0, indexed_terms = 0, generation = generation + 1 WHERE id = ?1",
        [chat],
    )?;
    let mut gathered = Gathered::default();
    let mut statement = transaction.prepare(
        "SELECT chat, seq, occurred_at, lane, role, speaker, text FROM messages WHERE chat = ?1 ORDER BY seq",
    )?;
    let mut rows = statement.query([chat])?;
    while let Some(row) = rows.next()? {
        let (_, source, text) = read_place(row)?;
        gathered.read(source, text);
        if gathered.entries.len() >= 50_000 {
            std::mem::take(&mut gathered).index(transaction, chat)?;
        }
    }
    gathered.index(transaction, chat)?;
    vectors::want(transaction, chat)
}

/// Makes the index anew from the messages. Vectors are left to be made anew in the background.
pub(super) fn rebuild(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute_batch(
        "DELETE FROM postings; DELETE FROM unindexed; DELETE FROM message_meta; DELETE FROM speakers; \
         DELETE FROM vector_signs; DELETE FROM vectors; DELETE FROM unmerged_vectors; \
         UPDATE chats SET indexed_messages = 0, indexed_terms = 0, generation = generation + 1;",
    )?;
    let mut gathered: HashMap<i64, Gathered> = HashMap::new();
    let mut held = 0usize;
    let mut statement = transaction
        .prepare("SELECT chat, seq, occurred_at, lane, role, speaker, text FROM messages ORDER BY seq")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (chat, source, text) = read_place(row)?;
        held += text.len();
        gathered.entry(chat).or_default().read(source, text);
        // Memory stays flat however much was said.
        if held > 16 * 1024 * 1024 {
            held = 0;
            for (chat, gathered) in gathered.drain() {
                gathered.index(transaction, chat)?;
            }
        }
    }
    for (chat, gathered) in gathered {
        gathered.index(transaction, chat)?;
    }
    vectors::want_all(transaction)
}
