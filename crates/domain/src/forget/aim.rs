//! What is to be forgotten, made ready to go through many texts.

use std::collections::BTreeSet;
use std::ops::Range;

use super::blank::FORGOTTEN;
use super::sentences::sentences;
use super::topic::Topic;
use super::value::{held, value};
use throughline_text::extract::same::normalized;

/// Tells which sentences go.
#[derive(Debug, Clone, Default)]
pub struct Aim {
    topic: Option<Topic>,
    /// Of each statement the words that give it away, and the whole of it, normalized.
    statements: Vec<(BTreeSet<String>, String)>,
    everything: bool,
}

impl Aim {
    /// At all that speaks of a topic, and at what proves or repeats statements.
    #[must_use]
    pub fn at<'a>(topic: Option<Topic>, statements: impl IntoIterator<Item = &'a str>) -> Self {
        let ready = |statement: &str| (value(statement), normalized(statement));
        Self { topic, statements: statements.into_iter().map(ready).collect(), everything: false }
    }

    /// At everything.
    #[must_use]
    pub fn at_everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// Whether it takes everything.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// The sentences of a text that go.
    #[must_use]
    pub fn in_text(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = sentences(text);
        found.retain(|range| text.get(range.clone()).is_some_and(|sentence| self.tells(sentence)));
        found
    }

    /// Whether something of a text goes.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        !self.in_text(text).is_empty()
    }

    fn tells(&self, sentence: &str) -> bool {
        if sentence == FORGOTTEN {
            return false;
        }
        if self.everything {
            return true;
        }
        if self.topic.as_ref().is_some_and(|topic| topic.covers(sentence)) {
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
    fn j2_an_aim_takes_what_speaks_of_the_topic_and_what_proves_a_statement() {
        let text = "I live in Berlin. The zoo is nice! Berlin is cold. My cat is Miso.";
        let taken = |aim: &Aim| -> Vec<String> {
            aim.in_text(text).into_iter().filter_map(|range| text.get(range)).map(str::to_owned).collect()
        };
        let topic = Aim::at(Some(Topic::read("zoo")), []);
        assert_eq!(taken(&topic), ["The zoo is nice!"]);
        let statement = Aim::at(None, ["I live in Berlin"]);
        assert_eq!(taken(&statement), ["I live in Berlin.", "Berlin is cold."]);
        let all = ["I live in Berlin.", "The zoo is nice!", "Berlin is cold.", "My cat is Miso."];
        assert_eq!(taken(&Aim::at_everything()), all);
        assert!(taken(&Aim::at(None, [])).is_empty());
        assert!(Aim::at_everything().in_text(FORGOTTEN).is_empty());
    }
}
