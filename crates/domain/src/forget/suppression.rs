//! Suppressions: keyed hashes that recognize a forgotten value and contain no words.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use throughline_text::erase::{Topic, blank, for_each_held, value};
use throughline_text::relate::same::normalized;
use throughline_text::sentences::sentences;

/// The hashes of one forgotten statement. With the key they recognize the value; without it they reveal nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    /// The hash of the whole statement, normalized.
    pub statement: [u8; 16],
    /// The hashes of its distinctive words, sorted.
    pub words: Vec<[u8; 16]>,
}

impl Suppression {
    /// The suppression of a statement.
    #[must_use]
    pub fn of(key: &[u8; 32], statement: &str) -> Self {
        Self::of_words(key, value(statement).iter(), statement)
    }

    /// The suppression of a statement about a topic: it matches every text with all words of the topic.
    #[must_use]
    pub fn of_topic(key: &[u8; 32], topic: &Topic, statement: &str) -> Self {
        Self::of_words(key, topic.words().iter(), statement)
    }

    fn of_words<'a>(key: &[u8; 32], words: impl Iterator<Item = &'a String>, statement: &str) -> Self {
        let mut words: Vec<_> = words.map(|word| hash_word(key, word)).collect();
        words.sort_unstable();
        Self { statement: hash_of_statement(key, statement), words }
    }

    /// Returns true if a sentence contains the forgotten value: all distinctive words, or the exact statement.
    #[must_use]
    pub fn hides(&self, key: &[u8; 32], sentence: &str) -> bool {
        SuppressionList::new(*key, std::slice::from_ref(self)).hides(sentence)
    }
}

/// The suppressions of a chat, prepared for matching many texts.
#[derive(Clone)]
pub struct SuppressionList {
    key: [u8; 32],
    /// The index of each suppressed word in `holders`.
    places: HashMap<[u8; 16], usize>,
    /// For each suppressed word, the suppressions that require it.
    holders: Vec<Vec<usize>>,
    /// For each suppression, the number of words it requires.
    asked: Vec<usize>,
    /// The hashes of whole statements, sorted.
    statements: Vec<[u8; 16]>,
    /// True if a suppression requires no word, so that only the whole statement matches.
    has_wordless: bool,
}

impl SuppressionList {
    /// Prepares suppressions that were all made with this key.
    #[must_use]
    pub fn new(key: [u8; 32], suppressions: &[Suppression]) -> Self {
        let mut places = HashMap::new();
        let mut holders: Vec<Vec<usize>> = Vec::new();
        for (suppression, words) in suppressions.iter().map(|suppression| &suppression.words).enumerate() {
            for word in words {
                let place = *places.entry(*word).or_insert(holders.len());
                match holders.get_mut(place) {
                    Some(others) => others.push(suppression),
                    None => holders.push(vec![suppression]),
                }
            }
        }
        let has_wordless = suppressions.iter().any(|suppression| suppression.words.is_empty());
        let asked = suppressions.iter().map(|suppression| suppression.words.len()).collect();
        let mut statements: Vec<_> = suppressions.iter().map(|suppression| suppression.statement).collect();
        statements.sort_unstable();
        Self { key, places, holders, asked, statements, has_wordless }
    }

    /// The text with `[forgotten]` in place of suppressed sentences; `None` if nothing matches.
    #[must_use]
    pub fn suppressed(&self, text: &str) -> Option<String> {
        if self.asked.is_empty() {
            return None;
        }
        let mut hidden = sentences(text);
        hidden.retain(|range| text.get(range.clone()).is_some_and(|sentence| self.hides(sentence)));
        (!hidden.is_empty()).then(|| blank(text, &hidden))
    }

    fn hides(&self, sentence: &str) -> bool {
        let mut found = Vec::new();
        for_each_held(sentence, |word| {
            if let Some(place) = self.places.get(&hash_word(&self.key, word))
                && !found.contains(place)
            {
                found.push(*place);
            }
        });
        // Most sentences contain no suppressed word and need no further check.
        if found.is_empty() && !self.has_wordless {
            return false;
        }
        let mut missing = HashMap::new();
        let told = found.iter().filter_map(|place| self.holders.get(*place)).flatten().any(|suppression| {
            let asked = self.asked.get(*suppression).copied().unwrap_or(usize::MAX);
            let left: &mut usize = missing.entry(*suppression).or_insert(asked);
            *left = left.saturating_sub(1);
            *left == 0
        });
        told || self.statements.binary_search(&hash_of_statement(&self.key, sentence)).is_ok()
    }
}

