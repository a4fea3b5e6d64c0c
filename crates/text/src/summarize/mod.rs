//! Summaries: their five sections, how to write one without a model, and how to merge a new one with the previous.

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
