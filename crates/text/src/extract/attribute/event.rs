//! Events: the event is the attribute, the day its value.

use super::Attribute;
use crate::calendar::{self, Language};
use crate::extract::same::{digits, without_ordinal};
use crate::extract::wording::Word;
use crate::word_list::WordList;
use crate::words::is_stop_word;

/// The event a statement gives a day.
pub(super) fn read(words: &[Word]) -> Option<Attribute> {
    let mut event: Vec<String> = words
        .iter()
        .filter(|word| !is_day_word(&word.text))
        .map(Word::stem)
        .filter(|stem| !is_stop_word(stem) && !SAID_OF_EVENTS.contains(stem) && stem != "s")
        .collect();
    event.sort();
    event.dedup();
    (!event.is_empty()).then(|| Attribute::new(event.join(" "), day_words(words)))
}

/// The words that tell a day, in one order, so that "May 5th" is "5 May".
pub(super) fn day_words(words: &[Word]) -> String {
    let mut day: Vec<String> =
        words.iter().filter(|word| is_day_word(&word.text)).map(|word| plain(&word.text)).collect();
    day.sort();
    day.join(" ")
}

/// Whether a word tells a day or a time of it.
pub(super) fn is_day_word(word: &str) -> bool {
    let is_named = calendar::is_name(word, &[Language::English])
        || word.len() == 3 && months().any(|month| month.starts_with(word));
    let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    is_named || starts_with_digit || DAYS.contains(word) || digits(word).is_some()
}

fn plain(word: &str) -> String {
    let month = months().find(|month| word.len() >= 3 && month.starts_with(word));
    month.unwrap_or_else(|| without_ordinal(word)).to_owned()
}

fn months() -> impl Iterator<Item = &'static str> {
    calendar::MONTHS.split(' ')
}

static DAYS: WordList = WordList::new(
    "afternoon am evening fridays mon month morning next noon oclock pm this today tomorrow tonight week weekend year",
);

/// Terms (stemmed) of what is done to a day, not of the event.
static SAID_OF_EVENTS: WordList = WordList::new(
    "actually back be book chang dat day delay flight fly forward go going hav held instead mov new now \
     plac plan postpon push reschedul schedul set shift start tak tim until will",
);
