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
use crate::intent::asks::asks;
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

/// Spans less sure than this are left out. More is asked of a message that is one short statement, and less of a span that
/// begins with the person, in a message that is short and plain.
const LEAST_SURE: f32 = 0.7;
const LEAST_SURE_ALONE: f32 = 0.7;
const LEAST_SURE_OF_PERSON: f32 = 0.45;
/// Beside the words of others, a span that is this sure by itself needs only to be as sure within the message.
const SURE_BY_ITSELF: f32 = 0.9;
const SURE_BESIDE_OTHERS: f32 = 0.5;
/// A sentence that is more likely to be another's is not read by itself.
const MOST_FOREIGN: f32 = 0.5;
/// Maximum length of a message whose sentences are read by themselves, too, in characters.
const BRIEF: usize = 200;
/// Maximum length of a short message, in characters.
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
        // A short message about oneself has no room for another.
        let foreign = if is_of_person(text) { Vec::new() } else { labels.foreign(text) };
        let own = own::without(&foreign, own::unquoted(text));
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
        let mut found: Vec<Candidate> = Vec::new();
        for span in &spans {
            let around = statement::around(self.text, span, &spans);
            let is_statement = self.is_own(&around) && around.len() <= LONGEST_SENTENCE;
            let around = if is_statement { around } else { span.range.clone() };
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
        let told = statement::merged(self.text, self.labels.spans());
        let read = told.into_iter().map(|span| self.beside_others(span));
        let mut spans: Vec<Span> = read.flat_map(|span| self.parted(span, &sentences)).collect();
        let is_alone = is_one_statement(self.text);
        if self.text.chars().nth(BRIEF).is_none() {
            self.read_by_themselves(&sentences, &mut spans);
        }
        if is_alone && spans.is_empty() {
            // A day that somebody asks to keep in mind is kept.
            let is_asked = statement::asks_to_keep(self.text) && day::find(self.text, today).is_some();
            let whole = self.labels.whole(self.text);
            spans.extend(whole.map(|span| if is_asked { Span { sure: 1.0, ..span } } else { span }));
        }
        let is_plain = is_plain(self.text);
        let least = |span: &Span| match self.text.get(span.range.clone()) {
            Some(written) if is_plain && statement::has_subject(written) => LEAST_SURE_OF_PERSON,
            _ if is_alone => LEAST_SURE_ALONE,
            _ => LEAST_SURE,
        };
        spans.retain(|span| span.sure >= least(span) && self.is_own(&span.range));
        spans.truncate(MOST);
        spans
    }

    /// A span as sure as it is by itself, if the words of others around it only cast doubt on it: "I'm a nurse. Translate
    /// this: …".
    fn beside_others(&self, span: Span) -> Span {
        let is_beside = self.own.first() != Some(&(0..self.text.len()));
        let written = self.text.get(span.range.clone()).unwrap_or_default();
        if !is_beside || span.sure < SURE_BESIDE_OTHERS || !statement::has_subject(written) {
            return span;
        }
        let alone = Labels::of(written).spans().into_iter().map(|it| it.sure).fold(0.0, f32::max);
        if alone >= SURE_BY_ITSELF { Span { sure: alone, ..span } } else { span }
    }

    /// Adds what sentences about the person tell by themselves: beside a question about something else, the message as a whole
    /// casts doubt on them.
    fn read_by_themselves(&self, sentences: &[Range<usize>], spans: &mut Vec<Span>) {
        let are_one = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
        let is_of_person = is_of_person(self.text);
        let parts: Vec<Range<usize>> = match is_of_person {
            true => sentences.iter().flat_map(|sentence| statement::joined(self.text, sentence)).collect(),
            false => sentences.to_vec(),
        };
        for sentence in parts.iter().filter(|_| parts.len() > 1) {
            let written = self.text.get(sentence.clone()).unwrap_or_default();
            let is_sure = spans.iter().any(|span| span.sure >= LEAST_SURE && are_one(&span.range, sentence));
            let is_plain = is_plain(written) && statement::has_subject(written) && !asks(written);
            let is_anothers = !is_of_person && self.labels.foreign_share(sentence) > MOST_FOREIGN;
            if is_sure || !is_plain || is_anothers {
                continue;
            }
            let told = Labels::of(written).spans().into_iter().max_by(|a, b| a.sure.total_cmp(&b.sure));
            if let Some(told) = told.filter(|told| told.sure >= LEAST_SURE_ALONE) {
                spans.retain(|span| !are_one(&span.range, sentence));
                let range = told.range.start + sentence.start..told.range.end + sentence.start;
                spans.push(Span { range, ..told });
            }
        }
        spans.sort_by_key(|span| span.range.start);
    }

    /// A span over several sentences, sentence by sentence if each of them tells something by itself: then one can be
    /// forgotten or changed without the others. "Daughter's wedding. June 20, Branson" is one.
    fn parted(&self, span: Span, sentences: &[Range<usize>]) -> Vec<Span> {
        let parts: Vec<Span> = span.clone().cut(sentences).collect();
        let written = |part: &Span| self.text.get(part.range.clone()).unwrap_or_default();
        let tells = |part: &Span| {
            Labels::of(written(part)).spans().first().is_some_and(|span| span.sure >= LEAST_SURE)
        };
        let (first, rest) = parts.split_at(parts.len().min(1));
        let stand_alone = rest.iter().all(|part| statement::has_subject(written(part)) && tells(part));
        let are_several = !rest.is_empty() && stand_alone && first.iter().all(tells);
        if are_several { parts } else { vec![span] }
    }

    fn is_own(&self, part: &Range<usize>) -> bool {
        self.own.iter().any(|own| own.start <= part.start && part.end <= own.end)
    }
}

/// Returns true if a message is one short sentence that asks and cites nothing: then it is there to tell something.
fn is_one_statement(text: &str) -> bool {
    is_plain(text) && !text.contains('\n') && sentences(text.trim()).len() == 1
}

/// Returns true if a short message asks and cites nothing, and all its sentences begin with the person.
fn is_of_person(text: &str) -> bool {
    let begins = |sentence: &Range<usize>| text.get(sentence.clone()).is_some_and(statement::has_subject);
    is_plain(text) && sentences(text).iter().all(begins)
}

/// Returns true if a short message asks and cites nothing.
fn is_plain(text: &str) -> bool {
    let marks = [':', '：', '"', '“', '「', '?', '？', '`'];
    text.chars().nth(SHORT).is_none() && !text.contains(marks)
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
