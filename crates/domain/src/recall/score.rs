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
    #[inline]
    pub fn gain(&self, weight: f32, count: f32, length: f32) -> f32 {
        let average = (self.terms as f32 / (self.documents.max(1)) as f32).max(1.0);
        weight * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / average))
    }
}

/// Whether the best hits are worth telling.
///
/// Of questions whose answer is in the chat, three in four get `strong`; of questions asked in a chat that knows nothing
/// of them, one in ten. Measured with a sketch of this ranking on the development halves of LoCoMo and LongMemEval, the
/// questions of one chat asked in another, the names in them changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The best hits are about what was asked.
    Strong,
    /// Something has to do with the question; it may be about something else.
    Weak,
    /// Nothing matches.
    None,
}

/// A hit that covers at least this share of a question is taken to be about it.
const STRONG: f32 = 0.5;
/// Below this share, nothing has to do with it.
const NONE: f32 = 0.05;

impl Verdict {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
            Self::None => "none",
        }
    }

    /// The better of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Strong, _) | (_, Self::Strong) => Self::Strong,
            (Self::Weak, _) | (_, Self::Weak) => Self::Weak,
            (Self::None, Self::None) => Self::None,
        }
    }

    /// The verdict on hits that cover this share of the question at best, rare words counting more; no hit, no share.
    #[must_use]
    pub fn of(share: Option<f32>) -> Self {
        match share {
            Some(share) if share >= STRONG => Self::Strong,
            Some(share) if share >= NONE => Self::Weak,
            _ => Self::None,
        }
    }
}

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
    fn a_verdict_says_how_much_of_the_question_was_found() {
        for (share, verdict) in [
            (None, Verdict::None),
            (Some(0.04), Verdict::None),
            (Some(0.2), Verdict::Weak),
            (Some(0.5), Verdict::Strong),
            (Some(1.0), Verdict::Strong),
        ] {
            assert_eq!(Verdict::of(share), verdict, "{share:?}");
        }
    }
}
