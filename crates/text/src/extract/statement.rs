//! Makes a statement of the words that tell something: the person's own sentence or clause, without what leads into it
//! or trails after it.

use std::ops::Range;

use jiff::civil::Date;

use super::spans::Span;
use super::{Kind, day};
use crate::intent::asks::asks;
use crate::sentences::{ends, sentences};
use crate::word_list::WordList;
use crate::words::plain;

/// A sentence that is longer falls into clauses, in characters.
const SHORT_SENTENCE: usize = 200;

/// The part of a text that states what a span tells: its sentence if that holds no other span, else what of it no other
/// span tells.
pub(super) fn around(text: &str, span: &Span, all: &[Span]) -> Range<usize> {
    let told = &span.range;
    let touched: Vec<Range<usize>> =
        sentences(text).into_iter().filter(|it| it.start < told.end && told.start < it.end).collect();
    let (Some(first), Some(last)) = (touched.first(), touched.last()) else { return told.clone() };
    let whole = first.start..last.end;
    let written = text.get(whole.clone()).unwrap_or_default();
    let is_beside = |other: &&Span| other.range.start < whole.end && whole.start < other.range.end;
    let beside: Vec<&Span> = all.iter().filter(is_beside).collect();
    let is_short = written.chars().count() <= SHORT_SENTENCE;
    let is_apart =
        |one: &Span, two: &Span| !is_short || one.kind != two.kind || are_two(text, &one.range, &two.range);
    let before = beside.iter().filter(|other| other.range.end <= told.start && is_apart(other, span));
    let mut after = beside.iter().filter(|other| told.end <= other.range.start && is_apart(span, other));
    let start = before.map(|other| boundary(text, &other.range, told)).max().unwrap_or(whole.start);
    let part = start..after.next().map_or(whole.end, |other| boundary(text, told, &other.range));
    if !asks(written) && is_short { part } else { clause(text, told, &part) }
}

/// Spans of one clause tell one thing, of the kind of the longer one: "we fly to Oslo" and "on Friday".
pub(super) fn merged(text: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for span in spans {
        let is_one = |last: &Span| {
            let between = text.get(last.range.end..span.range.start).unwrap_or_default();
            let mut words = between.split(|c: char| !c.is_alphanumeric());
            let are_parted = between.contains(|c| is_edge(c) || ends(c) || matches!(c, ':' | '：'));
            !are_parted && !words.any(|word| JOINS.contains(&word.to_lowercase()))
        };
        match found.last_mut().filter(|last| is_one(last)) {
            Some(last) => {
                let range = last.range.start..span.range.end;
                let longer = if last.range.len() < span.range.len() { span } else { last.clone() };
                *last = Span { range, ..longer };
            }
            None => found.push(span),
        }
    }
    found
}

/// Returns true if a mark parts clauses.
fn is_edge(c: char) -> bool {
    matches!(c, '\n' | ',' | ';' | '—' | '–' | '(' | ')' | '，' | '；' | '、' | '（' | '）')
}

/// Where what one span tells ends and what the next one tells begins: at the last mark between them.
fn boundary(text: &str, first: &Range<usize>, second: &Range<usize>) -> usize {
    let between = text.get(first.end..second.start).unwrap_or_default();
    first.end + between.rfind(is_edge).unwrap_or_default()
}

/// Returns true if two spans tell two things of which each can stand by itself: "my name is Ana and I live in Rome".
fn are_two(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    let Some(between) = text.get(first.end..second.start) else { return false };
    let is_own = |span: &Range<usize>| text.get(span.clone()).is_some_and(has_subject);
    let mut between = between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    is_own(first)
        && is_own(second)
        && between.next().is_none_or(|word| JOINS.contains(word))
        && between.next().is_none()
}

