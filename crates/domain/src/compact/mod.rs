//! Compaction: when a lane's older messages are condensed, and what is kept of them from summary to summary.

pub mod carry;
pub(crate) mod cues;
pub mod extractive;
pub mod prompt;
pub mod rule;
pub mod sections;
mod sentences;
mod worth;

pub use carry::{MOST_TOKENS, carried};
pub use extractive::extractive;
pub use prompt::transcript;
pub use rule::{Measure, Rule, due};
pub use sections::{BadSections, Sections};
