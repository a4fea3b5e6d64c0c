//! The words that name days, months and numbers, in the languages that are read.

use crate::calendar::Language;

use crate::word_list::WordList;

/// "3", "3rd", "22nd"
pub fn ordinal(word: &str) -> Option<i8> {
    if let Some(at) = ORDINALS.iter().position(|ordinal| ordinal == word) {
        return i8::try_from(at + 1).ok();
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..32).contains(day))
}

static ORDINALS: WordList = WordList::new(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
     fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first \
     twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth \
     twenty-ninth thirtieth thirty-first",
);

/// What a table gives for a word.
pub fn listed<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    let is_listed = |(words, _): &&(&str, T)| !word.is_empty() && words.split(' ').any(|known| known == word);
    table.iter().find(is_listed).map(|(_, value)| *value)
}

/// Feasts with their month and day.
pub const FEASTS: &[(&str, i8, i8)] = &[
    ("christmas eve", 12, 24),
    ("christmas day", 12, 25),
    ("boxing day", 12, 26),
    ("new year 's eve", 12, 31),
    ("new year 's day", 1, 1),
    ("valentine 's day", 2, 14),
    ("halloween", 10, 31),
];

/// The names of months and days that these rules read.
pub const LANGUAGES: &[Language] = &[Language::English, Language::Short, Language::German, Language::Spanish];

/// Small numbers.
pub const COUNTS: &[(&str, i64)] = &[
    ("a one ein einer einem una un", 1),
    ("two zwei dos", 2),
    ("three drei tres", 3),
    ("four vier cuatro", 4),
    ("five fünf cinco", 5),
    ("six sechs seis", 6),
    ("seven sieben siete", 7),
    ("eight acht ocho", 8),
    ("nine neun nueve", 9),
    ("ten zehn diez", 10),
];

/// Times that are no day.
pub static PERIODS: WordList = WordList::new(
    "week weekend month year spring summer autumn fall winter semester term quarter christmas easter",
);
