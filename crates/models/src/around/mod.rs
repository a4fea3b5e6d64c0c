//! Models made of other models.

pub(crate) mod backoff;
mod breaker;
mod fallback;
mod retry;

pub use fallback::Fallback;
pub use retry::Retry;
