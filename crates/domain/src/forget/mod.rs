//! What forgetting does to texts: which sentences go, what stands in their place, and the mark that keeps the value
//! from coming back. Finding the memories and changing the store is for others.

mod aim;
mod blank;
mod sentences;
mod suppression;
mod topic;
mod value;

pub use aim::Aim;
pub use blank::{FORGOTTEN, blank};
pub use sentences::sentences;
pub use suppression::{Suppression, SuppressionList};
pub use topic::Topic;
