//! The search index of each chat: postings and metadata in the database, and a copy of the metadata in memory.

mod blocks;
pub(crate) mod memory;
pub(crate) mod meta;
mod postings;
pub(crate) mod rank;
pub(crate) mod words;

pub(crate) use memory::Indexes;
