//! Answers: the kind that a question expects, whether a message is such an answer, and the decision of a yes or no.
//! Strict, so that an unrelated message is never taken for an answer.

mod decision;
mod fits;
mod question;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use decision::says_yes;
pub use fits::names_number;
pub use question::{asks_for_one, expected, listed, names_item, place_in_list};

/// The kind of answer that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// A day or a time.
    Date,
    /// A number, with or without a unit.
    Number,
    /// Yes or no.
    YesNo,
    /// An email address.
    Email,
    /// A web address.
    Url,
    /// One of these.
    Choice(Vec<String>),
    /// A few words.
    Text,
}
