//! Models made of other models.

mod breaker;
mod fallback;

pub use fallback::Fallback;
