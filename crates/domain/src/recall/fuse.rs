//! Ranks the messages of a chat by all evidence for them: their words, their meaning, who said them, when, and their
//! neighbors.
//!
//! Words and meaning are measured on different scales, so each is expressed as how far a message stands out from the others
//! of its chat. The weights were chosen on the development halves of LoCoMo and LongMemEval, one set for both; see
//! docs/recall.md.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use throughline_text::intent::wanted::ends_like_a_question;

use super::meta::{Entry, MessageMeta};
use super::overlap::Overlap;
use super::scale::{Moments, Scale};
use super::similarity::Similarities;

/// What is known of each message of a chat, by its position in the metadata.
#[derive(Debug, Clone)]
pub struct Signals<'a> {
    /// The messages.
    pub meta: &'a MessageMeta,
    /// How well the words match, of those messages that have any of them.
    pub words: &'a [(usize, f32)],
    /// How well the words of each conversation match.
    pub conversations: &'a [f32],
    /// How similar each is to the question.
    pub dense: &'a Similarities,
    /// Those whose words are asked for; empty for anybody's.
    pub about: &'a [u16],
    /// The time that is asked for, in microseconds.
    pub when: Option<Range<i64>>,
}

/// One strong match of words tells more than several weak ones.
const STEEPNESS: f32 = 1.8;
/// A short message is understood from its neighbors and its conversation, a long one speaks for itself: what it takes
/// from them falls with its length, by half at this many terms. It stays below what the message with the words gets.
const NEIGHBORS: f32 = 1.45;
const SHORT: f32 = 25.0;
const MOST_OF_A_NEIGHBOR: f32 = 0.7;
const DENSE: f32 = 2.0;
/// Minimum similarity of a hit that has no word of the question in it or beside it.
const SIMILAR: f32 = 0.2;
const CONVERSATION_WORDS: f32 = 0.9;
const CONVERSATION_DENSE: f32 = 0.5;
/// Whose words are asked for goes before how well others match, and so does the time.
const SPEAKER: f32 = 9.8;
const TIME: f32 = 9.0;
/// The score of the best once their texts were compared. What a message covers of the question tells most, then what it and
/// its neighbors cover together. The terms chose the candidates; they count again for a long message, which relies on its
/// own words, and for a question whose words have no known meaning.
const OVERLAP: f32 = 28.0;
const OVERLAP_OF_NEIGHBORS: f32 = 38.0;
const COVERAGE: f32 = 10.0;
/// A message that ends by asking is seldom an answer, and the one after it often is, if the question was about the same.
const ASKS: f32 = 5.0;
const ANSWERS: f32 = 16.0;
/// A message that has no vector yet is taken to be as similar as its words are: the very words stand far out.
const UNEMBEDDED: f32 = 4.0 * DENSE;

/// One of the best messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its position in the metadata.
    pub position: usize,
    /// When it was said, in microseconds.
    pub at: i64,
    /// Its score.
    pub score: f32,
    /// The part of the score that its words and those of its neighbors add.
    pub words: f32,
    /// Whether its vector is not known yet.
    pub is_unembedded: bool,
}

impl Ord for Ranked {
    /// Of two equal matches, the newer one is better.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let of = |one: &Self| (one.at, one.position);
        self.score.total_cmp(&other.score).then_with(|| of(self).cmp(&of(other)))
    }
}

