//! Taking something out of texts: the words that give a statement away, the topic a person names, and what stands in
//! place of the sentences that go.

mod blank;
mod clock;
mod days;
mod english;
mod families;
mod han;
mod hay;
mod inflection;
mod language;
mod names;
mod number_words;
mod numbers;
mod pieces;
mod script;
mod topic;
mod value;
mod verbs;

pub use blank::{FORGOTTEN, blank};
pub use topic::Topic;
pub use value::{for_each_held, held, value};
