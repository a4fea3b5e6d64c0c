//! Summaries: their five sections, how one is made without a model, and how a new one takes over from the last.

pub mod extractive;
pub mod merge;
pub mod sections;
mod sentences;
mod topics;
mod vocative;
mod worth;

pub use extractive::{Spoken, extractive};
pub use merge::merged;
pub use sections::{BadSections, Sections};
pub use topics::topics;
