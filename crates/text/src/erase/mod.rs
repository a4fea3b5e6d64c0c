//! Taking something out of texts: the words that give a statement away, the topic a person names, and what stands in
//! place of the sentences that go.

mod blank;
mod days;
mod inflection;
mod numbers;
mod pieces;
mod topic;
mod value;

pub use blank::{FORGOTTEN, blank};
pub use topic::Topic;
pub use value::{for_each_held, held, value};
