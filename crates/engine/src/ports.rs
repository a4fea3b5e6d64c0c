//! The clock and the source of ids. Tests and `--now` replace them.

use jiff::Timestamp;
use uuid::Uuid;

/// A clock.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// A source of ids.
pub trait Ids: Send + Sync {
    /// A new id, which sorts after all earlier ones.
    fn next(&self) -> Uuid;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that always shows the same time, for `--now`.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// UUIDs of version 7, which sort by time.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeOrderedIds;

impl Ids for TimeOrderedIds {
    #[expect(clippy::disallowed_methods, reason = "this is where ids come from")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}
