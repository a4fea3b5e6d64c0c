//! What has its day: the event is the slot, the day its value.

use super::Attribute;
use crate::extract::same::{digits, without_ordinal};
use crate::extract::wording::Word;
use crate::words::is_stop_word;

/// The event a statement gives a day.
pub(super) fn read(words: &[Word]) -> Option<Attribute> {
    let mut event: Vec<String> = words
        .iter()
        .filter(|word| !is_day_word(&word.text))
        .map(Word::stem)
        .filter(|stem| !is_stop_word(stem) && !SAID_OF_EVENTS.contains(&stem.as_str()) && stem != "s")
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
    let is_month = MONTHS.iter().any(|month| *month == word || (word.len() == 3 && month.starts_with(word)));
    let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    is_month || starts_with_digit || DAYS.contains(&word) || digits(word).is_some()
}

fn plain(word: &str) -> String {
    let month = MONTHS.iter().find(|month| word.len() >= 3 && month.starts_with(word));
    month.map_or_else(|| without_ordinal(word).to_owned(), |month| (*month).to_owned())
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const DAYS: &[&str] = &[
    "afternoon",
    "am",
    "evening",
    "friday",
    "fridays",
    "mon",
    "monday",
    "month",
    "morning",
    "next",
    "noon",
    "oclock",
    "pm",
    "saturday",
    "sunday",
    "this",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
    "week",
    "weekend",
    "year",
];

/// Terms (stemmed) of what is done to a day, not of the event.
const SAID_OF_EVENTS: &[&str] = &[
    "actually",
    "back",
    "be",
    "book",
    "chang",
    "dat",
    "day",
    "delay",
    "flight",
    "fly",
    "forward",
    "go",
    "going",
    "hav",
    "held",
    "instead",
    "mov",
    "new",
    "now",
    "plac",
    "plan",
    "postpon",
    "push",
    "reschedul",
    "schedul",
    "set",
    "shift",
    "start",
    "tak",
    "tim",
    "until",
    "will",
];
