//! Recognizes messages that ask for something remembered, with a small linear model over words and their parts. The
//! script `training/intents/train.py` trains it on messages that were written for it.

pub mod asks;
pub mod wanted;

use crate::linear::{Linear, words};
use crate::words::{Telling, telling};

static MODEL: Linear = Linear(include_bytes!("intent.bin"));

/// The probability that a message asks about the person's own past, plans, things or earlier conversations.
#[must_use]
pub fn asks_memory(text: &str) -> f32 {
    MODEL.probability(text)
}

/// Words with which people refer to themselves.
const OWN: &str = "i me my mine we us our ours yo mi mis mí nosotros nuestro nuestra ich mir mich mein meine meinen meinem \
    meiner wir uns unser unsere je moi mon ma mes nous notre nos eu meu minha meus minhas io mio mia miei 我 我们 私 僕 俺 \
    うち я мне меня мой моя моё мы нас наш 나 내 제 우리";

/// Words of small talk, which are useless in a search.
const CHATTER: &str = "ahead amazing another anyway awesome bit bye chance cheers cool course day deal definitely doing done \
    evening exactly fine fun glad go going gonna good got great guess ha haha happy hello help helped hey hi hiya interesting \
    kind lol look lot love makes maybe mean morning much nice night ok okay one oh perfect please pretty quick real really \
    right see sense sorry stuff such sure talk thank thanks thing things think thx time today tonight true up wait well wow \
    yeah yep yes yo";

/// Returns true if a word in lower case is small talk.
pub(crate) fn is_chatter(word: &str) -> bool {
    CHATTER.split_whitespace().any(|chatter| chatter == word)
}

/// Returns true if a message has a word that names its subject.
#[must_use]
pub fn has_subject(text: &str) -> bool {
    let is_subject = |word: &String| telling(word) == Telling::Much && !is_chatter(word);
    words(text).iter().filter(|word| word.chars().any(char::is_alphabetic)).any(is_subject)
}

/// Returns true if a message is about the person who writes it.
#[must_use]
pub fn is_personal(text: &str) -> bool {
    let is_own = |word: &String| OWN.split_whitespace().any(|own| own == word);
    words(text).iter().any(is_own) || ["我", "私", "僕", "俺"].iter().any(|own| text.contains(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::features;

    const SMALL_TALK: &str = include_str!("../../app/src/commands/eval/small-talk.txt");
    const ASKS_MEMORY: &str = include_str!("../../../training/intents/heldout-asks-memory.txt");

    fn share(list: &str, least: f32) -> f64 {
        let lines: Vec<&str> = list.lines().filter(|line| !line.trim().is_empty()).collect();
        assert!(lines.len() >= 100, "a list of {}", lines.len());
        lines.iter().filter(|line| asks_memory(line) >= least).count() as f64 / lines.len() as f64
    }

    #[test]
    fn features_are_those_of_the_training_script() {
        for (text, first, probability) in [
            ("Where's my key?", [852, 2092, 2854, 5159, 5739, 6153], 0.9425),
            ("上次你推荐的那本书叫什么", [29, 232, 401, 882, 1903, 2615], 0.2019),
            ("¿Qué dije ayer?", [131, 148, 805, 928, 2731, 2826], 0.8103),
        ] {
            let mut buckets = features(text);
            buckets.sort_unstable();
            assert_eq!(buckets.get(..6), Some(&first[..]), "{text}");
            assert!((asks_memory(text) - probability).abs() < 0.001, "{text}: {}", asks_memory(text));
        }
    }

    #[test]
    fn h3_held_out_questions_about_the_past_are_told_from_small_talk() {
        let (asks, small_talk) = (share(ASKS_MEMORY, 0.15), share(SMALL_TALK, 0.15));
        assert!(asks >= 0.92, "{asks} of the questions are recognized");
        assert!(small_talk <= 0.27, "{small_talk} of small talk is taken for a question");
    }

    #[test]
    fn any_text_has_a_probability() {
        for text in ["", " ", "?", "\u{0}", "🦊", &"word ".repeat(10_000)] {
            assert!((0.0..=1.0).contains(&asks_memory(text)), "{:.20}", text);
        }
    }
}
