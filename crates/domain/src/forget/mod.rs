//! Forgetting: which sentences go, and the mark that keeps the value from coming back. Finding the memories and changing
//! the store is for others.

mod aim;
mod suppression;

pub use aim::Aim;
pub use suppression::{Suppression, SuppressionList, fingerprint};
