//! Limits the request rate of each caller.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use super::error::ApiError;

/// Number of remembered callers above which those without recent requests are dropped.
const REMEMBERED: usize = 1_000;

/// Allows each caller a steady number of requests a minute, and bursts of a tenth of that number.
pub struct Limiter {
    /// Time between two requests at the steady rate.
    interval: Duration,
    /// How far a burst may run ahead of the steady rate.
    burst: Duration,
    /// When the next request of each caller is due.
    due: Mutex<HashMap<Arc<str>, Instant>>,
}

impl Limiter {
    pub fn new(requests_per_minute: NonZeroU32) -> Self {
        let minute = Duration::from_secs(60);
        Self { interval: minute / requests_per_minute.get(), burst: minute / 10, due: Mutex::default() }
    }

    /// Counts a request of a caller, unless it comes too early.
    pub fn admit(&self, caller: &Arc<str>) -> Result<(), ApiError> {
        self.admit_at(caller, Instant::now())
    }

    fn admit_at(&self, caller: &Arc<str>, now: Instant) -> Result<(), ApiError> {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if due.len() > REMEMBERED {
            due.retain(|_, due| *due > now);
        }
        let next = due.get(caller).copied().map_or(now, |due| due.max(now));
        let wait = next.saturating_duration_since(now + self.burst);
        if !wait.is_zero() {
            let seconds = wait.as_secs() + 1;
            let message =
                format!("too many requests; try again in {seconds} s, or raise http.requests_per_minute");
            return Err(ApiError {
                retry_after: Some(seconds),
                ..ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message)
            });
        }
        due.insert(Arc::clone(caller), next + self.interval);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_may_ask_a_tenth_of_a_minutes_share_at_once_and_then_at_a_steady_pace() {
        let limiter = Limiter::new(NonZeroU32::new(600).unwrap());
        let (ana, ben, now) = (Arc::from("ana"), Arc::from("ben"), Instant::now());
        let asked = |caller: &Arc<str>, at: Instant| {
            (0..1000).take_while(|_| limiter.admit_at(caller, at).is_ok()).count()
        };
        assert_eq!(asked(&ana, now), 61);
        assert_eq!(limiter.admit_at(&ana, now).unwrap_err().retry_after, Some(1));
        assert_eq!(asked(&ben, now), 61, "each caller has a share of their own");
        assert_eq!(asked(&ana, now + Duration::from_secs(1)), 10);
        assert_eq!(asked(&ana, now + Duration::from_secs(600)), 61, "what was not used does not add up");
    }
}
