//! Compaction: when to summarize a lane's older messages, and the input of the summary.

pub mod cap;
pub mod extractive;
pub mod prompt;
pub mod rule;

pub use cap::{chunk_cap, lane_cap, span_cap};
pub use extractive::extractive;
pub use prompt::transcript;
pub use rule::{Measure, Rule, due};
