//! Asks the word index of one chat, and the messages that lie beside it.

use std::collections::HashMap;

use rusqlite::{Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::score::Statistics;
use throughline_domain::recall::words;

use super::postings::{Posting, Shape, postings};
use super::rows::{MESSAGE, MessageReader};
use super::{Sqlite, conversations};
use crate::Result;
use crate::search::{Hit, Query};

impl Sqlite {
    pub async fn search_words(&self, chat: &ChatId, query: Query) -> Result<Vec<Hit>> {
        let chat = chat.clone();
        self.read(move |transaction| search(transaction, &chat, &query)).await
    }
}

/// What a message has gathered so far.
#[derive(Clone, Copy)]
struct Candidate {
    seq: i64,
    score: f32,
    found: f32,
}

fn search(transaction: &Transaction<'_>, chat: &ChatId, query: &Query) -> Result<Vec<Hit>> {
    let mut row =
        transaction.prepare_cached("SELECT id, indexed_messages, indexed_terms FROM chats WHERE key = ?1")?;
    let mut rows = row.query([chat.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(Vec::new()) };
    let (chat_row, mut statistics) =
        (row.get::<_, i64>(0)?, Statistics { documents: row.get(1)?, terms: row.get(2)? });
    if query.terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut lists = indexed(transaction, chat_row, &query.terms)?;
    add_unindexed(transaction, chat_row, &query.terms, &mut lists, &mut statistics)?;
    let (mut candidates, asked) = score(&lists, &statistics);
    let better = |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq));
    // Only the best are read; where a filter turns them away, the next best are.
    let mut hits = Vec::new();
    let mut page = query.limit.saturating_mul(4).max(32);
    while !candidates.is_empty() && hits.len() < query.limit {
        let take = page.min(candidates.len());
        if take < candidates.len() {
            candidates.select_nth_unstable_by(take - 1, better);
        }
        let rest = candidates.split_off(take);
        candidates.sort_unstable_by(better);
        read_hits(transaction, chat, query, &candidates, asked, &mut hits)?;
        candidates = rest;
        page = page.saturating_mul(2);
    }
    Ok(hits)
}

/// The postings of each term that the index holds.
fn indexed(transaction: &Transaction<'_>, chat: i64, terms: &[String]) -> Result<Vec<Vec<Posting>>> {
    let mut statement = transaction
        .prepare_cached("SELECT first, block FROM postings WHERE chat = ?1 AND term = ?2 ORDER BY first")?;
    let mut lists = Vec::with_capacity(terms.len());
    for term in terms {
        let mut list = Vec::new();
        let mut rows = statement.query(params![chat, term])?;
        while let Some(row) = rows.next()? {
            let block =
                row.get_ref(1)?.as_blob().map_err(|error| crate::Error::Unreadable(error.to_string()))?;
            list.extend(postings(row.get(0)?, block));
        }
        lists.push(list);
    }
    Ok(lists)
}

/// Reads the messages that the index has not taken in; they come behind all that it has.
fn add_unindexed(
    transaction: &Transaction<'_>,
    chat: i64,
    terms: &[String],
    lists: &mut [Vec<Posting>],
    statistics: &mut Statistics,
) -> Result<()> {
    let position: HashMap<&str, usize> =
        terms.iter().enumerate().map(|(at, term)| (term.as_str(), at)).collect();
    let mut counts = vec![0u32; terms.len()];
    let mut statement = transaction.prepare_cached("SELECT m.seq, m.text FROM unindexed u JOIN messages m ON m.seq = u.seq WHERE u.chat = ?1 ORDER BY u.seq")?;
    let mut rows = statement.query([chat])?;
    while let Some(row) = rows.next()? {
        let seq = row.get(0)?;
        let text = row.get_ref(1)?.as_str().map_err(|error| crate::Error::Unreadable(error.to_string()))?;
        let mut length = 0;
        words::for_each_term(text, |term| {
            length += 1;
            if let Some(count) = position.get(term).and_then(|at| counts.get_mut(*at)) {
                *count += 1;
            }
        });
        statistics.documents += 1;
        statistics.terms += u64::from(length);
        for (list, count) in lists.iter_mut().zip(&mut counts) {
            if *count > 0 {
                list.push(Posting { seq, shape: Shape::new(*count, length) });
                *count = 0;
            }
        }
    }
    Ok(())
}

/// Adds up what each message gains from each term; also the weight of the whole query.
fn score(lists: &[Vec<Posting>], statistics: &Statistics) -> (Vec<Candidate>, f32) {
    let weights: Vec<f32> = lists.iter().map(|list| statistics.weight(list.len() as u64)).collect();
    let mut all: Vec<Candidate> = Vec::new();
    for (list, weight) in lists.iter().zip(&weights) {
        let gains = |posting: &Posting| Candidate {
            seq: posting.seq,
            score: statistics.gain(*weight, posting.shape.count(), posting.shape.length()),
            found: *weight,
        };
        all = merge(all, list.iter().map(gains));
    }
    (all, weights.iter().sum())
}

/// Merges two rows of candidates, both in order of the messages.
fn merge(left: Vec<Candidate>, right: impl ExactSizeIterator<Item = Candidate>) -> Vec<Candidate> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    for candidate in right {
        while let Some(before) = left.next_if(|before| before.seq < candidate.seq) {
            merged.push(before);
        }
        match left.next_if(|before| before.seq == candidate.seq) {
            Some(same) => merged.push(Candidate {
                seq: same.seq,
                score: same.score + candidate.score,
                found: same.found + candidate.found,
            }),
            None => merged.push(candidate),
        }
    }
    merged.extend(left);
    merged
}

fn read_hits(
    transaction: &Transaction<'_>,
    chat: &ChatId,
    query: &Query,
    candidates: &[Candidate],
    asked: f32,
    hits: &mut Vec<Hit>,
) -> Result<()> {
    let sql =
        format!("SELECT {MESSAGE}, m.lane FROM messages m JOIN lanes l ON l.id = m.lane WHERE m.seq = ?1");
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut reader = MessageReader::new(chat);
    for candidate in candidates {
        if hits.len() >= query.limit {
            break;
        }
        let mut rows = statement.query([candidate.seq])?;
        let Some(row) = rows.next()? else { continue };
        let placed = reader.placed(row)?;
        let at = placed.message.occurred_at;
        let wanted = query.lane.as_ref().is_none_or(|lane| *lane == placed.message.lane)
            && query.since.is_none_or(|since| at >= since)
            && query.until.is_none_or(|until| at < until)
            && placed.message.role != Role::System;
        if wanted {
            let coverage = if asked > 0.0 { (candidate.found / asked).min(1.0) } else { 0.0 };
            let conversation =
                conversations::of_position(transaction, row.get(15)?, at.as_microsecond(), candidate.seq)?;
            hits.push(Hit {
                placed,
                conversation: MessageId(conversation),
                score: candidate.score,
                coverage,
            });
        }
    }
    Ok(())
}
