//! Compaction: when a lane's older messages are condensed, and what is kept of them from summary to summary.

pub(crate) mod cues;
pub mod extractive;
pub mod merge;
pub mod prompt;
pub mod rule;
pub mod sections;
mod sentences;
mod worth;

pub use extractive::extractive;
pub use merge::{MOST_TOKENS, merged};
pub use prompt::transcript;
pub use rule::{Measure, Rule, due};
pub use sections::{BadSections, Sections};
