//! Finds memories in a person's message by the grammar of what they say, with no model.
//!
//! The person's own words fall into sentences and clauses. A clause that asks, supposes or jokes is passed over; the others are
//! held against tables of patterns, one file for each kind of memory. One clause makes one candidate, in the person's words.

mod aside;
mod chinese;
mod chinese_day;
mod chinese_table;
mod classes;
mod clause;
mod date;
mod day;
mod day_words;
mod doubt;
mod fact;
mod fact_table;
mod goal;
mod japanese;
mod lead;
mod neighbors;
mod pattern;
mod preference;
mod statement;
#[cfg(test)]
mod tests;
mod token;
mod topic;
mod verb;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use std::ops::Range;

use super::{Candidate, own};

pub(super) use doubt::Doubt;

/// What a message of theirs says about the person that is worth keeping. The caller asks the gate whether to admit it.
#[must_use]
pub fn extract(text: &str, at: Timestamp, zone: &TimeZone) -> Vec<Candidate> {
    let today = zone.to_datetime(at).date();
    let mut found: Vec<Candidate> = Vec::new();
    for part in own::own_words(text) {
        let sentences = clause::sentences(text, part);
        let jokes = doubt::jokes(text, &sentences);
        let previous = std::iter::once(None).chain(sentences.iter().map(Some));
        let meant = sentences.iter().zip(previous).zip(jokes).filter(|(_, is_joke)| !is_joke);
        for ((sentence, previous), _) in meant {
            let statements = if chinese::is_written(sentence) {
                chinese::statements(text, sentence, today)
            } else {
                statement::statements(text, sentence, previous, today)
            };
            for candidate in statements {
                // What a later sentence adds to takes its place.
                found.retain(|known| known.kind != candidate.kind || !continues(&candidate, known));
                if !found.iter().any(|known| known.text == candidate.text) {
                    found.push(candidate);
                }
            }
        }
    }
    found
}

/// Whether a candidate begins with all that another says, and says more.
fn continues(candidate: &Candidate, known: &Candidate) -> bool {
    candidate.text.len() > known.text.len() && candidate.text.starts_with(&known.text)
}

/// The clauses of a person's own words, and what makes each no statement.
pub(super) fn clauses_with_doubts(text: &str) -> Vec<(Range<usize>, Option<Doubt>)> {
    let mut all = Vec::new();
    for part in own::own_words(text) {
        let sentences = clause::sentences(text, part);
        let jokes = doubt::jokes(text, &sentences);
        for (sentence, is_joke) in sentences.iter().zip(jokes) {
            let doubts = if chinese::is_written(sentence) {
                chinese::doubts(text, sentence)
            } else {
                statement::doubts(sentence)
            };
            all.extend(
                doubts
                    .into_iter()
                    .map(|(part, doubt)| (part, if is_joke { Some(Doubt::Joke) } else { doubt })),
            );
        }
    }
    all
}

/// Whether a text begins with certain words, however their short forms are written.
pub(super) fn begins_with(text: &str, words: &str) -> bool {
    let spelled: Vec<String> =
        token::tokens(text, 0..text.len()).into_iter().map(|token| token.text).collect();
    let begun = spelled.join(" ");
    begun
        .strip_prefix(words)
        .is_some_and(|rest| !words.is_ascii() || !rest.starts_with(char::is_alphanumeric))
}
