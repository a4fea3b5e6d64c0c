//! Lists of words, written as one text.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A list of words in lower case.
#[derive(Debug)]
pub(crate) struct WordList {
    list: &'static str,
    places: OnceLock<HashMap<&'static str, usize>>,
}

impl WordList {
    /// The words of a text, separated by white space.
    pub(crate) const fn new(list: &'static str) -> Self {
        Self { list, places: OnceLock::new() }
    }

    /// Returns true if the list has this word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.position(word).is_some()
    }

    /// The place of a word in the list; of one that is listed twice, the last.
    pub(crate) fn position(&self, word: &str) -> Option<usize> {
        let places = || self.iter().enumerate().map(|(at, word)| (word, at)).collect();
        self.places.get_or_init(places).get(word).copied()
    }

    /// The words in the order in which they are written.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.list.split_whitespace()
    }
}
