//! Recall: how a query is read, how words are indexed and scored, how hits are judged.

pub mod words;
