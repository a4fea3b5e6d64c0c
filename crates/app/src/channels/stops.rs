//! Stop signals for the replies that this process is writing, on any channel.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::pause::Key;

/// The lanes with current or imminent replies.
#[derive(Default)]
pub struct Stops(Mutex<HashMap<Key, Lane>>);

#[derive(Default)]
struct Lane {
    stop: Arc<Notify>,
    /// Number of replies that are being written or wait for another one.
    replies: usize,
}

impl Stops {
    /// Registers a reply in a lane, and returns its stop signal.
    pub fn begin(&self, key: &Key) -> Arc<Notify> {
        let mut lanes = self.lanes();
        let lane = lanes.entry(key.clone()).or_default();
        lane.replies += 1;
        Arc::clone(&lane.stop)
    }

    /// Unregisters a finished reply.
    pub fn end(&self, key: &Key) {
        let mut lanes = self.lanes();
        if let Some(lane) = lanes.get_mut(key) {
            lane.replies = lane.replies.saturating_sub(1);
            if lane.replies == 0 {
                lanes.remove(key);
            }
        }
    }

    /// Stops the reply that is being written in a lane; `false` if there is none.
    pub fn stop(&self, key: &Key) -> bool {
        self.lanes().get(key).inspect(|lane| lane.stop.notify_one()).is_some()
    }

    /// Stops the current reply in a lane, or else the next one.
    pub fn stop_next(&self, key: &Key) {
        self.lanes().entry(key.clone()).or_default().stop.notify_one();
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<Key, Lane>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
