//! What is worth keeping of what a person says. Pure: texts in, candidates for memories out.

mod category;
pub mod day;
mod doubt;
pub mod gate;
mod kind;
mod network;
pub mod own;
mod spans;
pub(crate) mod statement;
mod word;

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub use self::kind::{Kind, UnknownKind};
use self::spans::{Labels, Span};
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
const LEAST_SURE: f32 = 0.75;
const LEAST_SURE_ALONE: f32 = 0.5;
/// Maximum length of a message that is one short statement, in characters.
const SHORT: usize = 100;

/// A longer message is a document, not talk, in bytes.
const LONGEST_TALK: usize = 32 * 1024;
/// Maximum number of statements that one message is read for.
const MOST: usize = 48;
/// A sentence that is longer is no statement as a whole, in bytes.
const LONGEST_SENTENCE: usize = 600;

/// A message, read once for what it says about the person who wrote it.
pub struct Reading<'m> {
    text: &'m str,
    labels: Labels,
    /// The parts in the person's own voice.
    own: Vec<Range<usize>>,
}

impl<'m> Reading<'m> {
    /// Reads a message. A document is read as if it told nothing.
    #[must_use]
    pub fn of(text: &'m str) -> Self {
        let labels = if text.len() > LONGEST_TALK { Labels::default() } else { Labels::of(text) };
        let own = own::without(&labels.foreign(text), own::unquoted(text));
        Self { text, labels, own }
    }

    /// The message.
    #[must_use]
    pub fn text(&self) -> &'m str {
        self.text
    }

    /// The parts in the person's own voice, in order, in bytes.
    #[must_use]
    pub fn own(&self) -> &[Range<usize>] {
        &self.own
    }

    /// The statements that are worth keeping, before the gate is asked whether to [admit](gate::admit) them.
    #[must_use]
    pub fn candidates(&self, at: Timestamp, zone: &TimeZone) -> Vec<Candidate> {
        let today = zone.to_datetime(at).date();
        let spans = self.spans(today);
        let ranges: Vec<Range<usize>> = spans.iter().map(|span| span.range.clone()).collect();
        let mut found: Vec<Candidate> = Vec::new();
        for span in spans {
            let around = statement::around(self.text, &span.range, &ranges);
            let is_statement = self.is_own(&around) && around.len() <= LONGEST_SENTENCE;
            let around = if is_statement { around } else { span.range };
            let Some(written) = self.text.get(around.clone()) else { continue };
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

    fn spans(&self, today: Date) -> Vec<Span> {
        let sentences = sentences(self.text);
        let mut spans: Vec<Span> =
            self.labels.spans().into_iter().flat_map(|span| self.parted(span, &sentences)).collect();
        let is_alone = is_one_statement(self.text);
        if is_alone && spans.is_empty() {
            // A day that somebody asks to keep in mind is kept.
            let is_asked = statement::asks_to_keep(self.text) && day::find(self.text, today).is_some();
            let whole = self.labels.whole(self.text);
            spans.extend(whole.map(|span| if is_asked { Span { sure: 1.0, ..span } } else { span }));
        }
        let least = if is_alone { LEAST_SURE_ALONE } else { LEAST_SURE };
        spans.retain(|span| span.sure >= least && self.is_own(&span.range));
        spans.truncate(MOST);
        spans
    }

    /// A span over several sentences, sentence by sentence if each of them tells something by itself: then one can be
    /// forgotten or changed without the others.
    fn parted(&self, span: Span, sentences: &[Range<usize>]) -> Vec<Span> {
        let parts: Vec<Span> = span.clone().cut(sentences).collect();
        let tells = |part: &Span| {
            let alone = self.text.get(part.range.clone()).map(Labels::of);
            alone.is_some_and(|labels| labels.spans().first().is_some_and(|span| span.sure >= LEAST_SURE))
        };
        if parts.len() > 1 && parts.iter().all(tells) { parts } else { vec![span] }
    }

    fn is_own(&self, part: &Range<usize>) -> bool {
        self.own.iter().any(|own| own.start <= part.start && part.end <= own.end)
    }
}

/// Whether a message is one short sentence that asks and cites nothing: then it is there to tell something.
fn is_one_statement(text: &str) -> bool {
    let marks = [':', '：', '"', '“', '「', '\n', '?', '？', '`'];
    text.chars().nth(SHORT).is_none() && !text.contains(marks) && sentences(text.trim()).len() == 1
}

/// A statement that somebody asks to keep, of the kind that it most likely has if none is given.
#[must_use]
pub fn stated(text: &str, kind: Option<Kind>, today: Date) -> Candidate {
    let kind = kind.or_else(|| Labels::of(text).whole(text).map(|span| span.kind)).unwrap_or(Kind::Fact);
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
