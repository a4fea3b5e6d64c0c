//! The doors people talk through.

pub mod terminal;
