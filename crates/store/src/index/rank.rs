//! Searches one chat: words, vectors, speakers and time, ranked together.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::dedupe;
use throughline_domain::recall::feedback::{self, Scored};
use throughline_domain::recall::fuse::{self, Compared, Ranked, Signals};
use throughline_domain::recall::meta::Entry;
use throughline_domain::recall::overlap::Overlap;
use throughline_domain::recall::score::Statistics;
use throughline_domain::recall::similarity::Similarities;
use throughline_text::words;

use super::memory::{ChatIndex, Indexes};
use super::postings::postings;
use crate::Result;
use crate::search::{Hit, Query, SoftOverlap, Speaker, Why};
use crate::tx::Tx;

/// Number of the best candidates whose texts, and those of their neighbors, are compared with the question word by word. What
/// stands lower by every other signal is seldom lifted by that, and it is the slowest of them. A search for many hits compares
/// as many, up to a limit.
const COMPARED: usize = 32;
const MOST_COMPARED: usize = 96;
/// Maximum number of terms of a message whose neighbors are compared too: a longer one relies on its own words.
const SHORT: u16 = 100;

/// The passages of a chat that match a query, best first.
pub(crate) fn search(
    tx: &Tx<'_>,
    chat: &ChatId,
    indexes: &Indexes,
    gap: SignedDuration,
    query: &Query,
    soft_overlap: SoftOverlap,
) -> Result<Vec<Hit>> {
    let (index, unindexed) = indexes.current(chat, |held| {
        let unindexed = catch_up(held, tx, chat, gap, query)?;
        if let Some(dense) = &query.dense {
            ChatIndex::catch_up_vectors(held, tx, &dense.embedder, dense.question.components().len())?;
        }
        Ok(unindexed)
    })?;
    Search { tx, chat, query, index: &index, soft_overlap }.run(&unindexed)
}

/// One search in progress.
struct Search<'a> {
    tx: &'a Tx<'a>,
    chat: &'a ChatId,
    query: &'a Query,
    index: &'a ChatIndex,
    soft_overlap: SoftOverlap,
}

/// What the words of a query have found.
struct Found {
    /// By position.
    words: Vec<Words>,
    /// The positions that have any.
    matching: Vec<usize>,
    conversations: Vec<f32>,
    /// The weight of all terms.
    asked: f32,
}

/// What a message has of a query's words.
#[derive(Clone, Copy, Default)]
struct Words {
    score: f32,
    /// The weight of its terms, and how many they are.
    weight: f32,
    terms: u32,
}

/// Where a term occurs: positions and counts.
type Occurrences = Vec<(usize, u8)>;

/// One of the best messages.
struct Candidate {
    position: usize,
    seq: i64,
    id: MessageId,
    score: f32,
    soft_overlap: f32,
    text: String,
}

/// The texts of the best messages and of their neighbors, by their place in the order of recording.
struct Texts {
    texts: HashMap<i64, (MessageId, String)>,
    /// What those that were compared cover of the question.
    overlaps: HashMap<i64, Overlap>,
}

impl Texts {
    /// What a message covers of the question. One that was not compared covers what its terms do.
    fn overlap(&self, seq: i64, coverage: f32) -> Cow<'_, Overlap> {
        let of_terms = || match self.overlaps.values().next() {
            Some(other) if !other.words.is_empty() => Overlap::of_terms(coverage, other.known),
            _ => Overlap::default(),
        };
        self.overlaps.get(&seq).map_or_else(|| Cow::Owned(of_terms()), Cow::Borrowed)
    }

    /// The text of a neighbor, and what it covers.
    fn neighbor(&self, seq: i64) -> Option<(&str, &Overlap)> {
        let (_, text) = self.texts.get(&seq)?;
        Some((text, self.overlaps.get(&seq)?))
    }
}