impl PartialOrd for Ranked {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Ranked {}

/// The best messages of those that are wanted, best first. Only messages with evidence are ranked: with words of the query in
/// them or beside them, similar to it, or of the time that is asked for.
pub fn best(signals: &Signals<'_>, most: usize, is_wanted: impl Fn(&Entry) -> bool) -> Vec<Ranked> {
    let meta = signals.meta;
    let mut is_evident = vec![false; meta.entries().len()];
    let lifted = lifted(signals, &mut is_evident);
    let matching = lifted.iter().zip(&is_evident).filter(|(_, is)| **is).map(|(lifted, _)| lifted);
    // All others have no words and add nothing to the sums.
    let words = Scale::new(Moments { count: lifted.len() as f64, ..Moments::of(matching) });
    let dense = Scale::new(signals.dense.moments());
    let conversations = of_conversations(signals);
    let is_asked_time = |entry: &Entry| signals.when.as_ref().is_some_and(|when| when.contains(&entry.at));
    if signals.when.is_some() {
        is_evident.iter_mut().zip(meta.entries()).for_each(|(is, entry)| *is |= is_asked_time(entry));
    }
    for position in signals.dense.at_least(SIMILAR) {
        if let Some(is) = is_evident.get_mut(position) {
            *is = true;
        }
    }
    let messages = meta.entries().iter().zip(meta.conversation()).zip(&lifted).zip(&is_evident).enumerate();
    // The newest first: of equal ones the newer stay, and few have to be replaced.
    let evident = messages.rev().filter(|(_, (_, is_evident))| **is_evident);
    let ranked = evident.map(|(position, (((entry, conversation), lifted), _))| {
        let whole = conversations.get(*conversation as usize).copied().unwrap_or(0.0);
        let words = words.stand(Some(*lifted));
        let mut score = words
            + DENSE * dense.stand(signals.dense.at(position))
            + whole * share(entry.length) / MOST_OF_A_NEIGHBOR;
        if signals.about.contains(&entry.speaker_id) {
            score += SPEAKER;
        }
        if is_asked_time(entry) {
            score += TIME;
        }
        let is_unembedded = signals.dense.at(position).is_none();
        Ranked { position, at: entry.at, score, words, is_unembedded }
    });
    highest(ranked, most, |ranked| meta.entries().get(ranked.position).is_some_and(&is_wanted))
}

/// The highest of many, the highest first. Only those that would be among them are asked about.
pub fn highest<T: Ord>(
    all: impl IntoIterator<Item = T>,
    most: usize,
    is_wanted: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut kept = BinaryHeap::with_capacity(most);
    for one in all {
        if kept.len() < most {
            if is_wanted(&one) {
                kept.push(Reverse(one));
            }
        } else if let Some(mut lowest) = kept.peek_mut()
            && one > lowest.0
            && is_wanted(&one)
        {
            lowest.0 = one;
        }
    }
    kept.into_sorted_vec().into_iter().map(|Reverse(one)| one).collect()
}

/// The sum of the words of each message and of its neighbors. Marks those that have any.
fn lifted(signals: &Signals<'_>, is_evident: &mut [bool]) -> Vec<f32> {
    let meta = signals.meta;
    let mut lifted = vec![0.0; meta.entries().len()];
    let mut add = |position: usize, words: f32| {
        if let (Some(sum), Some(is)) = (lifted.get_mut(position), is_evident.get_mut(position)) {
            *sum += words;
            *is = true;
        }
    };
    for (position, words) in signals.words {
        let steep = words.powf(STEEPNESS);
        add(*position, steep);
        let (before, after) = meta.neighbors(*position);
        for beside in [before, after].into_iter().filter(|beside| beside != position) {
            let length = meta.entries().get(beside).map_or(0, |entry| entry.length);
            add(beside, share(length) * steep);
        }
    }
    lifted
}

/// What each conversation as a whole adds to its messages.
fn of_conversations(signals: &Signals<'_>) -> Vec<f32> {
    let dense = signals.dense.of_conversations(signals.meta);
    let scale_of = |values: &[f32]| Scale::new(Moments::of(values));
    let (scale_of_words, scale_of_dense) = (scale_of(signals.conversations), scale_of(&dense));
    let both = signals.conversations.iter().zip(&dense);
    both.map(|(words, dense)| {
        CONVERSATION_WORDS * scale_of_words.stand(Some(*words))
            + CONVERSATION_DENSE * scale_of_dense.stand(Some(*dense))
    })
    .collect()
}

/// One of the best messages, with its text and those beside it compared with the question.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The text.
    pub text: &'a str,
    /// How many terms it has, as far as that counts.
    pub length: u16,
    /// The share of the question's terms that it has.
    pub coverage: f32,
    /// What it covers of the question.
    pub overlap: &'a Overlap,
    /// The message before it in its conversation, if it is known: its text, and what it covers of the question.
    pub before: Option<(&'a str, &'a Overlap)>,
    /// What the message after it covers.
    pub after: Option<&'a Overlap>,
}

