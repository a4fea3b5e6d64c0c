//! When a clock on the wall shows a time: mostly once a day, but clocks are set forward and back.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// The moments at which clocks of a zone show a date and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// As on most days.
    Once(Timestamp),
    /// Clocks are set back over it: the first and the second time.
    Twice(Timestamp, Timestamp),
    /// Clocks are set forward over it: the first moment after that.
    Skipped(Timestamp),
}

/// When clocks of the zone show `clock`; nothing at the end of all time.
pub(super) fn shown(clock: DateTime, zone: &TimeZone) -> Option<Shown> {
    Some(match zone.to_ambiguous_timestamp(clock).offset() {
        AmbiguousOffset::Unambiguous { offset } => Shown::Once(offset.to_timestamp(clock).ok()?),
        AmbiguousOffset::Fold { before, after } => {
            Shown::Twice(before.to_timestamp(clock).ok()?, after.to_timestamp(clock).ok()?)
        }
        AmbiguousOffset::Gap { after, .. } => {
            // Read with the offset that does not hold yet, the time lies just before the change.
            let before_change = after.to_timestamp(clock).ok()?;
            Shown::Skipped(zone.following(before_change).next()?.timestamp())
        }
    })
}
