//! Lists of words, written as one text.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// A list of words in lower case.
#[derive(Debug)]
pub(crate) struct WordList {
    list: &'static str,
    words: OnceLock<Words>,
}

/// The words of a list, read when they are first needed.
#[derive(Debug)]
struct Words {
    all: Vec<&'static str>,
    places: FxHashMap<&'static str, usize>,
}

impl WordList {
    /// The words of a text, separated by white space.
    pub(crate) const fn new(list: &'static str) -> Self {
        Self { list, words: OnceLock::new() }
    }

    /// Returns true if the list has this word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.position(word).is_some()
    }

    /// The place of a word in the list; of one that is listed twice, the last.
    pub(crate) fn position(&self, word: &str) -> Option<usize> {
        self.words().places.get(word).copied()
    }

    /// The words in the order in which they are written.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.words().all.iter().copied()
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| {
            let all: Vec<&str> = self.list.split_whitespace().collect();
            let places = all.iter().enumerate().map(|(at, word)| (*word, at)).collect();
            Words { all, places }
        })
    }
}
