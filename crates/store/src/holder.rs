//! Who holds a turn, a job, a run or a post.

use jiff::Timestamp;

/// A process that holds something, and until when it does unless it renews that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The process.
    pub owner: String,
    /// The end of its lease, by the real clock.
    pub leased_to: Timestamp,
}
