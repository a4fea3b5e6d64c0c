//! Answers to security questions: "security question (first pet): Marmaduke". They are ordinary names and words, known only by
//! what they answer.

use super::cues::{Cue, cues};
use super::phrases::Phrases;
use super::reading::{ends_with_marker, holds_marker, leading, skip_blanks, trailing};
use super::{Class, Secret, Sight, words};
use crate::cjk::is_cjk_or_mark;

/// How much of the line behind the name is looked at.
const LOOK: usize = 120;

/// The words that join a question to its answer.
static JOINTS: Phrases = Phrases::new("joint");

/// The signs and particles that do.
const SIGNS: &[&str] = &[
    ":", "：", "=", "?", "？", "→", "->", " - ", " — ", " – ", "'s ", "’s ", "は", "是", "는 ", "은 ",
    "には", "에 ", "填", "写", "答",
];

/// The answers behind the last joint of each part of the line, or on the next line.
pub(super) fn examine<'t>(sight: &Sight<'t>) -> Vec<Secret<'t>> {
    let line = leading(sight.after, LOOK, |c| c != '\n');
    let inside = sight.before.ends_with(|c: char| c.is_ascii_alphanumeric());
    if inside || ends_with_marker(sight.before) || holds_marker(line) {
        return Vec::new();
    }
    let parts = line.split_inclusive([',', ';', '，', '、']);
    parts
        .filter_map(|part| answer(part, sight.after))
        .map(|text| Secret { text, class: Class::Password })
        .collect()
}

/// Who asks for what is named here, "if they ask for my first pet", and what shows that getting in is meant.
static ASKED: Phrases = Phrases::new("asked");
static ANSWERED: Phrases = Phrases::new("answered");

/// The words that end such a sentence behind the answer.
static ENDS: Phrases = Phrases::new("answer-end");

/// The same where words are not parted.
static ENDS_UNSPACED: Phrases = Phrases::new("answer-end-unspaced");

/// The same behind what a question asks for, if the sentence says that it is one.
pub(super) fn examine_subject<'t>(sight: &Sight<'t>) -> Vec<Secret<'t>> {
    let front = trailing(sight.before, LOOK, |c| !matches!(c, '\n' | '!')).to_lowercase();
    let behind = leading(sight.after, LOOK, |c| !matches!(c, '\n' | '.' | '!')).to_lowercase();
    let words = || {
        front
            .split(' ')
            .chain(behind.split(' '))
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
    };
    let is_one = |word: &str, list: &Phrases| {
        list.iter().any(|known| word == known || known.starts_with(is_cjk_or_mark) && word.contains(known))
    };
    let asks = words().any(|word| is_one(word, &ASKED));
    let meant = |word: &str| cues("", word).any(&[Cue::Account, Cue::Access]) || is_one(word, &ANSWERED);
    let asks = asks && words().any(meant);
    if asks { examine(sight) } else { Vec::new() }
}

/// The answer in this part of a line of `after`.
fn answer<'t>(part: &str, after: &'t str) -> Option<&'t str> {
    let start = super::span_of(part, after).start;
    let signs = SIGNS.iter().flat_map(|sign| part.match_indices(sign));
    let is_apart = |(at, word): &(usize, &str)| {
        let (before, behind) = (part.get(..*at), part.get(at + word.len()..));
        before.is_some_and(|text| text.ends_with(' ')) && behind.is_some_and(|text| text.starts_with(' '))
    };
    let words = JOINTS.iter().flat_map(|word| part.match_indices(word)).filter(is_apart);
    let mut joints: Vec<usize> = signs.chain(words).map(|(at, joint)| at + joint.len()).collect();
    joints.sort_unstable_by(|one, other| other.cmp(one));
    // "mother's maiden name Kowalski"
    let named = || part.strip_prefix(' ').filter(|rest| rest.starts_with(char::is_uppercase)).map(|_| 1);
    let behind = |joint: usize| {
        let rest = after.get(start + joint..)?;
        let below = rest.trim_start_matches([' ', '\r']).strip_prefix('\n').map(skip_blanks);
        said(below.unwrap_or(rest))
    };
    joints.is_empty().then(named).flatten().into_iter().chain(joints).find_map(behind)
}

/// One to four words up to the clause's end, or up to the words that continue it: "Kowalski for the bank".
fn said(text: &str) -> Option<&str> {
    let text = skip_blanks(text).trim_start_matches(['"', '“', '«', '„', '\'', '「', '*', '`']);
    let end = |c: char| !".,;!()\n\"”»」。？?*`".contains(c);
    // "a Trabant"
    let first = leading(text, 8, char::is_alphabetic);
    let is_article = cues("", &first.to_lowercase()).has(Cue::Place) && first.len() <= 4;
    let named = text
        .get(first.len()..)
        .map(skip_blanks)
        .filter(|rest| is_article && rest.starts_with(char::is_uppercase));
    let text = named.unwrap_or(text);
    let clause = leading(text, 64, end);
    let asked = text.get(clause.len()..).is_some_and(|rest| rest.starts_with(['?', '？']));
    let is_little = |word: &str| words::is_little(&word.to_lowercase());
    let continued = clause.split(' ').find(|word| words::continues(&word.to_lowercase()));
    let clause = match continued.map(|word| super::span_of(word, clause).start) {
        Some(start) if clause.starts_with(char::is_uppercase) => clause.get(..start)?.trim_end(),
        _ => clause.trim_end(),
    };
    let clause = ENDS_UNSPACED
        .iter()
        .filter_map(|end| clause.find(end))
        .min()
        .and_then(|at| clause.get(..at))
        .unwrap_or(clause);
    let parted = ENDS.iter().find_map(|end| clause.strip_suffix(end)?.strip_suffix(' '));
    let clause = parted.unwrap_or(clause);
    let count = clause.split_whitespace().count();
    let fits = (1..=4).contains(&count) && clause.chars().count() >= 3 && clause.len() < 60 && !asked;
    let said = fits && !clause.split_whitespace().any(is_little) && !words::is_remark(clause);
    said.then_some(clause)
}
