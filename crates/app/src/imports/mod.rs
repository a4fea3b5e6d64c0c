//! Where messages can be brought in from: one file for each source.

pub mod jsonl;
