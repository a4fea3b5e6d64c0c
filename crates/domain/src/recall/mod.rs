//! Recall: how words are read, indexed and scored, and how a best hit is judged.

pub mod score;
pub mod words;
