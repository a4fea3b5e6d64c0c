//! The words between a secret's name and its value: the reader of `phrases.tsv`.

use std::sync::OnceLock;

use super::shape::rows;

const TABLE: &str = include_str!("phrases.tsv");

/// One list of the table, read when it is first needed.
#[derive(Debug)]
pub(super) struct Phrases {
    kind: &'static str,
    phrases: OnceLock<Table>,
}

/// The phrases in the order of the table, and by their first byte in lower case.
#[derive(Debug)]
struct Table {
    all: Vec<&'static str>,
    by_first: Vec<Vec<&'static str>>,
}

impl Phrases {
    /// The list of this kind.
    pub(super) const fn new(kind: &'static str) -> Self {
        Self { kind, phrases: OnceLock::new() }
    }

    /// The phrases in the order of the table.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.table().all.iter().copied()
    }

    /// The phrases that a text may begin with, whatever its case, in the order of the table.
    pub(super) fn opening(&self, text: &str) -> impl Iterator<Item = &'static str> {
        let first = text.bytes().next().map(|byte| usize::from(byte.to_ascii_lowercase()));
        let phrases = first.and_then(|first| self.table().by_first.get(first));
        phrases.map(Vec::as_slice).unwrap_or_default().iter().copied()
    }

    fn table(&self) -> &Table {
        self.phrases.get_or_init(|| {
            let read = || rows(TABLE).filter_map(|row| row.strip_prefix(self.kind)?.strip_prefix('\t'));
            let all: Vec<&str> = read().flat_map(|row| row.split(" | ")).collect();
            let mut by_first = vec![Vec::new(); 1 << 8];
            for phrase in &all {
                let first = phrase.bytes().next().map(|byte| usize::from(byte.to_ascii_lowercase()));
                if let Some(phrases) = first.and_then(|first| by_first.get_mut(first)) {
                    phrases.push(*phrase);
                }
            }
            Table { all, by_first }
        })
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
