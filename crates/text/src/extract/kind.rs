//! The kinds of statement that can become a memory.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a memory states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something that is so: a name, a home, an allergy.
    Fact,
    /// Something liked, disliked or wanted done in a certain way.
    Preference,
    /// Something aimed at.
    Goal,
    /// Something that has its day.
    Date,
    /// How something that was tried came out.
    Outcome,
}

/// A text that is no kind of memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a kind of memory: write fact, preference, goal, date or outcome")]
pub struct UnknownKind(String);

impl Kind {
    /// All kinds, in the order people read them.
    pub const ALL: [Self; 5] = [Self::Fact, Self::Preference, Self::Goal, Self::Date, Self::Outcome];

    /// The name in JSON and SQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Preference => "preference",
            Self::Goal => "goal",
            Self::Date => "date",
            Self::Outcome => "outcome",
        }
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;
    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| UnknownKind(text.chars().take(40).collect()))
    }
}
