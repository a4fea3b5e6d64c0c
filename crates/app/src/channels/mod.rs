//! The doors people talk through.

pub mod telegram;
pub mod terminal;
