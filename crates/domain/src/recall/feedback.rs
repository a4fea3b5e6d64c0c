//! Pseudo-relevance feedback: a long message that shares its words with the best hits is probably about the same, so it gains,
//! even if it has few words of the question. A question about several conversations on one subject finds more of them.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};
use throughline_text::words::{for_each_term, is_stop_word};

use super::fuse::reliance_on_own_words;
use super::score::Statistics;

/// Number of the best hits that others are compared with.
const LEADING: usize = 2;
/// Difference of scores by which a leading hit counts 2.7 times less than the first one.
const DECAY: f32 = 4.0;
/// Gain of a very long message that has the same words as the leading hits.
const SAME_WORDS: f32 = 25.0;
/// Maximum length of the part of a text that is compared, in bytes.
const COMPARED_BYTES: usize = 2_000;

/// One of the best messages.
#[derive(Debug, Clone, Copy)]
pub struct Scored<'a> {
    /// The text.
    pub text: &'a str,
    /// How many terms it has, as far as that counts.
    pub length: u16,
    /// The score.
    pub score: f32,
}

/// What each of the best messages gains from what it shares with those of the highest scores. Rare words count more; how
/// rare they are is counted among the long ones of these messages. Short messages gain nothing: a few shared words are chance.
#[must_use]
pub fn gains(best: &[Scored<'_>]) -> Vec<f32> {
    let mut gains = vec![0.0; best.len()];
    let leading = leading(best);
    let is_long = |one: &Scored<'_>| reliance_on_own_words(one.length) > 0.0;
    if !leading.iter().any(|(place, _)| best.get(*place).is_some_and(is_long)) {
        return gains;
    }
    let texts: Vec<Vec<u64>> =
        best.iter().map(|one| if is_long(one) { terms(one.text) } else { Vec::new() }).collect();
    let weights = weights(&texts);
    let weight = |term: &u64| weights.get(term).copied().unwrap_or(0.0);
    let lengths: Vec<f32> =
        texts.iter().map(|text| text.iter().map(|term| weight(term).powi(2)).sum::<f32>().sqrt()).collect();
    let all: f32 = leading.iter().map(|(_, influence)| influence).sum();
    for (place, influence) in leading {
        let (Some(leader), Some(leader_length)) = (texts.get(place), lengths.get(place)) else { continue };
        let others = gains.iter_mut().zip(best).zip(texts.iter().zip(&lengths)).enumerate();
        for (other, ((gain, one), (text, length))) in others {
            let scale = leader_length * length;
            if other == place || scale <= 0.0 {
                continue;
            }
            let shared: f32 = text
                .iter()
                .filter(|term| leader.binary_search(term).is_ok())
                .map(|term| weight(term).powi(2))
                .sum();
            *gain += SAME_WORDS * reliance_on_own_words(one.length) * influence / all * shared / scale;
        }
    }
    gains
}

/// The places of the highest scores, and how much each counts.
fn leading(best: &[Scored<'_>]) -> Vec<(usize, f32)> {
    let mut places: Vec<(usize, f32)> = best.iter().map(|one| one.score).enumerate().collect();
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    places.truncate(LEADING);
    let first = places.first().map_or(0.0, |(_, score)| *score);
    places.into_iter().map(|(place, score)| (place, ((score - first) / DECAY).exp())).collect()
}

/// The hashes of the distinct terms of a text's beginning, in order. Stop words are left out.
fn terms(text: &str) -> Vec<u64> {
    let end = (0..=text.len().min(COMPARED_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    let mut hashes = Vec::with_capacity(64);
    for_each_term(end.and_then(|end| text.get(..end)).unwrap_or_default(), |term| {
        if !is_stop_word(term) {
            let mut hasher = FxHasher::default();
            hasher.write(term.as_bytes());
            hashes.push(hasher.finish());
        }
    });
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The weight of each term among these texts: the rarer, the higher.
fn weights(texts: &[Vec<u64>]) -> FxHashMap<u64, f32> {
    let mut counts: FxHashMap<u64, f32> = FxHashMap::default();
    texts.iter().flatten().for_each(|term| *counts.entry(*term).or_default() += 1.0);
    let documents = texts.iter().filter(|text| !text.is_empty()).count() as u64;
    let statistics = Statistics { documents, terms: 0 };
    counts.values_mut().for_each(|count| *count = statistics.weight(*count as u64));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOTS: &str =
        "I cannot decide between two hiking boots for the mountains, the Merrell and the Keen";
    const PILLOWS: &str =
        "Which throw pillows would match the gray couch in my living room next to the coffee table";

    fn gains_of(best: &[(&str, u16, f32)]) -> Vec<f32> {
        let best: Vec<Scored<'_>> = best
            .iter()
            .map(|(text, length, score)| Scored { text, length: *length, score: *score })
            .collect();
        gains(&best)
    }

    #[test]
    fn a_long_message_gains_from_a_better_hit_about_the_same() {
        let same = "Are the Merrell or the Keen the warmer ones of these hiking boots";
        let gained = gains_of(&[(BOOTS, 90, 30.0), (PILLOWS, 90, 12.0), (same, 90, 8.0)]);
        assert!(gained[2] > 3.0 && gained[2] > 3.0 * gained[1], "{gained:?}");
        assert!(gained[0] < 0.5, "nothing that counts is before it: {gained:?}");
    }

    #[test]
    fn short_messages_neither_gain_nor_lift_others() {
        assert_eq!(gains_of(&[(BOOTS, 90, 30.0), ("the hiking boots", 3, 8.0)]), [0.0, 0.0]);
        assert_eq!(gains_of(&[("hiking boots", 2, 30.0), ("Keen", 1, 29.0), (BOOTS, 90, 8.0)]), [0.0; 3]);
        assert!(gains(&[]).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn a_gain_is_never_a_loss_and_has_a_limit(texts in proptest::collection::vec(("\\PC{0,80}", 0u16..300, -50.0f32..50.0), 0..8)) {
            let best: Vec<Scored<'_>> =
                texts.iter().map(|(text, length, score)| Scored { text, length: *length, score: *score }).collect();
            let gained = gains(&best);
            proptest::prop_assert_eq!(gained.len(), best.len());
            proptest::prop_assert!(gained.iter().all(|gain| (0.0..=SAME_WORDS * 1.001).contains(gain)), "{:?}", gained);
        }
    }
}
