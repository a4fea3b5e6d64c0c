//! The word index of each chat. New messages lie beside it, and a search reads them as they are; when enough have
//! gathered, the index takes them in. So a write stays small, and words can be found as soon as it returns.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Transaction, params};
use rustc_hash::FxHashMap;
use throughline_domain::recall::words;

use super::postings::{self, Block, Posting, Shape};
use crate::{Error, Result};

/// The index takes messages in when so many wait, or so many bytes of them: what a search can still read in a blink.
const MOST_MESSAGES: u64 = 256;
const MOST_BYTES: u64 = 64 * 1024;
/// So many messages at once begin new blocks, which is cheaper than finding and filling the old ones.
const MANY: u64 = 1_000;

/// The new messages of one chat, to be settled at the end of their transaction.
#[derive(Default)]
pub(super) struct Pending {
    messages: u64,
    bytes: u64,
    /// Texts that may stay beside the index, read only when they have to go in.
    texts: Vec<(i64, String)>,
    gathered: Gathered,
}

impl Pending {
    pub fn push(&mut self, seq: i64, text: &str) {
        self.messages += 1;
        self.bytes += text.len() as u64;
        if self.messages <= MOST_MESSAGES {
            self.texts.push((seq, text.to_owned()));
        } else {
            self.read_texts();
            self.gathered.read(seq, text);
        }
    }

    fn read_texts(&mut self) {
        for (seq, text) in self.texts.drain(..) {
            self.gathered.read(seq, &text);
        }
    }

    /// Leaves the messages beside the index, or takes them in behind those that wait there.
    pub fn settle(mut self, transaction: &Transaction<'_>, chat: i64) -> Result<()> {
        let (waiting, bytes): (u64, u64) = transaction
            .prepare_cached("SELECT count(*), coalesce(sum(bytes), 0) FROM unindexed WHERE chat = ?1")?
            .query_row([chat], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if waiting + self.messages < MOST_MESSAGES && bytes + self.bytes < MOST_BYTES {
            let mut insert =
                transaction.prepare_cached("INSERT INTO unindexed (chat, seq, bytes) VALUES (?1, ?2, ?3)")?;
            for (seq, text) in &self.texts {
                insert.execute(params![chat, seq, text.len()])?;
            }
            return Ok(());
        }
        if waiting > 0 {
            take_in_waiting(transaction, chat)?;
        }
        self.read_texts();
        self.gathered.take_in(transaction, chat)
    }
}

/// Takes in what lies beside the index.
fn take_in_waiting(transaction: &Transaction<'_>, chat: i64) -> Result<()> {
    let mut gathered = Gathered::default();
    let mut statement = transaction.prepare_cached("SELECT m.seq, m.text FROM unindexed u JOIN messages m ON m.seq = u.seq WHERE u.chat = ?1 ORDER BY u.seq")?;
    let mut rows = statement.query([chat])?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(1)?.as_str().map_err(|error| Error::Unreadable(error.to_string()))?;
        gathered.read(row.get(0)?, text);
    }
    gathered.take_in(transaction, chat)
}

/// The postings of messages on their way into the index, by term.
#[derive(Default)]
struct Gathered {
    /// The number of each term, which is its place in `postings`.
    numbers: FxHashMap<String, usize>,
    postings: Vec<Vec<Posting>>,
    /// The terms of the message that is being read.
    touched: Vec<usize>,
    messages: u64,
    length: u64,
}

impl Gathered {
    /// Adds the words of a message; messages come in order.
    fn read(&mut self, seq: i64, text: &str) {
        let mut length = 0;
        self.touched.clear();
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
                Some(last) if last.seq == seq => last.shape = last.shape.once_more(),
                _ => {
                    postings.push(Posting { seq, shape: Shape::new(1, 1) });
                    self.touched.push(number);
                }
            }
        });
        // How long the message is shows only at its end.
        for number in &self.touched {
            if let Some(last) = self.postings.get_mut(*number).and_then(|postings| postings.last_mut()) {
                last.shape = last.shape.with_length(length);
            }
        }
        self.messages += 1;
        self.length += u64::from(length);
    }

    fn take_in(mut self, transaction: &Transaction<'_>, chat: i64) -> Result<()> {
        let mut terms: Vec<(String, usize)> = self.numbers.into_iter().collect();
        // In the order of the B-tree, so that neighbours share their pages.
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut last = transaction.prepare_cached(
            "SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 ORDER BY first DESC LIMIT 1",
        )?;
        let mut put = transaction.prepare_cached("INSERT INTO postings (chat, term, first, block) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET block = excluded.block")?;
        for (term, number) in terms {
            let postings = self.postings.get_mut(number).map(std::mem::take).unwrap_or_default();
            let mut open = if self.messages < MANY { last_block(&mut last, chat, &term)? } else { None };
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
        update.execute(params![chat, self.messages, self.length])?;
        Ok(())
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

/// Makes the index anew from the messages.
pub(super) fn rebuild(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute_batch(
        "DELETE FROM postings; DELETE FROM unindexed; \
         UPDATE chats SET indexed_messages = 0, indexed_terms = 0;",
    )?;
    let mut gathered: HashMap<i64, Gathered> = HashMap::new();
    let mut held = 0usize;
    let mut statement = transaction.prepare("SELECT chat, seq, text FROM messages ORDER BY seq")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(2)?.as_str().map_err(|error| Error::Unreadable(error.to_string()))?;
        held += text.len();
        gathered.entry(row.get(0)?).or_default().read(row.get(1)?, text);
        // Memory stays flat however much was said.
        if held > 16 * 1024 * 1024 {
            held = 0;
            for (chat, gathered) in gathered.drain() {
                gathered.take_in(transaction, chat)?;
            }
        }
    }
    for (chat, gathered) in gathered {
        gathered.take_in(transaction, chat)?;
    }
    Ok(())
}
