//! Turns, jobs and routines on a moved clock, with scripted models and a real database.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail at once")]

mod attachments;
mod commands;
mod embedder;
mod forget;
mod isolation;
mod jobs;
mod memory;
mod recall;
mod retry;
mod routines;
mod tool_turns;
mod tools;
mod turns;
mod writers;