/// The clauses of a sentence that a word joins and that each begin with the person: "I live in Rome and I am vegan".
pub(super) fn joined(text: &str, sentence: &Range<usize>) -> Vec<Range<usize>> {
    let mut clauses = vec![sentence.clone()];
    let written = text.get(sentence.clone()).unwrap_or_default();
    for (at, _) in written.match_indices(' ') {
        let (before, after) = written.split_at(at);
        let is_join = before.rsplit(' ').next().is_some_and(|word| JOINS.contains(&word.to_lowercase()));
        if let Some(last) = clauses.last_mut().filter(|_| is_join && has_subject(after)) {
            last.end = sentence.start + at;
            clauses.push(sentence.start + at..sentence.end);
        }
    }
    clauses
}

/// Returns true if words begin with the one whom they tell of.
pub(super) fn has_subject(text: &str) -> bool {
    let text = text.trim_start();
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    SUBJECTS.contains(&first) || EASTERN_SUBJECTS.iter().any(|word| text.starts_with(word))
}

static SUBJECTS: WordList =
    WordList::new("i my we our ich mein meine wir unser unsere yo mi mis je j mon ma mes nous");
const EASTERN_SUBJECTS: [&str; 6] = ["我", "私", "僕", "俺", "わたし", "うち"];
static JOINS: WordList = WordList::new("and but und aber y pero et mais");

/// The clause around a span, within a part of a sentence.
fn clause(text: &str, span: &Range<usize>, within: &Range<usize>) -> Range<usize> {
    let before = text.get(within.start..span.start).unwrap_or_default();
    let start = before.rfind(is_edge).map_or(within.start, |at| {
        within.start + at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    });
    let after = text.get(span.end..within.end.max(span.end)).unwrap_or_default();
    let end = after.find(is_edge).map_or(within.end.max(span.end), |at| span.end + at);
    start..end
}

/// The statement in a part of a text: one line, without lead-ins, as people would note it.
pub(crate) fn read(written: &str, kind: Kind, today: Date) -> String {
    let mut text = written.split_whitespace().collect::<Vec<_>>().join(" ");
    text = trimmed(&text).to_owned();
    let named = day::find(&text, today);
    if kind == Kind::Date
        && let Some(event) = named.as_ref().and_then(|named| event_of(&text, &named.range))
    {
        text = event;
    }
    if let Some(named) = named.filter(|named| named.is_relative && kind != Kind::Fact) {
        text = format!("{text} ({})", named.day);
    }
    capitalized(&text)
}

/// Returns true if a text begins by asking to keep something in mind.
pub(super) fn asks_to_keep(text: &str) -> bool {
    KEEP.iter().any(|keep| strip(text.trim(), keep).is_some())
}

const KEEP: &[&str] = &[
    "please don't forget",
    "don't forget",
    "do not forget",
    "please remember",
    "remember",
    "remind me that",
    "keep in mind",
    "vergiss nicht",
    "vergiss bitte nicht",
    "denk daran",
    "no olvides",
    "recuerda",
    "n'oublie pas",
    "记得",
    "记住",
    "别忘了",
    "覚えておいて",
    "忘れないで",
];

/// "My team offsite is on March 15" as a note: "team offsite: March 15".
fn event_of(text: &str, named: &Range<usize>) -> Option<String> {
    let before = text.get(..named.start)?;
    let (event, _) =
        HAPPENS.iter().find_map(|verb| before.trim_end().strip_suffix(verb).map(|event| (event, verb)))?;
    let event = OWNERS.iter().find_map(|owner| strip(event.trim(), owner))?.trim();
    let is_plain = event.split(' ').count() <= 6 && !event.contains([',', '.', ';']);
    (is_plain && !event.is_empty())
        .then(|| format!("{event}: {}", text.get(named.start..).unwrap_or_default()))
}

const OWNERS: &[&str] = &[
    "my", "our", "the", "mein", "meine", "unser", "unsere", "mi", "nuestra", "nuestro", "mon", "ma", "notre",
];
const HAPPENS: &[&str] = &[
    " is on",
    " are on",
    " is",
    " are",
    " will be on",
    " is on the",
    " falls on",
    " ist am",
    " ist",
    " es el",
    " es",
    " est le",
    " est",
];

