//! The target of a forgetting, prepared for matching many texts.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Value};
use throughline_text::erase::{FORGOTTEN, Topic, blank, held, value};
use throughline_text::relate::same::normalized;
use throughline_text::sentences::sentences;

use crate::message::Message;
use crate::metadata::{change_each_piece, for_each_piece};

/// Metadata that stays when everything is forgotten: the origin of the message.
const KEPT: [&str; 3] = ["source", "routine", "new"];

/// Matches the sentences to remove.
#[derive(Debug, Clone, Default)]
pub struct Aim {
    topic: Option<Topic>,
    /// The distinctive words of each statement, and the whole statement, normalized.
    statements: Vec<(BTreeSet<String>, String)>,
    everything: bool,
}

impl Aim {
    /// Matches a topic, and verbatim repetitions of statements.
    #[must_use]
    pub fn at_topic<'a>(topic: Topic, statements: impl IntoIterator<Item = &'a str>) -> Self {
        Self { topic: Some(topic), ..Self::at_words(statements) }
    }

    /// Matches proofs and repetitions of statements.
    #[must_use]
    pub fn at<'a>(statements: impl IntoIterator<Item = &'a str>) -> Self {
        let ready = |statement: &str| (value(statement), normalized(statement));
        Self { topic: None, statements: statements.into_iter().map(ready).collect(), everything: false }
    }

    /// Matches verbatim repetitions of statements.
    #[must_use]
    pub fn at_words<'a>(statements: impl IntoIterator<Item = &'a str>) -> Self {
        let ready = |statement: &str| (BTreeSet::new(), normalized(statement));
        Self { topic: None, statements: statements.into_iter().map(ready).collect(), everything: false }
    }

    /// Matches everything.
    #[must_use]
    pub fn at_everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// The matching sentences of a text.
    #[must_use]
    pub fn in_text(&self, text: &str) -> Vec<Range<usize>> {
        let held = self.topic.as_ref().map(|topic| topic.find(text)).unwrap_or_default();
        let mut found = sentences(text);
        found.retain(|range| {
            text.get(range.clone()).is_some_and(|sentence| {
                let holds = held.iter().any(|held| held.start < range.end && range.start < held.end);
                sentence != FORGOTTEN && (holds || self.tells(sentence))
            })
        });
        found
    }

    /// Returns true if a text has a match.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        !self.in_text(text).is_empty()
    }

    /// Returns true if a message has a match.
    #[must_use]
    pub fn is_in_message(&self, message: &Message) -> bool {
        self.is_in(&message.text) || !self.in_metadata(&message.metadata).is_empty()
    }

    /// The matching texts, numbers and keys of metadata, and their sentences.
    #[must_use]
    pub fn in_metadata(&self, metadata: &Map<String, Value>) -> Vec<String> {
        let mut found = Vec::new();
        for_each_piece(metadata, |piece| {
            let stays = self.everything && KEPT.contains(&piece);
            let gone = self.in_text(piece).into_iter().filter(|_| !stays);
            found.extend(gone.filter_map(|range| piece.get(range)).map(str::to_owned));
        });
        found
    }

    /// Metadata without the matches.
    #[must_use]
    pub fn without(&self, metadata: &Map<String, Value>) -> Map<String, Value> {
        let mut left = metadata.clone();
        if self.everything {
            left.retain(|key, _| KEPT.contains(&key.as_str()));
        } else {
            change_each_piece(&mut left, &|piece| {
                let gone = self.in_text(piece);
                (!gone.is_empty()).then(|| blank(piece, &gone))
            });
        }
        left
    }

    fn tells(&self, sentence: &str) -> bool {
        if self.everything {
            return true;
        }
        if self.statements.is_empty() {
            return false;
        }
        let words = held(sentence);
        let holds =
            |value: &BTreeSet<String>| !value.is_empty() && value.iter().all(|word| words.contains(word));
        if self.statements.iter().any(|(value, _)| holds(value)) {
            return true;
        }
        let whole = normalized(sentence);
        self.statements.iter().any(|(_, statement)| *statement == whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j2_an_aim_takes_what_is_about_the_topic_and_what_proves_a_statement() {
        let text = "I live in Berlin. The zoo is nice! Berlin is cold. My cat is Miso.";
        let taken = |aim: &Aim| -> Vec<String> {
            aim.in_text(text).into_iter().filter_map(|range| text.get(range)).map(str::to_owned).collect()
        };
        let topic = Aim::at_topic(Topic::read("zoo"), []);
        assert_eq!(taken(&topic), ["The zoo is nice!"]);
        let statement = Aim::at(["I live in Berlin"]);
        assert_eq!(taken(&statement), ["I live in Berlin.", "Berlin is cold."]);
        let all = ["I live in Berlin.", "The zoo is nice!", "Berlin is cold.", "My cat is Miso."];
        assert_eq!(taken(&Aim::at_everything()), all);
        assert!(taken(&Aim::at([])).is_empty());
        assert!(Aim::at_everything().in_text(FORGOTTEN).is_empty());
    }

    fn proved<'a>(text: &'a str, statement: &str) -> Vec<&'a str> {
        Aim::at([statement]).in_text(text).into_iter().map(|range| text.get(range).unwrap()).collect()
    }

    #[test]
    fn j2_the_sentences_that_tell_the_value_prove_it() {
        for (statement, text, expected) in [
            (
                "I live in Berlin",
                "Yes, Berlin is where I live now. It rains.",
                vec!["Yes, Berlin is where I live now."],
            ),
            ("I live in Berlin", "I live near a park. I like Bern.", vec![]),
            ("My dog's name is Rex", "My dog is old! Say hi to Rex for me.", vec!["Say hi to Rex for me."]),
            ("User's dog is called Rex", "Rex's ball is gone", vec!["Rex's ball is gone"]),
            ("I'm allergic to peanuts", "No peanuts, then.\nWhat about fish?", vec!["No peanuts, then."]),
            (
                "I want to run a marathon by June",
                "In June I rest. Running my marathon!",
                vec!["Running my marathon!"],
            ),
            ("我住在柏林", "你住在柏林吗？柏林很美。我住在北京。", vec!["你住在柏林吗？", "柏林很美。"]),
            ("🙂", "Hello. 🙂 🙃", vec![]),
            ("🙂", "Hello. 🙂", vec!["🙂"]),
        ] {
            assert_eq!(proved(text, statement), expected, "{statement}");
        }
    }

    #[test]
    fn j2_neighbors_share_one_mark_and_the_rest_stays() {
        for (text, statement, expected) in [
            ("Hi! I live in Berlin.  Berlin is fun. Bye.\n", "I live in Berlin", "Hi! [forgotten] Bye.\n"),
            ("Hi [forgotten]\nI live in Berlin.", "I live in Berlin", "Hi [forgotten]"),
            ("- tea\n- Rex\n- milk", "My dog is called Rex", "- tea\n[forgotten]\n- milk"),
            ("  nothing here ", "I live in Berlin", "  nothing here "),
        ] {
            assert_eq!(blank(text, &Aim::at([statement]).in_text(text)), expected);
        }
    }
}
