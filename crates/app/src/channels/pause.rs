//! The pause before a turn, which lets messages in quick succession be answered together. Pauses are in memory only:
//! the messages wait on disk, and after a restart their turn begins at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use tokio::sync::Notify;

/// Number of pauses after which a turn begins, even if messages keep coming.
const MAX_PAUSES: u32 = 4;

/// A lane of a chat.
pub type Key = (ChatId, Lane);

/// The lanes in which messages arrived a moment ago.
pub struct Pauses {
    pause: Duration,
    lanes: Mutex<HashMap<Key, Burst>>,
}

/// A series of messages in quick succession.
struct Burst {
    first: Instant,
    last: Instant,
    /// Whether the turn should begin at once.
    is_over: bool,
    changed: Arc<Notify>,
}

impl Pauses {
    pub fn new(pause: Duration) -> Self {
        Self { pause, lanes: Mutex::default() }
    }

    /// Registers a message that will be answered.
    pub fn register(&self, key: &Key, now: Instant) {
        if self.pause.is_zero() {
            return;
        }
        let mut lanes = self.lanes();
        let new = || Burst { first: now, last: now, is_over: false, changed: Arc::default() };
        let burst = lanes.entry(key.clone()).or_insert_with(new);
        if burst.last + self.pause * MAX_PAUSES < now {
            // Earlier messages already belong to a turn, or wait for the current reply.
            *burst = Burst { changed: Arc::clone(&burst.changed), ..new() };
        }
        burst.last = now;
        burst.changed.notify_one();
    }

    /// Wakes the worker of a lane to check its queue again.
    pub fn wake(&self, key: &Key) {
        if let Some(burst) = self.lanes().get(key) {
            burst.changed.notify_one();
        }
    }

    /// Ends the pause of a lane; `false` if there is none.
    pub fn end_early(&self, key: &Key) -> bool {
        let mut lanes = self.lanes();
        let Some(burst) = lanes.get_mut(key) else { return false };
        burst.is_over = true;
        burst.changed.notify_one();
        true
    }

    /// The remaining pause of a lane, and a `Notify` that signals a change of it.
    pub fn remaining(&self, key: &Key, now: Instant) -> Option<(Duration, Arc<Notify>)> {
        let lanes = self.lanes();
        let burst = lanes.get(key).filter(|burst| !burst.is_over)?;
        let end = (burst.last + self.pause).min(burst.first + self.pause * MAX_PAUSES);
        let left = end.saturating_duration_since(now);
        (!left.is_zero()).then(|| (left, Arc::clone(&burst.changed)))
    }

    /// Removes the pause of a lane, whose messages a turn has taken.
    pub fn end(&self, key: &Key) {
        self.lanes().remove(key);
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<Key, Burst>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn key() -> Key {
        (ChatId::terminal(), Lane::Root)
    }

    #[test]
    fn a_turn_waits_for_a_pause_after_the_last_message_and_not_for_ever() {
        let (pauses, start) = (Pauses::new(SECOND), Instant::now());
        let left = |at: Instant| pauses.remaining(&key(), at).map(|(left, _)| left);
        assert_eq!(left(start), None, "nothing came");
        pauses.register(&key(), start);
        assert_eq!(left(start + SECOND / 4), Some(SECOND * 3 / 4));
        pauses.register(&key(), start + SECOND / 2);
        assert_eq!(left(start + SECOND), Some(SECOND / 2));
        assert_eq!(left(start + SECOND * 3 / 2), None);
        for step in 1..=40 {
            pauses.register(&key(), start + SECOND / 10 * step);
        }
        assert_eq!(left(start + SECOND * 7 / 2), Some(SECOND / 2));
        assert_eq!(left(start + SECOND * 4), None, "who writes without end is answered");
        pauses.end(&key());
        pauses.register(&key(), start + SECOND * 5);
        assert_eq!(left(start + SECOND * 5), Some(SECOND), "the next turn waits again");
        assert!(pauses.end_early(&key()) && left(start + SECOND * 5).is_none());
    }

    #[test]
    fn without_a_pause_nothing_waits() {
        let pauses = Pauses::new(Duration::ZERO);
        pauses.register(&key(), Instant::now());
        assert!(pauses.remaining(&key(), Instant::now()).is_none() && !pauses.end_early(&key()));
    }
}
