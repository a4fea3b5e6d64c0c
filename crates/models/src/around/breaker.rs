//! A circuit breaker: a model that keeps failing is not asked for a while.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row that open the breaker.
const FAILURES: u32 = 3;
const REST: Duration = Duration::from_secs(60);

/// Whether a model may be asked.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    rests_until: Option<Instant>,
}

impl Breaker {
    /// Lets a request through, or says how long the breaker stays open. Afterwards one request tries the model, and the
    /// others wait for the outcome.
    pub(super) fn admit(&self) -> Result<(), Duration> {
        self.with(|state| {
            let Some(until) = state.rests_until else { return Ok(()) };
            let now = Instant::now();
            if now < until {
                return Err(until - now);
            }
            state.rests_until = Some(now + REST);
            Ok(())
        })
    }

    pub(super) fn succeeded(&self) {
        self.with(|state| *state = State::default());
    }

    pub(super) fn failed(&self) {
        self.with(|state| {
            state.failures = state.failures.saturating_add(1);
            if state.failures >= FAILURES {
                state.rests_until = Some(Instant::now() + REST);
            }
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn g1_after_the_rest_only_one_question_tries_until_it_is_known_how_that_went() {
        let breaker = Breaker::default();
        for _ in 0..FAILURES {
            assert_eq!(breaker.admit(), Ok(()));
            breaker.failed();
        }
        assert_eq!(breaker.admit(), Err(REST));
        advance(REST).await;
        assert_eq!((breaker.admit(), breaker.admit()), (Ok(()), Err(REST)));
        breaker.succeeded();
        assert_eq!((breaker.admit(), breaker.admit()), (Ok(()), Ok(())));
    }
}
