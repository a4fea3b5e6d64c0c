//! Recall: how a question is read, how words, meaning and time are scored, and how the hits are ranked and judged.

pub mod dedupe;
pub mod fuse;
pub mod intent;
pub mod meta;
pub mod query;
pub mod score;
pub mod vector;
pub mod when;
pub mod words;
