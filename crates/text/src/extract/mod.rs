//! What is worth keeping of what a person says. Pure: texts in, candidates for memories out.

pub mod attribute;
pub mod change;
pub mod gate;
mod kind;
pub mod own;
pub mod rules;
pub mod same;
mod wording;

use std::ops::Range;

use jiff::civil::Date;

pub use self::kind::{Kind, UnknownKind};

/// The most text one memory may hold, in characters: beyond this it is no statement but a story.
pub const LONGEST_STATEMENT: usize = 400;

/// A statement that may become a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it states.
    pub kind: Kind,
    /// The statement, in the person's own words.
    pub text: String,
    /// What it is about, such as `home`, `work`, `food`.
    pub category: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// The bytes of the person's message that prove it.
    pub span: Range<usize>,
    /// The day it is about, if it has one.
    pub day: Option<Date>,
}
