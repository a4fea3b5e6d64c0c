//! What a person tells in a message: their own sentences, without what they paste, quote, forward or program. Answers
//! and summaries read messages through it.

use std::ops::Range;

use crate::calendar;
use crate::extract::gate::{self, Refusal};
use crate::extract::own;
use crate::sentences;
use crate::words::written;

/// Maximum words between back-ticks that only name a file, a command or a setting.
const LONGEST_NAME: usize = 3;
/// Maximum lines of a letter's closing, from the words of farewell to its end.
const LONGEST_CLOSING: usize = 3;

/// What the person tells, as the message has it; an empty line is left in place of what others wrote. Reports ("Ana said
/// that …") and quotations within a sentence stay with the sentence that cites them.
#[must_use]
pub fn told(text: &str) -> String {
    let lines = without_letters(text);
    let mut told = String::with_capacity(lines.len());
    let mut end = 0;
    for own in own::unquoted(&lines) {
        let between = lines.get(end..own.start).unwrap_or_default();
        let own_part = lines.get(own.clone()).unwrap_or_default();
        if is_cited_within(&told, between) {
            told.push_str(between);
            told.push_str(own_part);
        } else {
            told.push_str(if end == 0 { "" } else { "\n\n" });
            // The mark that ended the sentence of another ends nothing here.
            told.push_str(own_part.trim_start_matches(|c: char| sentences::ends(c) || c == ' '));
        }
        end = own.end;
    }
    let rest = lines.get(end..).unwrap_or_default();
    if is_cited_within(&told, rest) {
        told.push_str(rest);
    }
    told
}

/// What a message holds of others: the lines that [`told`] leaves out.
#[must_use]
pub fn cited(text: &str) -> Option<String> {
    let own = told(text);
    let own: Vec<&str> = own.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut own = own.into_iter().peekable();
    let mut cited: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        let rest = match own.peek() {
            Some(next) if line.contains(*next) => {
                let next = own.next().unwrap_or_default();
                line.split_once(next)
                    .map_or("", |(before, after)| if after.is_empty() { before } else { after })
            }
            _ => line,
        };
        cited.push(rest.trim());
    }
    let cited = cited.join("\n").replace(crate::erase::FORGOTTEN, "");
    cited.contains(char::is_alphanumeric).then(|| cited.trim().to_owned())
}

/// How a sentence is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modality {
    /// As it is written.
    Plain,
    /// As a supposition or a joke: nothing in it is so.
    Supposed,
    /// Of somebody who belongs to the person, not of the person: "My boss lives in Rome".
    OfAnother,
}

/// How a sentence of a person is meant, by the gate that memories pass.
#[must_use]
pub fn modality(sentence: &str) -> Modality {
    match gate::modality(sentence) {
        Err(Refusal::Hypothetical) => Modality::Supposed,
        Err(Refusal::AnotherPerson) => Modality::OfAnother,
        _ => Modality::Plain,
    }
}

/// Returns true if a foreign part belongs to the sentence of the person's own before it: a report, a short quotation,
/// a name in code, a mark in place of a secret.
fn is_cited_within(own: &str, part: &str) -> bool {
    let before = own.trim_end_matches(' ');
    let in_sentence =
        before.chars().next_back().is_some_and(|c| !sentences::ends(c) && !matches!(c, '\n' | ':' | '：'));
    let Some(first) = part.trim_start().chars().next().filter(|_| !part.contains('\n')) else { return false };
    match first {
        // In Chinese, a report begins with the one who is cited.
        '他' | '她' | '听' | '据' => true,
        _ if !in_sentence => false,
        '`' => part.split_whitespace().count() <= LONGEST_NAME,
        '<' | '{' => false,
        '[' => true,
        first => first.is_alphabetic() || "\"'“”„«»「『‘*".contains(first),
    }
}

