//! What the engine asks the world for: the time and new ids. Tests and `--now` answer in its place.

use jiff::Timestamp;
use uuid::Uuid;

/// What time it is.
pub trait Clock: Send + Sync {
    /// This moment.
    fn now(&self) -> Timestamp;
}

/// Where ids come from.
pub trait Ids: Send + Sync {
    /// An id that was never given out before, later ones sorting after earlier ones.
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

/// A calendar that stands at one moment, for `--now`.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// UUIDs of version 7, which sort by when they were made.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeOrderedIds;

impl Ids for TimeOrderedIds {
    #[expect(clippy::disallowed_methods, reason = "this is where ids come from")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}
