//! The cosine similarity of every message of a chat to a question: exact for the most similar ones, estimated from signs for
//! the rest. A chat may have a million messages, so a message takes two bytes here, and sums are taken over codes.

use super::meta::MessageMeta;
use super::scale::Moments;

/// The code of a message without a vector.
const UNKNOWN: u16 = u16::MAX;

/// Similarities by position in the metadata.
#[derive(Debug, Clone, Default)]
pub struct Similarities {
    /// For each message an index into `values`.
    codes: Vec<u16>,
    /// The estimates by the number of signs that differ, and behind them the exact values.
    values: Vec<f32>,
    /// The number of estimates among the values.
    estimates: usize,
    /// The number of messages by code, for estimates.
    counts: Vec<u32>,
    /// The positions of the messages with exact values, in the order of these.
    exact: Vec<usize>,
}

impl Similarities {
    /// The similarities of a chat with so many messages to a question with so many dimensions, none of them known yet.
    #[must_use]
    pub fn new(messages: usize, dimensions: usize) -> Self {
        let angle = |differing: usize| differing as f32 / dimensions.max(1) as f32 * std::f32::consts::PI;
        let values: Vec<f32> = (0..=dimensions).map(|differing| angle(differing).cos()).collect();
        let estimates = values.len();
        let (codes, counts) = (vec![UNKNOWN; messages], vec![0; estimates]);
        Self { codes, values, estimates, counts, exact: Vec::new() }
    }

    /// Estimates the similarities of the first messages by the number of their signs that differ from the question's; `None`
    /// for a message without a vector. The angle between two vectors is about the share of signs that differ.
    pub fn estimate(&mut self, differing: impl Iterator<Item = Option<u32>>) {
        for (code, differing) in self.codes.iter_mut().zip(differing) {
            let Some(differing) = differing else { continue };
            if let Some(count) = self.counts.get_mut(differing as usize) {
                *count += 1;
                *code = u16::try_from(differing).unwrap_or(UNKNOWN);
            }
        }
    }

    /// Sets the exact similarity of a message.
    pub fn set(&mut self, position: usize, similarity: f32) {
        let (Some(code), Ok(index)) = (self.codes.get_mut(position), u16::try_from(self.values.len())) else {
            return;
        };
        if index == UNKNOWN {
            return;
        }
        if let Some(count) = self.counts.get_mut(usize::from(*code)) {
            *count -= 1;
        }
        *code = index;
        self.values.push(similarity);
        self.exact.push(position);
    }

    /// The messages whose estimates are highest, in no order. Of equal ones, those with the higher positions.
    #[must_use]
    pub fn highest_estimates(&self, most: usize) -> Vec<usize> {
        let (mut left, mut whole) = (most, 0u16);
        for count in &self.counts {
            let Some(rest) = left.checked_sub(*count as usize) else { break };
            left = rest;
            whole += 1;
        }
        if usize::from(whole) == self.estimates {
            // All of them; the next code is that of an exact value.
            left = 0;
        }
        let mut found = Vec::with_capacity(most);
        for (position, code) in self.codes.iter().enumerate().rev() {
            if *code < whole {
                found.push(position);
            } else if *code == whole && left > 0 {
                left -= 1;
                found.push(position);
            }
        }
        found
    }

    /// The similarity of a message, if it is known.
    #[must_use]
    #[inline]
    pub fn at(&self, position: usize) -> Option<f32> {
        self.values.get(usize::from(*self.codes.get(position)?)).copied()
    }

    /// The positions of the messages that are known to be at least this similar. An estimate is no proof of it.
    pub fn at_least(&self, similarity: f32) -> impl Iterator<Item = usize> {
        let exact = self.values.get(self.estimates..).unwrap_or_default();
        let similar = exact.iter().zip(&self.exact).filter(move |(value, _)| **value >= similarity);
        similar.map(|(_, position)| *position)
    }

    /// The number, sum and squares of the known ones.
    #[must_use]
    pub fn moments(&self) -> Moments {
        let mut moments = Moments::default();
        for (value, count) in self.values.iter().zip(&self.counts) {
            moments.add(*value, f64::from(*count));
        }
        for value in self.values.iter().skip(self.estimates) {
            moments.add(*value, 1.0);
        }
        moments
    }

    /// The mean of each conversation; a message without a vector counts as zero.
    #[must_use]
    pub fn of_conversations(&self, meta: &MessageMeta) -> Vec<f32> {
        let mut sums = vec![0.0f32; meta.conversation_sizes().len()];
        for (code, conversation) in self.codes.iter().zip(meta.conversation()) {
            if let (Some(value), Some(sum)) =
                (self.values.get(usize::from(*code)), sums.get_mut(*conversation as usize))
            {
                *sum += value;
            }
        }
        sums.iter().zip(meta.conversation_sizes()).map(|(sum, size)| sum / *size as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::GAP;
    use crate::recall::meta::Entry;

    fn four() -> Similarities {
        let mut similarities = Similarities::new(4, 8);
        similarities.estimate([Some(0), Some(4), None, Some(4)].into_iter());
        similarities
    }

    #[test]
    fn estimates_follow_the_angle_and_exact_values_replace_them() {
        let mut similarities = four();
        let at = |similarities: &Similarities| (0..5).map(|at| similarities.at(at)).collect::<Vec<_>>();
        assert_eq!(at(&similarities)[0], Some(1.0));
        assert!(at(&similarities)[1].unwrap().abs() < 1e-6);
        similarities.set(1, 0.25);
        similarities.set(2, 0.5);
        assert_eq!(at(&similarities)[1..3], [Some(0.25), Some(0.5)]);
        assert_eq!(at(&similarities)[4], None, "there is no such message");
        let moments = similarities.moments();
        assert!((moments.count - 4.0).abs() < 1e-9 && (moments.sum - 1.75).abs() < 1e-6);
        assert_eq!(similarities.at_least(0.25).collect::<Vec<_>>(), [1, 2], "the first is an estimate");
    }

    #[test]
    fn the_highest_estimates_are_found_by_counting() {
        assert_eq!(four().highest_estimates(2), [3, 0], "of two equal ones the later one");
        assert_eq!(four().highest_estimates(9), [3, 1, 0], "one has no vector");
        assert!(four().highest_estimates(0).is_empty());
        assert!(Similarities::default().highest_estimates(3).is_empty());
    }

    #[test]
    fn the_mean_of_a_conversation_counts_every_message() {
        let entry = |seq: i64| Entry { seq, at: seq / 2 * 3_600_000_000, lane: 1, speaker_id: 0, length: 5 };
        let meta = MessageMeta::new((0..4).map(entry).collect(), GAP);
        let mut similarities = four();
        similarities.set(1, 0.5);
        let means = similarities.of_conversations(&meta);
        assert!((means[0] - 0.75).abs() < 1e-6 && means[1].abs() < 1e-6, "{means:?}");
        assert_eq!(Similarities::default().of_conversations(&meta), [0.0, 0.0]);
    }
}