/// A text without the words that lead into it and those that trail after it.
fn trimmed(text: &str) -> &str {
    let is_mark = |c: char| {
        !c.is_alphanumeric() && !matches!(c, '"' | '\'' | '(' | ')' | '%' | '$' | '€' | '£' | '#' | '+')
    };
    let mut rest = text.trim_matches(is_mark);
    while let Some(shorter) = LEADS.iter().find_map(|lead| strip(rest, lead)) {
        rest = shorter.trim_start_matches(is_mark);
    }
    while let Some(shorter) = TRAILS.iter().find_map(|trail| strip_end(rest, trail)) {
        rest = shorter.trim_end_matches(is_mark);
    }
    if rest.contains(char::is_whitespace) || !text.contains(char::is_whitespace) { rest } else { text }
}

/// A text without a phrase that it begins with, however its letters and apostrophes are written.
fn strip<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let mut chars = text.char_indices();
    for wanted in phrase.chars() {
        let (_, c) = chars.next()?;
        if !plain(c).to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    let rest = text.get(chars.offset()..)?;
    let is_whole =
        !phrase.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
    (is_whole && rest.contains(char::is_alphanumeric)).then_some(rest)
}

fn strip_end<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let start = text.len().checked_sub(phrase.len())?;
    let (rest, end) = text.split_at_checked(start)?;
    let is_whole = !phrase.is_ascii() || !rest.ends_with(char::is_alphanumeric);
    (is_whole && end.to_lowercase() == phrase && rest.contains(char::is_alphanumeric)).then_some(rest)
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + chars.as_str()
}

/// What leads into a statement. Longer ones stand before their own beginnings.
const LEADS: &[&str] = &[
    "hi there",
    "hey there",
    "hello there",
    "please don't forget that",
    "please don't forget",
    "don't forget that",
    "don't forget",
    "do not forget that",
    "do not forget",
    "please remember that",
    "please remember",
    "remember that",
    "remember",
    "remind me that",
    "keep in mind that",
    "keep in mind",
    "please note that",
    "note that",
    "you should know that",
    "just so you know",
    "just fyi",
    "fyi",
    "heads up",
    "by the way",
    "btw",
    "for context",
    "for the record",
    "as i said",
    "like i said",
    "as you know",
    "i should mention that",
    "i should mention",
    "i forgot to mention that",
    "i forgot to mention",
    "it turns out that",
    "it turns out",
    "turns out",
    "the thing is",
    "fun fact",
    "good news",
    "quick update",
    "update",
    "given that",
    "now that",
    "seeing as",
    "because",
    "since",
    "cuz",
    "and",
    "but",
    "so",
    "oh",
    "well",
    "ok",
    "okay",
    "hey",
    "hi",
    "hello",
    "also",
    "anyway",
    "actually",
    "honestly",
    "yeah",
    "yes",
    "yep",
    "nope",
    "hmm",
    "ugh",
    "wait",
    "sorry",
    "thanks",
    "lol",
    "haha",
    "plus",
    "ps",
    "apparently",
    "unfortunately",
    "luckily",
    "please",
    "correction",
    "übrigens",
    "vergiss nicht dass",
    "vergiss nicht",
    "und",
    "aber",
    "also",
    "hallo",
    "weil",
    "da",
    "no olvides que",
    "recuerda que",
    "por cierto",
    "hola",
    "pues",
    "bueno",
    "porque",
    "y",
    "pero",
    "n'oublie pas que",
    "au fait",
    "bonjour",
    "salut",
    "parce que",
    "et",
    "mais",
    "对了",
    "顺便说一下",
    "记得",
    "记住",
    "别忘了",
    "請記住",
    "记一下",
    "另外",
    "ちなみに",
    "覚えておいて",
    "あと",
];

