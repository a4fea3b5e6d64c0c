//! A circuit breaker: a model that keeps failing is not asked for a while.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Number of consecutive failures that open the breaker.
const MAX_FAILURES: u32 = 3;
const REST: Duration = Duration::from_secs(60);

/// The state of a circuit breaker.
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
    /// Admits a request, or returns how long the breaker stays open. After that, one request tries the model while
    /// the others are refused until it ends.
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
            if state.failures >= MAX_FAILURES {
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
        for _ in 0..MAX_FAILURES {
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
