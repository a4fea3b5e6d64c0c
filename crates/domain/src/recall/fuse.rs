//! Ranks the messages of a chat by everything that speaks for them: their words, their dense, who said them, when, and
//! what stands beside them.
//!
//! Words and dense are measured on different scales, so each is put in terms of how far a message stands out from the
//! others of its chat. The weights were chosen on the development halves of LoCoMo and LongMemEval, one set for both; see
//! docs/recall.md.

use std::ops::Range;

use super::meta::MessageMeta;

/// What is known of each message of a chat, by its position in the metadata.
#[derive(Debug, Clone)]
pub struct Signals<'a> {
    /// The messages.
    pub meta: &'a MessageMeta,
    /// How well the words of each match.
    pub words: &'a [f32],
    /// How well the words of each conversation match.
    pub conversations: &'a [f32],
    /// How alike each is in dense, −1 to 1; not a number if unknown.
    pub dense: &'a [f32],
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
const DENSE: f32 = 2.5;
const CONVERSATION_WORDS: f32 = 0.9;
const CONVERSATION_DENSE: f32 = 0.5;
/// Whose words are asked for goes before how well others match, and so does the time.
const SPEAKER: f32 = 9.8;
const TIME: f32 = 6.0;
const NEARNESS: f32 = 5.0;
/// The very words go before others that mean the same.
const COVERAGE: f32 = 2.0;
/// A message that only asks is seldom an answer.
const QUESTION: f32 = 1.5;

/// The score of each message. Chats are long, so the numbers are gone through few times and copied seldom.
#[must_use]
pub fn scores(signals: &Signals<'_>) -> Vec<f32> {
    let meta = signals.meta;
    // Most messages have none of the words, and a power takes its time.
    let steep = |words: &f32| if *words > 0.0 { words.powf(STEEPNESS) } else { 0.0 };
    let steep: Vec<f32> = signals.words.iter().map(steep).collect();
    let beside = meta.of_neighbors(&steep);
    let own = steep.iter().zip(beside).zip(meta.entries());
    let mut scores: Vec<f32> = own.map(|((own, beside), entry)| own + share(entry.length) * beside).collect();

    let words = Scale::of(&scores);
    let dense = Scale::of(signals.dense);
    let conversations = of_conversations(signals);
    for (position, ((score, entry), conversation)) in
        scores.iter_mut().zip(meta.entries()).zip(meta.conversation()).enumerate()
    {
        let similarity = signals.dense.get(position).copied().unwrap_or(f32::NAN);
        let whole = conversations.get(*conversation as usize).copied().unwrap_or(0.0);
        *score = words.stand(*score)
            + DENSE * dense.stand(similarity)
            + whole * share(entry.length) / MOST_OF_A_NEIGHBOR;
        if signals.about.contains(&entry.speaker_id) {
            *score += SPEAKER;
        }
        if signals.when.as_ref().is_some_and(|when| when.contains(&entry.at)) {
            *score += TIME;
        }
    }
    scores
}

/// What each conversation as a whole adds to its messages.
fn of_conversations(signals: &Signals<'_>) -> Vec<f32> {
    let dense = signals.meta.of_conversations(signals.dense);
    let (scale_of_words, scale_of_dense) = (Scale::of(signals.conversations), Scale::of(&dense));
    let both = signals.conversations.iter().zip(&dense);
    both.map(|(words, dense)| {
        CONVERSATION_WORDS * scale_of_words.stand(*words) + CONVERSATION_DENSE * scale_of_dense.stand(*dense)
    })
    .collect()
}

/// The score of one of the best, now that its text was compared with the question: how much of it the text covers in
/// any words, and in the very same.
#[must_use]
pub fn refined(score: f32, soft_overlap: f32, coverage: f32, text: &str) -> f32 {
    let asks = if is_lone_question(text) { QUESTION } else { 0.0 };
    score + NEARNESS * soft_overlap + COVERAGE * coverage - asks
}

/// Whether a text is one question and nothing else.
#[must_use]
pub fn is_lone_question(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with(['?', '？']) && text.split_inclusive(['.', '!', '?', '？', '。']).count() == 1
}

