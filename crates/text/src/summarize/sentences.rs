//! The sentences that a speaker tells, each on one line.

use crate::sentences::{Cut, cut};
use crate::shorten::one_line;
use crate::told::told;

/// The sentences of a message, each on one line.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut paragraph = String::new();
    for line in told(text).lines() {
        let line = line.trim();
        let item = line.trim_start_matches(['-', '*', '•', '#']).trim_start();
        if item.is_empty() || item.len() < line.len() {
            split(&std::mem::take(&mut paragraph), &mut all);
        }
        // A long line was wrapped by hand and continues; a short one, such as a list item, is complete.
        paragraph.push_str(item);
        if line.chars().count() < 60 || item.len() < line.len() {
            split(&std::mem::take(&mut paragraph), &mut all);
        } else {
            paragraph.push(' ');
        }
    }
    split(&paragraph, &mut all);
    all
}

fn split(paragraph: &str, all: &mut Vec<String>) {
    for range in cut(paragraph, Cut::Statements) {
        push(without_number(paragraph.get(range).unwrap_or_default()), all);
    }
}

/// The sentence without the number of a list item.
fn without_number(sentence: &str) -> &str {
    let number = sentence.split_once(['.', ')']).filter(|(number, rest)| {
        let is_number = (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        is_number && rest.starts_with(' ')
    });
    number.map_or(sentence, |(_, rest)| rest.trim_start())
}

fn push(sentence: &str, all: &mut Vec<String>) {
    let sentence = one_line(sentence);
    let quotes = |c: char| "\"“”„«»「」".contains(c);
    // A sentence entirely in quotation marks is a quotation.
    let is_quotation =
        sentence.starts_with(quotes) && sentence.trim_end_matches(['.', '!', '?']).ends_with(quotes);
    if !is_quotation && sentence.chars().any(char::is_alphanumeric) {
        all.push(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, expected) in [
            (
                "Hi! I am Ana. See Dr. Weiss at 3.30 p.m. today",
                vec!["Hi!", "I am Ana.", "See Dr. Weiss at 3.30 p.m. today"],
            ),
            ("我住在北京。我喜欢茶！", vec!["我住在北京。", "我喜欢茶！"]),
            ("- buy milk\n- call Ana; then rest", vec!["buy milk", "call Ana;", "then rest"]),
            ("J. Smith came", vec!["J. Smith came"]),
            ("1. eggs\n2. He said \"no.\" Then left", vec!["eggs", "He said \"no.\"", "Then left"]),
        ] {
            assert_eq!(sentences(text), expected);
        }
    }

    #[test]
    fn code_quotations_and_forwarded_text_are_not_the_speakers_words() {
        for text in [
            "> my port is 8443",
            "```\nmy port is 8443\n```",
            "    let port = 8443;",
            "---------- Forwarded message ----------\nMy port is 8443",
            "On Monday Ana wrote:\nmy port is 8443",
            "“My port is 8443.”",
        ] {
            assert!(sentences(text).is_empty(), "{text}: {:?}", sentences(text));
        }
        assert_eq!(sentences("Look:\n```\nx\n```\nIt is mine."), ["Look:", "It is mine."]);
    }
}
