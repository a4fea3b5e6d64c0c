//! The words between a secret's name and its value: the reader of `phrases.tsv`.

use std::sync::OnceLock;

use super::shape::rows;

const TABLE: &str = include_str!("phrases.tsv");

/// One list of the table, read when it is first needed.
#[derive(Debug)]
pub(super) struct Phrases {
    kind: &'static str,
    phrases: OnceLock<Vec<&'static str>>,
}

impl Phrases {
    /// The list of this kind.
    pub(super) const fn new(kind: &'static str) -> Self {
        Self { kind, phrases: OnceLock::new() }
    }

    /// The phrases in the order of the table.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        let read = || rows(TABLE).filter_map(|row| row.strip_prefix(self.kind)?.strip_prefix('\t'));
        let phrases = self.phrases.get_or_init(|| read().flat_map(|row| row.split(" | ")).collect());
        phrases.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_every_row_of_phrases_has_a_kind_and_words() {
        let is_whole = |row: &str| {
            row.split_once('\t').is_some_and(|(kind, words)| !kind.is_empty() && !words.is_empty())
        };
        assert!(rows(TABLE).all(is_whole));
        assert_eq!(Phrases::new("said").iter().next(), Some("is"));
    }
}
