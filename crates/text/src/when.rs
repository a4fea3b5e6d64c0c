//! The time that a question names, as a span in the person's zone that narrows a search.

mod grammar;
mod neighborhood;
mod phrases;
mod span;
#[cfg(test)]
mod tests;
mod tokens;

use std::ops::Range;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use grammar::{GRAMMAR, Match, Reach};
use tokens::{Token, tokens};

/// A span of time that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// Its first moment.
    pub from: Timestamp,
    /// The first moment after it.
    pub until: Timestamp,
    /// The byte range of the phrase in the text.
    pub phrase: Range<usize>,
}

/// The span that a question names, if it names one: the first that has begun, since nothing was said in the future.
#[must_use]
pub fn read(question: &str, now: Timestamp, zone: &TimeZone) -> Option<When> {
    let tokens = tokens(question);
    let mut at = 0;
    while at < tokens.len() {
        let Some(found) = GRAMMAR.longest_at(&tokens, at) else {
            at += 1;
            continue;
        };
        if let Some(when) = place(&found, &tokens, now, zone) {
            return Some(when);
        }
        at = found.tokens.end;
    }
    None
}

fn place(found: &Match, tokens: &[Token], now: Timestamp, zone: &TimeZone) -> Option<When> {
    let (from, until) = span::of(found.phrase?, &found.named, now, zone)?;
    let until = match found.reach {
        Reach::Within => until,
        Reach::Since => now,
        Reach::Elsewhere => return None,
    };
    let words = tokens.get(found.tokens.clone())?;
    let phrase = words.first()?.range.start..words.last()?.range.end;
    (from <= now && from < until).then_some(When { from, until, phrase })
}
