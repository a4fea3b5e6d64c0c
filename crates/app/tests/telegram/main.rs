//! The bot as people meet it: the binary serving a home, and a double of Telegram on the far side.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

#[path = "../common/mod.rs"]
mod common;

mod talk;
