//! The delays and number of attempts when a model is overloaded.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Error;

/// Back-off after the first failure; each further failure doubles it.
const FIRST_DELAY: Duration = Duration::from_millis(500);
/// Maximum number of attempts per request.
const MAX_ATTEMPTS: u32 = 4;

/// The delays between the attempts of one request.
pub(crate) struct Backoff {
    until: Instant,
    attempt: u32,
}

impl Backoff {
    /// Delays that end within a time.
    pub(crate) fn within(time: Duration) -> Self {
        Self { until: Instant::now() + time, attempt: 0 }
    }

    /// Waits before the next attempt. Returns false if there should be none; only an overloaded model is retried.
    pub(crate) async fn pause(&mut self, error: &Error) -> bool {
        let Error::Overloaded { after, .. } = error else { return false };
        let pause = after.unwrap_or(FIRST_DELAY.saturating_mul(1 << self.attempt));
        self.attempt += 1;
        if self.attempt >= MAX_ATTEMPTS || Instant::now() + pause >= self.until {
            return false;
        }
        sleep(pause).await;
        true
    }
}