/// Of few values nobody knows how far they scatter: so much of the mean is doubt, the less the more there are.
const DOUBT: f64 = 0.5;

/// What a message of this many terms takes from its neighbors.
fn share(length: u16) -> f32 {
    (NEIGHBORS * SHORT / (SHORT + f32::from(length))).min(MOST_OF_A_NEIGHBOR)
}

/// How values scatter, to say how far one stands out.
struct Scale {
    mean: f32,
    /// One over the standard deviation; nothing if all values are the same.
    unit: f32,
}

impl Scale {
    /// The scale of those values that are known.
    fn of(values: &[f32]) -> Self {
        let (mut count, mut sum, mut squares) = (0.0f64, 0.0f64, 0.0f64);
        for value in values.iter().filter(|value| !value.is_nan()) {
            let value = f64::from(*value);
            (count, sum, squares) = (count + 1.0, sum + value, squares + value * value);
        }
        let count = count.max(1.0);
        let mean = sum / count;
        let variance = (squares / count - mean * mean).max(0.0);
        let deviation = (variance + (DOUBT * mean).powi(2) / count).sqrt();
        Self { mean: mean as f32, unit: if deviation < 1e-9 { 0.0 } else { (1.0 / deviation) as f32 } }
    }

    /// How many standard deviations a value lies above the mean. What is not known lies at the mean; nothing stands out
    /// if a few are nearly the same, as in a chat that has just begun.
    fn stand(&self, value: f32) -> f32 {
        if value.is_nan() { 0.0 } else { (value - self.mean) * self.unit }
    }
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

    fn best(scores: &[f32]) -> usize {
        (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap()
    }

    fn signals(meta: &MessageMeta) -> Signals<'_> {
        Signals {
            meta,
            words: &[0.0; 10],
            conversations: &[0.0; 2],
            dense: &[f32::NAN; 10],
            about: &[],
            when: None,
        }
    }

    #[test]
    fn h1_words_and_meaning_each_lift_a_message_and_its_neighbors() {
        let meta = meta();
        let mut words = [0.0; 10];
        words[3] = 4.0;
        let scores_of_words = scores(&Signals { words: &words, ..signals(&meta) });
        assert_eq!(best(&scores_of_words), 3);
        assert!(scores_of_words[2] > scores_of_words[8], "a neighbor has a part in it");
        let mut dense = [0.1; 10];
        dense[7] = 0.8;
        assert_eq!(best(&scores(&Signals { dense: &dense, ..signals(&meta) })), 7);
    }

    #[test]
    fn h1_the_speaker_and_the_time_that_are_asked_for_go_first() {
        let meta = meta();
        let mut words = [0.0; 10];
        words[3] = 4.0;
        words[4] = 3.5;
        let asked = Signals { words: &words, about: &[1], ..signals(&meta) };
        assert_eq!(best(&scores(&asked)), 4, "the other voice said it best, but was not asked for");
        words[8] = 3.0;
        let day = meta.entries()[6].at..i64::MAX;
        assert_eq!(best(&scores(&Signals { words: &words, when: Some(day), ..signals(&meta) })), 8);
    }

    #[test]
    fn a_statement_goes_before_a_question_in_the_same_words() {
        assert!(refined(1.0, 0.5, 0.5, "I moved to Oslo.") > refined(1.0, 0.5, 0.5, "Moved to Oslo?"));
        for (text, asks) in
            [("Why?", true), ("何時？", true), ("I moved. And you?", false), ("No.", false), ("", false)]
        {
            assert_eq!(is_lone_question(text), asks, "{text}");
        }
    }

    #[test]
    fn g6_without_vectors_the_words_still_rank() {
        let meta = meta();
        let mut words = [0.0; 10];
        words[1] = 1.0;
        for dense in [&[][..], &[f32::NAN; 10]] {
            let scores = scores(&Signals { words: &words, dense, ..signals(&meta) });
            assert!(best(&scores) == 1 && scores.iter().all(|score| score.is_finite()));
        }
    }
}
