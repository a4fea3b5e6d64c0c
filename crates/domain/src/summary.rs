//! A summary: a short text for a span of a lane's messages. The messages themselves stay unchanged.

use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::message::MessageId;
use throughline_text::summarize::sections::Sections;

/// The scope of a summary.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownScope, parse_err_fn = UnknownScope::new)]
pub enum Scope {
    /// One conversation.
    Conversation,
    /// A part of a long conversation.
    Chunk,
    /// Everything of a lane up to the watermark.
    Lane,
    /// All lanes of a chat.
    Chat,
}

as_str!(Scope);

/// A text that is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a summary scope")]
pub struct UnknownScope(String);

impl UnknownScope {
    fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// A position in a lane: by time of sending, then by order of recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// When the message was sent.
    pub at: Timestamp,
    /// Its sequence number in the store.
    pub seq: i64,
}

/// One end of a summary's span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The message.
    pub id: MessageId,
    /// Its position in the lane.
    pub position: Position,
}

/// A short text for a span of messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its id.
    pub id: uuid::Uuid,
    /// Its scope.
    pub scope: Scope,
    /// The text; empty if nothing was worth keeping.
    pub text: String,
    /// The text by section, if it has sections.
    pub sections: Sections,
    /// The number of messages it covers.
    pub messages: u64,
    /// The first message it covers.
    pub first: End,
    /// The last message it covers: the watermark of its scope.
    pub last: End,
    /// How often it was replaced.
    pub version: u32,
    /// When it was written.
    pub updated_at: Timestamp,
    /// The sequence number of the newest message when it was written.
    pub made_after: i64,
    /// True if a message arrived later inside its span.
    pub stale: bool,
}

impl Summary {
    /// Returns true if the span contains this position.
    #[must_use]
    pub fn covers(&self, position: Position) -> bool {
        self.first.position <= position && position <= self.last.position
    }
}

/// The summaries of a lane without old versions: of the lane's own only the newest, which includes the others.
#[must_use]
pub fn newest_versions(mut summaries: Vec<Summary>) -> Vec<Summary> {
    let own = summaries.iter().filter(|summary| summary.scope == Scope::Lane);
    let newest = own.map(|summary| summary.version).max();
    summaries.retain(|summary| summary.scope != Scope::Lane || Some(summary.version) == newest);
    summaries
}

/// Non-overlapping summaries of one lane, oldest first: those of conversations first, then others in the gaps.
#[must_use]
pub fn ranges(summaries: &[Summary]) -> Vec<&Summary> {
    let mut order: Vec<&Summary> = summaries.iter().collect();
    order.sort_by_key(|summary| (summary.scope, summary.first.position));
    let mut chosen: Vec<&Summary> = Vec::new();
    for summary in order {
        let overlaps = |other: &&Summary| {
            other.first.position <= summary.last.position && summary.first.position <= other.last.position
        };
        if !chosen.iter().any(overlaps) {
            chosen.push(summary);
        }
    }
    chosen.sort_by_key(|summary| summary.first.position);
    chosen
}

/// Why a summary's span is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSpan {
    /// It ends before it begins.
    #[error("the span ends before it begins")]
    Reversed,
    /// A part of it is summarized already.
    #[error("the span overlaps the summary that ends at the watermark")]
    Overlap,
    /// It leaves unsummarized messages after the watermark.
    #[error("the span leaves a gap of {0} messages after the watermark")]
    Gap(u64),
}

/// Checks that a new span of a scope begins right after the watermark, without gap or overlap.
///
/// `skipped` is the number of messages between the watermark and the span's first message.
///
/// # Errors
/// If the span is reversed, overlaps, or leaves a gap.
pub fn follows(
    watermark: Option<Position>,
    first: Position,
    last: Position,
    skipped: u64,
) -> Result<(), BadSpan> {
    if last < first {
        return Err(BadSpan::Reversed);
    }
    if watermark.is_some_and(|mark| first <= mark) {
        return Err(BadSpan::Overlap);
    }
    if skipped > 0 {
        return Err(BadSpan::Gap(skipped));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn position(seq: i64) -> Position {
        Position { at: Timestamp::from_second(seq).unwrap(), seq }
    }

    proptest! {
        #[test]
        fn b3_accepted_spans_of_one_scope_have_no_gap_and_no_overlap(spans in proptest::collection::vec((0i64..60, 0i64..60), 1..40)) {
            let mut accepted: Vec<(i64, i64)> = Vec::new();
            for (first, last) in spans {
                let mark = accepted.last().map(|span| span.1);
                let skipped = (first - mark.unwrap_or(-1) - 1).max(0) as u64;
                if follows(mark.map(position), position(first), position(last), skipped).is_ok() {
                    accepted.push((first, last));
                }
            }
            let covered: Vec<i64> = accepted.iter().flat_map(|&(first, last)| first..=last).collect();
            let expected: Vec<i64> = (0..covered.len() as i64).collect();
            prop_assert_eq!(covered, expected);
        }
    }
}
