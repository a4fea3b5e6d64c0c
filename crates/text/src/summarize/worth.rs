//! The information in a sentence: a small trained model separates statements from small talk, and words, names and
//! numbers are counted.

use std::collections::HashSet;

use crate::cjk::is_cjk;
use crate::linear::Linear;
use crate::words::{Telling, telling, written};

/// Trained by `training/summaries/train.py`.
static MODEL: Linear = Linear(include_bytes!("worth.bin"));

/// The probability that a sentence is a statement worth keeping, not small talk.
pub(super) fn worth(sentence: &str) -> f32 {
    MODEL.probability(sentence)
}

/// The value of a sentence: the information that would be lost without it.
pub(super) fn value(sentence: &str) -> f32 {
    information(sentence) * (1.0 + worth(sentence))
}

/// The number of different words about a subject; names and numbers count twice.
pub(super) fn information(sentence: &str) -> f32 {
    let mut seen = HashSet::new();
    let mut found = 0;
    for (at, word) in written(sentence).enumerate() {
        if telling(word) == Telling::Nothing || !seen.insert(word.to_lowercase()) {
            continue;
        }
        let begins_with_capital = at > 0 && word.starts_with(char::is_uppercase);
        // Chinese and Japanese have no spaces; about every third character counts as a word about a subject.
        found += word.chars().filter(|c| is_cjk(*c)).count().div_ceil(3).max(1);
        found += usize::from(begins_with_capital || word.contains(char::is_numeric));
    }
    found as f32
}

/// Returns true if it contains an identifier, such as an account number, an address or a path.
pub(super) fn has_identifier(sentence: &str) -> bool {
    sentence.split_whitespace().any(is_identifier)
}

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
    word.parse::<u16>().is_ok_and(|year| (1700..2100).contains(&year))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worth_is_that_of_the_training_script() {
        for (text, expected) in [
            ("We settled on the oak floor.", 0.9664),
            ("我住在成都。", 0.8202),
            ("Thanks, that helps!", 0.0095),
        ] {
            assert!((worth(text) - expected).abs() < 0.001, "{text}: {}", worth(text));
        }
    }

    #[test]
    fn a_statement_is_worth_more_than_small_talk_in_six_languages() {
        for (statement, talk) in [
            ("The staging proxy listens on port 8443.", "Thanks, that helps a lot."),
            ("My daughter is called Ines.", "That sounds lovely!"),
            ("Ich wohne seit März in Graz.", "Das klingt ja toll!"),
            ("Mi hermana se llama Lucía.", "¡Qué bien, me alegro!"),
            ("Mon frère travaille à Nantes.", "Merci beaucoup, c'est gentil."),
            ("我对花生过敏。", "好的，谢谢。"),
            ("妹は大阪で看護師をしている。", "そうなんですね、いいですね。"),
        ] {
            assert!(worth(statement) > 0.5, "{statement}: {}", worth(statement));
            assert!(worth(talk) < 0.2, "{talk}: {}", worth(talk));
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