impl Found {
    /// The share of the query that a message has, and how many terms that is.
    fn coverage(&self, position: usize) -> (f32, u32) {
        let Words { weight, terms, .. } = self.at(position);
        (if self.asked > 0.0 { (weight / self.asked).min(1.0) } else { 0.0 }, terms)
    }

    fn at(&self, position: usize) -> Words {
        self.words.get(position).copied().unwrap_or_default()
    }
}

impl Search<'_> {
    fn run(&mut self, unindexed: &[Occurrences]) -> Result<Vec<Hit>> {
        let Some(row) = self.index.row() else { return Ok(Vec::new()) };
        let found = self.words(row, unindexed)?;
        let (dense, about) = (self.dense()?, self.numbers(&self.query.about));
        let when =
            self.query.when.as_ref().map(|when| when.start.as_microsecond()..when.end.as_microsecond());
        let signals = Signals {
            meta: self.index.meta(),
            words: &found.matching.iter().map(|at| (*at, found.at(*at).score)).collect::<Vec<_>>(),
            conversations: &found.conversations,
            dense: &dense,
            about: &about,
            when: when.clone(),
        };
        let most = COMPARED.max(self.query.limit).min(signals.meta.entries().len());
        let is_wanted = self.filter()?;
        let ranked = fuse::best(&signals, most, &is_wanted);
        let best = self.compared(ranked, &found, is_wanted)?;
        let why = |candidate: &Candidate| {
            let at = candidate.position;
            let entry = self.index.meta().entries().get(at);
            let (coverage, terms) = found.coverage(at);
            Why {
                words: found.at(at).score,
                coverage,
                terms,
                dense: dense.at(at).unwrap_or(0.0),
                soft_overlap: candidate.soft_overlap,
                time: yes(
                    entry.is_some_and(|entry| when.as_ref().is_some_and(|when| when.contains(&entry.at)))
                ),
                speaker: yes(entry.is_some_and(|entry| about.contains(&entry.speaker_id))),
            }
        };
        let groups = dedupe::groups(best.iter().map(|candidate| candidate.text.as_str()));
        let said_alike = |group: Vec<usize>| -> Vec<&Candidate> {
            group.into_iter().filter_map(|place| best.get(place)).collect()
        };
        let groups: Vec<Vec<&Candidate>> =
            groups.into_iter().take(self.query.limit).map(said_alike).collect();
        let firsts: Vec<i64> =
            groups.iter().filter_map(|group| group.first()).map(|first| first.seq).collect();
        let mut read = self.tx.messages_by_seq(self.chat, &firsts)?;
        let hit = |group: Vec<&Candidate>| {
            let first = group.first()?;
            let (stored, conversation) = read.remove(&first.seq)?;
            let messages = group.iter().map(|candidate| candidate.id).collect();
            Some(Hit { stored, conversation, messages, score: first.score, why: why(first) })
        };
        Ok(groups.into_iter().filter_map(hit).collect())
    }

    /// Adds up what each message and each conversation gains from each term.
    fn words(&self, row: i64, unindexed: &[Occurrences]) -> Result<Found> {
        let meta = self.index.meta();
        let lengths = meta.conversation_lengths();
        let messages = *self.index.statistics();
        let conversations =
            Statistics { documents: lengths.len() as u64, terms: lengths.iter().sum::<f32>() as u64 };
        let mut found = Found {
            words: vec![Words::default(); meta.entries().len()],
            matching: Vec::new(),
            conversations: vec![0.0; lengths.len()],
            asked: 0.0,
        };
        let mut counts = vec![0.0f32; lengths.len()];
        let mut list = Occurrences::new();
        for (term, unindexed) in self.query.terms.iter().zip(unindexed) {
            list.clear();
            let mut cursor = self.index.cursor();
            self.tx.for_each_posting_block(row, &term.text, &mut |first, block| {
                let found = postings(first, block)
                    .filter_map(|posting| Some((cursor.find(posting.seq)?, posting.count)));
                list.extend(found);
            })?;
            list.extend(unindexed);
            let weight = messages.weight(list.len() as u64) * term.weight;
            found.asked += weight;
            let mut touched: Vec<u32> = Vec::new();
            for (position, count) in &list {
                if let (Some(words), Some(entry)) =
                    (found.words.get_mut(*position), meta.entries().get(*position))
                {
                    if words.terms == 0 {
                        found.matching.push(*position);
                    }
                    words.score += messages.gain(weight, f32::from(*count), f32::from(entry.length));
                    words.weight += weight;
                    words.terms += 1;
                }
                let conversation = meta.conversation().get(*position).copied().unwrap_or(0);
                if let Some(sum) = counts.get_mut(conversation as usize) {
                    if *sum == 0.0 {
                        touched.push(conversation);
                    }
                    *sum += f32::from(*count);
                }
            }
            let weight = conversations.weight(touched.len() as u64) * term.weight;
            for conversation in touched {
                let at = conversation as usize;
                if let (Some(score), Some(count), Some(length)) =
                    (found.conversations.get_mut(at), counts.get_mut(at), lengths.get(at))
                {
                    *score += conversations.gain(weight, *count, *length);
                    *count = 0.0;
                }
            }
        }
        Ok(found)
    }

    fn dense(&self) -> Result<Similarities> {
        let Some(dense) = &self.query.dense else { return Ok(Similarities::default()) };
        let own: Vec<_> = dense
            .own
            .iter()
            .flat_map(|(speaker, vector)| {
                let numbers = self.numbers(std::slice::from_ref(speaker));
                numbers.into_iter().map(move |number| (number, vector.clone()))
            })
            .collect();
        self.index.dense(self.tx, &dense.question, &own)
    }

    fn numbers(&self, speakers: &[Speaker]) -> Vec<u16> {
        let all = (0u16..).zip(self.index.speakers());
        all.filter(|(_, speaker)| speakers.contains(speaker)).map(|(number, _)| number).collect()
    }

    /// The best messages with their texts, and those of their neighbors, compared to the question; best first.
    fn compared(
        &mut self,
        best: Vec<Ranked>,
        found: &Found,
        is_wanted: impl Fn(&Entry) -> bool,
    ) -> Result<Vec<Candidate>> {
        let meta = self.index.meta();
        // What is not searched, such as the question itself, is no neighbor.
        let wanted = |position: usize| meta.entries().get(position).filter(|entry| is_wanted(entry));
        let beside = |position: usize| {
            let (before, after) = meta.neighbors(position);
            let is_short = meta.entries().get(position).is_some_and(|entry| entry.length <= SHORT);
            let seq = |other| wanted(other).filter(|_| is_short && other != position).map(|entry| entry.seq);
            [before, after].map(seq)
        };
        let read = self.read(&best, beside)?;
        let mut candidates = Vec::with_capacity(best.len());
        for ranked in best {
            let Some(Entry { seq, length, .. }) = meta.entries().get(ranked.position).copied() else {
                continue;
            };
            let Some((id, text)) = read.texts.get(&seq) else { continue };
            let (coverage, _) = found.coverage(ranked.position);
            let overlap = read.overlap(seq, coverage);
            let [before, after] = beside(ranked.position).map(|seq| read.neighbor(seq?));
            let after = after.map(|(_, overlap)| overlap);
            let compared = Compared { text, length, coverage, overlap: &overlap, before, after };
            let score = fuse::refined(&ranked, &compared);
            let (position, soft_overlap) = (ranked.position, overlap.share);
            candidates.push(Candidate { position, seq, id: *id, score, soft_overlap, text: text.clone() });
        }
        // Without terms, everything of a time or place is asked for, and the order is that of time.
        if !self.query.terms.is_empty() {
            let length = |at: usize| meta.entries().get(at).map_or(0, |entry| entry.length);
            let scored = candidates.iter().map(|one| Scored {
                text: &one.text,
                length: length(one.position),
                score: one.score,
            });
            let gains = feedback::gains(&scored.collect::<Vec<_>>());
            candidates.iter_mut().zip(gains).for_each(|(one, gain)| one.score += gain);
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(candidates)
    }

    /// Reads the texts of the best messages, and compares the first of them and their neighbors to the question.
    fn read(&mut self, best: &[Ranked], beside: impl Fn(usize) -> [Option<i64>; 2]) -> Result<Texts> {
        let entries = self.index.meta().entries();
        let own = |ranked: &Ranked| entries.get(ranked.position).map(|entry| entry.seq);
        let compared = self.query.limit.clamp(COMPARED, MOST_COMPARED);
        let (first, rest) = best.split_at(compared.min(best.len()));
        let neighbors = first.iter().flat_map(|ranked| beside(ranked.position)).flatten();
        let compared: BTreeSet<i64> = first.iter().filter_map(own).chain(neighbors).collect();
        let mut seqs = compared.clone();
        seqs.extend(rest.iter().filter_map(own));
        let texts = self.tx.message_texts(&seqs.into_iter().collect::<Vec<_>>())?;
        let mut overlaps = HashMap::with_capacity(compared.len());
        for seq in compared {
            if let Some((_, text)) = texts.get(&seq) {
                overlaps.insert(seq, (self.soft_overlap)(text));
            }
        }
        Ok(Texts { texts, overlaps })
    }

    /// The filter of the query.
    fn filter(&self) -> Result<impl Fn(&Entry) -> bool + use<>> {
        let lane = match &self.query.lane {
            // A lane that was never seen has nothing.
            Some(lane) => Some(self.tx.lane_row(self.chat, &lane.key(self.chat))?.map(|lane| lane.id)),
            None => None,
        };
        let mut except: HashSet<i64> = HashSet::with_capacity(self.query.except.len());
        for id in &self.query.except {
            except.extend(self.tx.message_seq(self.index.row().unwrap_or_default(), *id)?);
        }
        let since = self.query.since.map_or(i64::MIN, Timestamp::as_microsecond);
        let until = self.query.until.map_or(i64::MAX, Timestamp::as_microsecond);
        let hidden: Vec<u16> = (0u16..)
            .zip(self.index.speakers())
            .filter(|(_, speaker)| speaker.role == Role::System)
            .map(|(number, _)| number)
            .collect();
        Ok(move |entry: &Entry| {
            (since..until).contains(&entry.at)
                && lane.is_none_or(|lane| lane == Some(i64::from(entry.lane)))
                && !hidden.contains(&entry.speaker_id)
                && !except.contains(&entry.seq)
        })
    }
}

/// Catches up with the database, and looks for the terms in messages that are not indexed.
fn catch_up(
    held: &mut Arc<ChatIndex>,
    tx: &Tx<'_>,
    chat: &ChatId,
    gap: SignedDuration,
    query: &Query,
) -> Result<Vec<Occurrences>> {
    let terms = &query.terms;
    let place: HashMap<&str, usize> =
        terms.iter().enumerate().map(|(at, term)| (term.text.as_str(), at)).collect();
    let mut counts = vec![0u32; terms.len()];
    let mut unindexed: Vec<Occurrences> = vec![Vec::new(); terms.len()];
    ChatIndex::catch_up(held, tx, chat, gap, &mut |position, text| {
        let mut length = 0;
        words::for_each_term(text, |term| {
            length += 1;
            if let Some(count) = place.get(term).and_then(|at| counts.get_mut(*at)) {
                *count += 1;
            }
        });
        for (list, count) in unindexed.iter_mut().zip(&mut counts) {
            if *count > 0 {
                list.push((position, u8::try_from(*count).unwrap_or(u8::MAX)));
                *count = 0;
            }
        }
        length
    })?;
    Ok(unindexed)
}

fn yes(yes: bool) -> f32 {
    if yes { 1.0 } else { 0.0 }
}