/// The text without lines of code and without letters from somebody's greeting to their name.
fn without_letters(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let letter = letter(&lines).unwrap_or_default();
    let cited_from = lines.iter().position(|line| introduces(line)).unwrap_or(lines.len());
    let kept = lines.iter().enumerate().map(|(at, line)| {
        let is_left_out = letter.contains(&at) || at >= cited_from || is_code(line);
        if is_left_out { "" } else { line }
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns true if a line of a mail program says who wrote all that follows.
fn introduces(line: &str) -> bool {
    let line = line.trim();
    // Most lines end otherwise, and are not read for a day.
    if !line.ends_with([':', '：']) {
        return false;
    }
    let line = line.to_lowercase();
    INTRODUCES.split('|').any(|end| line.ends_with(end))
        && (line.contains(|c: char| c.is_ascii_digit())
            || written(&line).any(|word| calendar::is_name(word, calendar::EUROPEAN)))
}

const INTRODUCES: &str = " wrote:| schrieb:| escribió:| a écrit :| a écrit:|写道：|写道:|のメール：";

/// The lines of a letter: a greeting alone on its line, and at the end words of farewell and a name.
fn letter(lines: &[&str]) -> Option<Range<usize>> {
    let said = |line: &&str| !line.trim().is_empty();
    let opens =
        |line: &&str| is_one_of(line, GREETINGS) && line.trim().ends_with([',', '，', ':', '：', '!']);
    let start = lines.iter().position(opens)?;
    let last = lines.iter().rposition(said)?;
    let closes = lines.iter().rposition(|line| is_one_of(line, FAREWELLS))?;
    let closing = lines.get(closes..=last)?.iter().filter(|line| said(line)).count();
    let is_letter = start < closes && (2..=LONGEST_CLOSING).contains(&closing);
    is_letter.then_some(start..last + 1)
}

/// Returns true if a short line begins with one of the words.
fn is_one_of(line: &str, words: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.chars().nth(LONGEST_GREETING).is_some() {
        return false;
    }
    let line = line.to_lowercase();
    line.chars().nth(LONGEST_GREETING).is_none() && words.split('|').any(|word| line.starts_with(word))
}

/// Maximum characters of a line of greeting or farewell.
const LONGEST_GREETING: usize = 48;
const GREETINGS: &str = "dear |hi |hello |hey |good morning|liebe|hallo |sehr geehrte|guten tag|moin |querid|estimad|hola |\
     cher |chère |bonjour |madame|monsieur|尊敬的|亲爱的|您好|你好|拝啓|こんにちは";
const FAREWELLS: &str = "regards|best|kind regards|warm|cheers|yours|sincerely|thanks|thank you|many thanks|love,|take care|\
     mit freundlichen|viele grüße|liebe grüße|beste grüße|herzliche|lg|mfg|saludos|un saludo|atentamente|un abrazo|\
     cordialement|bien à vous|bises|amicalement|此致|敬上|祝好|敬具|よろしく";

/// Returns true if a line is code: indented or full of the punctuation of programs, or a command with a comment
/// behind it.
fn is_code(line: &str) -> bool {
    let bare = line.trim_end();
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    if bare.is_empty() {
        return is_indented;
    }
    let (before, _) = bare.split_once("//").or_else(|| bare.split_once("/*")).unwrap_or((bare, ""));
    let is_command = |part: &str| part.trim_end().ends_with([';', '{', '}']);
    let is_comment = before.len() < bare.len() && before.trim().is_empty();
    let assigns =
        before.len() < bare.len() && before.contains([';', '=', '{', '}']) && !before.ends_with(':');
    let is_marked = || {
        let is_mark =
            |c: char| matches!(c, '{' | '}' | '(' | ')' | ';' | '=' | '<' | '>' | '[' | ']' | '$' | '\\');
        let (mut marks, mut letters) = (0, 0);
        for c in bare.chars() {
            marks += usize::from(is_mark(c));
            letters += usize::from(c.is_alphanumeric());
        }
        marks * 5 > letters + 5
    };
    is_indented || is_command(bare) || is_comment || assigns || is_marked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own(text: &str) -> String {
        told(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_others_wrote_is_not_told_and_what_is_reported_stays_with_its_sentence() {
        for (text, expected) in [
            ("We live in Ghent.", "We live in Ghent."),
            ("Dr Amadi said I should walk more. I will.", "Dr Amadi said I should walk more. I will."),
            ("The port is set in `server.toml`.", "The port is set in `server.toml`."),
            ("My aunt calls me \"my little owl\" again.", "My aunt calls me \"my little owl\" again."),
            ("let owner = \"Ines\"; // my name is Ines and I live in Turin", ""),
            ("fn home() -> &str {\n    \"Turin\"\n}\nwhy does this fail", "why does this fail"),
            ("> I own a vineyard\nLovely, no?", "Lovely, no?"),
            ("Look:\n```\nmy cat is called Bit\n```\nIt is odd.", "Look: It is odd."),
            ("[forgotten] I like rye bread.", "I like rye bread."),
            ("My locker is [redacted:code] now", "My locker is [redacted:code] now"),
            ("Dear Ms Okoye,\nI am allergic to penicillin and live in Lagos.\nKind regards,\nTunde", ""),
            (
                "What do you make of it?\n\nHallo Frau Lind,\nich ziehe nach Kiel.\n\nViele Grüße\nJan",
                "What do you make of it?",
            ),
            ("See below\nOn 3 May, Kofi Mensah wrote:\nI sold my kiosk", "See below"),
            ("Bonjour,\nj'habite à Brest", "Bonjour, j'habite à Brest"),
            ("https://example.org // is down", "https://example.org // is down"),
        ] {
            assert_eq!(own(text), expected, "{text}");
        }
    }

    #[test]
    fn what_others_wrote_is_cited() {
        for (text, expected) in [
            ("We live in Ghent.", None),
            ("[forgotten]", None),
            ("> I own a vineyard\nLovely, no?", Some("> I own a vineyard")),
            ("let owner = \"Ines\"; // my name is Ines", Some("let owner = \"Ines\"; // my name is Ines")),
            ("Übersetze ins Polnische: \"Ich bin in Jena\"", Some("\"Ich bin in Jena\"")),
        ] {
            assert_eq!(cited(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_supposition_and_a_statement_of_another_are_told_from_plain_ones() {
        for (sentence, expected) in [
            ("I keep bees on the roof.", Modality::Plain),
            ("Ich arbeite in Jena.", Modality::Plain),
            ("If I were a pilot, I'd live in Lima.", Modality::Supposed),
            ("Wenn ich reich wäre, würde ich kündigen.", Modality::Supposed),
            ("如果我有狗，就叫它小黑。", Modality::Supposed),
            ("My sister works at a lighthouse.", Modality::OfAnother),
            ("Mon frère habite à Metz.", Modality::OfAnother),
        ] {
            assert_eq!(modality(sentence), expected, "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_told_and_cited(text in "[\\PC\n]{0,160}") {
            prop_assert!(told(&text).len() <= 3 * text.len() + 2);
            let _ = cited(&text);
        }
    }
}
