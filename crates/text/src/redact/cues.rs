//! What single words say about the sentence that they stand in: the reader of `cues.tsv`.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Kind, NAMES};
use super::shape::rows;
use crate::cjk::is_cjk_or_mark;

const TABLE: &str = include_str!("cues.tsv");

/// What a word says; the table tells what each is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// A word for a password.
    Name,
    Access,
    Account,
    Lock,
    WeakLock,
    Sent,
    Act,
    To,
    ForeignAct,
    ForeignTo,
    It,
    Hand,
    Verb,
    Pronoun,
    Filler,
    And,
    Works,
    User,
    Other,
    Place,
    Product,
    Remind,
    Arrived,
    Back,
    Key,
    Subject,
    Digit,
}

impl Cue {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "name" => Self::Name,
            "access" => Self::Access,
            "account" => Self::Account,
            "lock" => Self::Lock,
            "weak-lock" => Self::WeakLock,
            "sent" => Self::Sent,
            "act" => Self::Act,
            "to" => Self::To,
            "foreign-act" => Self::ForeignAct,
            "foreign-to" => Self::ForeignTo,
            "it" => Self::It,
            "hand" => Self::Hand,
            "verb" => Self::Verb,
            "pronoun" => Self::Pronoun,
            "filler" => Self::Filler,
            "and" => Self::And,
            "works" => Self::Works,
            "user" => Self::User,
            "other" => Self::Other,
            "place" => Self::Place,
            "product" => Self::Product,
            "remind" => Self::Remind,
            "arrived" => Self::Arrived,
            "back" => Self::Back,
            "key" => Self::Key,
            "subject" => Self::Subject,
            "digit" => Self::Digit,
            _ => return None,
        })
    }
}

/// The cues of a word: most have none or one, some are ambiguous.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cues(u32);

impl Cues {
    pub(super) fn has(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u32) != 0
    }

    pub(super) fn any(self, cues: &[Cue]) -> bool {
        cues.iter().any(|cue| self.has(*cue))
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn of(cue: Cue) -> Self {
        Self(1 << cue as u32)
    }
}

struct Table {
    words: FxHashMap<String, Cues>,
    /// The first words of those of two.
    firsts: FxHashSet<String>,
    /// Those of scripts without blanks, which stand inside a run.
    unspaced: Vec<(&'static str, Cues)>,
}

static CUES: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { words: FxHashMap::default(), firsts: FxHashSet::default(), unspaced: Vec::new() };
    for row in rows(TABLE) {
        let Some((cue, words)) = row.split_once('\t') else { continue };
        let Some(cue) = Cue::named(cue) else { continue };
        words.split(' ').for_each(|word| table.add(word, cue));
    }
    let is_name = |kind| matches!(kind, Kind::Word | Kind::Phrase);
    let names = NAMES.iter().filter(|name| is_name(name.kind) && !name.literal.contains(['/', ' ']));
    names.for_each(|name| table.add(name.literal, Cue::Name));
    table
});

impl Table {
    fn add(&mut self, word: &'static str, cue: Cue) {
        if word.starts_with(is_cjk_or_mark) {
            self.unspaced.push((word, Cues::of(cue)));
            return;
        }
        if let Some((first, _)) = word.split_once('_') {
            self.firsts.insert(first.to_owned());
        }
        self.words.entry(word.replace('_', " ")).or_default().add(Cues::of(cue));
    }
}

/// Longer than every word of the table.
const LONGEST: usize = 32;

/// The cues of a word, in lower case, and of the two words that it makes with the one before.
pub(super) fn cues(before: &str, word: &str) -> Cues {
    let table = &*CUES;
    if word.len() > LONGEST {
        return Cues::default();
    }
    let mut found = table.words.get(word).copied().unwrap_or_default();
    if table.firsts.contains(before)
        && let Some(pair) = table.words.get(&format!("{before} {word}"))
    {
        found.add(*pair);
    }
    found
}

/// The cues inside a run of a script without blanks.
pub(super) fn cues_inside(run: &str) -> Cues {
    let mut found = Cues::default();
    CUES.unspaced.iter().filter(|(word, _)| run.contains(word)).for_each(|(_, cues)| found.add(*cues));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_every_row_of_cues_is_read() {
        assert!(
            rows(TABLE).all(|row| row.split_once('\t').is_some_and(|(cue, _)| Cue::named(cue).is_some()))
        );
        assert!(cues("", "wifi").has(Cue::Access));
        assert!(cues("logged", "into").has(Cue::Access));
        assert!(cues("", "passwort").has(Cue::Name));
        assert!(cues_inside("家里的密码是").has(Cue::Name));
    }
}
