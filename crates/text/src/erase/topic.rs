//! The topic of a request to forget, and how much of it a text holds.

use super::value::{content, held};

/// What is to be forgotten, as its telling words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    words: Vec<String>,
}

impl Topic {
    /// The topic that a person wrote.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { words: content(text).into_iter().collect() }
    }

    /// Whether there is no word in it, so that it covers nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a text holds all the topic's words, in any order and inflection.
    #[must_use]
    pub fn covers(&self, text: &str) -> bool {
        let held = held(text);
        !self.words.is_empty() && self.words.iter().all(|word| held.contains(word))
    }

    /// The share of the topic's words that a text holds, 0 to 1. A word of the same family counts half: it is worth
    /// asking about, never enough to act on.
    #[must_use]
    pub fn touches(&self, text: &str) -> f32 {
        if self.words.is_empty() {
            return 0.0;
        }
        let held = held(text);
        let shares = self.words.iter().map(|word| {
            if held.contains(word) {
                1.0
            } else if held.iter().any(|other| are_akin(word, other)) {
                0.5
            } else {
                0.0
            }
        });
        shares.sum::<f32>() / self.words.len() as f32
    }
}

/// "allergy" and "allergic", "Berlin" and "Berliner": the same five letters or more, and short endings.
fn are_akin(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    shared >= 5 && a.chars().count().max(b.chars().count()) - shared <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j2_a_topic_covers_a_text_that_holds_all_its_words() {
        for (topic, text, covers, touches) in [
            ("my dog", "The dogs are called Rex and Max", true, 1.0),
            ("Rex", "That was Rex’s ball", true, 1.0),
            ("peanut allergy", "I'm allergic to peanuts", false, 0.75),
            ("Lisbon trip", "The trip is in May", false, 0.5),
            ("where I live", "I live in Berlin", true, 1.0),
            ("Berlin", "I live in Bern", false, 0.0),
            ("café", "the Cafe on the corner", true, 1.0),
            ("who am I", "I know who I am", true, 1.0),
            ("柏林", "我住在柏林", true, 1.0),
            ("北京", "东京在北边", false, 0.0),
            ("花生过敏", "我对花生会过敏", true, 1.0),
            ("", "anything", false, 0.0),
            ("🙂", "🙂", false, 0.0),
        ] {
            let topic = Topic::read(topic);
            assert_eq!((topic.covers(text), topic.touches(text)), (covers, touches), "{topic:?} in {text}");
        }
        assert!(Topic::read(" ?").is_empty());
    }
}
