//! What the network reads from a message: the spans that tell something about its writer, and the parts that are another's.

use std::ops::Range;

use super::network::{self, LABELS};
use super::{Kind, word};
use crate::sentences;

const KINDS: [Kind; 4] = [Kind::Fact, Kind::Preference, Kind::Goal, Kind::Date];
/// The mean probability from which a part of a message is another's.
const LEAST_FOREIGN: f32 = 0.92;

/// Maximum number of words that are read; only a list of marks has as many within the length of talk.
const MOST_WORDS: usize = 8 * 1024;

/// One probability for each label.
type Shares = [f32; LABELS];

/// A part of a message that tells something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub kind: Kind,
    /// In bytes.
    pub range: Range<usize>,
    /// The mean probability of its words to be part of such a span.
    pub sure: f32,
}

impl Span {
    /// Its parts in each of the sentences: what two sentences tell is forgotten and changed one by one.
    pub(super) fn cut(self, sentences: &[Range<usize>]) -> impl Iterator<Item = Span> {
        let first = sentences.partition_point(|sentence| sentence.end <= self.range.start);
        let touched =
            sentences.iter().skip(first).take_while(move |sentence| sentence.start < self.range.end);
        touched.map(move |sentence| Span {
            range: self.range.start.max(sentence.start)..self.range.end.min(sentence.end),
            ..self.clone()
        })
    }
}

/// The words of a message, and what each is likely to be.
#[derive(Debug, Default)]
pub(super) struct Labels {
    places: Vec<Range<usize>>,
    likely: Vec<Shares>,
    /// The probability of each word to be another's.
    foreign: Vec<f32>,
}

impl Labels {
    pub(super) fn of(text: &str) -> Self {
        let mut places = word::places(text);
        places.truncate(MOST_WORDS);
        let scores = network::scores(&word::read(text, &places)).unwrap_or_default();
        let shares = |scores: Shares| {
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let shares = scores.map(|score| (score - most).exp());
            shares.map(|share| share / shares.iter().sum::<f32>())
        };
        let likely = scores.iter().map(|scores| shares(scores.labels)).collect();
        let foreign = scores.iter().map(|scores| 1.0 / (1.0 + (-scores.foreign).exp())).collect();
        Self { places, likely, foreign }
    }

    /// The spans that tell something, in order.
    pub(super) fn spans(&self) -> Vec<Span> {
        let mut found: Vec<(usize, Range<usize>)> = Vec::new();
        for (at, label) in best(&self.likely).into_iter().enumerate() {
            match (label, found.last_mut()) {
                (0, _) => {}
                (_, Some((kind, words))) if label == 2 * *kind + 2 => words.end = at + 1,
                _ => found.push(((label - 1) / 2, at..at + 1)),
            }
        }
        let span = |(kind, words): (usize, Range<usize>)| {
            let (first, last) = (self.places.get(words.start)?, self.places.get(words.end - 1)?);
            let sure = mean(kind, self.likely.get(words)?.iter());
            Some(Span { kind: *KINDS.get(kind)?, range: first.start..last.end, sure })
        };
        found.into_iter().filter_map(span).collect()
    }

    /// All words as one span, of the kind that they most likely have.
    pub(super) fn whole(&self, text: &str) -> Option<Span> {
        let is_word = |place: &Range<usize>| {
            text.get(place.clone()).is_some_and(|it| it.contains(char::is_alphanumeric))
        };
        let words = || self.places.iter().zip(&self.likely).filter(|(place, _)| is_word(place));
        let range = words().next()?.0.start..words().next_back()?.0.end;
        let of = |kind: usize| mean(kind, words().map(|(_, likely)| likely));
        let best = (0..KINDS.len()).max_by(|a, b| of(*a).total_cmp(&of(*b)))?;
        Some(Span { kind: *KINDS.get(best)?, range, sure: of(best) })
    }

    /// The mean probability of the words of a part to be another's.
    pub(super) fn foreign_share(&self, part: &Range<usize>) -> f32 {
        let is_inside = |place: &Range<usize>| part.start <= place.start && place.end <= part.end;
        let inside = self.places.iter().zip(&self.foreign).filter(|(place, _)| is_inside(place));
        let (sum, count) = inside.fold((0.0, 0.0_f32), |(sum, count), (_, share)| (sum + share, count + 1.0));
        sum / count.max(1.0)
    }

    /// The sentences that are another's, and the parts of sentences before and after a colon, in order, in bytes.
    pub(super) fn foreign(&self, text: &str) -> Vec<Range<usize>> {
        let ends = |place: &Range<usize>| {
            let is_end = |c: char| sentences::ends(c) || matches!(c, '\n' | ':' | '：');
            text.get(place.clone()).is_some_and(|mark| mark.starts_with(is_end))
        };
        let mut found = Vec::new();
        let mut rest = self.places.iter().zip(&self.foreign).peekable();
        while let Some((first, share)) = rest.next() {
            let (mut end, mut sum, mut count) = (first.end, *share, 1.0);
            let mut is_end = ends(first);
            while !is_end && let Some((place, share)) = rest.next() {
                (end, sum, count) = (place.end, sum + share, count + 1.0);
                is_end = ends(place);
            }
            found.extend((sum / count >= LEAST_FOREIGN).then_some(first.start..end));
        }
        found
    }
}

/// The mean probability of words to be part of a span of a kind.
fn mean<'s>(kind: usize, words: impl Iterator<Item = &'s Shares> + Clone) -> f32 {
    let count = words.clone().count() as f32;
    words.flat_map(|likely| likely.iter().skip(2 * kind + 1).take(2)).sum::<f32>() / count
}

/// The likeliest labels of which each continuation follows a label of its own kind.
fn best(likely: &[Shares]) -> Vec<usize> {
    let continues = |label: usize| label > 0 && label.is_multiple_of(2);
    let may_follow =
        |label: usize, before: usize| !continues(label) || before == label || before + 1 == label;
    let mut so_far: Shares =
        std::array::from_fn(|label| if continues(label) { f32::NEG_INFINITY } else { 0.0 });
    let mut came_from: Vec<[usize; LABELS]> = Vec::with_capacity(likely.len());
    for (at, likely) in likely.iter().enumerate() {
        let mut from = [0; LABELS];
        let mut next = so_far;
        for (label, (next, from)) in next.iter_mut().zip(&mut from).enumerate() {
            let before = so_far.iter().copied().enumerate().filter(|(before, _)| may_follow(label, *before));
            let best = before.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| at > 0);
            if let Some((label, score)) = best {
                (*from, *next) = (label, score);
            }
            *next += likely.get(label).map_or(0.0, |share| share.max(f32::MIN_POSITIVE).ln());
        }
        came_from.push(from);
        so_far = next;
    }
    let mut label = so_far.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(label, _)| label);
    let mut labels = Vec::with_capacity(likely.len());
    for from in came_from.iter().rev() {
        labels.push(label);
        label = from.get(label).copied().unwrap_or(0);
    }
    labels.reverse();
    labels
}
