//! Splits a text into sentences, as people write in chats: a line break ends a sentence, and not every dot does.

use std::ops::Range;

use crate::calendar::{self, EUROPEAN};
use crate::erase::FORGOTTEN;
use crate::word_list::WordList;

/// The marks at which a text is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Those that end a sentence.
    Sentences,
    /// Semicolons as well: a summary can keep one half without the other.
    Statements,
}

/// The byte ranges of a text's sentences, in order, each with its closing marks. Together they cover everything but
/// white space. No sentence continues on the next line, so a list item is one of its own.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    // The mark in place of forgotten words is a sentence of its own. It is searched for once rather than in each line.
    for piece in text.split_inclusive(FORGOTTEN) {
        for line in piece.split_inclusive(['\n', '\r']) {
            let before = line.strip_suffix(FORGOTTEN);
            let cuts = cut(before.unwrap_or(line), Cut::Sentences);
            found.extend(cuts.into_iter().map(|range| start + range.start..start + range.end));
            start += line.len();
            found.extend(before.map(|_| start - FORGOTTEN.len()..start));
        }
    }
    found
}

/// The byte ranges of a line's sentences or statements.
pub(crate) fn cut(line: &str, at: Cut) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut push = |from: usize, to: usize| {
        let Some(piece) = line.get(from..to) else { return };
        let from = from + (piece.len() - piece.trim_start().len());
        let to = from + piece.trim().len();
        if from < to {
            found.push(from..to);
        }
    };
    let ends = |c: char| ends(c) || at == Cut::Statements && matches!(c, ';' | '；');
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !ends(c) {
            continue;
        }
        let mut end = at + c.len_utf8();
        let mut wide = ends_wide(c);
        while let Some((next, mark)) = chars.next_if(|(_, mark)| ends(*mark) || closes(*mark)) {
            end = next + mark.len_utf8();
            wide |= ends_wide(mark);
        }
        let at_a_gap = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let before = line.get(start..at).unwrap_or_default();
        let after = line.get(end..).unwrap_or_default().trim_start();
        let is_of_word = || belongs_to_word(before, after) || names_day(before, after);
        if wide || (at_a_gap && !(c == '.' && is_of_word())) {
            push(start, end);
            start = end;
        }
    }
    push(start, line.len());
    found
}

/// Returns true if a mark can end a sentence.
pub(crate) fn ends(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…') || matches!(c, '。' | '！' | '？' | '｡' | '．' | '।' | '؟')
}

/// Marks that need no space after them.
fn ends_wide(c: char) -> bool {
    ends(c) && !c.is_ascii() && c != '…' || c == '；'
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '*' | '_' | '”' | '’' | '»' | '」' | '』' | '）' | '】' | '》')
}

/// Returns true if the dot between these texts belongs to an abbreviation, an initial or the number of a list item.
fn belongs_to_word(before: &str, after: &str) -> bool {
    let mut words = before.rsplit(char::is_whitespace);
    let last = words.next().unwrap_or_default();
    let word = last.trim_start_matches(|c: char| !c.is_alphanumeric());
    let lower = word.to_lowercase();
    let is_item = word.chars().all(|c| c.is_ascii_digit()) && before.trim() == last;
    // The sentence continues in "p.m. at the gate", and ends in "p.m. She".
    let is_letters =
        word.contains('.') && word.split('.').all(is_letter) && !after.starts_with(char::is_uppercase);
    // "z. B.", "d. h."
    let is_part = is_letter(word)
        && (words.next().is_some_and(|word| word.strip_suffix('.').is_some_and(is_letter))
            || after.split_once('.').is_some_and(|(next, _)| is_letter(next)));
    // "No. 5", "Jan. 3", but not the answer "no. 5 of us".
    let is_counted = after.starts_with(|c: char| c.is_ascii_digit())
        && (BEFORE_NUMBERS.contains(&lower)
            || calendar::month(&lower, &[calendar::Language::Short]).is_some())
        && before.trim() != "no";
    is_item || is_letters || is_part || is_counted || is_initial(word) || is_abbreviation(&lower)
}

