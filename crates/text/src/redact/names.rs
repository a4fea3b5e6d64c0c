//! The words for a secret: the reader of `names.tsv`.

use std::sync::LazyLock;

use super::Class;
use super::shape::rows;

const TABLE: &str = include_str!("names.tsv");

/// A word that names a secret.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) literal: &'static str,
    pub(super) class: Class,
    pub(super) kind: Kind,
    /// An ISO 639 code.
    pub(super) language: &'static str,
}

/// What its values look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Anything that a person makes up, even a plain word.
    Word,
    /// The same, but the name means other things too: "bus pass".
    Abbreviation,
    /// Digits.
    Pin,
    /// Digits, with letters and signs among them.
    Code,
    /// The same, once a word beside it says that it opens something: "door code", not "error code".
    QualifiedCode,
    /// A few plain words.
    Phrase,
    /// Many plain words, drawn from a list; `seed.rs` looks for them.
    Seed,
    /// A name or a few words that answer a question: "first pet".
    Answer,
    /// What such a question asks for, where a question is named too: "they ask for my first pet, it's …".
    Subject,
    /// Letters and digits that a program made up.
    Machine,
    /// The same, in groups of four.
    Groups,
    /// The same, once the word before says that it opens something: "API key", not "primary key".
    Key,
    /// What is said of the thing that is opened: "encrypted with".
    Opener,
    /// A thing that a code opens, with its code right behind: "gate: 4711#".
    Thing,
}

/// Every word of the table, and how it is written at the beginning of a sentence and in capitals.
pub(super) static NAMES: LazyLock<Vec<Name>> =
    LazyLock::new(|| rows(TABLE).filter_map(read).flatten().collect());

/// The same by the last byte of their literals in lower case.
static BY_LAST: LazyLock<Vec<Vec<&Name>>> = LazyLock::new(|| {
    let mut names = vec![Vec::new(); 1 << 8];
    for name in NAMES.iter() {
        let last = name.literal.bytes().next_back().map(|byte| usize::from(byte.to_ascii_lowercase()));
        if let Some(names) = last.and_then(|last| names.get_mut(last)) {
            names.push(name);
        }
    }
    names
});

/// The names that a text may end with, whatever its case, in the order of the table.
pub(super) fn ending(text: &str) -> &'static [&'static Name] {
    let last = text.bytes().next_back().map(|byte| usize::from(byte.to_ascii_lowercase()));
    last.and_then(|last| BY_LAST.get(last)).map(Vec::as_slice).unwrap_or_default()
}

impl Name {
    /// Returns true if people also say it after the secret.
    pub(super) fn may_follow(&self) -> bool {
        matches!(
            self.kind,
            Kind::Word
                | Kind::Phrase
                | Kind::Pin
                | Kind::Code
                | Kind::QualifiedCode
                | Kind::Machine
                | Kind::Key
        )
    }
}

fn read(row: &'static str) -> Option<Vec<Name>> {
    let mut columns = row.split('\t');
    let kind = Kind::named(columns.next()?)?;
    let class = Class::named(columns.next()?)?;
    let language = columns.next()?;
    let words = columns.next()?.split(" | ");
    let name = |literal| Name { literal, class, kind, language };
    let slips = |word: &'static str| if kind == Kind::Word { misspellings(word) } else { Vec::new() };
    let written = words.flat_map(|word| spellings(word).into_iter().chain(slips(word)));
    Some(written.map(name).collect())
}

/// The scan knows both cases of ASCII only.
fn spellings(word: &'static str) -> Vec<&'static str> {
    let mut spellings = vec![word];
    let mut letters = word.chars();
    if let Some(first) = letters.next()
        && !word.is_ascii()
    {
        for other in [format!("{}{}", first.to_uppercase(), letters.as_str()), word.to_uppercase()] {
            if !spellings.contains(&other.as_str()) {
                // Made once, and kept as long as the program runs.
                spellings.push(other.leak());
            }
        }
    }
    spellings
}

/// The shortest word whose misspellings are no other words.
const MISSPELLED: usize = 8;

/// The word with two letters swapped, one left out or one doubled, as fingers slip; the first and the last stay.
fn misspellings(word: &str) -> Vec<&'static str> {
    let letters = word.as_bytes();
    if letters.len() < MISSPELLED || !letters.iter().all(u8::is_ascii_lowercase) {
        return Vec::new();
    }
    let slips = (1..letters.len() - 1).flat_map(|at| {
        let mut swapped = letters.to_vec();
        swapped.swap(at, at + 1);
        let (mut short, mut doubled) = (letters.to_vec(), letters.to_vec());
        short.remove(at);
        doubled.insert(at, letters.get(at).copied().unwrap_or_default());
        [swapped, short, doubled]
    });
    let mut slips: Vec<String> =
        slips.filter_map(|slip| String::from_utf8(slip).ok()).filter(|slip| slip != word).collect();
    slips.sort_unstable();
    slips.dedup();
    slips.into_iter().map(|slip| &*slip.leak()).collect()
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "word" => Self::Word,
            "abbreviation" => Self::Abbreviation,
            "pin" => Self::Pin,
            "code" => Self::Code,
            "qualified-code" => Self::QualifiedCode,
            "phrase" => Self::Phrase,
            "seed" => Self::Seed,
            "answer" => Self::Answer,
            "subject" => Self::Subject,
            "machine" => Self::Machine,
            "groups" => Self::Groups,
            "key" => Self::Key,
            "opener" => Self::Opener,
            "thing" => Self::Thing,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_every_row_of_names_is_read() {
        let words: usize = rows(TABLE).map(|row| row.rsplit('\t').next().unwrap().split(" | ").count()).sum();
        assert!(rows(TABLE).all(|row| read(row).is_some()));
        assert!(NAMES.len() >= words);
        assert!(NAMES.iter().any(|name| name.literal == "Şifre"));
    }
}
