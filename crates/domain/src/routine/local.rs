//! Converts a local date and time to timestamps, across daylight-saving changes.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// The timestamps of a local date and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurrence {
    /// It occurs once, as on most days.
    Once(Timestamp),
    /// Clocks are set back over it: its first and second occurrence.
    Twice(Timestamp, Timestamp),
    /// Clocks are set forward over it: the first timestamp after the gap.
    Skipped(Timestamp),
}

/// The timestamps at which local clocks show `clock`; `None` if out of range.
pub(super) fn occurrences(clock: DateTime, zone: &TimeZone) -> Option<Occurrence> {
    Some(match zone.to_ambiguous_timestamp(clock).offset() {
        AmbiguousOffset::Unambiguous { offset } => Occurrence::Once(offset.to_timestamp(clock).ok()?),
        AmbiguousOffset::Fold { before, after } => {
            Occurrence::Twice(before.to_timestamp(clock).ok()?, after.to_timestamp(clock).ok()?)
        }
        AmbiguousOffset::Gap { after, .. } => {
            // With the offset from after the change, the time lies just before it.
            let before_change = after.to_timestamp(clock).ok()?;
            Occurrence::Skipped(zone.following(before_change).next()?.timestamp())
        }
    })
}