fn is_letter(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// Returns true if a dot stands between the number of a day and its month: "am 3. Mai".
fn names_day(before: &str, after: &str) -> bool {
    let number = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let month: String = after.chars().take_while(|c| c.is_alphabetic()).take(LONGEST_MONTH).collect();
    (1..=2).contains(&number.len()) && calendar::is_name(&month.to_lowercase(), EUROPEAN)
}

/// A longer word names no month.
const LONGEST_MONTH: usize = 16;

/// "J" of "J. Smith", but not the "I" that ends "It was I."
fn is_initial(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_uppercase() && c != 'I') && letters.next().is_none()
}

/// Returns true if a word in lower case is an abbreviation with a dot. "etc" is not listed, because it often ends a
/// sentence.
pub(crate) fn is_abbreviation(word: &str) -> bool {
    ABBREVIATIONS.contains(word)
}

static ABBREVIATIONS: WordList = WordList::new(
    "approx aprox apt bspw bzw ca capt cf col dept dr dra e.g eg evtl gen ggf hr i.e ie inc inkl jr lt ltd mlle mme mr mrs ms mt nr \
     p.ej p.ex prof rev sgt sog sr sra srta st str u.a vgl vs z.b d.h",
);
/// Abbreviations before a number, which are words elsewhere.
static BEFORE_NUMBERS: WordList = WordList::new(
    "no nos nº núm art abs bd fig kap max min nummer p pag pp pág s tel vol ch sec ext rm zi bldg",
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| text.get(range).unwrap()).collect()
    }

    #[test]
    fn j2_a_text_is_cut_where_a_sentence_ends() {
        for (text, expected) in [
            (
                "I live in Berlin. It rains!  Really?! Yes",
                vec!["I live in Berlin.", "It rains!", "Really?!", "Yes"],
            ),
            ("I pay 3.50 for it. ok", vec!["I pay 3.50 for it.", "ok"]),
            ("See https://a.org/x.html?q=1.2 for it", vec!["See https://a.org/x.html?q=1.2 for it"]),
            ("Dr. Meyer lives in St. Gallen. Nice.", vec!["Dr. Meyer lives in St. Gallen.", "Nice."]),
            ("J. Smith called, e.g. today.", vec!["J. Smith called, e.g. today."]),
            (
                "Die Feier ist am 3. Mai. Ich bin 30. Ja",
                vec!["Die Feier ist am 3. Mai.", "Ich bin 30.", "Ja"],
            ),
            (
                "She comes at 5 p.m. on Monday. At 6 p.m. She leaves.",
                vec!["She comes at 5 p.m. on Monday.", "At 6 p.m.", "She leaves."],
            ),
            ("My locker is No. 5 in hall two. Ok", vec!["My locker is No. 5 in hall two.", "Ok"]),
            ("Far? no. 5 minutes", vec!["Far?", "no.", "5 minutes"]),
            (
                "I was taught by J. R. Smith, approx. 9 years.",
                vec!["I was taught by J. R. Smith, approx. 9 years."],
            ),
            (
                "Ich mag Obst, z. B. Birnen, d. h. süßes. Ja",
                vec!["Ich mag Obst, z. B. Birnen, d. h. süßes.", "Ja"],
            ),
            ("Due Jan. 3 in St. Pauli. Fine.", vec!["Due Jan. 3 in St. Pauli.", "Fine."]),
            ("Well… maybe. \"No.\" (Yes.) End", vec!["Well…", "maybe.", "\"No.\"", "(Yes.)", "End"]),
            ("我住在柏林。你呢？很好！再见", vec!["我住在柏林。", "你呢？", "很好！", "再见"]),
            ("他说：“好。”然后走了。", vec!["他说：“好。”", "然后走了。"]),
            ("List:\n- milk\n1. eggs\n\n2) tea", vec!["List:", "- milk", "1. eggs", "2) tea"]),
            ("one\r\ntwo", vec!["one", "two"]),
            ("I am 34. She is 30.", vec!["I am 34.", "She is 30."]),
            (" \n ", vec![]),
            ("...", vec!["..."]),
        ] {
            assert_eq!(cut(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn j2_sentences_hold_all_that_is_not_blank_in_order(text in "([a-zA-ZäI我。！.!? \n\r\t\"3)]|\\PC){0,80}") {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(text.get(end..range.start).unwrap().trim().is_empty());
                prop_assert!(!text.get(range.clone()).unwrap().contains('\n'));
                prop_assert_eq!(text.get(range.clone()).unwrap().trim(), text.get(range.clone()).unwrap());
                end = range.end;
            }
            prop_assert!(text.get(end..).unwrap().trim().is_empty());
        }
    }
}