/// What trails after a statement.
const TRAILS: &[&str] = &[
    "by the way",
    "nice to meet you",
    "i guess",
    "i think",
    "to be honest",
    "thank you",
    "lol",
    "haha",
    "hahaha",
    "btw",
    "tbh",
    "please",
    "pls",
    "thanks",
    "thx",
    "though",
    "anyway",
    "and",
    "so",
    "but",
    "because",
    "fyi",
    "xd",
    "bitte",
    "danke",
    "gracias",
    "merci",
    "und",
    "aber",
    "y",
    "pero",
    "et",
    "mais",
];

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = Date::constant(2026, 11, 16);

    #[test]
    fn i1_a_statement_is_read_without_what_stands_around_it() {
        for (written, kind, statement) in [
            ("Don't forget my team offsite is on March 15", Kind::Date, "Team offsite: March 15"),
            ("and btw, I’m allergic to peanuts, thanks!", Kind::Fact, "I’m allergic to peanuts"),
            ("my driving test is next Friday.", Kind::Date, "Driving test: next Friday (2026-11-27)"),
            ("I want to see Oslo by June", Kind::Goal, "I want to see Oslo by June"),
            ("对了，我住在上海", Kind::Fact, "我住在上海"),
            ("Please always answer in bullet points", Kind::Preference, "Always answer in bullet points"),
            ("so", Kind::Fact, "So"),
        ] {
            assert_eq!(read(written, kind, TODAY), statement);
        }
    }

    #[test]
    fn i1_a_sentence_with_one_statement_stays_whole_and_one_with_two_falls_into_clauses() {
        let text = "What now? I live in Rome with Ana. I work at Bosch, and I like tea. Nadine lives in Ulm and is \
                    coming on 27 May.";
        let spans = [
            (Kind::Fact, "I live in Rome", "I live in Rome with Ana."),
            (Kind::Fact, "I work at Bosch", "I work at Bosch"),
            (Kind::Fact, "I like tea", ", and I like tea."),
            (Kind::Fact, "Nadine lives in Ulm", "Nadine lives in Ulm"),
            (Kind::Date, "coming on 27 May", "and is coming on 27 May."),
        ];
        let all = spans.map(|(kind, part, _)| {
            let at = text.find(part).unwrap();
            Span { kind, range: at..at + part.len(), sure: 1.0 }
        });
        let parts = all.each_ref().map(|span| text.get(around(text, span, &all)).unwrap().trim());
        assert_eq!(parts, spans.map(|(_, _, whole)| whole));
    }

    fn span(text: &str, kind: Kind, part: &str) -> Span {
        let at = text.find(part).unwrap();
        Span { kind, range: at..at + part.len(), sure: 1.0 }
    }

    #[test]
    fn i1_what_one_clause_tells_is_one_statement() {
        let text = "We fly to Oslo on Friday at noon, my sister waits there and I pack.";
        let spans = [
            (Kind::Fact, "We fly to"),
            (Kind::Date, "on Friday at noon"),
            (Kind::Fact, "my sister waits there"),
            (Kind::Goal, "I pack"),
        ];
        let merged = merged(text, spans.map(|(kind, part)| span(text, kind, part)).to_vec());
        let told: Vec<_> = merged.iter().map(|it| (it.kind, text.get(it.range.clone()).unwrap())).collect();
        let whole = (Kind::Date, "We fly to Oslo on Friday at noon");
        assert_eq!(told, [whole, (Kind::Fact, "my sister waits there"), (Kind::Goal, "I pack")]);
    }

    #[test]
    fn i1_the_words_between_two_statements_belong_to_the_one_whose_clause_they_stand_in() {
        let text = "The roof is from 1790 and listed, by autumn it gets new shingles.";
        let all = [
            span(text, Kind::Fact, "The roof is from 1790"),
            span(text, Kind::Goal, "by autumn it gets new shingles"),
        ];
        let parts = all.each_ref().map(|span| text.get(around(text, span, &all)).unwrap());
        assert_eq!(parts, ["The roof is from 1790 and listed", ", by autumn it gets new shingles."]);
    }
}