/// Identifies a key without revealing it.
#[must_use]
pub fn fingerprint(key: &[u8; 32]) -> String {
    let bytes = hash(key, b"fingerprint", "");
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn hash_word(key: &[u8; 32], word: &str) -> [u8; 16] {
    hash(key, b"word", word)
}

/// Recognizes a statement, whatever its case and marks, without revealing it.
#[must_use]
pub fn hash_of_statement(key: &[u8; 32], statement: &str) -> [u8; 16] {
    hash(key, b"statement", &normalized(statement))
}

/// The role is part of the hash, so the hash of a one-word statement differs from that of the word.
fn hash(key: &[u8; 32], role: &[u8], text: &str) -> [u8; 16] {
    let told = [role, b"\0", text.as_bytes()].concat();
    let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] =
        *blake3::keyed_hash(key, &told).as_bytes();
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: [u8; 32] = [7; 32];

    #[test]
    fn j2_a_suppression_hides_the_value_however_it_is_said() {
        for (statement, sentence, hides) in [
            ("I live in Berlin", "Berlin is where I live", true),
            ("I live in Berlin", "I live in Bern", false),
            ("My dog's name is Rex", "rex's ball", true),
            ("My dog's name is Rex", "What is my dog's name?", false),
            ("I collect old stamps", "He was collecting a stamp", true),
            ("I collect old stamps", "I collect coins", false),
            ("我住在柏林", "柏林是我的家", true),
            ("我住在柏林", "我住在北京", false),
            ("🙂", "🙃", false),
        ] {
            assert_eq!(
                Suppression::of(&KEY, statement).hides(&KEY, sentence),
                hides,
                "{statement}: {sentence}"
            );
        }
    }

    #[test]
    fn j2_a_suppression_of_a_topic_asks_for_all_its_words() {
        let hides = |topic: &str, sentence: &str| {
            Suppression::of_topic(&KEY, &Topic::read(topic), "My dentist is Bea Novak").hides(&KEY, sentence)
        };
        assert!(hides("Bea Novak", "bea novak called") && hides("Bea Novak", "My dentist is Bea Novak"));
        assert!(!hides("Bea Novak", "Tom Novak called") && !hides("李小龙", "龙年小李"));
        assert!(hides("李小龙", "昨天李小龙来了"));
    }

    #[test]
    fn j2_a_suppression_says_nothing_to_another_key() {
        assert!(!Suppression::of(&KEY, "I live in Berlin").hides(&[8; 32], "I live in Berlin"));
    }

    #[test]
    fn j2_suppressed_texts_keep_everything_else() {
        let suppressions = SuppressionList::new(
            KEY,
            &[Suppression::of(&KEY, "I live in Berlin"), Suppression::of(&KEY, "My dog is called Rex")],
        );
        for (text, expected) in [
            ("Hello. I live in Berlin. Rex too! Bye", Some("Hello. [forgotten] Bye")),
            ("Hello. I live in Bern.", None),
            ("", None),
        ] {
            assert_eq!(suppressions.suppressed(text).as_deref(), expected);
        }
        assert_eq!(SuppressionList::new(KEY, &[]).suppressed("I live in Berlin"), None);
    }

    proptest! {
        #[test]
        fn j2_a_suppression_hides_all_its_words_in_any_order_and_no_sentence_that_lacks_one(
            words in prop::collection::btree_set("[bcdfg][aou][mnpt][aou][kmnr]", 2..5),
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let suppression = Suppression::of(&KEY, &format!("i saw {}", words.join(" and ")));
            let reversed: Vec<String> = words.iter().rev().map(|word| format!("{word}s")).collect();
            let retold = format!("They saw the {} today", reversed.join(" with "));
            let lacking = format!("i saw {}", words[1..].join(" and "));
            prop_assert!(suppression.hides(&KEY, &retold));
            prop_assert!(!suppression.hides(&KEY, &lacking));
        }

        #[test]
        fn j2_no_word_of_the_statement_is_in_the_suppression(word in "[a-z]{4,9}") {
            let written = serde_json::to_string(&Suppression::of(&KEY, &format!("my {word} is called {word}"))).unwrap();
            // The field names are not secret.
            prop_assume!(!"statement words".contains(&word));
            prop_assert!(!written.contains(&word));
        }
    }
}
