//! How much a sentence says that could not be guessed: names, numbers, dates, and what a person states of themselves.

use crate::cjk::is_han;
use crate::cues::{
    CAPITALIZES_NOUNS, DATES, IS, LASTS, OWNS, PASSES, POINTS_BACK, Plain, STATES, STATES_OF_BEING,
};
use crate::word_list::WordList;
use crate::words::{Telling, telling};

/// What a sentence is worth keeping for, the more the better; 0 for small talk.
pub(super) fn worth(sentence: &str) -> u32 {
    let plain = Plain::new(sentence);
    specifics(sentence, &plain) + stance(sentence, &plain)
}

/// How many words of a sentence tell of its subject.
pub(super) fn content(sentence: &str) -> usize {
    let plain = Plain::new(sentence);
    // Nothing parts Chinese words; two characters are about one, and every third is a particle.
    let weight = |word: &str| if word.chars().any(is_han) { word.chars().count().div_ceil(3) } else { 1 };
    plain.words().filter(|word| telling(word) == Telling::Much).map(weight).sum()
}

/// Whether it holds something that was given, such as a number of an account, an address or a path.
pub(super) fn has_identifier(sentence: &str) -> bool {
    sentence.split_whitespace().any(is_identifier)
}

/// What a sentence names: identifiers, numbers, dates, proper names, titles.
pub(super) fn specifics(sentence: &str, plain: &Plain) -> u32 {
    let has_number = sentence.chars().any(char::is_numeric);
    let has_date = DATES.found_in(plain) || sentence.split_whitespace().any(is_date);
    let has_title = sentence.matches(['"', '“', '«', '《', '「']).next().is_some();
    [
        (has_identifier(sentence), 3),
        (has_number, 1),
        (has_date, 2),
        (has_name(sentence, plain), 2),
        (has_title, 1),
    ]
    .into_iter()
    .filter_map(|(holds, value)| holds.then_some(value))
    .sum()
}

/// What a sentence says of the speaker that may last.
fn stance(sentence: &str, plain: &Plain) -> u32 {
    let is_on_the_way = STATES_OF_BEING.rest(plain).is_some_and(|rest| {
        rest.split(' ').next().is_some_and(|word| word.ends_with("ing") && !SETTLED.contains(word))
    });
    let states = STATES.found_in(plain) && !is_on_the_way && !PASSES.found_in(plain);
    let owns = OWNS.found_in(plain) && IS.found_in(plain) && !PASSES.found_in(plain);
    let lasts = LASTS.found_in(plain);
    let found = if states || owns { 2 } else { 0 } + if lasts { 2 } else { 0 };
    // "I love it" says nothing alone.
    let vague = POINTS_BACK.found_in(plain) && !lasts && !has_identifier(sentence);
    if vague || content(sentence) == 0 { 0 } else { found }
}

/// Verbs in -ing of what lasts for years.
static SETTLED: WordList = WordList::new("living working studying learning moving training taking using");

fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let begins_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    // "3pm" and "2nd" are numbers with an ending; "B12" and "7f3a9" are names.
    let is_mixed =
        digits > 0 && letters > 0 && word.is_ascii() && (!begins_with_digit || letters > 3 || digits > 3);
    let is_address = word.contains("://") || word.contains('@') && word.contains('.');
    let is_path = word.matches('/').count() >= 2 && letters > 0 || word.contains('_') && letters > 1;
    digits >= 4 && !is_year(word) && !is_date(word) || is_mixed || is_address || is_path
}

fn is_year(word: &str) -> bool {
    word.parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year))
}

/// A year, a day in figures, a time of day.
fn is_date(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let figures = word.trim_end_matches(char::is_alphabetic);
    let ending = word.strip_prefix(figures).unwrap_or_default();
    let is_figures =
        |part: &str| !part.is_empty() && part.len() <= 4 && part.chars().all(|c| c.is_ascii_digit());
    let parts: Vec<&str> = figures.split(['-', '/', '.', ':']).collect();
    let is_day_or_time = (2..=3).contains(&parts.len()) && parts.iter().all(|part| is_figures(part));
    let is_clock = is_figures(figures) && ["am", "pm", "th", "st", "nd", "rd", "h", "uhr"].contains(&ending);
    is_year(&word) || is_clock || is_day_or_time && (parts.len() == 3 || word.contains(['/', ':']))
}

/// A word with a capital where none is due, other than a day or a month.
fn has_name(sentence: &str, plain: &Plain) -> bool {
    if CAPITALIZES_NOUNS.found_in(plain) {
        return false;
    }
    let begins_with_capital = |word: &&str| {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_i = word == "I" || word.starts_with("I'") || word.starts_with("I’");
        word.starts_with(char::is_uppercase) && !is_i && !DATES.found_in(&Plain::new(word))
    };
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let capitals = words.iter().skip(1).filter(|word| begins_with_capital(word)).count();
    // A headline and a shout have capitals everywhere.
    capitals > 0 && (capitals * 2 < words.len() || words.len() < 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_with_specifics_is_worth_more_than_small_talk() {
        for (sentence, least) in [
            ("The staging proxy listens on port 8443.", 4),
            ("I'm allergic to penicillin.", 4),
            ("My daughter is called Ines.", 4),
            ("Our travel agent is Kwame Mensah.", 4),
            ("I prefer window seats.", 4),
            ("I work as a nurse.", 2),
            ("我对花生过敏。", 4),
            ("Ich wohne in Graz.", 2),
            ("Mi hermana se llama Lucía.", 4),
            ("The invoice is due on 14 March.", 5),
        ] {
            assert!(worth(sentence) >= least, "{sentence}: {}", worth(sentence));
        }
        for sentence in [
            "Good morning!",
            "Thanks, that helps a lot.",
            "I'm tired.",
            "I love it!",
            "I like that idea.",
            "I'm going for a walk.",
            "It was a long day.",
            "Sounds good to me.",
            "好的，谢谢。",
        ] {
            assert_eq!(worth(sentence), 0, "{sentence}");
        }
    }

    #[test]
    fn identifiers_are_told_from_times_and_years() {
        for word in
            ["8443", "4471-2290", "B12", "ana@example.org", "/etc/hosts", "user_id", "https://example.org"]
        {
            assert!(is_identifier(word), "{word}");
        }
        for word in ["2026", "3pm", "2nd", "10:30", "2026-03-14", "14.03.2026", "17", "walk", "and/or"] {
            assert!(!is_identifier(word), "{word}");
        }
    }
}
