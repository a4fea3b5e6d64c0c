//! What a statement says after those before it: one that names no event is of the one that was told last.

use jiff::civil::Date;
use rustc_hash::FxHashSet;

use super::ending::{done, ended};
use super::is_marked;
use crate::extract::{Candidate, Kind, Reading, day, gate, stated, statement};
use crate::intent::asks::asks;
use crate::relate::attribute::{is_moved, moved_to, names_event, note};
use crate::sentences::sentences;

/// A longer sentence tells more than a change, in bytes.
const LONGEST_CHANGE: usize = 120;

/// The statements of a candidate, where `newest` is the date that was told last in the same conversation. None if it gives
/// a day to something that nobody named.
#[must_use]
pub fn follow(candidate: Candidate, newest: Option<&str>, today: Date) -> Vec<Candidate> {
    let is_dated = candidate.kind == Kind::Date || candidate.kind == Kind::Fact && candidate.day.is_some();
    if is_dated && is_of_another(&candidate.text, today) {
        let moved = newest.and_then(|known| moved_to(known, &candidate.text, today));
        return moved.map(|text| with(&candidate, &text, Kind::Date, today)).into_iter().collect();
    }
    if candidate.kind != Kind::Date {
        return vec![candidate];
    }
    if is_moved(&candidate.text)
        && let Some(note) = note(&candidate.text, today)
    {
        return vec![with(&candidate, &note, Kind::Date, today)];
    }
    let parts: Vec<&str> = parts(&candidate.text);
    let has_day = |part: &&str| day::find(part, today).is_some() && names_event(part);
    if parts.len() > 1 && parts.iter().all(has_day) {
        let read =
            |part: &&str| with(&candidate, &statement::read(part, Kind::Date, today), Kind::Date, today);
        return parts.iter().map(read).collect();
    }
    vec![candidate]
}

/// Whether a candidate is kept even if it changes nothing that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// It states something by itself.
    Keeping,
    /// It only ends or corrects what is known.
    IfItChanges,
}

/// The candidates of a message in the order in which they are learned: what it states, then what may end or correct what is
/// known.
#[must_use]
pub fn with_changes(reading: &Reading<'_>, stated: Vec<Candidate>, today: Date) -> Vec<(Candidate, Worth)> {
    let mut changes = changes_in(reading.text(), &stated, today);
    changes.retain(|change| gate::admit(change, reading, today).is_ok());
    let stated = stated.into_iter().map(|it| (it, Worth::Keeping));
    stated.chain(changes.into_iter().map(|it| (it, Worth::IfItChanges))).collect()
}

/// Sentences that nothing was learned from, but that may end or correct what is known: "Rex died", "Sorry, I meant 5 July".
pub(super) fn changes_in(text: &str, found: &[Candidate], today: Date) -> Vec<Candidate> {
    let is_free = |part: &std::ops::Range<usize>| {
        part.len() <= LONGEST_CHANGE
            && !found.iter().any(|it| it.span.start < part.end && part.start < it.span.end)
    };
    let changes = |said: &str| {
        !asks(said) && (ended(said).is_some() || done(said).is_some() || is_of_another(said, today))
    };
    // The same words again change nothing either.
    let mut refused = FxHashSet::default();
    sentences(text)
        .into_iter()
        .filter(is_free)
        .filter_map(|span| {
            let said = text.get(span.clone())?.trim().trim_end_matches(['.', '!', '。', '！']);
            let is_change = !refused.contains(said) && changes(said);
            if !is_change {
                refused.insert(said);
            }
            is_change.then(|| Candidate {
                span,
                confidence: LEAST_SURE,
                ..stated(said, Some(Kind::Fact), today)
            })
        })
        .take(MOST_CHANGES)
        .collect()
}

/// How sure a change is that was not found as a statement.
const LEAST_SURE: f32 = 0.5;
const MOST_CHANGES: usize = 4;

/// Returns true if a statement gives another day to something that it does not name.
fn is_of_another(text: &str, today: Date) -> bool {
    (is_moved(text) || is_marked(text)) && !names_event(text) && day::find(text, today).is_some()
}

fn with(candidate: &Candidate, text: &str, kind: Kind, today: Date) -> Candidate {
    let (span, confidence) = (candidate.span.clone(), candidate.confidence);
    Candidate { span, confidence, ..stated(text, Some(kind), today) }
}

fn parts(text: &str) -> Vec<&str> {
    let joints = [" and ", " und ", " y ", " et ", "; ", ", ", "，", "、"];
    let joint = joints.iter().find(|joint| text.contains(**joint));
    joint.map_or_else(|| vec![text], |joint| text.split(joint).collect())
}
