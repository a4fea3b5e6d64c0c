//! Forgetting: the sentences to remove, and the suppressions that keep a value from coming back. Finding memories and
//! changing the store is left to others.

mod aim;
mod suppression;

pub use aim::Aim;
pub use suppression::{Suppression, SuppressionList, fingerprint, hash_of_statement};
