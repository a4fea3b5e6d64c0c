//! Lists of words, written as one text.

use std::collections::HashSet;
use std::sync::OnceLock;

/// A list of words in lower case.
#[derive(Debug)]
pub(crate) struct WordList {
    list: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl WordList {
    /// The words of a text, separated by white space.
    pub(crate) const fn new(list: &'static str) -> Self {
        Self { list, words: OnceLock::new() }
    }

    /// Returns true if the list has this word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.iter().collect()).contains(word)
    }

    /// The words in the order in which they are written.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.list.split_whitespace()
    }
}