/// The score of one of the best, now that its text was compared. If there was nothing to compare, it is the score it had.
#[must_use]
pub fn refined(ranked: &Ranked, compared: &Compared<'_>) -> f32 {
    let Compared { text, length, coverage, overlap, before, after } = compared;
    if overlap.words.is_empty() {
        return ranked.score;
    }
    let short = (SHORT / (SHORT + f32::from(*length))).min(MOST_OF_A_NEIGHBOR);
    let long = reliance_on_own_words(*length);
    let beside = before.map(|(_, overlap)| overlap).into_iter().chain(*after);
    let question = before.filter(|(text, _)| ends_like_a_question(text));
    let by_meaning = OVERLAP * overlap.sum()
        + OVERLAP_OF_NEIGHBORS * short * overlap.added_by(beside)
        + ANSWERS * short * question.map_or(0.0, |(_, overlap)| overlap.sum());
    let asks = if ends_like_a_question(text) { ASKS } else { 0.0 };
    let unembedded = if ranked.is_unembedded { UNEMBEDDED * overlap.sum() } else { 0.0 };
    let known = overlap.known;
    ranked.score - known * ranked.words
        + known * by_meaning
        + COVERAGE * long.max(1.0 - known) * coverage
        + unembedded
        - asks
}

/// Returns true if a text is one question and nothing else.
#[must_use]
pub fn is_lone_question(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with(['?', '？']) && text.split_inclusive(['.', '!', '?', '？', '。']).count() == 1
}

/// How far a message of this many terms relies on its own words: 0 for a short one, nearly 1 for a very long one.
pub(super) fn reliance_on_own_words(length: u16) -> f32 {
    1.0 - share(length) / MOST_OF_A_NEIGHBOR
}

