//! Wrappers around models: retry, circuit breaker, fallback.

pub(crate) mod backoff;
mod breaker;
mod fallback;
mod retry;

pub use fallback::Fallback;
pub use retry::Retry;
