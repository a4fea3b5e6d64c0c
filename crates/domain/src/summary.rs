//! A summary: the short text of a span of a lane's messages. The messages themselves stay as they are.

use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::message::MessageId;
use throughline_text::summarize::sections::Sections;

/// What a summary covers.
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

impl Scope {
    /// The name in JSON and SQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A text that is no scope of a summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a summary scope")]
pub struct UnknownScope(String);

impl UnknownScope {
    fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// A place in the order of a lane: by when it was said, then by when it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// When the message was said.
    pub at: Timestamp,
    /// Its sequence number in the store.
    pub seq: i64,
}

/// One end of a summary's span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The message there.
    pub id: MessageId,
    /// Its place in the lane.
    pub position: Position,
}

/// Condensed text of a span of messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its id.
    pub id: uuid::Uuid,
    /// What it covers.
    pub scope: Scope,
    /// The text; empty if nothing was worth keeping.
    pub text: String,
    /// The same by what it is about, if it was made so.
    pub sections: Sections,
    /// How many messages it stands for.
    pub messages: u64,
    /// The first message it covers.
    pub first: End,
    /// The last one: the watermark of its scope.
    pub last: End,
    /// How many times it was replaced.
    pub version: u32,
    /// When it was made.
    pub updated_at: Timestamp,
    /// The number of the newest message when it was made.
    pub made_after: i64,
    /// Whether a message arrived later inside its span.
    pub stale: bool,
}

impl Summary {
    /// Whether the span holds this place.
    #[must_use]
    pub fn covers(&self, position: Position) -> bool {
        self.first.position <= position && position <= self.last.position
    }
}

/// The summaries of a lane without earlier versions: of the lane's own only the newest, which carries the others
/// forward.
#[must_use]
pub fn newest_versions(mut summaries: Vec<Summary>) -> Vec<Summary> {
    let own = summaries.iter().filter(|summary| summary.scope == Scope::Lane);
    let newest = own.map(|summary| summary.version).max();
    summaries.retain(|summary| summary.scope != Scope::Lane || Some(summary.version) == newest);
    summaries
}

/// Summaries of one lane whose spans do not overlap, oldest first: those of conversations, then what else they leave.
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

/// Why a summary cannot stand beside those there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSpan {
    /// It ends before it begins.
    #[error("the span ends before it begins")]
    Reversed,
    /// Part of it is summarized already.
    #[error("the span overlaps the summary that ends at the watermark")]
    Overlap,
    /// It leaves messages between the watermark and itself.
    #[error("the span leaves a gap of {0} messages after the watermark")]
    Gap(u64),
}

/// Checks that a new span of a scope begins right after the watermark: no gap, no overlap.
///
/// `skipped` is how many messages lie between the watermark and the new span's first message.
///
/// # Errors
/// When the span is reversed, overlaps, or leaves a gap.
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
