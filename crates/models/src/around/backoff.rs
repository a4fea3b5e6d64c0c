//! How long to wait before an overloaded model is asked again, and how often.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Error;

/// Back-off after the first failure; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Maximum number of times that one request is sent.
const ATTEMPTS: u32 = 4;

/// The pauses between the attempts of one request.
pub(crate) struct Backoff {
    until: Instant,
    attempt: u32,
}

impl Backoff {
    /// Pauses that end within a time.
    pub(crate) fn within(time: Duration) -> Self {
        Self { until: Instant::now() + time, attempt: 0 }
    }

    /// Waits, and says whether to ask again. Only an overloaded model is worth it.
    pub(crate) async fn pause(&mut self, error: &Error) -> bool {
        let Error::Overloaded { after, .. } = error else { return false };
        let pause = after.unwrap_or(FIRST_PAUSE.saturating_mul(1 << self.attempt));
        self.attempt += 1;
        if self.attempt >= ATTEMPTS || Instant::now() + pause >= self.until {
            return false;
        }
        sleep(pause).await;
        true
    }
}
