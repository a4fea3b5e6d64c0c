//! Leases on turns, jobs, runs and outbox items.

use jiff::Timestamp;

/// A process that holds a lease, which it can renew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The process.
    pub owner: String,
    /// The end of its lease, by the real clock.
    pub leased_to: Timestamp,
}