/// What a message of this many terms takes from its neighbors.
#[inline]
fn share(length: u16) -> f32 {
    (NEIGHBORS * SHORT / (SHORT + f32::from(length))).min(MOST_OF_A_NEIGHBOR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::GAP;
    use crate::recall::meta::Entry;

    /// Ten messages, one a minute, two speakers in turn; the fifth to last of another day.
    fn meta() -> MessageMeta {
        let at = |n: i64| (n + if n > 5 { 1_440 } else { 0 }) * 60_000_000;
        let entry =
            |n: i64| Entry { seq: n, at: at(n), lane: 1, speaker_id: u16::from(n % 2 == 0), length: 10 };
        MessageMeta::new((0..10).map(entry).collect(), GAP)
    }

    /// The messages, best first.
    fn ranked(signals: &Signals<'_>) -> Vec<usize> {
        best(signals, 10, |_| true).into_iter().map(|ranked| ranked.position).collect()
    }

    fn signals<'a>(meta: &'a MessageMeta, dense: &'a Similarities) -> Signals<'a> {
        Signals { meta, words: &[], conversations: &[0.0; 2], dense, about: &[], when: None }
    }

    fn similarities(known: &[(usize, f32)]) -> Similarities {
        let mut similarities = Similarities::new(10, 8);
        known.iter().for_each(|(position, similarity)| similarities.set(*position, *similarity));
        similarities
    }

    #[test]
    fn h1_words_and_meaning_each_lift_a_message_and_its_neighbors() {
        let meta = meta();
        let by_words = ranked(&Signals { words: &[(3, 4.0)], ..signals(&meta, &similarities(&[])) });
        assert_eq!(by_words, [3, 4, 2], "its neighbors have a part in it, and the others have nothing");
        let dense: Vec<_> =
            (0..10).map(|position| (position, if position == 7 { 0.8 } else { 0.1 })).collect();
        assert_eq!(ranked(&signals(&meta, &similarities(&dense))), [7]);
    }

    #[test]
    fn h1_the_speaker_and_the_time_that_are_asked_for_go_first() {
        let meta = meta();
        let words = [(3, 4.0), (4, 3.5), (8, 3.0)];
        let none = similarities(&[]);
        let asked = Signals { words: &words[..2], about: &[1], ..signals(&meta, &none) };
        assert_eq!(ranked(&asked)[0], 4, "the other speaker said it best, but was not asked for");
        let day = meta.entries()[6].at..i64::MAX;
        assert_eq!(ranked(&Signals { words: &words, when: Some(day), ..signals(&meta, &none) })[0], 8);
    }

    #[test]
    fn only_what_is_wanted_is_ranked_and_of_equals_the_newer_goes_first() {
        let meta = meta();
        let none = similarities(&[]);
        let day = Some(0..i64::MAX);
        let signals = Signals { words: &[(3, 4.0)], when: day, ..signals(&meta, &none) };
        let of_one_speaker = best(&signals, 3, |entry| entry.speaker_id == 1);
        let positions: Vec<usize> = of_one_speaker.iter().map(|ranked| ranked.position).collect();
        assert_eq!(positions, [4, 2, 8], "the neighbors of the match, then the newest");
        assert!(best(&signals, 0, |_| true).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn the_highest_are_those_that_sorting_finds(all in proptest::collection::vec(0u32..50, 0..200), most in 0usize..20) {
            let mut sorted: Vec<u32> = all.iter().copied().filter(|one| one % 3 > 0).collect();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            sorted.truncate(most);
            proptest::prop_assert_eq!(highest(all, most, |one| one % 3 > 0), sorted);
        }
    }

    /// The score of a message of ten terms after it was compared.
    fn score(text: &str, words: &[f32], before: Option<(&str, &[f32])>) -> f32 {
        let overlap = |words: &[f32]| Overlap { share: 0.0, words: words.to_vec(), known: 1.0 };
        let (own, other) = (overlap(words), before.map(|(text, words)| (text, overlap(words))));
        let before = other.as_ref().map(|(text, overlap)| (*text, overlap));
        let ranked = Ranked { position: 0, at: 0, score: 3.0, words: 1.0, is_unembedded: false };
        refined(&ranked, &Compared { text, length: 10, coverage: 0.5, overlap: &own, before, after: None })
    }

    #[test]
    fn a_statement_goes_before_a_question_in_the_same_words() {
        assert!(score("I moved to Oslo.", &[0.5], None) > score("Moved to Oslo?", &[0.5], None));
        for (text, asks) in
            [("Why?", true), ("何時？", true), ("I moved. And you?", false), ("No.", false), ("", false)]
        {
            assert_eq!(is_lone_question(text), asks, "{text}");
        }
    }

    #[test]
    fn a_message_gains_what_the_one_before_it_covers_and_more_if_that_one_asked() {
        let alone = score("To Oslo, in May.", &[0.25, 0.0], None);
        let same = score("To Oslo, in May.", &[0.25, 0.0], Some(("I moved.", &[0.25, 0.0])));
        let after = score("To Oslo, in May.", &[0.25, 0.0], Some(("I moved.", &[0.0, 0.25])));
        let answer = score("To Oslo, in May.", &[0.25, 0.0], Some(("Where did you move?", &[0.0, 0.25])));
        assert!(alone == same && same < after && after < answer, "{alone} {same} {after} {answer}");
        let own = score("I moved to Oslo.", &[0.25, 0.25], None);
        assert!(own > after, "a message that says it all goes first: {own} {after}");
    }

    #[test]
    fn b6_the_very_words_without_a_vector_go_before_a_similar_neighbor() {
        let overlap = |words: f32| Overlap { share: words, words: vec![words], known: 1.0 };
        let (own, none) = (overlap(1.0), overlap(0.0));
        let compared = |overlap, before| Compared {
            text: "word2x12",
            length: 1,
            coverage: 0.0,
            overlap,
            before,
            after: None,
        };
        let new = Ranked { position: 1, at: 1, score: 0.0, words: 0.0, is_unembedded: true };
        // Three deviations above the mean by its vector.
        let neighbor = Ranked { position: 0, at: 0, score: 3.0 * DENSE, words: 0.0, is_unembedded: false };
        let beside = refined(&neighbor, &compared(&none, Some(("word2x12", &own))));
        assert!(refined(&new, &compared(&own, None)) > beside);
    }

    #[test]
    fn terms_rank_what_has_no_known_meaning() {
        let refined = |overlap: &Overlap| {
            let ranked = |words| Ranked { position: 0, at: 0, score: words, words, is_unembedded: false };
            let compared =
                Compared { text: "", length: 10, coverage: 0.5, overlap, before: None, after: None };
            [ranked(4.0), ranked(1.0)].map(|ranked| refined(&ranked, &compared))
        };
        assert_eq!(refined(&Overlap::default()), [4.0, 1.0], "nothing was compared");
        let [many, few] = refined(&Overlap { words: vec![0.5], ..Overlap::default() });
        assert_eq!(many - few, 3.0);
        let [many, few] = refined(&Overlap { words: vec![0.5], known: 1.0, ..Overlap::default() });
        assert_eq!(many - few, 0.0);
    }

    #[test]
    fn g6_without_vectors_the_words_still_rank() {
        let meta = meta();
        for dense in [Similarities::default(), similarities(&[])] {
            let ranked = best(&Signals { words: &[(1, 1.0)], ..signals(&meta, &dense) }, 10, |_| true);
            assert!(ranked[0].position == 1 && ranked.iter().all(|ranked| ranked.score.is_finite()));
        }
    }
}
