//! What is worth keeping of what a person says. Pure: texts in, candidates for memories out.

pub mod attribute;
mod category;
pub mod change;
pub mod day;
mod doubt;
pub mod gate;
mod kind;
pub mod own;
pub mod same;
mod statement;
mod tagger;
mod voice;
mod wording;

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub use self::kind::{Kind, UnknownKind};
use crate::sentences::sentences;

/// The most text one memory may hold, in characters: beyond this it is no statement but a story.
pub const LONGEST_STATEMENT: usize = 400;

/// A statement that may become a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it states.
    pub kind: Kind,
    /// The statement, in the person's own words.
    pub text: String,
    /// What it is about, such as `home`, `work`, `food`.
    pub category: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// The bytes of the person's message that prove it.
    pub span: Range<usize>,
    /// The day it is about, if it has one.
    pub day: Option<Date>,
}

/// Spans less sure than this are left out; of a message that is one short statement, less is enough.
const LEAST_SURE: f32 = 0.8;
const LEAST_SURE_ALONE: f32 = 0.5;
/// Maximum length of a message that is one short statement, in characters.
const SHORT: usize = 100;

/// A longer message is a document, not talk, in bytes.
const LONGEST_TALK: usize = 32 * 1024;
/// Maximum number of statements that one message is read for.
const MOST: usize = 48;
/// A sentence that is longer is no statement as a whole, in bytes.
const LONGEST_SENTENCE: usize = 600;

/// What a message says about the person who wrote it that is worth keeping. The caller asks the gate whether to admit it.
#[must_use]
pub fn extract(text: &str, at: Timestamp, zone: &TimeZone) -> Vec<Candidate> {
    if text.len() > LONGEST_TALK {
        return Vec::new();
    }
    let today = zone.to_datetime(at).date();
    let own = own::own_words(text);
    let is_own =
        |range: &Range<usize>| own.iter().any(|part| part.start <= range.start && range.end <= part.end);
    let mut spans = tagger::spans(text);
    let is_alone = is_one_statement(text);
    if is_alone && spans.is_empty() {
        spans.extend(tagger::whole(text));
    }
    let least = if is_alone { LEAST_SURE_ALONE } else { LEAST_SURE };
    let voice = voice::Voice::of(text);
    spans.retain(|span| span.sure >= least && is_own(&span.range) && !voice.is_foreign(&span.range));
    spans.truncate(MOST);
    let ranges: Vec<Range<usize>> = spans.iter().map(|span| span.range.clone()).collect();
    let mut found: Vec<Candidate> = Vec::new();
    for span in spans {
        let around = statement::around(text, &span.range, &ranges);
        let is_statement = is_own(&around) && around.len() <= LONGEST_SENTENCE;
        let around = if is_statement { around } else { span.range };
        let Some(written) = text.get(around.clone()) else { continue };
        let candidate = Candidate {
            confidence: span.sure,
            span: around,
            ..candidate(&statement::read(written, span.kind, today), span.kind, today)
        };
        if !found.iter().any(|known| known.text == candidate.text) {
            found.push(candidate);
        }
    }
    found
}

/// Whether a message is one short sentence that asks and cites nothing: then it is there to tell something.
fn is_one_statement(text: &str) -> bool {
    let marks = [':', '：', '"', '“', '「', '\n', '?', '？', '`'];
    text.chars().nth(SHORT).is_none() && !text.contains(marks) && sentences(text.trim()).len() == 1
}

/// A statement that somebody asks to keep, of the kind that it most likely has if none is given.
#[must_use]
pub fn stated(text: &str, kind: Option<Kind>, today: Date) -> Candidate {
    let kind = kind.or_else(|| tagger::likeliest_kind(text)).unwrap_or(Kind::Fact);
    candidate(text, kind, today)
}

/// A fact that says what the person prefers is a preference.
fn sorted(kind: Kind, text: &str) -> Kind {
    let prefers =
        |word: &str| word.starts_with("prefer") || word.starts_with("prefier") || word.starts_with("préfèr");
    match text.to_lowercase().split_whitespace().take(3).any(prefers) {
        true if kind == Kind::Fact => Kind::Preference,
        _ => kind,
    }
}

fn candidate(text: &str, kind: Kind, today: Date) -> Candidate {
    let kind = sorted(kind, text);
    Candidate {
        kind,
        category: category::of(kind, text).to_owned(),
        confidence: 1.0,
        span: 0..text.len(),
        day: match kind {
            Kind::Goal => day::deadline(text, today),
            Kind::Fact | Kind::Preference | Kind::Date | Kind::Outcome => {
                day::find(text, today).map(|named| named.day)
            }
        },
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
