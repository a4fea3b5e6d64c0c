//! Models made of other models.

mod breaker;
mod fallback;
mod retry;

pub use fallback::Fallback;
pub use retry::Retry;
