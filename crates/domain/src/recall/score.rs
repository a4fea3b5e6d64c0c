//! How well a message answers a query by its words: BM25 with the statistics of the chat that is asked.

use serde::Serialize;

/// How soon repeating a word stops counting.
const K1: f32 = 1.2;
/// How much a long message is held against itself.
const B: f32 = 0.5;

/// What a chat's index knows of its messages as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// How many messages are indexed.
    pub documents: u64,
    /// How many terms they have together.
    pub terms: u64,
}

impl Statistics {
    /// How much one occurrence of a term tells, `frequency` messages having it.
    #[must_use]
    pub fn weight(&self, frequency: u64) -> f32 {
        let (all, with) = (self.documents.max(frequency) as f32, frequency as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// What a message of `length` terms gains from `count` occurrences of a term of this weight.
    #[must_use]
    pub fn gain(&self, weight: f32, count: f32, length: f32) -> f32 {
        let average = (self.terms as f32 / (self.documents.max(1)) as f32).max(1.0);
        weight * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / average))
    }
}

/// Whether the best hit is worth telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The best hit speaks of what was asked.
    Strong,
    /// Something shares words with the query; it may be about something else.
    Weak,
    /// Nothing matches.
    None,
}

impl Verdict {
    /// The verdict on a best hit that covers this share of what the query asks for; no hit, no coverage.
    #[must_use]
    pub fn of(coverage: Option<f32>) -> Self {
        match coverage {
            None => Self::None,
            Some(share) if share >= STRONG => Self::Strong,
            Some(_) => Self::Weak,
        }
    }
}

/// A hit that covers half of what a query asks for, rare words counting more, is taken to be about it.
const STRONG: f32 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_word_tells_more_and_a_repeated_one_ever_less() {
        let chat = Statistics { documents: 1_000, terms: 20_000 };
        assert!(chat.weight(1) > chat.weight(10));
        assert!(chat.weight(1_000) > 0.0);
        let gains: Vec<f32> = (1..5).map(|count| chat.gain(1.0, count as f32, 20.0)).collect();
        assert!(gains.windows(2).all(|pair| pair[1] > pair[0]));
        assert!(gains[1] - gains[0] > gains[3] - gains[2]);
        assert!(chat.gain(1.0, 1.0, 10.0) > chat.gain(1.0, 1.0, 100.0));
    }

    #[test]
    fn a_verdict_says_how_much_of_the_query_was_found() {
        assert_eq!(Verdict::of(None), Verdict::None);
        assert_eq!(Verdict::of(Some(0.2)), Verdict::Weak);
        assert_eq!(Verdict::of(Some(1.0)), Verdict::Strong);
    }
}
