//! Recall: how words, meaning and time are scored, and how the hits are ranked and judged.

pub mod dedupe;
pub mod feedback;
pub mod fuse;
pub mod meta;
pub mod overlap;
mod scale;
pub mod score;
pub mod similarity;
pub mod vector;
