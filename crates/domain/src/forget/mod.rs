//! What forgetting does to texts: which sentences go, what stands in their place, and the mark that keeps the value
//! from coming back. Finding the memories and changing the store is for others.

mod aim;
mod blank;
mod sentences;
mod topic;
mod value;
mod veil;

pub use aim::Aim;
pub use blank::{FORGOTTEN, blank};
pub use sentences::sentences;
pub use topic::Topic;
pub use veil::{Veil, Veils};
